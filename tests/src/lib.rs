//! What the end-to-end tests share: the real binary in an empty folder ([`tah`]), a model server whose every byte
//! is scripted ([`model`]), pages that remember what they were sent ([`site`]), a client of `tah mcp serve`
//! ([`served`]), a terminal with a screen ([`pty`]), a look at which processes live ([`processes`]), and kills at
//! random moments and long runs ([`soak`], [`serve_soak`]).
//!
//! The binary under test is `target/debug/tah`: build it first (`cargo build`), as `cargo xtask test` does.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests look at tah from outside: they start it, write its folders and fail loudly"
)]

pub mod display;
pub mod model;
pub mod processes;
pub mod pty;
pub mod serve_soak;
pub mod served;
pub mod site;
pub mod soak;
pub mod tah;
pub mod wait;

use std::path::{Path, PathBuf};

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_owned()
}

/// A file of a package that the set-up installed (`cargo xtask setup`).
pub fn node_module(path: &str) -> PathBuf {
    let file = workspace().join("target/test-deps/node_modules").join(path);
    assert!(file.exists(), "{} is missing: run `cargo xtask setup`", file.display());
    file
}
