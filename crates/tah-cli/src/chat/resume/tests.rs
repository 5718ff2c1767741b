//! A resumed conversation.

use super::super::testing::{Stage, session};
use super::*;

#[test]
fn d5_a_resumed_session_shows_its_end() {
    let mut stage = Stage::sized(60, 60);
    stage.event(session("efgh2345", 4));
    let messages = vec![
        Message::user("first"),
        Message::assistant("an **answer**"),
        Message::Tool {
            call_id: CallId::new("1"),
            name: "shell".to_owned(),
            text: "out\nmore".to_owned(),
            ok: true,
        },
        Message::user("second"),
    ];
    print(&mut stage.chat, &messages);
    insta::assert_snapshot!(stage.screen_after("runs a shell line"));
    assert_eq!(stage.chat.prompts, ["first", "second"]);
    assert_eq!(stage.chat.last_reply, "an **answer**");
}

#[test]
fn a_long_one_says_how_much_is_not_shown() {
    let mut stage = Stage::new();
    let messages: Vec<Message> =
        (0..10_000).map(|number| Message::user(format!("message {number}"))).collect();
    print(&mut stage.chat, &messages);
    assert!(stage.chat.out.len() < 200);
    assert!(stage.chat.out.iter().any(|line| line.to_string().contains("9960 earlier ones are not shown")));
}
