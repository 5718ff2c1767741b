//! The program: joins the agent with MCP servers, a browser and the front ends.
//!
//! In the order a command line passes through: `args` reads it, `config` puts the settings together, `command` has
//! one file a command, `assemble` makes an agent's parts of the settings, `plugin` adapts servers and the browser
//! to tools, `front` is how events are shown and questions asked as lines, `chat` the same on a screen, `ui` prints, `exit` says how tah ends.

pub mod args;
pub mod assemble;
pub mod chat;
pub mod command;
pub mod config;
pub mod docs;
pub mod exit;
pub mod front;
pub mod limits;
pub mod log;
pub mod plugin;
pub mod ui;

use std::process::ExitCode;

/// What `main` does. The first argument of the launcher is looked for before anything else is done.
pub fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == tah_os::launcher::CHILD_ARG) {
        return tah_os::launcher::child_main(args);
    }
    command::main()
}
