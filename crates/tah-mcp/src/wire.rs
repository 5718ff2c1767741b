//! The wire format: JSON-RPC 2.0 messages of the Model Context Protocol, one a line, as servers really write them.
//! Nothing outside this file sees a field name. Source: modelcontextprotocol.io/specification/2025-11-25.
//!
//! The envelope borrows: a 50 MB result is neither copied nor built as a tree before its reader asks for it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Range;

/// The version offered to servers.
pub(crate) const PROTOCOL_VERSION: &str = "2025-11-25";
/// Versions a server may answer with: their tools, pings, roots and cancellations are the same on the wire.
pub(crate) const KNOWN_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", PROTOCOL_VERSION];

/// A message the server sent, as far as it concerns the connection.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// An answer to request `id`; `span` is where its result lies in the text.
    Result {
        id: u64,
        span: Range<usize>,
    },
    Error {
        id: u64,
        error: RpcError,
    },
    /// A request of the server; `id` is echoed as it came.
    Request {
        id: &'a RawValue,
        method: Cow<'a, str>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// Valid or not, nothing of ours (M1).
    Junk,
}

/// A JSON-RPC error, made whole where the server left something out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct RpcError {
    /// `0` when the server gave none.
    pub code: i64,
    /// The server's words.
    pub message: String,
    /// Its `data` as JSON text.
    pub data: Option<String>,
}

/// The standard code for a method that is not there.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// What the protocol's examples use when a user declines a request.
pub(crate) const DECLINED: i64 = -1;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Reads one message. `text` must be the whole line.
pub(crate) fn read(text: &str) -> Incoming<'_> {
    // a list would be taken as an object's fields in order
    if !text.trim_start().starts_with('{') {
        return Incoming::Junk;
    }
    let Ok(message) = serde_json::from_str::<Envelope>(text) else { return Incoming::Junk };
    let method = message.method.and_then(|raw| serde_json::from_str::<Text>(raw.get()).ok());
    match (method, message.id) {
        (Some(Text(method)), Some(id)) => Incoming::Request { id, method },
        (Some(Text(method)), None) => Incoming::Notification { method, params: message.params },
        (None, Some(id)) => {
            let Some(id) = read_id(id.get()) else { return Incoming::Junk };
            match (message.error, message.result) {
                (Some(error), _) => Incoming::Error { id, error: read_error(error.get()) },
                (None, Some(result)) => Incoming::Result { id, span: span_of(text, result.get()) },
                // an id alone still answers the request: with nothing
                (None, None) => Incoming::Result { id, span: 0..0 },
            }
        }
        (None, None) => Incoming::Junk,
    }
}

/// The messages of a batch (`[…]`, protocol 2025-03-26), or `None` when it isn't one.
pub(crate) fn read_batch(text: &str) -> Option<Vec<&str>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let parts: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let objects: Vec<&str> =
        parts.iter().map(|part| part.get()).filter(|part| part.starts_with('{')).collect();
    (!objects.is_empty()).then_some(objects)
}

fn span_of(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// Our ids are numbers; some servers give them back as strings or as `1.0`.
fn read_id(raw: &str) -> Option<u64> {
    let bare = raw.trim_matches('"');
    bare.parse().ok().or_else(|| bare.strip_suffix(".0")?.parse().ok())
}

/// The error as servers write it: an object with or without `code`, or just a text.
fn read_error(raw: &str) -> RpcError {
    #[derive(Deserialize)]
    struct Whole<'a> {
        #[serde(default)]
        code: serde_json::Value,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
        #[serde(borrow, default)]
        data: Option<&'a RawValue>,
    }
    if let Ok(Text(message)) = serde_json::from_str::<Text>(raw) {
        return RpcError { code: 0, message: message.into_owned(), data: None };
    }
    let whole = if raw.starts_with('{') { serde_json::from_str::<Whole>(raw).ok() } else { None };
    let Some(whole) = whole else { return RpcError { code: 0, message: raw.to_owned(), data: None } };
    let message = match whole.message {
        Some(text) => match serde_json::from_str::<Text>(text.get()) {
            Ok(Text(text)) => text.into_owned(),
            Err(_) => text.get().to_owned(),
        },
        None => raw.to_owned(),
    };
    RpcError {
        code: whole.code.as_i64().unwrap_or(0),
        message,
        data: whole.data.map(|data| data.get().to_owned()),
    }
}

/// A JSON string, borrowed where it holds no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The id in an over-long line, of which only the two ends are there (M12). Some servers write the id first, some last.
pub(crate) fn id_at_the_edges(head: &[u8], tail: &[u8]) -> Option<u64> {
    id_in_head(head).or_else(|| id_in_tail(tail))
}

fn id_in_head(head: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(head);
    let mut rest = text.trim_start().strip_prefix('{')?;
    loop {
        // one `"key": value` after the other, until a value that isn't a plain one
        let (key, after) = plain(rest)?;
        let (value, after) = plain(after.trim_start().strip_prefix(':')?)?;
        if key == "\"id\"" {
            return read_id(value);
        }
        rest = after.trim_start().strip_prefix(',')?;
    }
}

/// A number, word or escape-free string at the start of `text`, and what follows it.
fn plain(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = match text.strip_prefix('"') {
        Some(inside) => inside.find(['"', '\\']).filter(|at| inside.as_bytes()[*at] == b'"')? + 2,
        None => text.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))?,
    };
    (end > 0).then(|| text.split_at(end))
}

fn id_in_tail(tail: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(tail);
    let at = text.rfind("\"id\"")?;
    let (value, mut after) = plain(text[at + 4..].trim_start().strip_prefix(':')?)?;
    if let Some(more) = after.trim_start().strip_prefix(',') {
        let (key, more) = plain(more)?;
        let (_, more) = plain(more.trim_start().strip_prefix(':')?)?;
        after = if key == "\"jsonrpc\"" { more } else { return None };
    }
    // exactly one closing brace: an `id` inside the result would have more
    if after.trim() == "}" { read_id(value) } else { None }
}

#[derive(Serialize)]
struct OutRequest<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

/// A request's line, without its end.
pub(crate) fn request(id: u64, method: &str, params: Option<impl Serialize>) -> serde_json::Result<String> {
    serde_json::to_string(&OutRequest { jsonrpc: "2.0", id: Some(id), method, params })
}

/// A notification's line, without its end.
pub(crate) fn notification(method: &str, params: Option<impl Serialize>) -> serde_json::Result<String> {
    serde_json::to_string(&OutRequest { jsonrpc: "2.0", id: None, method, params })
}

/// The answer to a request of the server; `id` is its own text.
pub(crate) fn answer(id: &RawValue, result: Result<serde_json::Value, RpcError>) -> String {
    let id = id.get();
    match result {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => {
            let error = serde_json::json!({"code": error.code, "message": error.message});
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
        }
    }
}

/// `params` of `tools/call`.
#[derive(Serialize)]
pub(crate) struct CallParams<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a serde_json::Value,
    #[serde(rename = "_meta")]
    pub(crate) meta: CallMeta,
}

/// Asks for progress of this call.
#[derive(Serialize)]
pub(crate) struct CallMeta {
    #[serde(rename = "progressToken")]
    pub(crate) progress_token: u64,
}

/// `params` of `notifications/cancelled`.
#[derive(Serialize)]
pub(crate) struct CancelParams<'a> {
    #[serde(rename = "requestId")]
    pub(crate) request_id: u64,
    pub(crate) reason: &'a str,
}

/// `params` of `notifications/progress`.
#[derive(Deserialize)]
pub(crate) struct ProgressParams {
    #[serde(rename = "progressToken")]
    token: serde_json::Value,
    #[serde(default)]
    pub(crate) progress: f64,
    #[serde(default)]
    pub(crate) total: Option<f64>,
    #[serde(default)]
    pub(crate) message: Option<String>,
}

impl ProgressParams {
    /// The request it belongs to: our tokens are request ids.
    pub(crate) fn request(&self) -> Option<u64> {
        self.token.as_u64().or_else(|| self.token.as_str()?.parse().ok())
    }
}

/// `params` of `notifications/message`.
#[derive(Deserialize)]
pub(crate) struct LogParams {
    #[serde(default)]
    pub(crate) level: serde_json::Value,
    #[serde(default)]
    pub(crate) data: serde_json::Value,
}

/// The result of `initialize`; servers leave out any of it.
#[derive(Deserialize, Default)]
pub(crate) struct InitializeResult {
    #[serde(rename = "protocolVersion", default)]
    pub(crate) version: serde_json::Value,
    #[serde(rename = "serverInfo", default)]
    pub(crate) server: serde_json::Value,
    #[serde(default)]
    pub(crate) instructions: serde_json::Value,
}

/// The version in a result of `initialize`.
pub(crate) fn version_of(result: &str) -> Option<String> {
    serde_json::from_str::<InitializeResult>(result).ok()?.version.as_str().map(str::to_owned)
}

/// One page of `tools/list`; each tool is read by itself, so that a bad one costs only itself.
#[derive(Deserialize)]
pub(crate) struct ToolsPage<'a> {
    #[serde(borrow, default)]
    pub(crate) tools: Vec<&'a RawValue>,
    #[serde(rename = "nextCursor", default)]
    pub(crate) next: serde_json::Value,
}

#[cfg(test)]
mod tests;
