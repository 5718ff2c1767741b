//! The client against servers: scripted ones in memory, faulty processes, and the real ones.
#![allow(clippy::disallowed_methods, reason = "tests look at the disk and at /proc directly")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed assumption fails the test"
)]

mod calls;
mod fake;
mod fleet;
mod handshake;
mod http;
mod http_faults;
mod listing;
mod noise;
mod processes;
mod real;
mod server_asks;
