//! `tah chat` in a terminal: inline, so that finished text belongs to the terminal's own scrollback, with a small
//! live area at the bottom.
//!
//! [`run`] is the loop: keys and the host's events go into the [`state`], which is a plain value and knows no
//! terminal; what it finished is printed, the rest is laid out by [`frame`] and drawn by [`terminal`]. The
//! [`commands`] are a table, each widget is a file in [`widgets`]. What runs outside the loop (walking files, a
//! shell line, the editor program) is in [`outside`].

pub mod commands;
pub mod editor;
pub mod events;
pub mod frame;
pub mod keys;
pub mod limits;
pub mod markdown;
pub mod mention;
pub mod outside;
pub mod resume;
pub mod run;
pub mod state;
pub mod style;
pub mod terminal;
#[cfg(test)]
mod testing;
pub mod widgets;
pub mod wrap;

pub use run::{ChatError, Ended, run};

use std::path::PathBuf;
use std::sync::Arc;
use tah_agent::approval::ApproveMode;
use tah_agent::session::store::SessionStore;
use tah_agent::tool::{ToolSource, Vision};
use tah_os::process::Launcher;

/// What the chat is started with; all of it was resolved by the configuration.
#[derive(Clone)]
pub struct Options {
    pub cwd: PathBuf,
    /// Tah's home, for the prompt history; `None` keeps none.
    pub home: Option<PathBuf>,
    /// For `/sessions`.
    pub store: SessionStore,
    /// For `/tools`.
    pub sources: Vec<Arc<dyn ToolSource>>,
    pub mode: ApproveMode,
    pub vision: Vision,
    pub facts: Arc<dyn Facts>,
    pub launcher: Launcher,
    pub surroundings: Surroundings,
    /// Sent as soon as the host is there (`tah chat "do this"`).
    pub first_prompt: Option<String>,
}

/// What the environment says about the terminal and the user's programs.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// `TERM`.
    pub term: String,
    /// `TERM_PROGRAM`.
    pub term_program: String,
    /// `XTERM_VERSION` is set: a real xterm, which cuts lines where others break them anew.
    pub xterm_version: Option<String>,
    /// `KITTY_WINDOW_ID` is set, or another sign that kitty's pictures are understood.
    pub kitty_window: Option<String>,
    /// `NO_COLOR`, not empty.
    pub no_color: Option<String>,
    /// `VISUAL`, else `EDITOR`.
    pub editor: Option<String>,
    /// `SHELL`.
    pub shell: Option<String>,
}

/// What the chat shows and does not know by itself.
pub trait Facts: Send + Sync {
    /// Names for `/model`, the configured one first.
    fn models(&self) -> Vec<String> {
        Vec::new()
    }

    /// One line a server for `/mcp`: name, state, number of tools.
    fn servers(&self) -> Vec<String> {
        Vec::new()
    }

    /// The browser's state in a word or two: `closed`, `open (native)`.
    fn browser(&self) -> Option<String> {
        None
    }

    /// The sandbox in a word: `landlock`, `off`.
    fn sandbox(&self) -> Option<String> {
        None
    }

    /// US dollars for tokens of a model, where the catalog has its prices.
    fn cost(&self, _model: &str, _tokens: Tokens) -> Option<f64> {
        None
    }
}

/// Tokens of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cached: u64,
}

/// Knows nothing (tests, examples).
pub struct NoFacts;

impl Facts for NoFacts {}
