//! Settings: built-in defaults, the user's file, the folder's file, the environment with `.env`, and flags, in
//! this order, as one list of values by their key's path. What a key is stands in [`keys`]; files are read and
//! checked in [`file`]; what an untrusted folder may say is decided in [`trust`]; [`settings`] makes the types.

pub mod agents_md;
pub mod environment;
pub mod file;
pub mod keys;
pub mod layers;
pub mod settings;
pub mod trust;

#[cfg(test)]
mod tests;

/// A setting that can't be used. It ends the start with exit code 2.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    pub message: String,
    pub hint: Option<String>,
}

impl ConfigError {
    pub fn new(message: impl Into<String>) -> Self {
        ConfigError { message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
