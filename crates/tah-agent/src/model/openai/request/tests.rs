//! What goes out; the rest is seen over a connection in `tests/it/model.rs`.

use super::*;
use crate::id::CallId;
use crate::message::{ArgumentFault, ReplyState};
use crate::model::catalog;
use crate::model::resolve::plain_profile;

fn build(messages: Vec<Message>, provider: &Provider) -> Value {
    let request = Request { system: "s".into(), messages, tools: Vec::new(), max_output: None };
    body(&request, provider, &plain_profile("m"), provider.stream_usage)
}

fn assistant(text: &str, calls: Vec<ToolCall>) -> Message {
    Message::Assistant { text: text.into(), reasoning: String::new(), calls, state: ReplyState::Cut }
}

#[test]
fn s13_an_empty_reply_is_left_out() {
    let body = build(vec![Message::user("a"), assistant("", vec![]), Message::user("b")], &catalog::OPENAI);
    assert!(!body["messages"].to_string().contains("assistant"));
    assert!(body.get("tools").is_none());
}

#[test]
fn s11_a_faulty_call_goes_out_as_an_empty_object() {
    let call = ToolCall {
        id: CallId::new("c"),
        name: "write_file".into(),
        input: Default::default(),
        fault: Some(ArgumentFault::CutAtLimit),
    };
    let body = build(vec![Message::user("a"), assistant("", vec![call])], &catalog::OPENAI);
    assert_eq!(body["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(body["messages"][2]["content"], Value::Null);
}

#[test]
fn the_output_limit_has_the_name_the_provider_knows() {
    assert_eq!(build(vec![], &catalog::DEEPSEEK)["max_tokens"], 8_192);
    assert!(build(vec![], &catalog::OPENAI).get("max_completion_tokens").is_none());
}

#[test]
fn user_messages_in_a_row_are_one() {
    let picture = Message::User {
        text: "Pictures".into(),
        images: vec![Image { media_type: "image/png".into(), data: "A".into(), label: "l".into() }],
        origin: crate::message::Origin::ToolImages,
    };
    let plain = build(vec![Message::user("a"), Message::user("b"), picture.clone()], &catalog::OPENAI);
    assert_eq!(plain["messages"][1]["content"], "a\n\nb\n\nPictures\n[image omitted: l]");
    let profile = Profile { vision: Vision::On, ..plain_profile("m") };
    let request = Request {
        system: String::new(),
        messages: vec![Message::user("a"), picture],
        tools: vec![],
        max_output: None,
    };
    let seeing = body(&request, &catalog::OPENAI, &profile, StreamUsage::Asked);
    let kinds: Vec<&Value> =
        seeing["messages"][0]["content"].as_array().unwrap().iter().map(|part| &part["type"]).collect();
    assert_eq!(kinds, ["text", "text", "image_url"]);
}

#[test]
fn going_on_after_a_cut_reply_is_a_users_word() {
    let body = build(vec![Message::user("a"), assistant("half", vec![])], &catalog::DEEPSEEK);
    assert_eq!(body["messages"][3], json!({ "role": "user", "content": "Go on." }));
}
