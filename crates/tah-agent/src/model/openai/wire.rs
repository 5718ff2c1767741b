//! The chat-completions format as it comes in: every field may be missing or of another type than documented, so
//! a chunk is read field by field and what can't be read is absent (S4). What goes out is in [`super::request`].

use crate::model::Usage;
use serde_json::Value;

/// One chunk of a streamed reply, or a whole unstreamed one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunk {
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<CallPiece>,
    pub finish: Option<String>,
    pub usage: Option<Usage>,
}

/// A piece of a tool call. All of it is optional, and none of it is to be trusted alone (S1, S2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallPiece {
    pub index: Option<u64>,
    pub id: Option<String>,
    pub name: Option<String>,
    pub arguments: Arguments,
}

/// The arguments a piece brings.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Arguments {
    #[default]
    None,
    /// The next part of the text.
    Part(String),
    /// All of them, from servers that send an object and not its text.
    Whole(String),
}

/// What a provider says when it refuses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApiFault {
    pub message: String,
    /// `code` and `type` of the error, joined; what they hold differs from provider to provider.
    pub code: String,
    /// llama.cpp says how many tokens were asked for and how many fit.
    pub asked: Option<u64>,
    pub window: Option<u64>,
}

/// One `data:` payload.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    Chunk(Box<Chunk>),
    /// `[DONE]`
    Done,
    Fault(ApiFault),
    /// A comment that a proxy turned into data, or nothing.
    Comment,
    /// No JSON, or JSON that is no object.
    Odd(String),
}

/// Reads the data of one event. Servers that leave out the blank line between events make several lines of one,
/// so a text that is no JSON as a whole is read line by line.
pub fn payloads(data: &str) -> Vec<Payload> {
    match payload(data) {
        Payload::Odd(_) if data.contains('\n') => data.lines().map(payload).collect(),
        one => vec![one],
    }
}

fn payload(data: &str) -> Payload {
    let data = data.trim();
    if data.is_empty() || data.starts_with(':') {
        // S7: `data: : keep-alive`
        return Payload::Comment;
    }
    if data == "[DONE]" {
        return Payload::Done;
    }
    match serde_json::from_str::<Value>(data) {
        Ok(value @ Value::Object(_)) => match fault(&value) {
            Some(fault) => Payload::Fault(fault),
            None => Payload::Chunk(Box::new(chunk(&value))),
        },
        _ => Payload::Odd(data.chars().take(120).collect()),
    }
}

/// The error in a body or a chunk, in any of the shapes providers use.
pub fn fault(value: &Value) -> Option<ApiFault> {
    let error = value.get("error").filter(|error| !error.is_null() && *error != &Value::Bool(false));
    let error = match error {
        Some(error) => error,
        // FastAPI servers say `detail`, others only `message`; a real chunk has `choices`.
        None if value.get("choices").is_none() => value.get("detail").or_else(|| {
            let looks = value.get("message").is_some_and(Value::is_string) && value.get("usage").is_none();
            looks.then_some(value)
        })?,
        None => return None,
    };
    let message = match error {
        Value::String(text) => text.clone(),
        other => match other.get("message") {
            Some(Value::String(text)) => text.clone(),
            _ => other.to_string(),
        },
    };
    let codes = ["code", "type"].iter().filter_map(|key| match error.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    Some(ApiFault {
        message,
        code: codes.collect::<Vec<_>>().join(" "),
        asked: error.get("n_prompt_tokens").and_then(number),
        window: error.get("n_ctx").and_then(number),
    })
}

fn chunk(value: &Value) -> Chunk {
    let mut chunk = Chunk { usage: value.get("usage").and_then(usage), ..Chunk::default() };
    let choices = value.get("choices").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // Only the first answer was asked for.
    let first = choices.iter().find(|choice| choice.get("index").and_then(number).unwrap_or(0) == 0);
    let Some(choice) = first else { return chunk };
    chunk.usage = chunk.usage.or_else(|| choice.get("usage").and_then(usage));
    chunk.finish = choice.get("finish_reason").and_then(string);
    // A server that ignores `stream` answers with a whole `message`.
    let delta = choice.get("delta").filter(|delta| delta.is_object()).or_else(|| choice.get("message"));
    let Some(delta) = delta else { return chunk };
    chunk.text = delta.get("content").map(content).unwrap_or_default();
    // Two names for one thing; a provider that sends both means the same text.
    chunk.reasoning = ["reasoning_content", "reasoning"]
        .iter()
        .find_map(|key| delta.get(key).and_then(string))
        .unwrap_or_default();
    chunk.calls = match delta.get("tool_calls") {
        Some(Value::Array(pieces)) => pieces.iter().filter(|piece| piece.is_object()).map(piece).collect(),
        Some(one @ Value::Object(_)) => vec![piece(one)],
        _ => Vec::new(),
    };
    chunk
}

fn piece(value: &Value) -> CallPiece {
    let function = value.get("function").unwrap_or(value);
    CallPiece {
        index: value.get("index").and_then(number),
        id: value.get("id").and_then(|id| string(id).or_else(|| number(id).map(|id| id.to_string()))),
        name: function.get("name").and_then(string),
        arguments: match function.get("arguments") {
            None | Some(Value::Null) => Arguments::None,
            Some(Value::String(text)) if text.is_empty() => Arguments::None,
            Some(Value::String(text)) => Arguments::Part(text.clone()),
            Some(other) => Arguments::Whole(other.to_string()),
        },
    }
}

/// A string that says something.
fn string(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64)).or_else(|| {
        let text = value.as_str()?;
        text.parse().ok()
    })
}

/// Content is a string, or parts of which the texts count.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

fn usage(value: &Value) -> Option<Usage> {
    let field = |key: &str| value.get(key).and_then(number);
    let (input, output) = (field("prompt_tokens"), field("completion_tokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    let details = value.get("prompt_tokens_details").and_then(|details| details.get("cached_tokens"));
    Some(Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: details.and_then(number).or_else(|| field("prompt_cache_hit_tokens")).unwrap_or(0),
    })
}
