//! MCP servers through the real binary: in `tah run` and through `tah mcp`.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests look at tah from outside and fail loudly"
)]

mod commands;
mod run;
mod servers;
