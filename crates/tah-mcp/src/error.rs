//! What can go wrong with a server, in words for people and with what they can do about it.

use crate::wire::RpcError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub server: String,
    pub how: HowEnded,
    /// The last lines of its stderr, oldest first; of what it wrote beside the protocol where stderr is empty.
    pub last_words: Vec<String>,
}

/// The ways a connection ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HowEnded {
    Exited {
        code: i32,
    },
    Killed {
        signal: i32,
    },
    /// Its process is gone, but how is not known.
    Gone,
    /// It closed its stdout (or stdin) and went on running, or its exit could not be seen.
    ClosedItsPipe,
    /// We closed it.
    ClosedByUs,
    /// A server behind HTTP that can't be reached any more.
    Unreachable(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = &self.server;
        match &self.how {
            HowEnded::Exited { code } => write!(f, "mcp server {server} exited with status {code}")?,
            HowEnded::Killed { signal } => {
                write!(f, "mcp server {server} was killed by signal {signal}{}", signal_name(*signal))?;
            }
            HowEnded::Gone => write!(f, "mcp server {server} ended in an unknown way")?,
            HowEnded::ClosedItsPipe => write!(f, "mcp server {server} closed its pipe")?,
            HowEnded::ClosedByUs => write!(f, "mcp server {server} was closed")?,
            HowEnded::Unreachable(why) => write!(f, "mcp server {server} can't be reached: {why}")?,
        }
        if self.last_words.is_empty() { Ok(()) } else { write!(f, "\n{}", self.last_words.join("\n")) }
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        6 => " (SIGABRT)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// Whether a failed call may have reached the server: only what surely didn't may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    No,
    Maybe,
}

/// Why a call has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallError {
    #[error("mcp server {server} gave no answer in {} s; may have happened", after.as_secs_f32())]
    Timeout { server: String, after: Duration },
    #[error("cancelled; may have happened")]
    Cancelled,
    #[error("{ending}")]
    Ended { ending: Arc<Ending>, sent: Sent },
    #[error("{0}")]
    Rpc(RpcError),
    #[error(
        "the answer of mcp server {server} is a line of {bytes} bytes, over the limit of {limit}; may have happened"
    )]
    TooLong { server: String, bytes: u64, limit: u64 },
    #[error("the answer of mcp server {server} can't be read: {why}")]
    BadReply { server: String, why: String },
    #[error("the arguments can't be written as JSON: {0}")]
    BadArguments(String),
    /// HTTP: this one request failed; the connection may still be good.
    #[error("mcp server {server}: {why}")]
    Transport { server: String, why: String, sent: Sent },
}

impl CallError {
    /// Whether the call may have had an effect.
    pub fn sent(&self) -> Sent {
        match self {
            CallError::Ended { sent, .. } | CallError::Transport { sent, .. } => *sent,
            CallError::BadArguments(_) => Sent::No,
            _ => Sent::Maybe,
        }
    }

    /// What the user can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            CallError::Timeout { .. } => Some("raise callTimeoutMs of this server if it needs longer".into()),
            CallError::TooLong { .. } => {
                Some("ask for less at a time, or raise maxLineBytes of this server".into())
            }
            _ => None,
        }
    }
}

/// Why a server could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StartError {
    #[error("mcp server {server} could not be started: {why}")]
    Spawn { server: String, why: String },
    #[error("mcp server {server} was not ready after {} s{}", after.as_secs_f32(), words(last_words))]
    Timeout { server: String, after: Duration, last_words: Vec<String> },
    #[error("mcp server {server} failed at {step}: {error}")]
    Refused { server: String, step: &'static str, error: CallError },
    #[error("mcp server {server} speaks protocol version {version}, which this client doesn't know")]
    Version { server: String, version: String },
    #[error("starting mcp server {server} was cancelled")]
    Cancelled { server: String },
}

fn words(lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("\n{}", lines.join("\n")) }
}

impl StartError {
    /// What the user can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            StartError::Spawn { server, .. } => {
                Some(format!("check `command` and `cwd` of {server}; `tah mcp test {server}` shows the details"))
            }
            StartError::Timeout { .. } => Some(
                "raise startTimeoutMs if it is just slow; a server that never answers may not speak MCP over stdio"
                    .into(),
            ),
            StartError::Version { .. } => Some("update the server, or tah".into()),
            StartError::Refused { .. } | StartError::Cancelled { .. } => None,
        }
    }
}
