//! Playwright MCP, installed below `TAH_HOME` from a lock file inside the binary (P1): by `tah browser install`, or by
//! saying yes to the door's card. Never looked for in the working folder: a cloned repository must not choose it.

use super::settings::BrowserSettings;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tah_agent::tool::ToolError;
use tah_os::disk::{self, Access, Lock};
use tah_os::process::{Input, Output, Spawn};
use tokio_util::sync::CancellationToken;

/// What is installed.
pub const PACKAGE: &str = "@playwright/mcp 0.0.83";
const PACKAGE_JSON: &str = include_str!("../../../assets/playwright/package.json");
const PACKAGE_LOCK: &str = include_str!("../../../assets/playwright/package-lock.json");

/// npm may take this long.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(300);
const END_GRACE: Duration = Duration::from_secs(2);

fn folder(home: &Path) -> PathBuf {
    home.join("playwright")
}

/// The program Node is started with.
pub fn cli_js(home: &Path) -> PathBuf {
    folder(home).join("node_modules/@playwright/mcp/cli.js")
}

/// Whether it has to be installed before it can be used.
pub fn is_needed(settings: &BrowserSettings) -> bool {
    settings.command.is_none() && !cli_js(&settings.home).is_file()
}

pub fn card_line(settings: &BrowserSettings) -> String {
    format!(
        "{PACKAGE} is missing: yes also installs it (19 MB, by npm) into {}",
        folder(&settings.home).display()
    )
}

pub fn without_npm() -> ToolError {
    ToolError::new(format!("{PACKAGE} is not installed, and there is no npm to install it with"))
        .hint("install Node.js with npm and run `tah browser install`, or use the native engine (`--browser native`)")
}

/// Installs it beside its place and then moves it there, so that a half-done install is never used. Gives the path.
pub async fn install(settings: &BrowserSettings, cancel: &CancellationToken) -> Result<PathBuf, ToolError> {
    let place = folder(&settings.home);
    let npm = settings.program("npm").ok_or_else(without_npm)?;
    disk::private_folder(&settings.home).map_err(disk_error)?;
    let _lock = Lock::take(&settings.home.join("playwright.lock")).map_err(disk_error)?;
    let fresh = settings.home.join("playwright.new");
    disk::remove_folder(&fresh).map_err(disk_error)?;
    disk::private_folder(&fresh).map_err(disk_error)?;
    disk::write(&fresh.join("package.json"), PACKAGE_JSON.as_bytes(), Access::Private).map_err(disk_error)?;
    disk::write(&fresh.join("package-lock.json"), PACKAGE_LOCK.as_bytes(), Access::Private)
        .map_err(disk_error)?;
    let outcome = npm_ci(settings, &npm, &fresh, cancel).await;
    if let Err(error) = outcome {
        // What is left of it is of no use; that the install failed matters more than that it can't be removed.
        let _ = disk::remove_folder(&fresh);
        return Err(error);
    }
    disk::remove_folder(&place).map_err(disk_error)?;
    disk::rename(&fresh, &place).map_err(disk_error)?;
    Ok(place)
}

async fn npm_ci(
    settings: &BrowserSettings,
    npm: &Path,
    folder: &Path,
    cancel: &CancellationToken,
) -> Result<(), ToolError> {
    let hidden = settings.hidden_env.clone();
    let mut child = Spawn::new(npm, &settings.launcher)
        .args(["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"])
        .cwd(folder)
        .env_remove_where(move |name| hidden.iter().any(|hidden| hidden == name))
        .stdin(Input::Null)
        .stdout(Output::Null)
        .stderr(Output::Pipe)
        .spawn()
        .await
        .map_err(|error| ToolError::new(format!("npm did not start: {error}")))?;
    let ring = child.drain_stderr();
    let ended = tokio::select! {
        ended = child.wait() => ended,
        () = cancel.cancelled() => {
            child.terminate(END_GRACE).await;
            return Err(ToolError::new("cancelled; nothing was installed"));
        }
        () = tokio::time::sleep(INSTALL_TIMEOUT) => {
            child.terminate(END_GRACE).await;
            let text = format!("npm did not finish in {} s; nothing was installed", INSTALL_TIMEOUT.as_secs());
            return Err(ToolError::new(text));
        }
    };
    if ended.succeeded() {
        return Ok(());
    }
    let last_words = ring.text();
    Err(ToolError::new(format!("npm could not install {PACKAGE} ({ended}):\n{last_words}"))
        .hint("look at the connection and run `tah browser install`"))
}

fn disk_error(error: disk::DiskError) -> ToolError {
    ToolError::new(format!("{PACKAGE} could not be installed: {error}"))
}
