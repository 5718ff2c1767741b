//! What a person sees before a call runs: a card says exactly what will happen and how far an "always" reaches.
//! Tools make cards, front ends draw them, and nothing in between knows about any particular tool (A5).

use serde::{Deserialize, Serialize};

/// A question to the user about one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// A few words: `Run command`, `Open browser`.
    pub title: String,
    /// Exactly what will run or change.
    pub lines: Vec<CardLine>,
    /// What "always" would allow for this session; `None` offers no "always".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always: Option<Scope>,
    /// Asked even where a rule or an earlier "always" would allow it; only `--yes` answers it by itself (A1, A2).
    #[serde(default, skip_serializing_if = "Insistence::is_normal")]
    pub insistence: Insistence,
}

/// Whether rules may answer a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Insistence {
    #[default]
    Normal,
    /// No rule and no "always" silences it.
    EveryTime,
}

impl Insistence {
    fn is_normal(&self) -> bool {
        matches!(self, Insistence::Normal)
    }
}

/// One line, or block, of a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "text", rename_all = "camelCase")]
pub enum CardLine {
    /// A shell command, whole.
    Command(String),
    Path(String),
    Url(String),
    /// A unified diff.
    Diff(String),
    Text(String),
}

/// What an "always" covers, for this session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Scope {
    /// Every call of the tool.
    Tool { name: String },
    /// Every call of the tool whose subjects all begin with one of the prefixes (a command's first words).
    Prefix { name: String, prefixes: Vec<String> },
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scope::Tool { name } => write!(f, "every {name} in this session"),
            Scope::Prefix { name, prefixes } => {
                let list: Vec<String> = prefixes.iter().map(|p| format!("`{p} …`")).collect();
                write!(f, "{name} of {} in this session", list.join(", "))
            }
        }
    }
}

/// The answer to a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase")]
pub enum Answer {
    Yes,
    /// Yes, and the card's scope from now on.
    Always,
    /// No; the reason, where there is one, is read by the model.
    No {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}
