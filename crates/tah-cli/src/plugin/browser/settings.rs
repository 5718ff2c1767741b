//! What the plugin is set up with, resolved once from flags and configuration.

use super::install;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tah_agent::tool::Vision;
use tah_browser::browser::AuthCookies;
use tah_browser::guard::HostRules;
use tah_browser::launch::{self, LaunchOptions, Profile};
use tah_browser::registry::Extras;
use tah_browser::secret::Secrets;
use tah_browser::state::Held;
use tah_os::process::Launcher;

/// Which engine the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineChoice {
    /// Playwright where it is installed and Node is there, else native.
    Auto,
    Playwright,
    Native,
}

/// Which engine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    Playwright,
    Native,
}

impl EngineKind {
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Playwright => "playwright",
            EngineKind::Native => "native",
        }
    }
}

/// Whether the browser has a window (P2: only `tah run` has none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    Shown,
    Headless,
}

/// Everything the plugin is told.
#[derive(Clone, Debug)]
pub struct BrowserSettings {
    pub engine: EngineChoice,
    pub window: Window,
    /// Whether there is a display for a window.
    pub display: bool,
    /// Replaces the launch command of Playwright MCP (the user's own configuration only).
    pub command: Option<Vec<String>>,
    /// The browser to use instead of the one that is found.
    pub executable: Option<PathBuf>,
    /// For one call of a browser tool.
    pub call_timeout: Duration,
    /// How long Playwright waits after each action for what it triggered.
    pub settle: Duration,
    /// `TAH_HOME`: the profile and the installed engine are below it.
    pub home: PathBuf,
    /// The working folder.
    pub cwd: PathBuf,
    /// The `PATH` programs are looked for in.
    pub path: OsString,
    /// Variables that are not for the browser's process (keys).
    pub hidden_env: Vec<OsString>,
    pub vision: Vision,
    pub launcher: Launcher,
    /// What only the native engine has.
    pub native: NativeSettings,
}

/// What only the native engine has.
#[derive(Clone, Debug)]
pub struct NativeSettings {
    pub extras: Extras,
    pub rules: HostRules,
    /// Where `browser_download` may write.
    pub downloads: PathBuf,
    pub auth: AuthCookies,
}

impl BrowserSettings {
    /// The engine that will be used. Looking is cheap: two files, no process.
    pub fn kind(&self) -> EngineKind {
        match self.engine {
            EngineChoice::Playwright => EngineKind::Playwright,
            EngineChoice::Native => EngineKind::Native,
            EngineChoice::Auto => {
                let there = self.command.is_some()
                    || (install::cli_js(&self.home).is_file() && self.program("node").is_some());
                if there { EngineKind::Playwright } else { EngineKind::Native }
            }
        }
    }

    /// Where the user's secrets are (`{{secret:NAME}}` in typed text).
    pub fn secrets(&self) -> PathBuf {
        self.home.join("secrets.json")
    }

    /// How the native engine is set up.
    pub fn native_options(&self, secrets: Secrets) -> tah_browser::Options {
        let shown = self.window == Window::Shown && self.display;
        let held = match self.native.extras {
            Extras::Off => Held::Dismissed,
            Extras::On | Extras::OnWithNetwork => Held::ForDialogTool,
        };
        tah_browser::Options {
            launch: LaunchOptions {
                executable: self.executable.clone(),
                path: Some(self.path.clone()),
                profile: Profile::Folder(self.profile()),
                window: if shown { launch::Window::Shown } else { launch::Window::Headless },
                connect: None,
                extra_args: Vec::new(),
                downloads: self.native.downloads.clone(),
                held,
                rules: self.native.rules.clone(),
                launcher: self.launcher.clone(),
            },
            output: self.output(),
            work_dir: self.cwd.clone(),
            extras: self.native.extras,
            auth: self.native.auth,
            budgets: HashMap::new(),
            secrets,
        }
    }

    /// All folders use one profile, so logins are shared between them.
    pub fn profile(&self) -> PathBuf {
        self.home.join("browser-profile")
    }

    /// Where screenshots and downloads go.
    pub fn output(&self) -> PathBuf {
        self.cwd.join(".tah/browser")
    }

    /// A program on the `PATH`. Relative entries don't count: a cloned folder must not choose the program.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        std::env::split_paths(&self.path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
    }
}
