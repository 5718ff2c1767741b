//! The commands, one file each, and what they share: reading the command line, the runtime, the way to fail.

pub mod browser;
pub mod chat;
pub mod completions;
pub mod config;
pub mod mcp;
pub mod run;
pub mod serve_mcp;
pub mod sessions;
pub mod trust;

use crate::args::{Cli, Command, McpCommand};
use crate::config::ConfigError;
use crate::config::settings::{self, Given, Settings, TrustAnswer};
use crate::exit::Exit;
use crate::front::tty;
use crate::{log, ui};
use std::process::ExitCode;
use std::time::Duration;

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and are no failure.
            let text = error.render().to_string();
            if error.use_stderr() {
                ui::tell(text.trim_end());
            } else {
                let _ = ui::write_out(&text);
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage.code()));
        }
    };
    let _log = log::start();
    let outcome = match cli.command {
        Command::Run(args) => within_runtime(run::run(args)),
        Command::Chat(args) => within_runtime(chat::chat(args)),
        Command::Sessions(args) => sessions::sessions(args),
        Command::Config(args) => config::config(args),
        Command::Browser { command } => within_runtime(browser::browser(command)),
        // One thread: every call waits for the browser anyhow, and each thread has a stack and a heap of its own.
        Command::Mcp(args) if matches!(args.command, Some(McpCommand::Serve(_))) => {
            within_thread(mcp::mcp(args))
        }
        Command::Mcp(args) => within_runtime(mcp::mcp(args)),
        Command::Trust(args) => trust::trust(args),
        Command::Completions { shell } => completions::completions(shell),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => report(&error).into(),
    }
}

/// Says what went wrong, with the hint where there is one.
fn report(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<ConfigError>() {
        Some(config) => {
            ui::fail(&config.message, config.hint.as_deref());
            Exit::Usage
        }
        None => {
            ui::fail(&format!("{error:#}"), None);
            Exit::Failed
        }
    }
}

fn within_runtime(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    drive(tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?, work)
}

fn within_thread(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    drive(tokio::runtime::Builder::new_current_thread().enable_all().build()?, work)
}

fn drive(
    runtime: tokio::runtime::Runtime,
    work: impl Future<Output = anyhow::Result<Exit>>,
) -> anyhow::Result<Exit> {
    let outcome = runtime.block_on(work);
    // A read of stdin or a terminal may still be waiting in a thread; it must not hold the end up (H1).
    runtime.shutdown_timeout(Duration::from_millis(100));
    outcome
}

/// The settings, asking at a terminal about a folder that wants to set more than an untrusted one may.
pub fn load_settings(given: &Given) -> Result<Settings, ConfigError> {
    settings::load(given, |folder, needs| {
        if !ui::stdin_is_terminal() {
            return TrustAnswer::Nobody;
        }
        let text = format!(
            "Files in {} want to set:\n  {}\nTrust this folder from now on?",
            folder.display(),
            needs.join("\n  ")
        );
        tty::confirm(&text)
    })
}
