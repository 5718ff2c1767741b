//! `tah chat --plain`, the sessions it leaves, and the settings and trust of a folder, on the real binary.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail loudly and write their own folders"
)]

mod chat;
mod settings;
