//! Console lines and requests of each tab, in bounded rings.

use std::time::Instant;

use crate::cdp::wire;
use crate::limits;

use super::{FrameId, TabId, TabState, World};

/// One line the page wrote, or an error of its scripts.
#[derive(Debug, Clone)]
pub struct ConsoleLine {
    /// `log`, `info`, `warning`, `error`, `debug`, …
    pub level: String,
    pub text: String,
    pub source: Option<String>,
    pub generation: u64,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestEnd {
    Open,
    Finished,
    Failed(String),
}

/// One request of a page.
#[derive(Debug, Clone)]
pub struct Request {
    pub id: String,
    pub seq: u64,
    pub method: String,
    pub url: String,
    /// `Document`, `XHR`, `Fetch`, `EventSource`, …
    pub kind: String,
    pub frame: Option<FrameId>,
    pub status: Option<i64>,
    pub mime_type: String,
    pub started: Instant,
    pub bytes: u64,
    pub end: RequestEnd,
}

impl Request {
    /// Whether somebody waiting for a quiet page waits for this one (B78: long-lived connections never end).
    pub fn holds(&self) -> bool {
        self.end == RequestEnd::Open
            && matches!(self.kind.as_str(), "Document" | "XHR" | "Fetch" | "Script" | "Stylesheet")
    }
}

impl TabState {
    /// Requests a quiet page waits for, among those after `mark`.
    pub fn open_requests_since(&self, mark: u64) -> usize {
        self.requests.iter().rev().take_while(|r| r.seq > mark).filter(|r| r.holds()).count()
    }

    fn request(&mut self, id: &str) -> Option<&mut Request> {
        self.requests.iter_mut().rev().find(|request| request.id == id)
    }
}

impl World {
    pub(super) fn console_line(&self, tab: &TabId, level: &str, text: String, source: Option<String>) {
        self.change(|state| {
            let Some(tab) = state.tab_mut(tab) else { return };
            let generation = tab.generation;
            let text = if text.len() > limits::CONSOLE_LINE {
                text.chars().take(limits::CONSOLE_LINE).collect::<String>() + "…"
            } else {
                text
            };
            tab.console.push_back(ConsoleLine { level: level.to_owned(), text, source, generation });
            if tab.console.len() > limits::CONSOLE_LINES {
                tab.console.pop_front();
            }
        });
    }

    pub(super) fn request_starts(&self, tab: &TabId, sent: wire::RequestWillBeSent) {
        self.change(|state| {
            let Some(tab) = state.tab_mut(tab) else { return };
            tab.request_seq += 1;
            let seq = tab.request_seq;
            // A redirect keeps its id: the old entry becomes the new address.
            tab.requests.retain(|request| request.id != sent.request_id);
            let mut url = sent.request.url;
            if url.starts_with("data:") || url.len() > limits::REQUEST_URL {
                url = url.chars().take(limits::REQUEST_URL.min(80)).collect();
                url.push('…');
            }
            tab.requests.push_back(Request {
                id: sent.request_id,
                seq,
                method: sent.request.method,
                url,
                kind: sent.kind,
                frame: sent.frame_id.as_deref().map(FrameId::from),
                status: None,
                mime_type: String::new(),
                started: Instant::now(),
                bytes: 0,
                end: RequestEnd::Open,
            });
            if tab.requests.len() > limits::REQUESTS {
                tab.requests.pop_front();
            }
        });
    }

    pub(super) fn request_answered(&self, tab: &TabId, received: wire::ResponseReceived) {
        self.change(|state| {
            let Some(request) = state.tab_mut(tab).and_then(|tab| tab.request(&received.request_id)) else {
                return;
            };
            request.status = Some(received.response.status);
            request.mime_type = received.response.mime_type;
            // A fetch that turns out to be an event stream never ends.
            if request.mime_type == "text/event-stream" {
                request.kind = String::from("EventSource");
            }
        });
    }

    pub(super) fn request_ended(&self, tab: &TabId, id: &str, bytes: u64, end: RequestEnd) {
        self.change(|state| {
            let Some(request) = state.tab_mut(tab).and_then(|tab| tab.request(id)) else { return };
            request.bytes = bytes;
            request.end = end;
        });
    }
}

/// A console argument as a person would read it.
pub(super) fn spell(object: &wire::RemoteObject) -> String {
    if let Some(preview) = object.preview.as_ref().filter(|_| object.subtype.as_deref() != Some("error")) {
        let is_list = object.subtype.as_deref() == Some("array");
        let mut parts: Vec<String> = preview
            .properties
            .iter()
            .map(|property| {
                let value = property.value.clone().unwrap_or_else(|| property.kind.clone());
                let value = if property.kind == "string" { format!("{value:?}") } else { value };
                if is_list { value } else { format!("{}: {value}", property.name) }
            })
            .collect();
        if preview.overflow {
            parts.push(String::from("…"));
        }
        let inside = parts.join(", ");
        return if is_list { format!("[{inside}]") } else { format!("{{{inside}}}") };
    }
    match (&object.value, &object.unserializable_value, &object.description) {
        (Some(serde_json::Value::String(text)), _, _) => text.clone(),
        (Some(value), _, _) => value.to_string(),
        (None, Some(text), _) | (None, None, Some(text)) => text.clone(),
        (None, None, None) => object.kind.clone(),
    }
}
