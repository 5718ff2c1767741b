//! Budget, elision and cutting.

use super::*;
use crate::id::CallId;
use crate::message::{Image, Input, ReplyState, ToolCall};
use crate::model::{ModelErrorKind, Overflow};
use std::collections::HashSet;

fn call(id: &str) -> Message {
    let call = ToolCall { id: CallId::new(id), name: "t".into(), input: Input::new(), fault: None };
    Message::Assistant {
        text: String::new(),
        reasoning: "thought".into(),
        calls: vec![call],
        state: ReplyState::Whole,
    }
}

fn result(id: &str, text: &str) -> Message {
    Message::Tool { call_id: CallId::new(id), name: "t".into(), text: text.into(), ok: true }
}

fn pictures() -> Message {
    let image = Image { media_type: "image/png".into(), data: "A".into(), label: "shot 1".into() };
    Message::User { text: "Pictures".into(), images: vec![image], origin: Origin::ToolImages }
}

/// Turns of two steps each, with results of `size` bytes.
fn conversation(turns: usize, size: usize) -> Vec<Message> {
    let mut messages = Vec::new();
    for turn in 0..turns {
        messages.push(Message::user(format!("prompt {turn}")));
        for step in 0..2 {
            let id = format!("{turn}-{step}");
            messages.push(call(&id));
            messages.push(result(&id, &"x".repeat(size)));
            messages.push(pictures());
        }
        messages.push(Message::assistant(format!("answer {turn}")));
    }
    messages
}

/// What a strict provider checks: each call is followed by its result, no result stands alone.
fn assert_paired(messages: &[Message]) {
    let mut open: HashSet<&CallId> = HashSet::new();
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty());
                open.extend(calls.iter().map(|call| &call.id));
            }
            Message::Tool { call_id, .. } => assert!(open.remove(call_id), "{call_id} has no call"),
            Message::User { .. } => assert!(open.is_empty()),
        }
    }
    assert!(open.is_empty());
}

#[test]
fn estimates_are_near_what_tokenizers_count() {
    assert_eq!(of_text(""), 0);
    assert_eq!(of_text("four"), 1);
    assert_eq!(of_text(&"a".repeat(4_000)), 1_000);
    let chinese = of_text(&"你".repeat(1_000));
    assert!((1_000..1_500).contains(&chinese), "{chinese}");
}

#[test]
fn reported_usage_corrects_the_estimate() {
    let mut budget = Budget::default();
    budget.learn(1_000, 1_500);
    assert_eq!(budget.tokens(2_000), 3_000);
    assert_eq!(budget.estimate(3_000), 2_000);
    // Nonsense is not believed.
    budget.learn(1_000, 0);
    budget.learn(1_000, 50);
    budget.learn(1_000, 900_000);
    assert_eq!(budget.tokens(2_000), 3_000);
}

#[test]
fn an_overflow_teaches_the_window() {
    let profile = crate::model::resolve::plain_profile("m");
    let mut budget = Budget::default();
    let mut error = ModelError::new(ModelErrorKind::ContextOverflow, "too long");
    budget.learn_overflow(5_000, &error);
    assert_eq!(budget.window(&profile), Some(5_000));
    error.overflow = Overflow { asked: Some(6_000), window: Some(4_096) };
    budget.learn_overflow(5_000, &error);
    assert_eq!(budget.window(&profile), Some(4_096));
    assert_eq!(budget.tokens(5_000), 6_000);
}

#[test]
fn old_output_and_pictures_go_first_and_only_as_far_as_needed() {
    let messages = conversation(5, 8_000);
    let all = of_messages(&messages);
    let kept = elide(&messages, all - 3_000);
    assert_paired(&kept);
    assert!(of_messages(&kept) <= all - 3_000);
    // The oldest went, the newest are whole.
    assert!(
        matches!(&kept[2], Message::Tool { text, .. } if text.contains("more chars of this older output"))
    );
    assert!(
        matches!(&kept[3], Message::User { images, text, .. } if images.is_empty() && text.contains("shot 1"))
    );
    assert_eq!(kept[kept.len() - 10..], messages[messages.len() - 10..]);
    let far = elide(&messages, 0);
    assert_eq!(far[far.len() - 7..], messages[messages.len() - 7..], "the last two steps stay");
    assert_eq!(elide(&far, 0), far);
}

#[test]
fn a_cut_is_at_a_turn_where_there_is_one() {
    let messages = conversation(4, 400);
    let turn = of_messages(&conversation(1, 400));
    assert_eq!(cut(&messages, turn * 2 + 5), messages.len() / 2);
    assert_eq!(cut(&messages, u64::MAX), 0);
    // Less than a step fits: the last reply is kept all the same.
    assert_eq!(cut(&messages, 0), messages.len() - 1);
    // One long turn is cut between its steps.
    let mut long = vec![Message::user("prompt")];
    for step in 0..10 {
        long.push(call(&step.to_string()));
        long.push(result(&step.to_string(), &"x".repeat(400)));
    }
    let at = cut(&long, of_messages(&long) / 2);
    assert!(at > 1 && at < long.len() && matches!(long[at], Message::Assistant { .. }), "{at}");
    assert_eq!(cut(&[], 10), 0);
}

#[test]
fn a_rebuilt_conversation_keeps_the_prompt_and_its_pairs() {
    let mut long = vec![Message::user("old"), Message::assistant("done"), Message::user("the prompt")];
    for step in 0..10 {
        long.push(call(&step.to_string()));
        long.push(result(&step.to_string(), &"x".repeat(4_000)));
    }
    let at = cut(&long, 1_500);
    let kept = rebuild("summary".into(), &long, at, 1_500);
    assert_paired(&kept);
    assert!(matches!(&kept[0], Message::User { origin: Origin::Summary, text, .. } if text == "summary"));
    assert_eq!(kept[1], Message::user("the prompt"));
    // A single step that is too long is kept, with its result cut.
    let kept = rebuild("s".into(), &long, cut(&long, 10), 500);
    assert_paired(&kept);
    assert!(of_messages(&kept) < 700, "{}", of_messages(&kept));
}

proptest::proptest! {
    #[test]
    fn whatever_is_left_out_pairs_hold(turns in 0usize..6, size in 0usize..5_000, target in 0u64..20_000) {
        let messages = conversation(turns, size);
        assert_paired(&elide(&messages, target));
        let kept = rebuild("s".into(), &messages, cut(&messages, target), target);
        assert_paired(&kept);
    }
}

#[test]
fn a_transcript_is_bounded_and_tells_who_spoke() {
    let text = transcript(&conversation(2, 10_000), 100_000);
    assert!(text.starts_with("User:\nprompt 0"));
    assert!(text.contains("Agent called t {}") && text.contains("chars were left out here"), "{text}");
    assert!(transcript(&conversation(50, 10_000), 5_000).chars().count() < 5_100);
}
