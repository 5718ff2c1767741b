//! Chrome over the DevTools protocol: the native engine and its tools.
//!
//! A call of a tool goes through `browser` (queue, guard, budget, history) to one file of `tools`, which works on a
//! `Tab` and its `Frame`s: `navigate` goes places, `page` runs our functions in documents, `input` presses. Below are
//! `state`, what the protocol's events say of tabs and frames, and `cdp`, the protocol itself. `launch` finds and starts
//! the browser, `profile` owns its lock, `scratch` its temporary files, `guard` judges hosts. The crate knows no agent and no MCP, and never prints.

pub mod address;
pub mod browser;
pub mod cdp;
pub mod chrome;
pub mod error;
pub mod find;
pub mod guard;
pub mod input;
pub mod launch;
pub mod limits;
pub mod navigate;
pub mod page;
pub mod profile;
pub mod registry;
pub mod scratch;
pub mod secret;
pub mod settle;
pub mod state;
mod tools;

pub use browser::{Browser, Caller, Options};
pub use error::{BrowserError, Code};
