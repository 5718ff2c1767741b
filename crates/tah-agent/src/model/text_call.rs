//! Calls that a model wrote as text. Small local models print the JSON of a call, or a `<tool_call>` block, instead
//! of calling. It counts as a call only where the catalog says so of the provider, where it is the whole reply, and
//! for tools that exist: JSON that is quoted, fenced or explained never runs.

use crate::id::CallId;
use crate::message::{Input, ToolCall};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// The calls a whole reply consists of, if it consists of calls.
pub fn recognise(text: &str, is_known: impl Fn(&str) -> bool) -> Option<Vec<ToolCall>> {
    let text = text.trim();
    let values = if text.starts_with("<tool_call>") {
        tagged(text)?
    } else {
        let bare = ["<|python_tag|>", "[TOOL_CALLS]"].iter().find_map(|mark| text.strip_prefix(mark));
        match serde_json::from_str(bare.unwrap_or(text).trim()).ok()? {
            Value::Array(values) => values,
            value => vec![value],
        }
    };
    let calls: Option<Vec<ToolCall>> = values.into_iter().map(call).collect();
    calls.filter(|calls| !calls.is_empty() && calls.iter().all(|call| is_known(&call.name)))
}

/// `<tool_call>…</tool_call>`, once or more, with nothing between; the last end may be missing.
fn tagged(mut text: &str) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    while !text.is_empty() {
        let (inside, rest) = match text.strip_prefix("<tool_call>")?.split_once("</tool_call>") {
            Some((inside, rest)) => (inside, rest),
            None => (text.strip_prefix("<tool_call>")?, ""),
        };
        values.push(serde_json::from_str(inside.trim()).ok()?);
        text = rest.trim_start();
    }
    Some(values)
}

fn call(value: Value) -> Option<ToolCall> {
    let Value::Object(outer) = value else { return None };
    let inner = match outer.get("function") {
        Some(Value::Object(function)) => function.clone(),
        _ => outer,
    };
    // An object with other fields is data that happens to have a name.
    let known = ["name", "arguments", "parameters", "id", "type"];
    if inner.keys().any(|key| !known.contains(&key.as_str())) {
        return None;
    }
    let name = inner.get("name")?.as_str()?.to_owned();
    let input = arguments(&inner)?;
    Some(ToolCall { id: CallId::random(), name, input, fault: None })
}

fn arguments(call: &Map<String, Value>) -> Option<Input> {
    match call.get("arguments").or_else(|| call.get("parameters"))? {
        Value::Object(input) => Some(input.clone()),
        Value::String(text) => match serde_json::from_str(text).ok()? {
            Value::Object(input) => Some(input),
            _ => None,
        },
        _ => None,
    }
}
