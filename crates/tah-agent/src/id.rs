//! Newtypes for the ids that travel through events and sessions, so that one is never taken for another.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One call of a tool, as the model named it (made unique by us where a provider repeats ids).
    CallId
);
id!(
    /// One session: the eight letters at the end of its file's name.
    SessionId
);
id!(
    /// One turn: everything between a prompt and its end.
    TurnId
);
id!(
    /// One question to the user.
    ApprovalId
);

const ALPHABET: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Random letters for ids that only have to be unlikely to meet (no secret depends on them).
fn letters(count: usize) -> String {
    (0..count).map(|_| char::from(ALPHABET[fastrand::usize(..ALPHABET.len())])).collect()
}

impl SessionId {
    pub fn random() -> Self {
        Self(letters(8))
    }
}

impl TurnId {
    pub fn random() -> Self {
        Self(letters(8))
    }
}

impl CallId {
    pub fn random() -> Self {
        Self(format!("call_{}", letters(12)))
    }
}

impl ApprovalId {
    pub fn random() -> Self {
        Self(letters(8))
    }
}
