//! What a model reads of a result.

use super::*;

fn text(raw: &str) -> String {
    let result = CallResult::read(raw).unwrap();
    let borrowed = result.text().into_owned();
    assert_eq!(borrowed, result.into_text());
    borrowed
}

#[test]
fn m11_every_block_yields_a_line() {
    let raw = r#"{"content":[
        {"type":"text","text":"one"},{"text":"two","type":"text","annotations":{"a":[1]}},
        {"type":"image","data":"QUJD","mimeType":"image/png"},{"type":"audio","data":"QQ==","mimeType":"audio/wav"},
        {"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"inside"}},
        {"type":"resource","resource":{"uri":"a:c","mimeType":"image/png","blob":"QQ=="}},
        {"type":"resource_link","uri":"file:///x","name":"x"},
        {"type":"hologram","text":7,"data":{"deep":[1]}}, {"type":"text"}, 5, null, "bare"]}"#;
    assert_eq!(
        text(raw),
        "one\ntwo\n[image omitted]\n[audio omitted]\ninside\n[resource omitted: a:c (image/png)]\n\
         [resource: file:///x (x)]\n[hologram omitted]\n[text omitted]\n[content of unknown kind omitted]\n\
         [content of unknown kind omitted]\nbare"
    );
    let result = CallResult::read(raw).unwrap();
    assert_eq!(result.images().collect::<Vec<_>>(), [("image/png", "QUJD")]);
}

#[test]
fn m9_an_error_keeps_its_text_and_its_structure() {
    let raw = r#"{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"a":1}}"#;
    let result = CallResult::read(raw).unwrap();
    assert!(result.is_error);
    assert_eq!(result.text(), "no");
    assert_eq!(result.structured.as_ref().map(|raw| raw.get()), Some(r#"{"a":1}"#));
    assert_eq!(text(r#"{"isError":true,"content":[],"structuredContent":{"a":1}}"#), r#"{"a":1}"#);
    assert_eq!(text(r#"{"isError":true,"content":[]}"#), "");
}

#[test]
fn m3_structured_content_only_without_text() {
    assert_eq!(text(r#"{"content":[{"type":"text","text":""}],"structuredContent":{"a":1}}"#), r#"{"a":1}"#);
    assert_eq!(text(r#"{"structuredContent":[1]}"#), "[1]");
    assert_eq!(
        text(r#"{"content":[{"type":"image"}],"structuredContent":{"a":1}}"#),
        "[image omitted]\n{\"a\":1}"
    );
    assert_eq!(text(r#"{"content":[{"type":"text","text":"t"}],"structuredContent":null}"#), "t");
}

#[test]
fn m11_bent_results_are_still_results() {
    assert_eq!(text(r#"{"content":"str"}"#), "str");
    assert_eq!(text(r#""str""#), "str");
    assert_eq!(text(r#"[{"type":"text","text":"a"}]"#), "a");
    assert_eq!(text(r#"{"content":{"type":"text","text":"a\nb"}}"#), "a\nb");
    assert_eq!(text(r#"{"content":null,"isError":"yes"}"#), "");
    assert_eq!(text("{}"), "");
    assert!(CallResult::read("").is_err());
    assert!(CallResult::read("null").is_err());
    assert!(CallResult::read("5").is_err());
}

#[test]
fn m15_escapes_and_half_pairs() {
    let escaped = r#"{"content":[{"type":"text","text":"a\n\t\"\\\/\u8bfb取\ud83c\udf89\b\f\r\u0000"}]}"#;
    assert_eq!(text(escaped), "a\n\t\"\\/读取🎉\u{8}\u{c}\r\0");
    // half a pair is shown as such and costs nothing else
    let halves = r#"{"content":[{"type":"text","text":"x\ud83c|\udf89\ud83c\u0041"}]}"#;
    assert_eq!(text(halves), "x\u{fffd}|\u{fffd}\u{fffd}A");
}
