//! What a server is started with. Where it comes from (a file, flags) is the program's business.

use crate::limits;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// One server, as configured.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// The name it goes by in tool names and messages.
    pub name: String,
    /// How it is reached.
    pub reach: Reach,
    /// The folder told as root, and where a process runs unless `reach` says otherwise.
    pub folder: PathBuf,
    /// Whether the `roots` ability is declared (it makes the filesystem server forget its folder).
    pub roots: Roots,
    /// From the start to the end of the first tool list.
    pub start_timeout: Duration,
    /// For one call without a sign of life.
    pub call_timeout: Duration,
    /// Longest line or message (bytes).
    pub line_bytes: usize,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Reach {
    /// A process, spoken to over its stdin and stdout.
    Stdio {
        command: PathBuf,
        args: Vec<OsString>,
        /// Set on top of our own environment.
        env: Vec<(OsString, OsString)>,
        /// Variables of ours that are not for it, unless `env` sets them (X6: keys).
        hidden_env: Vec<OsString>,
        cwd: Option<PathBuf>,
    },
    /// A server behind Streamable HTTP.
    Http {
        url: String,
        /// Sent with every request, like `Authorization`.
        headers: Vec<(String, String)>,
        /// Built with [`crate::configure_http`].
        client: reqwest::Client,
    },
}

/// Whether `roots` is among the declared abilities. `roots/list` is answered in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roots {
    #[default]
    Undeclared,
    Declared,
}

impl ServerSpec {
    /// A server with the default limits.
    pub fn new(name: impl Into<String>, reach: Reach, folder: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            reach,
            folder: folder.into(),
            roots: Roots::default(),
            start_timeout: limits::START_TIMEOUT,
            call_timeout: limits::CALL_TIMEOUT,
            line_bytes: limits::LINE_BYTES,
        }
    }
}
