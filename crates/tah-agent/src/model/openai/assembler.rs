//! From the pieces of a stream to one reply. Pure: no clock, no network, the same pieces give the same reply
//! however the bytes they came in were cut.

use super::wire::{Arguments, CallPiece, Chunk};
use crate::id::CallId;
use crate::limits;
use crate::message::{ArgumentFault, Input, ToolCall};
use crate::model::{Delta, Reply, ReplyEnd, Usage};
use serde_json::Value;
use std::collections::HashSet;

#[cfg(test)]
mod tests;

/// Whether more is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    More,
    /// The provider said why it ended; only the usage may still come.
    Finished,
    /// The reply is larger than anything sensible; reading stops.
    TooLong,
}

/// A call that is being put together.
#[derive(Debug, Default)]
struct OpenCall {
    /// What the provider calls it, if it does.
    id: Option<String>,
    index: Option<u64>,
    name: String,
    arguments: String,
}

/// Puts a reply together.
#[derive(Debug, Default)]
pub struct Assembler {
    text: String,
    reasoning: String,
    calls: Vec<OpenCall>,
    usage: Option<Usage>,
    finish: Option<String>,
    done: bool,
    /// Ids of earlier replies: a provider that counts from `call_0` each time would make two results one (D1).
    taken: HashSet<String>,
    /// Output tokens that were asked for at most.
    max_output: Option<u64>,
    /// Data that was no chunk.
    odd: usize,
}

impl Assembler {
    pub fn new(taken: HashSet<String>, max_output: Option<u64>) -> Self {
        Assembler { taken, max_output, ..Assembler::default() }
    }

    /// Takes a chunk and appends what is to be shown of it.
    pub fn take(&mut self, chunk: Chunk, deltas: &mut Vec<Delta>) -> Progress {
        self.usage = chunk.usage.or(self.usage);
        if !chunk.reasoning.is_empty() {
            self.reasoning.push_str(&chunk.reasoning);
            deltas.push(Delta::Reasoning(chunk.reasoning));
        }
        if !chunk.text.is_empty() {
            self.text.push_str(&chunk.text);
            deltas.push(Delta::Text(chunk.text));
        }
        let several = chunk.calls.len() > 1;
        for (position, mut piece) in chunk.calls.into_iter().enumerate() {
            if several && piece.index.is_none() {
                // S1: side by side without an index, the place in the list is the index.
                piece.index = u64::try_from(position).ok();
            }
            self.take_piece(piece);
        }
        if chunk.finish.is_some() {
            self.finish = chunk.finish;
        }
        if self.size() > limits::REPLY_BYTES || self.calls.len() > limits::REPLY_CALLS {
            return Progress::TooLong;
        }
        if self.finish.is_some() { Progress::Finished } else { Progress::More }
    }

    /// `[DONE]` came.
    pub fn done(&mut self) {
        self.done = true;
    }

    /// Data came that is no chunk; told once a reply.
    pub fn odd(&mut self, text: &str) -> Option<Delta> {
        self.odd += 1;
        (self.odd == 1)
            .then(|| Delta::Notice(format!("the provider sent something that is no chunk: {text}")))
    }

    /// Whether text of the answer was shown; then the request can't be sent again.
    pub fn has_shown(&self) -> bool {
        !self.text.is_empty()
    }

    pub fn has_begun(&self) -> bool {
        self.has_shown() || !self.reasoning.is_empty() || !self.calls.is_empty()
    }

    fn size(&self) -> usize {
        let calls: usize = self.calls.iter().map(|call| call.arguments.len() + call.name.len()).sum();
        self.text.len() + self.reasoning.len() + calls
    }

    fn take_piece(&mut self, piece: CallPiece) {
        let at = match self.find(&piece) {
            Some(at) => at,
            None => {
                self.calls.push(OpenCall { id: piece.id.clone(), index: piece.index, ..OpenCall::default() });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[at];
        if call.id.is_none() {
            call.id = piece.id;
        }
        if let Some(name) = piece.name {
            // A name is repeated whole, grows, or comes in parts.
            if name.starts_with(&call.name) {
                call.name = name;
            } else if call.arguments.is_empty() {
                call.name.push_str(&name);
            }
        }
        match piece.arguments {
            Arguments::None => {}
            Arguments::Part(text) => call.arguments.push_str(&text),
            Arguments::Whole(text) => call.arguments = text,
        }
    }

    /// The call a piece belongs to; `None` opens a new one. Order of trust (S2): a known id, a new id (it opens a
    /// call even if its index is taken), the index, the last open call.
    fn find(&self, piece: &CallPiece) -> Option<usize> {
        let last = self.calls.len().checked_sub(1)?;
        if let Some(id) = &piece.id {
            let known = self.calls.iter().rposition(|call| call.id.as_ref() == Some(id));
            return match known {
                Some(at) => (!self.begins_another(at, piece)).then_some(at),
                // The head came without its id.
                None => (self.calls[last].id.is_none() && piece.name.is_none()).then_some(last),
            };
        }
        let at = match piece.index {
            Some(index) => match self.calls.iter().rposition(|call| call.index == Some(index)) {
                Some(at) => at,
                // An unseen index with a name is a new call, without one the tail of the last (S2).
                None if piece.name.is_some() => return None,
                None => last,
            },
            None => last,
        };
        (!self.begins_another(at, piece)).then_some(at)
    }

    /// Whether a piece that seems to belong to a call is the head of the next one: it has a name, and the call's
    /// arguments are whole already (S1).
    fn begins_another(&self, at: usize, piece: &CallPiece) -> bool {
        let call = &self.calls[at];
        if piece.name.is_none() || call.name.is_empty() {
            return false;
        }
        let moved = matches!((piece.index, call.index), (Some(a), Some(b)) if a != b);
        let brings = !matches!(piece.arguments, Arguments::None);
        let other = piece.name.as_ref().is_some_and(|name| *name != call.name);
        is_whole(&call.arguments) && (moved || brings || other)
    }

    /// The reply, when the stream is at its end.
    pub fn finish(self) -> Reply {
        let mut end = match self.finish.as_deref() {
            Some("length" | "max_tokens" | "model_length" | "MAX_TOKENS") => ReplyEnd::Length,
            Some("content_filter" | "safety" | "SAFETY") => ReplyEnd::Filtered,
            Some("error" | "insufficient_system_resource" | "abort") => ReplyEnd::Broken,
            Some(_) => ReplyEnd::Complete,
            None if self.done => ReplyEnd::Complete,
            None => ReplyEnd::Broken,
        };
        let runnable = matches!(end, ReplyEnd::Complete | ReplyEnd::Length);
        let at_limit =
            matches!((self.usage, self.max_output), (Some(usage), Some(max)) if usage.output >= max);
        let count = self.calls.len();
        let mut taken = self.taken;
        let mut calls = Vec::new();
        for (at, call) in self.calls.into_iter().enumerate() {
            if call.name.is_empty() && call.arguments.trim().is_empty() {
                continue;
            }
            let cut = match end {
                ReplyEnd::Length if at + 1 == count => Cut::Yes,
                _ if at_limit && at + 1 == count => Cut::Yes,
                _ => Cut::Unknown,
            };
            let (input, fault) = read_arguments(&call.arguments, cut);
            if fault == Some(ArgumentFault::CutAtLimit) {
                // S11: gateways rewrite `length` to `tool_calls`.
                end = ReplyEnd::Length;
            }
            let id = unique(call.id, &mut taken);
            calls.push(ToolCall { id, name: call.name, input, fault });
        }
        if !runnable {
            // S6: nothing of an unfinished reply runs.
            calls.clear();
        }
        Reply { text: self.text, reasoning: self.reasoning, calls, usage: self.usage, end }
    }
}

/// Whether the reply is known to have ended in the middle of this call.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    Yes,
    Unknown,
}

fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
}

fn read_arguments(text: &str, cut: Cut) -> (Input, Option<ArgumentFault>) {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed == "null" {
        // S12: no arguments are no fault, except where they were still to come.
        let fault = (cut == Cut::Yes).then_some(ArgumentFault::CutAtLimit);
        return (Input::new(), fault);
    }
    match serde_json::from_str::<Value>(trimmed) {
        Ok(Value::Object(input)) => (input, None),
        // Encoded twice.
        Ok(Value::String(inner)) => match serde_json::from_str::<Value>(&inner) {
            Ok(Value::Object(input)) => (input, None),
            _ => malformed("they are a text"),
        },
        Ok(other) => malformed(&format!("they are {}", kind(&other))),
        Err(_) if cut == Cut::Yes => (Input::new(), Some(ArgumentFault::CutAtLimit)),
        // Only a long text that stops in the middle looks like the limit; a short one is the model's mistake.
        Err(error) if error.is_eof() && trimmed.len() >= limits::CUT_ARGUMENT_BYTES => {
            (Input::new(), Some(ArgumentFault::CutAtLimit))
        }
        Err(error) => malformed(&error.to_string()),
    }
}

fn malformed(message: &str) -> (Input, Option<ArgumentFault>) {
    (Input::new(), Some(ArgumentFault::Malformed { message: message.to_owned() }))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a truth value",
        Value::Null => "null",
        Value::String(_) => "a text",
        Value::Object(_) => "an object",
    }
}

fn unique(id: Option<String>, taken: &mut HashSet<String>) -> CallId {
    let id = match id {
        Some(id) if !taken.contains(&id) => CallId::new(id),
        _ => CallId::random(),
    };
    taken.insert(id.as_str().to_owned());
    id
}
