//! From a session's lines back to its conversation. Whatever a crash or a disk did to the file, what comes out is
//! a conversation a strict provider takes: every call has one result, every result its call.

use super::record::{Meta, Record, VERSION};
use crate::event::Event;
use crate::message::{Message, ReplyState};

/// The result of a call whose process died (D1).
const INTERRUPTED: &str = "error: interrupted; may have happened, check";

/// What a file holds.
#[derive(Debug, Default)]
pub struct Contents {
    /// The conversation, repaired.
    pub messages: Vec<Message>,
    /// Of `messages`, those the file does not hold yet, in order from the end.
    pub added: usize,
    /// What was shown, for a front end to show again; pieces of text joined.
    pub events: Vec<Event>,
    /// Lines that could not be read, the torn last one aside.
    pub unreadable: usize,
    /// Bytes up to the end of the last whole line; what is behind them is torn.
    pub whole_bytes: u64,
    /// The repair changed more than the end, so the conversation has to be written anew.
    pub rewrite: bool,
}

/// Why a head can't be used.
#[derive(Debug, PartialEq)]
pub enum HeadFault {
    Newer(u32),
    Unreadable(String),
}

/// The first line.
pub fn head(bytes: &[u8]) -> Result<Meta, HeadFault> {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.is_empty() {
        return Err(HeadFault::Unreadable("it is empty".to_owned()));
    }
    // The version is looked at before anything else, since a newer head may hold what we can't read.
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(line)
        && let Some(version) = value.get("version").and_then(serde_json::Value::as_u64)
        && version > u64::from(VERSION)
    {
        return Err(HeadFault::Newer(u32::try_from(version).unwrap_or(u32::MAX)));
    }
    match serde_json::from_slice(line) {
        Ok(Record::Meta { meta }) => Ok(meta),
        _ => Err(HeadFault::Unreadable("its first line is not a session's head".to_owned())),
    }
}

/// Everything after the head.
pub fn contents(bytes: &[u8]) -> Contents {
    let mut contents = Contents::default();
    let mut streamed = Streamed::default();
    let mut offset = 0;
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if line.last() != Some(&b'\n') {
            break;
        }
        offset += line.len();
        if number == 0 {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(record) => contents.take(record, &mut streamed),
            Err(_) => contents.unreadable += 1,
        }
    }
    contents.whole_bytes = offset as u64;
    contents.finish(streamed);
    contents
}

/// Text that was shown and whose message is not written yet.
#[derive(Default)]
struct Streamed {
    text: String,
    reasoning: String,
}

impl Contents {
    fn take(&mut self, record: Record, streamed: &mut Streamed) {
        match record {
            Record::Meta { .. } => {}
            // Whatever comes after it, what streamed before is in it or was given up: text that is still without a
            // message at the end of the file is what a kill cut, and nothing older (D1).
            Record::Message { message } => {
                *streamed = Streamed::default();
                self.messages.push(message);
            }
            Record::Replaced { messages } => {
                *streamed = Streamed::default();
                self.messages = messages;
            }
            Record::Event { event } => {
                match &event {
                    Event::Text { text } => streamed.text.push_str(text),
                    Event::Reasoning { text } => streamed.reasoning.push_str(text),
                    Event::Retract {} => *streamed = Streamed::default(),
                    _ => {}
                }
                self.show(event);
            }
        }
    }

    fn show(&mut self, event: Event) {
        match (self.events.last_mut(), event) {
            (Some(Event::Text { text }), Event::Text { text: more }) => text.push_str(&more),
            (Some(Event::Reasoning { text }), Event::Reasoning { text: more }) => text.push_str(&more),
            (
                Some(Event::ToolOutput { call_id, chunk }),
                Event::ToolOutput { call_id: same, chunk: more },
            ) if *call_id == same => chunk.push_str(&more),
            (_, event) => self.events.push(event),
        }
    }

    fn finish(&mut self, streamed: Streamed) {
        let before = self.messages.len();
        self.messages = paired(std::mem::take(&mut self.messages), &mut self.rewrite);
        self.added = if self.rewrite { 0 } else { self.messages.len() - before };
        if !streamed.text.is_empty() {
            self.messages.push(Message::Assistant {
                text: streamed.text,
                reasoning: streamed.reasoning,
                calls: Vec::new(),
                state: ReplyState::Interrupted,
            });
            self.added += 1;
        }
    }
}

/// Gives every call its result right behind its message and drops results without a call. `changed` is set where
/// that altered more than the end.
fn paired(messages: Vec<Message>, changed: &mut bool) -> Vec<Message> {
    let mut whole = Vec::with_capacity(messages.len());
    let mut open: Vec<(crate::id::CallId, String)> = Vec::new();
    for message in messages {
        if let Message::Tool { call_id, .. } = &message {
            let Some(at) = open.iter().position(|(id, _)| id == call_id) else {
                *changed = true;
                continue;
            };
            open.remove(at);
            whole.push(message);
            continue;
        }
        if !open.is_empty() {
            *changed = true;
            whole.extend(open.drain(..).map(interrupted));
        }
        if let Message::Assistant { calls, .. } = &message {
            open.extend(calls.iter().map(|call| (call.id.clone(), call.name.clone())));
        }
        whole.push(message);
    }
    whole.extend(open.into_iter().map(interrupted));
    whole
}

fn interrupted((call_id, name): (crate::id::CallId, String)) -> Message {
    Message::Tool { call_id, name, text: INTERRUPTED.to_owned(), ok: false }
}
