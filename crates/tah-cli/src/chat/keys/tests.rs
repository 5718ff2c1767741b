//! The chat's own keys: each row of the table has its case.

use super::super::state::{Turn, Wish};
use super::super::testing::Stage;
use super::*;
use std::time::Duration;
use tah_agent::event::EndReason;

#[test]
fn every_key_has_a_case() {
    for row in KEYS {
        let mut stage = Stage::new();
        match row.name {
            "Enter" => {
                stage.keys("hello<Enter>");
                assert_eq!(stage.said(), "Send { text: \"hello\", images: [] }");
            }
            "Tab" => {
                stage.keys("/res<Tab>");
                assert!(stage.chat.editor.text().starts_with("/res"));
                assert!(stage.chat.editor.text().ends_with(' '));
            }
            "Esc" => {
                stage.begin("go").keys("<Esc>");
                assert_eq!(stage.said(), "Cancel");
            }
            "Ctrl+C" => {
                stage.keys("text<C-c>");
                assert!(stage.chat.editor.is_empty());
                stage.keys("<C-c>");
                assert!(stage.screen().contains("Ctrl+C again ends tah"));
                stage.keys("<C-c>");
                assert_eq!(stage.wishes(), [Wish::Exit]);
            }
            "Ctrl+D" => {
                stage.keys("<C-d>");
                assert_eq!(stage.wishes(), [Wish::Exit]);
            }
            "Ctrl+R" => {
                stage.begin("find the needle").end(EndReason::Finished);
                stage.begin("other").end(EndReason::Finished);
                stage.keys("<C-r>need<Enter>");
                assert_eq!(stage.chat.editor.text(), "find the needle");
            }
            "Ctrl+T" => {
                stage
                    .begin("go")
                    .event(tah_agent::event::Event::Reasoning { text: "deep thought".to_owned() });
                assert!(stage.screen().contains("∴ deep thought"));
                stage.text("answer").end(EndReason::Finished);
                assert!(!stage.screen().contains("deep thought"));
                stage.keys("<C-t>");
                assert!(stage.screen().contains("deep thought"));
            }
            "Ctrl+G" => {
                stage.keys("<C-g>");
                assert_eq!(stage.wishes(), [Wish::OpenEditor]);
            }
            "Ctrl+L" => {
                stage.keys("<C-l>");
                assert_eq!(stage.wishes(), [Wish::Redraw]);
            }
            "Ctrl+Z" => {
                stage.keys("<C-z>");
                assert_eq!(stage.wishes(), [Wish::Suspend]);
            }
            "Up" => {
                stage.begin("go").keys("later<Enter>");
                assert!(stage.screen().contains("next: later"));
                stage.keys("<Up>");
                assert_eq!(stage.chat.editor.text(), "later");
                assert!(stage.chat.queue.is_empty());
            }
            other => panic!("{other} has no case"),
        }
    }
}

#[test]
fn messages_typed_while_a_turn_runs_are_sent_when_it_ends() {
    let mut stage = Stage::new();
    stage.begin("go").keys("one<Enter>two<Enter>");
    assert_eq!(stage.said(), "");
    stage.end(EndReason::Finished);
    assert_eq!(stage.said(), "Send { text: \"one\", images: [] }");
    stage.end(EndReason::Finished);
    assert_eq!(stage.said(), "Send { text: \"two\", images: [] }");
}

#[test]
fn stopping_gives_queued_messages_back() {
    let mut stage = Stage::new();
    stage.begin("go").keys("one<Enter>two<Enter>half");
    stage.keys("<Esc>");
    assert_eq!(stage.chat.editor.text(), "one\ntwo\nhalf");
    stage.end(EndReason::Cancelled);
    assert_eq!(stage.said(), "Cancel");
}

#[test]
fn enter_on_an_empty_line_goes_on_after_the_step_limit() {
    let mut stage = Stage::new();
    stage.begin("go").end(EndReason::StepLimit);
    assert!(stage.screen().contains("Enter goes on"));
    stage.keys("<Enter>");
    assert_eq!(stage.said(), "Continue");
    stage.end(EndReason::Finished);
    stage.keys("<Enter>");
    assert_eq!(stage.said(), "");
    assert_eq!(stage.chat.turn, Turn::Idle);
}

#[test]
fn the_question_to_end_is_forgotten() {
    let mut stage = Stage::new();
    stage.keys("<C-c>").pass(limits::EXIT_AGAIN + Duration::from_millis(1));
    assert!(!stage.screen().contains("again"));
    stage.keys("<C-c>x");
    assert!(!stage.screen().contains("again"));
    assert!(stage.wishes().is_empty());
}

#[test]
fn a_backslash_asks_for_another_line() {
    let mut stage = Stage::new();
    stage.keys("one\\<Enter>two<Enter>");
    assert_eq!(stage.said(), "Send { text: \"one\\ntwo\", images: [] }");
}

#[test]
fn u4_a_paste_is_one_thing_and_sends_nothing() {
    let mut stage = Stage::new();
    stage.chat.paste("a\r\nb\x1b[201~\r");
    assert_eq!(stage.said(), "");
    assert_eq!(stage.chat.editor.text(), "a\nb\n");
    stage.keys("<C-c>");
    let big = "x\n".repeat(100);
    stage.chat.paste(&big);
    assert!(stage.screen().contains("[paste 1: 100 lines]"));
    stage.keys("<Enter>");
    let Some(tah_agent::host::Command::Send { text, .. }) = stage.take_commands().pop() else {
        panic!("nothing sent")
    };
    assert_eq!(text, big.trim_end());
}

#[test]
fn u3_the_cursor_is_at_the_caret_after_every_key() {
    let mut stage = Stage::sized(41, 24);
    for text in ["你", "好", "世", "界", "a", "b"] {
        stage.keys(text);
        assert_eq!(stage.before_cursor(), text);
    }
    for expected in ["a", "界", "世", "好", "你"] {
        stage.keys("<Left>");
        assert_eq!(stage.before_cursor(), expected);
    }
    stage.keys("<End>").keys(&"长".repeat(40));
    assert_eq!(stage.before_cursor(), "长");
    stage.keys("/");
    stage.keys("<C-c>/mod");
    assert_eq!(stage.before_cursor(), "d");
    stage.keys("<C-c><C-r>ab");
    assert_eq!(stage.before_cursor(), "b");
}

#[test]
fn a_shell_line_is_a_wish_and_its_result_goes_with_the_next_message() {
    let mut stage = Stage::new();
    stage.keys("!ls -l<Enter>");
    assert_eq!(stage.wishes(), [Wish::Shell("ls -l".to_owned())]);
    assert!(stage.screen().contains("! ls -l"));
    stage.keys("<Esc>");
    assert_eq!(stage.wishes(), [Wish::StopShell]);
    stage.chat.shell = None;
    stage.chat.shell_results.push("RESULT".to_owned());
    assert!(stage.screen().contains("1 shell result will go"));
    stage.keys("what is this?<Enter>");
    assert_eq!(stage.said(), "Send { text: \"RESULT\\n\\nwhat is this?\", images: [] }");
}

#[test]
fn a_dragged_picture_becomes_one() {
    let mut stage = Stage::new();
    let path = stage.folder.path().join("my pic.png");
    tah_os::disk::write(&path, b"png", tah_os::disk::Access::Shared).unwrap();
    stage.chat.paste(&format!("'{}' ", path.display()));
    assert!(stage.screen().contains("picture: my pic.png"));
    stage.chat.paste(&path.display().to_string().replace(' ', "\\ "));
    assert_eq!(stage.chat.pictures.len(), 2);
    stage.keys("look<Enter>");
    let Some(tah_agent::host::Command::Send { images, .. }) = stage.take_commands().pop() else {
        panic!("nothing sent")
    };
    assert_eq!(images[0].media_type, "image/png");
    stage.chat.paste("/no/such.png");
    assert_eq!(stage.chat.editor.text(), "/no/such.png", "no picture there: it is a text");
}

#[test]
fn a_summary_is_stopped_by_escape_and_by_interrupt() {
    for key in ["<Esc>", "<C-c>"] {
        let mut stage = Stage::new();
        stage.keys("/compact<Esc><Enter>");
        assert_eq!(stage.said(), "Compact");
        assert!(stage.screen().contains("summarising 0 s · Esc stops"));
        stage.keys("later<Enter>").keys(key);
        assert_eq!(stage.said(), "Cancel", "{key}");
        assert_eq!(stage.chat.editor.text(), "later", "what waited comes back");
        stage.event(tah_agent::event::Event::SummaryEnd { reason: EndReason::Cancelled });
        assert_eq!(stage.chat.turn, Turn::Idle);
    }
}

#[test]
fn thoughts_are_folded_and_shown_again_as_often_as_wanted() {
    let thought = |stage: &mut Stage| {
        let lines: Vec<String> = (1..=8).map(|number| format!("thought {number}")).collect();
        stage.event(tah_agent::event::Event::Reasoning { text: lines.join("\n") });
    };
    let mut stage = Stage::new();
    stage.begin("go");
    thought(&mut stage);
    let folded = stage.screen();
    assert!(folded.contains("thought 8") && !folded.contains("thought 1\n"), "{folded}");
    stage.keys("<C-t>");
    let whole = stage.screen();
    assert!(whole.contains("thought 1\n") && whole.contains("Ctrl+T folds them"), "{whole}");
    stage.keys("<C-t>");
    assert!(!stage.screen().contains("thought 1\n"));
    stage.text("answer").end(EndReason::Finished);
    let screen = stage.screen();
    assert!(
        screen.contains("∴ thought for 0 s (Ctrl+T shows it)") && !screen.contains("thought 8"),
        "{screen}"
    );
    for count in 1..=2 {
        stage.keys("<C-t>");
        assert_eq!(stage.screen().matches("thought 8").count(), count);
        stage.keys("<C-t>");
    }
    stage.keys("x");
    assert!(!stage.screen().contains("Ctrl+T shows them"), "a hint goes with the next key");
}
