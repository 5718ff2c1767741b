//! S cases without a connection: data lines in, reply out, whole and re-cut.

use super::*;
use crate::model::openai::sse;
use crate::model::openai::wire::{self, Payload};
use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::json;
use std::convert::Infallible;

fn assemble(data: &[String]) -> Reply {
    let mut assembler = Assembler::new(HashSet::new(), None);
    for payload in data.iter().flat_map(|data| wire::payloads(data)) {
        match payload {
            Payload::Chunk(chunk) => {
                assembler.take(*chunk, &mut Vec::new());
            }
            Payload::Done => assembler.done(),
            Payload::Comment | Payload::Odd(_) | Payload::Fault(_) => {}
        }
    }
    assembler.finish()
}

fn calls(pieces: serde_json::Value) -> String {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": pieces } }] }).to_string()
}

fn finish(reason: &str) -> String {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }).to_string()
}

fn head(index: Option<u64>, id: Option<&str>, name: &str) -> serde_json::Value {
    let mut head = json!({ "type": "function", "function": { "name": name, "arguments": "" } });
    if let Some(index) = index {
        head["index"] = json!(index);
    }
    if let Some(id) = id {
        head["id"] = json!(id);
    }
    head
}

fn tail(index: Option<u64>, arguments: &str) -> serde_json::Value {
    let mut tail = json!({ "function": { "arguments": arguments } });
    if let Some(index) = index {
        tail["index"] = json!(index);
    }
    tail
}

/// The calls as `name(arguments)`, after checking that ids are unique and nothing is faulty.
fn run(data: &[String]) -> Vec<String> {
    let reply = assemble(data);
    let ids: HashSet<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), reply.calls.len());
    reply
        .calls
        .iter()
        .map(|call| {
            assert_eq!(call.fault, None);
            format!("{}({})", call.name, serde_json::Value::Object(call.input.clone()))
        })
        .collect()
}

const BOTH: [&str; 2] = [r#"a({"p":1})"#, r#"b({"p":2})"#];

#[test]
fn s1_calls_without_index() {
    let one_delta = [
        calls(json!([head(None, Some("x"), "a"), head(None, Some("y"), "b")])),
        calls(json!([tail(None, "{\"p\""), tail(None, "{\"p\":")])),
        calls(json!([tail(None, ":1}"), tail(None, "2}")])),
        finish("tool_calls"),
    ];
    assert_eq!(run(&one_delta), BOTH);
    let one_after_the_other = [
        calls(json!([head(None, Some("x"), "a")])),
        calls(json!([tail(None, "{\"p\":")])),
        calls(json!([tail(None, "1}")])),
        calls(json!([head(None, Some("y"), "b")])),
        calls(json!([tail(None, "{\"p\":2}")])),
        finish("tool_calls"),
    ];
    assert_eq!(run(&one_after_the_other), BOTH);
    let only_the_last = [
        calls(json!([head(None, Some("x"), "a"), head(None, Some("y"), "b")])),
        calls(json!([tail(None, "{\"p\":2}")])),
        finish("tool_calls"),
    ];
    assert_eq!(run(&only_the_last), ["a({})", BOTH[1]]);
}

#[test]
fn s1_calls_without_index_and_id() {
    let data = [
        calls(json!([head(None, None, "a")])),
        calls(json!([tail(None, "{\"p\":1}")])),
        calls(json!([head(None, None, "b")])),
        calls(json!([tail(None, "{\"p\":2}")])),
        finish("tool_calls"),
    ];
    assert_eq!(run(&data), BOTH);
    let whole = |name: &str, p: u64| json!({ "function": { "name": name, "arguments": { "p": p } } });
    let whole = [calls(json!([whole("a", 1)])), calls(json!([whole("b", 2)])), finish("tool_calls")];
    assert_eq!(run(&whole), BOTH);
}

#[test]
fn s2_wrong_indexes() {
    let shapes = [
        // The head of the second call at 0, its tail at 1.
        vec![
            calls(json!([head(Some(0), Some("x"), "a")])),
            calls(json!([tail(Some(0), "{\"p\":1}")])),
            calls(json!([head(Some(0), Some("y"), "b")])),
            calls(json!([tail(Some(1), "{\"p\":2}")])),
        ],
        // All at 0.
        vec![
            calls(json!([head(Some(0), Some("x"), "a")])),
            calls(json!([tail(Some(0), "{\"p\":1}")])),
            calls(json!([head(Some(0), Some("y"), "b")])),
            calls(json!([tail(Some(0), "{\"p\":2}")])),
        ],
        // Tails at an index nobody opened.
        vec![
            calls(json!([head(Some(0), Some("x"), "a")])),
            calls(json!([tail(Some(7), "{\"p\":1}")])),
            calls(json!([head(Some(1), Some("y"), "b")])),
            calls(json!([tail(Some(8), "{\"p\":2}")])),
        ],
        // One index twice in one chunk.
        vec![
            calls(json!([head(Some(0), Some("x"), "a"), tail(Some(0), "{\"p\":1}")])),
            calls(json!([head(Some(0), Some("y"), "b"), tail(Some(0), "{\"p\":2}")])),
        ],
        // The id in every piece, the index wrong.
        vec![
            calls(json!([{ "index": 0, "id": "x", "function": { "name": "a", "arguments": "" } }])),
            calls(json!([{ "index": 0, "id": "y", "function": { "name": "b", "arguments": "" } }])),
            calls(json!([{ "index": 0, "id": "x", "function": { "arguments": "{\"p\":1}" } }])),
            calls(json!([{ "index": 0, "id": "y", "function": { "arguments": "{\"p\":2}" } }])),
        ],
        // One id for two calls.
        vec![
            calls(json!([{ "index": 0, "id": "x", "function": { "name": "a", "arguments": "{\"p\":1}" } }])),
            calls(json!([{ "index": 1, "id": "x", "function": { "name": "b", "arguments": "{\"p\":2}" } }])),
        ],
        // Interleaved, with honest indexes.
        vec![
            calls(json!([head(Some(0), Some("x"), "a"), head(Some(1), Some("y"), "b")])),
            calls(json!([tail(Some(1), "{\"p\""), tail(Some(0), "{\"p\":1}"), tail(Some(1), ":2}")])),
        ],
    ];
    for mut shape in shapes {
        shape.push(finish("tool_calls"));
        assert_eq!(run(&shape), BOTH, "{shape:#?}");
    }
}

#[test]
fn names_that_are_repeated_or_come_in_parts() {
    let repeated = |arguments: &str| {
        calls(json!([{ "index": 0, "id": "x", "function": { "name": "a_b", "arguments": arguments } }]))
    };
    assert_eq!(
        run(&[repeated("{\"p\""), repeated(":1}"), repeated(""), finish("stop")]),
        [r#"a_b({"p":1})"#]
    );
    let parts = [
        calls(json!([head(Some(0), Some("x"), "read_")])),
        calls(json!([{ "index": 0, "function": { "name": "file" } }])),
        calls(json!([tail(Some(0), "{}")])),
        finish("tool_calls"),
    ];
    assert_eq!(run(&parts), ["read_file({})"]);
}

#[test]
fn s4_every_field_is_optional() {
    let text = json!({ "choices": [{ "delta": { "content": "a" } }] }).to_string();
    let usage = json!({ "prompt_tokens": 3, "completion_tokens": 4 });
    let shapes = [
        json!({ "choices": [], "usage": usage }),
        json!({ "usage": usage }),
        json!({ "choices": null, "usage": usage }),
        json!({ "choices": [{ "delta": { "content": null }, "usage": usage }] }),
        json!({ "choices": [{ "delta": null, "finish_reason": null }], "usage": usage }),
        json!({ "id": 5, "choices": [{ "index": "0", "delta": { "content": [] } }], "usage": usage }),
    ];
    for shape in shapes {
        for position in 0..=2 {
            let mut data = vec![text.clone(), finish("stop")];
            data.insert(position, shape.to_string());
            let reply = assemble(&data);
            assert_eq!((reply.text.as_str(), reply.end), ("a", ReplyEnd::Complete), "{shape}");
            assert_eq!(reply.usage, Some(Usage { input: 3, output: 4, cached: 0 }), "{shape}");
        }
    }
    let packed =
        json!({ "choices": [{ "delta": { "content": "b" }, "finish_reason": "stop" }], "usage": usage });
    let reply = assemble(&[text, packed.to_string()]);
    assert_eq!((reply.text.as_str(), reply.usage.unwrap().output), ("ab", 4));
}

#[test]
fn s6_what_ends_a_reply() {
    let text = json!({ "choices": [{ "delta": { "content": "a" } }] }).to_string();
    let end = |data: &[&str]| assemble(&data.iter().map(|data| data.to_string()).collect::<Vec<_>>()).end;
    assert_eq!(end(&[&text]), ReplyEnd::Broken);
    assert_eq!(end(&[&text, "[DONE]"]), ReplyEnd::Complete);
    assert_eq!(end(&[&text, &finish("stop")]), ReplyEnd::Complete);
    // Seen in the wild: an empty reason in every chunk.
    assert_eq!(end(&[&text, &finish("")]), ReplyEnd::Broken);
    assert_eq!(end(&[&text, &finish("content_filter")]), ReplyEnd::Filtered);
    assert_eq!(end(&[&text, &finish("something new")]), ReplyEnd::Complete);
}

#[test]
fn s6_no_call_of_a_broken_or_filtered_reply_is_kept() {
    let call = calls(json!([{ "index": 0, "id": "x", "function": { "name": "a", "arguments": "{}" } }]));
    assert!(assemble(std::slice::from_ref(&call)).calls.is_empty());
    assert!(assemble(&[call, finish("content_filter")]).calls.is_empty());
}

fn fault(arguments: &str, reason: &str) -> (Reply, Option<ArgumentFault>) {
    let call = calls(json!([{ "index": 0, "id": "x", "function": { "name": "a", "arguments": arguments } }]));
    let reply = assemble(&[call, finish(reason)]);
    let fault = reply.calls[0].fault.clone();
    if fault.is_some() {
        assert!(reply.calls[0].input.is_empty());
    }
    (reply, fault)
}

#[test]
fn s11_cut_arguments() {
    let (reply, found) = fault("{\"content\": \"half a fi", "length");
    assert_eq!((reply.end, found), (ReplyEnd::Length, Some(ArgumentFault::CutAtLimit)));
    // A gateway rewrote the reason.
    let long = format!("{{\"content\": \"{}", "x".repeat(5_000));
    let (reply, found) = fault(&long, "tool_calls");
    assert_eq!((reply.end, found), (ReplyEnd::Length, Some(ArgumentFault::CutAtLimit)));
    // Malformed but short: the model's own mistake, and said so.
    let (reply, found) = fault("{\"content\": ", "tool_calls");
    assert_eq!(reply.end, ReplyEnd::Complete);
    assert!(matches!(found, Some(ArgumentFault::Malformed { .. })));
    let (_, found) = fault("{content: 1}", "tool_calls");
    assert!(matches!(found, Some(ArgumentFault::Malformed { .. })));
    for other in ["[1]", "7", "true", "\"text\""] {
        assert!(matches!(fault(other, "tool_calls").1, Some(ArgumentFault::Malformed { .. })), "{other}");
    }
}

#[test]
fn s11_the_call_before_the_cut_one_is_whole() {
    let data = [
        calls(json!([{ "index": 0, "id": "x", "function": { "name": "a", "arguments": "{\"p\":1}" } }])),
        calls(json!([{ "index": 1, "id": "y", "function": { "name": "b", "arguments": "" } }])),
        finish("length"),
    ];
    let reply = assemble(&data);
    assert_eq!(reply.calls[0].fault, None);
    assert_eq!(reply.calls[1].fault, Some(ArgumentFault::CutAtLimit));
}

#[test]
fn s12_no_arguments() {
    for arguments in ["", " \n", "null", "{}"] {
        let (reply, found) = fault(arguments, "tool_calls");
        assert_eq!((reply.calls[0].input.len(), found), (0, None), "{arguments:?}");
    }
    let absent = calls(json!([{ "index": 0, "id": "x", "function": { "name": "a" } }]));
    assert_eq!(run(&[absent, finish("tool_calls")]), ["a({})"]);
    let null = calls(json!([{ "index": 0, "id": "x", "function": { "name": "a", "arguments": null } }]));
    assert_eq!(run(&[null, finish("tool_calls")]), ["a({})"]);
}

#[test]
fn s13_reasoning_that_ate_the_budget_is_a_cut_reply() {
    let thought = json!({ "choices": [{ "delta": { "reasoning": "hm" } }] }).to_string();
    let reply = assemble(&[thought, finish("length")]);
    assert_eq!((reply.end, reply.text.as_str(), reply.reasoning.as_str()), (ReplyEnd::Length, "", "hm"));
}

#[test]
fn a_reply_without_bounds_is_stopped() {
    let mut assembler = Assembler::new(HashSet::new(), None);
    let chunk = || Chunk { text: "x".repeat(1 << 20), ..Chunk::default() };
    let stopped = (0..20).any(|_| assembler.take(chunk(), &mut Vec::new()) == Progress::TooLong);
    assert!(stopped);
}

/// A stream with everything in it, as bytes.
fn everything() -> Vec<u8> {
    let lines = [
        json!({ "choices": [{ "delta": { "role": "assistant", "content": null, "reasoning_content": "想" } }] })
            .to_string(),
        json!({ "choices": [{ "delta": { "content": "你好🎉" } }] }).to_string(),
        calls(json!([head(Some(0), Some("x"), "a"), head(Some(1), Some("y"), "b")])),
        calls(json!([tail(Some(0), "{\"p\":\"é\"}"), tail(Some(1), "{\"p\":")])),
        calls(json!([tail(Some(1), "2}")])),
        "no json".to_owned(),
        finish("tool_calls"),
        json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 2 } }).to_string(),
    ];
    let mut bytes = "\u{FEFF}: comment\r\n\r\n".as_bytes().to_vec();
    for (line, end) in lines.iter().zip(["\n\n", "\r\n\r\n", "\r\r", "\n\n"].iter().cycle()) {
        bytes.extend(format!("event: message{}data:{line}{end}", &end[..end.len() / 2]).bytes());
    }
    bytes.extend(b"data: [DONE]");
    bytes
}

fn read(pieces: Vec<Bytes>) -> (Vec<String>, Reply) {
    let stream = futures_util::stream::iter(pieces.into_iter().map(Ok::<_, Infallible>));
    let watched = sse::watched(stream, std::time::Duration::from_secs(5));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let data = runtime.block_on(sse::events(watched).map(|event| event.unwrap()).collect::<Vec<_>>());
    let reply = assemble(&data);
    (data, reply)
}

#[test]
fn s7_s8_every_cut_of_a_good_stream_is_the_same() {
    let bytes = Bytes::from(everything());
    let whole = read(vec![bytes.clone()]);
    assert_eq!(whole.1.text, "你好🎉");
    assert_eq!(whole.1.calls.len(), 2);
    assert_eq!(whole.1.usage.unwrap().output, 2);
    for at in 0..=bytes.len() {
        assert_eq!(read(vec![bytes.slice(..at), bytes.slice(at..)]), whole, "cut at {at}");
    }
    assert_eq!(read(bytes.chunks(1).map(Bytes::copy_from_slice).collect()), whole);
}

proptest::proptest! {
    #[test]
    fn s7_any_bytes_are_read_without_a_panic_and_alike(
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400),
        at in 0usize..400,
    ) {
        let bytes = Bytes::from([b"data: {\"choices\":[{\"delta\":{\"content\":\"".as_slice(), &bytes].concat());
        let at = at.min(bytes.len());
        let whole = read(vec![bytes.clone()]);
        let cut = read(vec![bytes.slice(..at), bytes.slice(at..)]);
        proptest::prop_assert_eq!(whole.0, cut.0);
    }

    #[test]
    fn s6_a_good_stream_that_ends_anywhere_runs_only_whole_calls(at in 0usize..2000) {
        let bytes = Bytes::from(everything());
        let at = at.min(bytes.len());
        let (_, reply) = read(vec![bytes.slice(..at)]);
        if reply.end == ReplyEnd::Broken {
            proptest::prop_assert!(reply.calls.is_empty());
        }
        proptest::prop_assert!(reply.calls.iter().all(|call| call.fault.is_none()));
    }
}
