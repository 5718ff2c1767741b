//! The Model Context Protocol for tah: a client that any server a user has works with, and that none can hurt.
//!
//! In the order of a call: `spec` says what a server is started with, the `fleet` keeps several of them, `client` shakes hands and keeps the list of
//! `tools`, `peer` matches requests with replies and gives the server its `answers`, `stdio` carries lines (`lines`) to
//! and from a `process`, `http` carries them over `sse`, `wire` is what stands in them, `result` is what the caller gets. `error` has the words for everything else. `server` is the
//! other side: it serves tools of ours to somebody else's client.
//! The crate knows nothing of agents, models or terminals.

pub mod limits;

mod spec;
pub use spec::{Reach, Roots, ServerSpec};

mod fleet;
pub use fleet::{Fleet, Member, MountedTool, Notice, Presence, ServerState, ToolFilter};

mod client;
pub use client::{Client, ServerInfo};

mod tools;
pub use tools::Tool;

mod peer;
pub use peer::{CallOptions, Progress};

mod answers;

mod stdio;
pub use stdio::{CloseOrder, ServerProcess};

mod process;

mod http;
pub use http::configure_http;

mod sse;

mod lines;
mod log;
mod wire;
pub use wire::RpcError;

mod result;
pub use result::{CallResult, Content};

mod error;
pub use error::{CallError, Ending, HowEnded, Sent, StartError};

mod server;
pub use server::{Served, ServedEffect, ServedPart, ServedResult, ServedTool, serve};
