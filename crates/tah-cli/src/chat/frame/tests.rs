//! The live area keeps its shape at any size.

use super::super::testing::{Stage, command_card};
use tah_agent::event::{EndReason, Event};

#[test]
fn the_editor_and_the_status_line_are_always_seen() {
    for (columns, rows) in [(80, 24), (40, 12), (20, 8), (120, 30), (10, 5)] {
        let mut stage = Stage::sized(columns, rows);
        stage.begin("hi").text(&"word ".repeat(300));
        stage.event(Event::Reasoning { text: "thought ".repeat(100) });
        stage.keys("draft");
        let screen = stage.screen();
        assert!(screen.contains("› draft"), "{columns}x{rows}: {screen}");
        assert!(screen.lines().count() <= usize::from(rows));
        stage.end(EndReason::Finished);
        stage.screen();
    }
}

#[test]
fn a_narrow_screen_has_a_snapshot() {
    let mut stage = Stage::sized(40, 20);
    stage
        .begin("你好，请看看这个文件夹里有什么东西，然后告诉我")
        .text("好的，我来看看。这里有一些文件，还有 `README.md`。\n\n- 一\n- 二\n\n");
    stage.card("1", command_card("git status --short --branch")).armed();
    insta::assert_snapshot!(stage.screen());
}

#[test]
fn an_empty_chat_has_a_snapshot() {
    insta::assert_snapshot!(Stage::new().screen());
}
