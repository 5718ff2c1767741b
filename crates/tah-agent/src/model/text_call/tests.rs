//! What is a call and what only looks like one.

use super::*;
use serde_json::json;

fn names(text: &str) -> Option<Vec<String>> {
    let calls = recognise(text, |name| ["read_file", "grep"].contains(&name))?;
    Some(calls.into_iter().map(|call| format!("{}{}", call.name, Value::Object(call.input))).collect())
}

const READ: &str = r#"read_file{"path":"a"}"#;

#[test]
fn the_forms_of_small_models_are_calls() {
    for text in [
        r#"{"name": "read_file", "arguments": {"path": "a"}}"#,
        r#" {"name": "read_file", "parameters": {"path": "a"}} "#,
        r#"{"type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}"#,
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
        r#"<tool_call>{"name": "read_file", "arguments": {"path": "a"}}"#,
        r#"<|python_tag|>{"name": "read_file", "parameters": {"path": "a"}}"#,
        r#"[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}]"#,
    ] {
        assert_eq!(names(text).as_deref(), Some([READ.to_owned()].as_slice()), "{text}");
    }
    let one = json!({ "name": "read_file", "arguments": { "path": "a" } });
    let two = format!("<tool_call>{one}</tool_call>\n<tool_call>{one}</tool_call>");
    assert_eq!(names(&two).unwrap().len(), 2);
}

#[test]
fn quoted_or_explained_json_never_is() {
    for text in [
        "You could call {\"name\": \"read_file\", \"arguments\": {}}",
        "{\"name\": \"read_file\", \"arguments\": {}} reads a file.",
        "```json\n{\"name\": \"read_file\", \"arguments\": {}}\n```",
        "\"{\\\"name\\\": \\\"read_file\\\", \\\"arguments\\\": {}}\"",
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {}}</tool_call> done",
        r#"{"name": "read_file", "version": "1", "arguments": {}}"#,
        r#"{"name": "read_file"}"#,
        r#"{"name": "rm_rf", "arguments": {}}"#,
        r#"[{"name": "read_file", "arguments": {}}, {"name": "rm_rf", "arguments": {}}]"#,
        r#"{"name": "read_file", "arguments": [1]}"#,
        "[]",
        "7",
        "",
    ] {
        assert_eq!(names(text), None, "{text}");
    }
}
