//! Messages as servers really write them.

use super::*;

#[test]
fn m1_what_is_not_a_message_is_junk() {
    for text in
        ["", "-1", "42", "null", "true", "[1]", "starting up…", "Content-Length: 123", "{\"foo\":1}", "{"]
    {
        assert!(matches!(read(text), Incoming::Junk), "{text}");
    }
}

#[test]
fn m1_replies_a_little_wrong_are_answers() {
    let result = |text: &'static str| match read(text) {
        Incoming::Result { id, span } => (id, &text[span]),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(result(r#"{"result":{"a":1},"jsonrpc":"2.0","id":7}"#), (7, r#"{"a":1}"#));
    assert_eq!(result(r#"{"id":"7","result":[]}"#), (7, "[]"));
    assert_eq!(result(r#"{"id":7.0,"result":5,"error":null}"#), (7, "5"));
    assert_eq!(result(r#"{"id":7}"#), (7, ""));
    let error = |text: &str| match read(text) {
        Incoming::Error { id: 7, error } => (error.code, error.message),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(error(r#"{"id":7,"error":"text"}"#), (0, "text".into()));
    assert_eq!(error(r#"{"id":7,"error":{"message":"m"}}"#), (0, "m".into()));
    assert_eq!(error(r#"{"id":7,"error":{"code":-3,"message":"m","data":[1]}}"#), (-3, "m".into()));
    assert_eq!(error(r#"{"id":7,"error":{"code":"x","message":{"a":1}}}"#), (0, r#"{"a":1}"#.into()));
    assert_eq!(error(r#"{"id":7,"error":[1]}"#), (0, "[1]".into()));
}

#[test]
fn m14_requests_of_the_server_keep_their_id() {
    for id in ["0", "1", "\"x\"", "-4"] {
        let text = format!(r#"{{"method":"ping","id":{id}}}"#);
        match read(&text) {
            Incoming::Request { id: raw, method } => {
                assert_eq!((raw.get(), &*method), (id, "ping"));
                assert_eq!(
                    answer(raw, Ok(serde_json::json!({}))),
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn m12_the_id_of_a_line_that_was_cut() {
    let both = |head: &str, tail: &str| id_at_the_edges(head.as_bytes(), tail.as_bytes());
    assert_eq!(both(r#"{"jsonrpc":"2.0","id":5,"result":{"content":[{"te"#, "xx"), Some(5));
    assert_eq!(both(r#" { "id" : "6" , "result":{"#, ""), Some(6));
    assert_eq!(both(r#"{"result":{"id":1,"#, r#"x"}]},"jsonrpc":"2.0","id":7}"#), Some(7));
    assert_eq!(both(r#"{"result":{"id":1,"#, r#"x"}]},"id":8,"jsonrpc":"2.0"} "#), Some(8));
    assert_eq!(both(r#"{"result":{"id":1,"#, r#"x","id":9}}"#), None);
    assert_eq!(both("garbage", "garbage"), None);
}

#[test]
fn batches_are_taken_apart() {
    assert_eq!(read_batch(r#"[{"id":1},2,{"id":3}]"#), Some(vec![r#"{"id":1}"#, r#"{"id":3}"#]));
    assert_eq!(read_batch("[1]"), None);
    assert_eq!(read_batch("{}"), None);
}
