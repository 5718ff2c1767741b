//! The agent: what happens between a prompt and its answer.
//!
//! A front end sends [`host::Command`]s and receives [`event::Event`]s; everything else is inside. The modules
//! stand in the order a prompt passes through them: the host takes it, a turn works on it in steps, each step
//! asks the model, the model's calls pass the gate and reach the tools, and what happened goes to the session.
//! This crate knows no MCP, no browser and no terminal, and it never prints.

pub mod host;

pub mod event;

pub mod turn;

pub mod message;

pub mod prompt;

pub mod context;

pub mod model;

pub mod tool;

pub mod card;

pub mod approval;

pub mod tools;

pub mod session;

pub mod http;
pub mod id;
pub mod limits;
