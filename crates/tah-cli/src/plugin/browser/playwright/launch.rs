//! How Playwright MCP is started (P1, P2), and what is said when its browser can't be.

use super::super::install;
use super::super::settings::{BrowserSettings, Window};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tah_agent::session::store::own_state_folder;
use tah_agent::tool::ToolError;
use tah_browser::profile::{self, Claim, ProfileError};
use tah_mcp::{Reach, ServerSpec};
use tah_os::disk;

/// Node has to load 19 MB of script, on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Where Playwright's `--browser chrome` looks.
#[cfg(target_os = "macos")]
const GOOGLE_CHROME: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
#[cfg(not(target_os = "macos"))]
const GOOGLE_CHROME: &str = "/opt/google/chrome/chrome";

/// A server ready to be started.
pub(super) struct Prepared {
    pub spec: ServerSpec,
    /// What the user should know about how it is started.
    pub notices: Vec<String>,
    /// To be held until Chrome has the profile.
    pub claim: Claim,
}

/// Makes the folders, looks at the profile's lock, and puts the command line together.
pub(super) async fn prepare(settings: &BrowserSettings) -> Result<Prepared, ToolError> {
    let refused = |error: disk::DiskError| ToolError::new(format!("the browser can't be opened: {error}"));
    own_state_folder(&settings.cwd.join(".tah")).map_err(refused)?;
    disk::private_folder(&settings.output()).map_err(refused)?;
    disk::private_folder(&settings.home).map_err(refused)?;
    let claim =
        profile::claim(&settings.profile()).await.map_err(|error| ToolError::new(error.to_string()))?;
    let mut notices = Vec::new();
    let (command, mut args) = command(settings)?;
    args.extend(arguments(settings, &mut notices));
    let reach = Reach::Stdio {
        command,
        args,
        env: Vec::new(),
        hidden_env: settings.hidden_env.clone(),
        cwd: Some(settings.cwd.clone()),
    };
    let mut spec = ServerSpec::new("playwright", reach, &settings.cwd);
    spec.start_timeout = START_TIMEOUT;
    spec.call_timeout = settings.call_timeout;
    Ok(Prepared { spec, notices, claim })
}

fn command(settings: &BrowserSettings) -> Result<(PathBuf, Vec<OsString>), ToolError> {
    if let Some([program, args @ ..]) = settings.command.as_deref() {
        return Ok((PathBuf::from(program), args.iter().map(OsString::from).collect()));
    }
    let node = settings.program("node").ok_or_else(|| {
        ToolError::new("there is no Node.js on the PATH, which Playwright MCP needs")
            .hint("install Node.js 18 or newer, or use the native engine (`--browser native`)")
    })?;
    Ok((node, vec![install::cli_js(&settings.home).into_os_string()]))
}

fn arguments(settings: &BrowserSettings, notices: &mut Vec<String>) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec!["--browser".into(), "chrome".into()];
    args.extend(["--user-data-dir".into(), settings.profile().into_os_string()]);
    args.extend(["--output-dir".into(), settings.output().into_os_string()]);
    args.extend(["--image-responses".into(), "omit".into()]);
    match settings.window {
        Window::Headless => args.push("--headless".into()),
        Window::Shown if !settings.display => {
            notices.push("there is no display, so the browser has no window".to_owned());
            args.push("--headless".into());
        }
        Window::Shown => {}
    }
    if let Some(executable) = executable(settings) {
        args.extend(["--executable-path".into(), executable.into_os_string()]);
    }
    if is_root() {
        notices.push("running as root, so Chrome runs without its sandbox (--no-sandbox)".to_owned());
        args.push("--no-sandbox".into());
    }
    // Tools that a page registers never widen the list.
    args.push("--no-webmcp".into());
    args.extend(["--timeout-settle".into(), settings.settle.as_millis().to_string().into()]);
    args
}

/// The browser to name: none where Playwright finds Google Chrome by itself, or where there is none at all, so that
/// its own words reach the model (O5).
fn executable(settings: &BrowserSettings) -> Option<PathBuf> {
    if settings.executable.is_some() {
        return settings.executable.clone();
    }
    if Path::new(GOOGLE_CHROME).is_file() {
        return None;
    }
    tah_browser::find::find(None, Some(&settings.path)).ok()
}

fn is_root() -> bool {
    cfg!(target_os = "linux") && rustix::process::geteuid().is_root()
}

/// Playwright's own words behind one line that says what to do about them (O5, P8).
pub(super) fn advice(profile: &Path, text: &str) -> ToolError {
    if text.contains("Browser is already in use for") {
        return ToolError::new(ProfileError::InUse(profile.to_owned()).to_string());
    }
    let line = if text.contains("is not found at") || text.contains("executable doesn't exist") {
        "no browser could be started: install Google Chrome or Chromium, or name one in \
         `capabilities.browser.executablePath`"
    } else if text.contains("sandbox") {
        "Chrome could not start its sandbox"
    } else {
        "the browser could not be started"
    };
    ToolError::new(format!("{line}\n{text}"))
}
