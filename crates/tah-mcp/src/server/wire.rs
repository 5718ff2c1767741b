//! The messages of a server as they go over the wire. Ids are kept as the JSON text the client sent.
//! Source: modelcontextprotocol.io/specification/2025-11-25.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::wire::{KNOWN_VERSIONS, PROTOCOL_VERSION};

use super::{ServedEffect, ServedPart, ServedResult, ServedTool};

pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const METHOD_NOT_FOUND: i64 = crate::wire::METHOD_NOT_FOUND;
pub const INVALID_PARAMS: i64 = -32602;

/// A client's message.
#[derive(Debug)]
pub enum Request {
    Initialize {
        id: String,
        version: String,
    },
    Ping {
        id: String,
    },
    ListTools {
        id: String,
    },
    Call {
        id: String,
        name: String,
        arguments: Map<String, Value>,
    },
    Cancel {
        id: String,
    },
    Unknown {
        id: String,
        method: String,
    },
    Wrong {
        id: String,
        code: i64,
        why: String,
    },
    /// A notification that asks nothing of us, or an answer to nothing.
    Nothing,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(default)]
    params: Option<Value>,
}

/// The message of a line, or the messages of a batch.
pub fn read(text: &str) -> Vec<Request> {
    let text = text.trim();
    if text.starts_with('[') {
        return match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(parts) if !parts.is_empty() => parts.iter().map(|part| read_one(part.get())).collect(),
            _ => vec![wrong("null", PARSE_ERROR, "no JSON")],
        };
    }
    vec![read_one(text)]
}

fn wrong(id: &str, code: i64, why: &str) -> Request {
    Request::Wrong { id: id.to_owned(), code, why: why.to_owned() }
}

fn read_one(text: &str) -> Request {
    let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(envelope) if text.starts_with('{') => envelope,
        Ok(_) => return wrong("null", INVALID_REQUEST, "not a request"),
        Err(error) if error.is_data() => return wrong("null", INVALID_REQUEST, "not a request"),
        Err(_) => return wrong("null", PARSE_ERROR, "no JSON"),
    };
    let params = envelope.params.unwrap_or(Value::Null);
    let (method, id) = match (envelope.method, envelope.id.map(RawValue::get).filter(|id| *id != "null")) {
        (Some(method), Some(id)) => (method, id.to_owned()),
        (Some(method), None) => {
            return match method.as_str() {
                "notifications/cancelled" => Request::Cancel { id: params["requestId"].to_string() },
                _ => Request::Nothing,
            };
        }
        (None, _) => return Request::Nothing,
    };
    match method.as_str() {
        "initialize" => Request::Initialize {
            id,
            version: params["protocolVersion"].as_str().unwrap_or_default().to_owned(),
        },
        "ping" => Request::Ping { id },
        "tools/list" => Request::ListTools { id },
        "tools/call" => match (params["name"].as_str(), params.get("arguments")) {
            (None, _) => wrong(&id, INVALID_PARAMS, "name is missing"),
            (Some(name), None | Some(Value::Null)) => {
                Request::Call { id, name: name.to_owned(), arguments: Map::new() }
            }
            (Some(name), Some(Value::Object(map))) => {
                Request::Call { id, name: name.to_owned(), arguments: map.clone() }
            }
            (Some(_), Some(_)) => wrong(&id, INVALID_PARAMS, "arguments must be an object"),
        },
        _ => Request::Unknown { id, method },
    }
}

fn line(id: &str, key: &str, value: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{key}\":{value}}}\n")
}

pub fn error(id: &str, code: i64, message: &str) -> String {
    line(id, "error", &json!({"code": code, "message": message}))
}

pub fn empty(id: &str) -> String {
    line(id, "result", &json!({}))
}

pub fn initialized(id: &str, asked: &str, (name, version): (String, String), instructions: &str) -> String {
    let protocol = if KNOWN_VERSIONS.contains(&asked) { asked } else { PROTOCOL_VERSION };
    let result = json!({
        "protocolVersion": protocol,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": name, "version": version},
        "instructions": instructions,
    });
    line(id, "result", &result)
}

pub fn tools(id: &str, tools: &[ServedTool]) -> String {
    let list: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.schema,
                "annotations": {"readOnlyHint": tool.effect == ServedEffect::Read, "openWorldHint": true},
            })
        })
        .collect();
    line(id, "result", &json!({ "tools": list }))
}

pub fn result(id: &str, result: &ServedResult) -> String {
    let (parts, failed) = match result {
        ServedResult::Done(parts) => (parts, false),
        ServedResult::Failed(parts) => (parts, true),
    };
    let content: Vec<Value> = parts
        .iter()
        .map(|part| match part {
            ServedPart::Text(text) => json!({"type": "text", "text": text}),
            ServedPart::Image { data, media_type } => {
                json!({"type": "image", "data": data, "mimeType": media_type})
            }
        })
        .collect();
    let mut body = json!({ "content": content });
    if failed {
        body["isError"] = Value::Bool(true);
    }
    line(id, "result", &body)
}
