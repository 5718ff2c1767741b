//! The agent from outside: real HTTP on this machine, no other process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

mod command;
mod model;
mod room;
mod script;
mod tools;
mod turn;
