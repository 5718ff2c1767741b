//! `tah browser install`.

use crate::args::BrowserCommand;
use crate::config::environment;
use crate::exit::Exit;
use crate::plugin::browser::install::{self, Package};
use crate::ui;
use tah_os::process::Launcher;

pub async fn browser(command: BrowserCommand) -> anyhow::Result<Exit> {
    match command {
        BrowserCommand::Install => {
            let package = Package::below(&environment::home()?);
            if package.is_installed() {
                ui::tell(&format!("Playwright MCP {} is installed already", install::VERSION));
                return Ok(Exit::Finished);
            }
            ui::tell(&format!(
                "installing Playwright MCP {} into {}",
                install::VERSION,
                package.folder().display()
            ));
            match package.install(&Launcher::this_program()).await {
                Ok(()) => {
                    ui::tell("installed");
                    Ok(Exit::Finished)
                }
                Err(error) => {
                    ui::fail(&error.message, error.hint.as_deref());
                    Ok(Exit::Failed)
                }
            }
        }
    }
}
