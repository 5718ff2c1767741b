//! Models: what a step asks and what comes back. Providers and their wire formats are below this module.

pub mod catalog;
pub mod resolve;

pub mod openai;

pub mod mock;

pub mod text_call;

use crate::message::{Message, ToolCall};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What one request holds. The order of everything in it stays the same from step to step, so that a provider's
/// cache of the prefix is hit.
#[derive(Clone, Debug)]
pub struct Request {
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    /// Tokens of the reply at most; the provider's own limit without.
    pub max_output: Option<u64>,
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub schema: Value,
}

/// What comes while a reply streams.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    /// The request is sent again after `wait`, since `why`. Sent only while nothing was shown (no text).
    Retrying {
        wait: Duration,
        why: String,
    },
    /// Something odd but harmless in the stream.
    Notice(String),
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<ToolCall>,
    pub usage: Option<Usage>,
    pub end: ReplyEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// The model said it was done (with or without calls).
    Complete,
    /// Cut at the output limit (S11, S13).
    Length,
    /// The stream ended without an end (S6); no call of it may run.
    Broken,
    /// The provider's filter stopped it.
    Filtered,
}

/// Tokens of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cached: u64,
}

/// Why a request failed for good.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    pub hint: Option<String>,
    /// Text that was already shown when it failed; kept in the session.
    pub partial: Option<Box<Reply>>,
    /// The numbers of an overflow, where the provider told them.
    pub overflow: Overflow,
}

/// What a provider told when a conversation was too long for it, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflow {
    pub asked: Option<u64>,
    pub window: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelErrorKind {
    Cancelled,
    /// No connection, or it was lost.
    Network,
    /// The key is missing or refused.
    Auth,
    /// Too many requests, or the quota is used up.
    RateLimit,
    /// The conversation is longer than the model's window.
    ContextOverflow,
    /// The provider refused the request or answered nonsense.
    Provider,
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        ModelError { kind, message: message.into(), hint: None, partial: None, overflow: Overflow::default() }
    }

    pub fn cancelled() -> Self {
        Self::new(ModelErrorKind::Cancelled, "cancelled")
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What is known of a model before it is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// As the provider names it.
    pub name: String,
    /// Tokens its window holds.
    pub window: Option<u64>,
    pub vision: crate::tool::Vision,
    /// Whether a whole reply that looks like a tool call is one (small local models; catalog rows say so).
    pub calls_in_text: CallsInText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallsInText {
    Recognised,
    Never,
}

/// Opens another model in the middle of a session.
pub trait Models: Send + Sync {
    fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError>;
}

/// A model that streams.
#[async_trait]
pub trait Model: Send + Sync {
    fn profile(&self) -> &Profile;

    /// Asks and streams. Deltas are sent as they come (the receiver is always read); the whole reply is returned.
    /// Returns within 100 ms of `cancel`, with what came so far in `partial`.
    async fn stream(
        &self,
        request: &Request,
        deltas: mpsc::Sender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError>;
}
