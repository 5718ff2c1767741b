//! Everything that happens, as plain data: the lines of `--json`, what front ends draw, what a session replays.
//! New fields may be added; none changes its meaning. `docs/events.md` is made from these types.

pub mod catalog;

use crate::card::{Answer, Card};
use crate::id::{ApprovalId, CallId, SessionId, TurnId};
use crate::limits;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum Event {
    /// The session events belong to from here on: at the start, after a reset, a resume or a fork.
    #[serde(rename = "session")]
    Session {
        id: SessionId,
        /// Where it is stored; absent with `--no-persist`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        model: String,
        cwd: String,
        /// Messages it already holds.
        messages: usize,
    },
    /// A prompt was taken and its turn begins.
    #[serde(rename = "user")]
    User {
        turn: TurnId,
        text: String,
        #[serde(default, skip_serializing_if = "is_zero")]
        images: usize,
    },
    /// A piece of the answer.
    #[serde(rename = "text")]
    Text { text: String },
    /// A piece of what the model thought; no part of the answer.
    #[serde(rename = "reasoning")]
    Reasoning { text: String },
    /// The text streamed so far is thrown away: the request is sent again.
    #[serde(rename = "retract")]
    Retract {},
    /// The model's reply is whole: all its text has been sent.
    #[serde(rename = "reply.end")]
    ReplyEnd { calls: usize },
    #[serde(rename = "tool.start")]
    ToolStart { call_id: CallId, tool: String, summary: String },
    /// Live output of a running call.
    #[serde(rename = "tool.output")]
    ToolOutput { call_id: CallId, chunk: String },
    #[serde(rename = "tool.end")]
    ToolEnd {
        call_id: CallId,
        ok: bool,
        /// One line for people.
        result: String,
        ms: u64,
    },
    #[serde(rename = "approval")]
    Approval { id: ApprovalId, call_id: CallId, tool: String, card: Card },
    #[serde(rename = "approval.end")]
    ApprovalEnd { id: ApprovalId, answer: Answer },
    #[serde(rename = "notice")]
    Notice { level: Level, text: String },
    /// Tokens of one model request.
    #[serde(rename = "usage")]
    Usage {
        input: u64,
        output: u64,
        #[serde(default, skip_serializing_if = "is_zero64")]
        cached: u64,
        /// Tokens the model's context window holds; absent where it is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        window: Option<u64>,
    },
    /// The plan the model keeps, whole, each time it changes.
    #[serde(rename = "todo")]
    Todo { items: Vec<TodoItem> },
    /// A summary the user asked for is written, was stopped or did not come.
    #[serde(rename = "summary.end")]
    SummaryEnd { reason: EndReason },
    #[serde(rename = "turn.end")]
    TurnEnd { reason: EndReason, steps: usize },
    #[serde(rename = "turn.error")]
    TurnError {
        reason: EndReason,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

fn is_zero64(n: &u64) -> bool {
    *n == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    pub text: String,
    pub state: TodoState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    Info,
    Warning,
}

/// How a turn ended. `tah run` turns it into its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The model answered.
    Finished,
    /// The model answered, but something it asked for was denied.
    Denied,
    /// The step limit was reached; `Continue` goes on.
    StepLimit,
    /// The answer was cut off (output limit, broken stream).
    Truncated,
    /// The user stopped it.
    Cancelled,
    /// It could not go on.
    Failed,
}

/// Where events go: written to the session first, so that nothing is shown that a crash could lose.
#[derive(Clone)]
pub struct EventSink {
    front: mpsc::Sender<Event>,
    journal: Arc<Mutex<Option<Box<dyn Journal>>>>,
}

/// What writes events down before they are shown.
pub trait Journal: Send {
    fn record(&mut self, event: &Event);
}

impl EventSink {
    /// A sink and the receiver a front end reads.
    pub fn channel() -> (Self, mpsc::Receiver<Event>) {
        let (front, receiver) = mpsc::channel(limits::EVENT_QUEUE);
        (EventSink { front, journal: Arc::default() }, receiver)
    }

    /// Sets, replaces or removes what events are written to.
    pub fn set_journal(&self, journal: Option<Box<dyn Journal>>) {
        *self.lock() = journal;
    }

    /// Writes the event down, then shows it. Waits while the front end is behind; a front end that is gone is
    /// no error.
    pub async fn emit(&self, event: Event) {
        if let Some(journal) = self.lock().as_mut() {
            journal.record(&event);
        }
        let _ = self.front.send(event).await;
    }

    pub async fn notice(&self, level: Level, text: impl Into<String>) {
        self.emit(Event::Notice { level, text: text.into() }).await;
    }

    /// Live output of a call.
    pub async fn output(&self, call_id: &CallId, chunk: impl Into<String>) {
        self.emit(Event::ToolOutput { call_id: call_id.clone(), chunk: chunk.into() }).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Box<dyn Journal>>> {
        self.journal.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
