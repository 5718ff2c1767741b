//! The chat-completions format as it goes out.

use crate::message::{Image, Message, ToolCall};
use crate::model::catalog::{Provider, ReasoningBack, StreamUsage};
use crate::model::{Profile, Request};
use crate::tool::Vision;
use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// Builds the body. The same conversation gives the same bytes, so that a provider's cache of the prefix is hit.
pub fn body(request: &Request, provider: &Provider, profile: &Profile, usage: StreamUsage) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(profile.name));
    body.insert("stream".to_owned(), json!(true));
    if usage == StreamUsage::Asked {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    if let Some(max) = max_output(request, provider) {
        body.insert(provider.max_output_field.name().to_owned(), json!(max));
    }
    body.insert("messages".to_owned(), Value::Array(messages(request, provider, profile)));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            }})
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    Value::Object(body)
}

/// Tokens of the reply at most, as they are asked for.
pub fn max_output(request: &Request, provider: &Provider) -> Option<u64> {
    request.max_output.into_iter().chain(provider.max_output).min()
}

fn messages(request: &Request, provider: &Provider, profile: &Profile) -> Vec<Value> {
    let thinks =
        |message: &Message| matches!(message, Message::Assistant { reasoning, .. } if !reasoning.is_empty());
    let reasoning = match provider.reasoning {
        // S5: once the model thinks, the provider wants the field on every reply, plain ones too.
        ReasoningBack::Field(field) if request.messages.iter().any(thinks) => Some(field),
        _ => None,
    };
    let mut out = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        out.push(json!({ "role": "system", "content": request.system }));
    }
    for message in
        request.messages.iter().filter_map(|message| self::message(message, reasoning, profile.vision))
    {
        match out.last_mut() {
            // Templates of small models want user and assistant in turns.
            Some(last) if is_user(last) && is_user(&message) => join(last, message),
            _ => out.push(message),
        }
    }
    if out.last().is_some_and(|last| last["role"] == "assistant") {
        // The user goes on after a reply that was cut; some servers would take it for a reply to be continued.
        out.push(json!({ "role": "user", "content": "Go on." }));
    }
    out
}

fn is_user(message: &Value) -> bool {
    message["role"] == "user"
}

/// Makes one user message of two.
fn join(first: &mut Value, mut second: Value) {
    let content = &mut first["content"];
    *content = match (content.take(), second["content"].take()) {
        (Value::String(a), Value::String(b)) => Value::String(format!("{a}\n\n{b}")),
        (a, b) => Value::Array(parts(a).into_iter().chain(parts(b)).collect()),
    };
}

fn parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        text => vec![json!({ "type": "text", "text": text })],
    }
}

fn message(message: &Message, reasoning_field: Option<&str>, vision: Vision) -> Option<Value> {
    Some(match message {
        Message::User { text, images, .. } => {
            json!({ "role": "user", "content": user_content(text, images, vision) })
        }
        Message::Assistant { text, reasoning, calls, .. } => {
            if text.is_empty() && calls.is_empty() {
                // A reply that was cut before it said anything; providers refuse an empty one.
                return None;
            }
            let mut out = Map::new();
            out.insert("role".to_owned(), json!("assistant"));
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            out.insert("content".to_owned(), content);
            if let Some(field) = reasoning_field {
                out.insert(field.to_owned(), json!(reasoning));
            }
            if !calls.is_empty() {
                out.insert("tool_calls".to_owned(), calls.iter().map(call).collect());
            }
            Value::Object(out)
        }
        Message::Tool { call_id, text, .. } => {
            // Some providers refuse an empty result.
            let text = if text.is_empty() { "(no output)" } else { text };
            json!({ "role": "tool", "tool_call_id": call_id.as_str(), "content": text })
        }
    })
}

fn call(call: &ToolCall) -> Value {
    let arguments = Value::Object(call.input.clone()).to_string();
    json!({ "id": call.id.as_str(), "type": "function",
        "function": { "name": call.name, "arguments": arguments } })
}

fn user_content(text: &str, images: &[Image], vision: Vision) -> Value {
    if images.is_empty() {
        return json!(text);
    }
    if vision == Vision::Off {
        let omitted = images.iter().map(|image| format!("\n[image omitted: {}]", image.label));
        return json!(format!("{text}{}", omitted.collect::<String>()));
    }
    let mut parts = vec![json!({ "type": "text", "text": text })];
    parts.extend(images.iter().map(|image| {
        let url = format!("data:{};base64,{}", image.media_type, image.data);
        json!({ "type": "image_url", "image_url": { "url": url } })
    }));
    Value::Array(parts)
}
