//! The conversation as it is stored and as models are asked with it. Provider formats live in `model/*/wire.rs`.

use crate::id::CallId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The arguments of a tool call: always a JSON object.
pub type Input = Map<String, Value>;

/// A picture for a model with vision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// `image/png`, `image/jpeg`, …
    pub media_type: String,
    /// Base64 of the file.
    pub data: String,
    /// Where it came from, for people and for the line that replaces it once it is old.
    pub label: String,
}

/// One call as the model asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    pub id: CallId,
    pub name: String,
    /// `{}` where the model's text did not parse; `fault` then says what was wrong (S11: broken arguments are
    /// never stored raw, since a provider refuses every later request that holds them).
    pub input: Input,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<ArgumentFault>,
}

/// Why the arguments of a call cannot be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ArgumentFault {
    /// The reply ended at the output limit in the middle of the arguments.
    CutAtLimit,
    /// The arguments are no JSON object.
    Malformed { message: String },
}

/// How a stored reply came to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplyState {
    #[default]
    Whole,
    /// The provider cut it (length, broken stream).
    Cut,
    /// The user cancelled it, or tah died while it streamed.
    Interrupted,
}

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    #[serde(rename_all = "camelCase")]
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// Written by tah and not by a person (a picture that follows a tool's result, a summary).
        #[serde(default, skip_serializing_if = "Origin::is_person")]
        origin: Origin,
    },
    #[serde(rename_all = "camelCase")]
    Assistant {
        text: String,
        /// What the model thought before it answered; kept apart from the answer and sent back only to
        /// providers that want it (S5).
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        #[serde(default, skip_serializing_if = "is_whole")]
        state: ReplyState,
    },
    #[serde(rename_all = "camelCase")]
    Tool { call_id: CallId, name: String, text: String, ok: bool },
}

/// Who wrote a user message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    #[default]
    Person,
    /// A picture that follows the results of a step (V1).
    ToolImages,
    /// The summary of an elided part of the conversation.
    Summary,
}

impl Origin {
    fn is_person(&self) -> bool {
        matches!(self, Origin::Person)
    }
}

fn is_whole(state: &ReplyState) -> bool {
    matches!(state, ReplyState::Whole)
}

impl Message {
    pub fn user(text: impl Into<String>) -> Self {
        Message::User { text: text.into(), images: Vec::new(), origin: Origin::Person }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Message::Assistant {
            text: text.into(),
            reasoning: String::new(),
            calls: Vec::new(),
            state: ReplyState::Whole,
        }
    }
}
