//! Cards: what they show and which keys answer them.

use crate::chat::testing::{Stage, command_card};
use std::time::Duration;
use tah_agent::card::{Card, CardLine, Insistence};
use tah_agent::event::EndReason;

fn card(lines: Vec<CardLine>) -> Card {
    Card { title: "Do it".to_owned(), lines, always: None, insistence: Insistence::Normal }
}

fn kinds() -> Vec<(&'static str, Card)> {
    vec![
        ("command", command_card("git status --short\nls -l")),
        (
            "diff",
            card(vec![
                CardLine::Path("src/a.rs".to_owned()),
                CardLine::Diff("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-旧\n+新 text\n".to_owned()),
            ]),
        ),
        ("url", card(vec![CardLine::Url("https://example.org/a?b=c".to_owned())])),
        ("paths", card(vec![CardLine::Path("a.txt".to_owned()), CardLine::Path("dir/b c.txt".to_owned())])),
        ("text", card(vec![CardLine::Text("{\"a\": 1}".to_owned())])),
    ]
}

#[test]
fn every_kind_of_card_has_a_snapshot() {
    for (name, card) in kinds() {
        let mut stage = Stage::new();
        stage.begin("go").card("1", card).armed();
        insta::assert_snapshot!(format!("card_{name}"), stage.screen_after("runs a shell line"));
    }
}

#[test]
fn every_answer_has_a_snapshot() {
    for (name, keys) in [
        ("yes", "y"),
        ("always", "a"),
        ("no", "n"),
        ("escape", "<Esc>"),
        ("reason", "e不要 this<Enter>"),
        ("interrupt", "<C-c>"),
    ] {
        let mut stage = Stage::new();
        stage.begin("go").card("1", command_card("git status")).armed();
        stage.keys(keys);
        let said = stage.said();
        insta::assert_snapshot!(
            format!("answer_{name}"),
            format!("{}\n== to the host ==\n{said}", stage.screen_after("runs a shell line"))
        );
    }
}

#[test]
fn u5_keys_typed_before_the_card_cannot_answer_it() {
    let mut stage = Stage::new();
    stage.begin("go").keys("ye");
    stage.card("1", command_card("rm -rf x"));
    stage.keys("y");
    stage.screen();
    stage.pass(Duration::from_millis(100));
    stage.keys("y");
    assert_eq!(stage.said(), "");
    stage.pass(Duration::from_millis(300));
    stage.screen();
    stage.keys("y");
    assert_eq!(stage.said(), "", "each key puts the moment off");
    assert_eq!(stage.chat.editor.text(), "yeyyy");
    stage.armed();
    stage.keys("y");
    assert!(stage.said().contains("Yes"));
}

#[test]
fn u5_escape_denies_this_call_and_the_turn_goes_on() {
    let mut stage = Stage::new();
    stage.begin("go").card("1", command_card("one")).card("2", command_card("two"));
    stage.screen();
    stage.keys("<Esc>");
    assert_eq!(stage.said().matches("No {").count(), 1);
    assert!(stage.screen().contains("$ two"));
    assert!(stage.chat.is_busy());
}

#[test]
fn u5_interrupt_denies_every_card_and_stops_the_turn() {
    let mut stage = Stage::new();
    stage.begin("go").card("1", command_card("one")).card("2", command_card("two"));
    stage.screen();
    stage.keys("<C-c>");
    let said = stage.said();
    assert_eq!(said.matches("No {").count(), 2, "{said}");
    assert!(said.ends_with("Cancel"), "{said}");
    stage.end(EndReason::Cancelled);
    assert!(!stage.chat.is_busy());
}

#[test]
fn u5_the_key_that_answers_a_card_does_not_answer_the_next() {
    let mut stage = Stage::new();
    stage.begin("go").card("1", command_card("one")).card("2", command_card("two")).armed();
    stage.keys("yy");
    assert_eq!(stage.said().matches("Yes").count(), 1);
    assert_eq!(stage.chat.editor.text(), "y");
}

#[test]
fn u8_a_card_shows_exactly_what_will_run() {
    let mut stage = Stage::new();
    stage.begin("go").card("1", command_card("rm x\recho ok\u{202e}\u{1b}[2K\u{1b}]52;c;AA\u{7}")).armed();
    let screen = stage.screen();
    assert!(screen.contains("rm x␍echo ok⟨U+202E⟩␛[2K␛]52;c;AA␇"), "{screen}");
}

#[test]
fn a_card_higher_than_the_screen_is_scrolled_and_hides_nothing() {
    let mut stage = Stage::sized(60, 16);
    let lines: Vec<String> = (0..60).map(|number| format!("echo step-{number:02}")).collect();
    stage.begin("go").card("1", command_card(&lines.join("\n"))).armed();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..80 {
        let screen = stage.screen();
        assert!(screen.contains("y yes"), "{screen}");
        seen.extend(lines.iter().filter(|line| screen.contains(*line)).cloned());
        stage.keys("<Down>");
    }
    assert_eq!(seen.len(), 60);
}

#[test]
fn cards_fit_a_narrow_terminal() {
    for (name, card) in kinds() {
        let mut stage = Stage::sized(24, 20);
        stage.begin("go").card("1", card).armed();
        let screen = stage.screen();
        assert!(screen.contains("y yes"), "{name}: {screen}");
    }
}

#[test]
fn a_card_whose_call_ended_is_gone() {
    let mut stage = Stage::new();
    stage.begin("go").card("1", command_card("one")).armed();
    stage.event(tah_agent::event::Event::ToolEnd {
        call_id: tah_agent::id::CallId::new("call-1"),
        ok: false,
        result: "cancelled".to_owned(),
        ms: 5,
    });
    assert!(!stage.screen().contains("y yes"));
}
