//! The lines of a session's file.

use crate::event::Event;
use crate::id::SessionId;
use crate::message::Message;
use serde::{Deserialize, Serialize};

/// The version this tah writes. A newer one is refused, not read by guess (D3).
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    pub version: u32,
    pub id: SessionId,
    /// The session this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    pub model: String,
    pub cwd: String,
    /// RFC 3339, UTC.
    pub created: String,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase")]
pub enum Record {
    Meta {
        #[serde(flatten)]
        meta: Meta,
    },
    /// A message of the conversation.
    Message { message: Message },
    /// What was shown; pieces of text are superseded by the message that follows them.
    Event { event: Event },
    /// From here on the model is asked with these messages in place of all before (a summary, a rewind); the
    /// lines above stay.
    Replaced { messages: Vec<Message> },
}
