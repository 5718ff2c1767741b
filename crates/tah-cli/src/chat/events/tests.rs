//! What events leave on the screen.

use super::super::testing::{Stage, session};
use super::*;
use tah_agent::id::CallId;

fn start(id: &str, tool: &str, summary: &str) -> Event {
    Event::ToolStart { call_id: CallId::new(id), tool: tool.to_owned(), summary: summary.to_owned() }
}

fn end(id: &str, ok: bool, result: &str) -> Event {
    Event::ToolEnd { call_id: CallId::new(id), ok, result: result.to_owned(), ms: 1234 }
}

#[test]
fn a_turn_from_prompt_to_end() {
    let mut stage = Stage::new();
    stage.begin("what is here?");
    stage.text("I look.").event(Event::ReplyEnd { calls: 2 });
    stage.event(start("1", "list_dir", "."));
    insta::assert_snapshot!("turn_calls_run", stage.screen_after("runs a shell line"));
    stage.event(end("1", true, "12 entries"));
    stage.event(start("2", "shell", "cargo test"));
    stage.event(Event::ToolOutput {
        call_id: CallId::new("2"),
        chunk: (0..9).map(|n| format!("\x1b[32mtest {n}\x1b[0m ok\n")).collect(),
    });
    insta::assert_snapshot!("turn_output", stage.screen_after("runs a shell line"));
    stage.event(end("2", false, "exit 1\nsecond line"));
    stage.text("Here is **all**.\n").event(Event::Usage {
        input: 12_345,
        output: 55,
        cached: 0,
        window: Some(100_000),
    });
    stage.end(EndReason::Finished);
    insta::assert_snapshot!("turn_ended", stage.screen_after("runs a shell line"));
}

#[test]
fn u8_no_event_brings_control_characters_to_the_screen() {
    let evil = "a\x1b]52;c;AAAA\x07b\x1b[2Jc\rd\u{202e}e\x1b]8;;http://x\x1b\\f\x1b]8;;\x1b\\";
    let mut stage = Stage::new();
    stage.event(session(evil, 0));
    stage.begin(&evil.replace(['\x1b', '\r'], ""));
    stage.event(Event::Reasoning { text: evil.to_owned() });
    stage.text(evil).event(Event::ReplyEnd { calls: 1 });
    stage
        .event(start("1", evil, evil))
        .event(Event::ToolOutput { call_id: CallId::new("1"), chunk: evil.to_owned() });
    stage.event(end("1", true, evil));
    stage.event(Event::Notice { level: Level::Warning, text: evil.to_owned() });
    stage.event(Event::TurnError {
        reason: EndReason::Failed,
        message: evil.to_owned(),
        hint: Some(evil.to_owned()),
    });
    for line in &stage.chat.out {
        let text = line.to_string();
        assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{text:?}");
    }
    let screen = stage.screen();
    assert!(screen.contains("⟨U+202E⟩"), "an order mark is shown: {screen}");
}

#[test]
fn an_error_shows_its_hint_and_can_go_on() {
    let mut stage = Stage::new();
    stage.begin("go").event(Event::TurnError {
        reason: EndReason::Failed,
        message: "no connection".to_owned(),
        hint: Some("check the network".to_owned()),
    });
    let screen = stage.screen();
    assert!(screen.contains("✗ no connection\n  hint: check the network"), "{screen}");
    stage.keys("<Enter>");
    assert_eq!(stage.said(), "Continue");
}

#[test]
fn a_retracted_reply_is_said_to_count_no_more() {
    let mut stage = Stage::new();
    stage.begin("go").text("half a").event(Event::Retract {}).text("whole\n").end(EndReason::Finished);
    let screen = stage.screen();
    assert!(
        screen.contains("sent again") && screen.contains("whole") && !screen.contains("half a"),
        "{screen}"
    );
}

#[test]
fn a_reset_begins_a_new_session_and_a_new_status() {
    let mut stage = Stage::new();
    stage
        .begin("go")
        .event(Event::Usage { input: 500, output: 5, cached: 0, window: None })
        .end(EndReason::Finished);
    assert!(stage.screen().contains("505 tokens"));
    stage.event(session("other234", 0));
    let screen = stage.screen();
    assert!(screen.contains("a new session: other234") && !screen.contains("505 tokens"), "{screen}");
}

#[test]
fn the_terminal_is_called_when_tah_waits() {
    let mut stage = Stage::new();
    stage.begin("go").card("1", super::super::testing::command_card("x"));
    assert_eq!(stage.wishes(), [Wish::Notify("Run command: shell".to_owned())]);
    stage.end(EndReason::Finished);
    assert!(matches!(stage.wishes().as_slice(), [Wish::Notify(_)]));
}

#[test]
fn the_first_prompt_waits_for_its_session() {
    let mut stage = Stage::before_the_session(80, 24);
    stage.chat.options.first_prompt = Some("do this".to_owned());
    assert_eq!(stage.said(), "");
    stage.event(session("abcd2345", 4));
    assert_eq!(stage.wishes(), [Wish::Recall("abcd2345".to_owned())]);
    assert_eq!(stage.said(), "Send { text: \"do this\", images: [] }");
    assert_eq!(stage.chat.prompts, ["do this"]);
}
