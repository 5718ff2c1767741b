//! `tah browser install`.

use crate::args::BrowserCommand;
use crate::config::settings::{BrowserSurroundings, Given, TrustAnswer, load};
use crate::exit::Exit;
use crate::plugin::browser::{Window, install};
use crate::ui;
use tah_agent::tool::Vision;
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

pub async fn browser(command: BrowserCommand) -> anyhow::Result<Exit> {
    match command {
        BrowserCommand::Install => {
            // The folder has no say in what is installed, so it is not asked about either.
            let settings = load(&Given::default(), |_, _| TrustAnswer::No)?.browser(BrowserSurroundings {
                window: Window::Headless,
                display: false,
                vision: Vision::Off,
                launcher: Launcher::this_program(),
            });
            if install::cli_js(&settings.home).is_file() {
                ui::tell(&format!("{} is installed already; installing it anew", install::PACKAGE));
            }
            match install::install(&settings, &CancellationToken::new()).await {
                Ok(place) => {
                    ui::tell(&format!("installed {} in {}", install::PACKAGE, place.display()));
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
