//! Playwright MCP in tah's own folder, installed from a lock file inside the binary: the same bytes everywhere, no
//! scripts run, and never a package of the working folder (P1).

use crate::config::ConfigError;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tah_os::disk::{self, Access};
use tah_os::process::{Input, Launcher, Output, Spawn};
use tokio::io::AsyncReadExt;

/// The version of the package.
pub const VERSION: &str = "0.0.83";

/// What is said where it would be installed.
pub const SIZE: &str = "19 MB";

const PACKAGE_JSON: &str = include_str!("install/package.json");
const PACKAGE_LOCK: &str = include_str!("install/package-lock.json");

/// How long npm may take.
const INSTALL_WAIT: Duration = Duration::from_secs(300);

/// The folder it is installed in.
#[derive(Clone, Debug)]
pub struct Package {
    folder: PathBuf,
}

impl Package {
    pub fn below(home: &Path) -> Self {
        Package { folder: home.join("playwright") }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program to give to node.
    pub fn cli(&self) -> PathBuf {
        self.folder.join("node_modules/@playwright/mcp/cli.js")
    }

    /// Whether the very version is there, whole: npm writes its own lock when all is in place.
    pub fn is_installed(&self) -> bool {
        let version = || -> Option<String> {
            let file = self.folder.join("node_modules/@playwright/mcp/package.json");
            let text = disk::read_text(&file, 1024 * 1024).ok()??;
            let value: Value = serde_json::from_str(&text).ok()?;
            Some(value["version"].as_str()?.to_owned())
        };
        self.cli().is_file()
            && self.folder.join("node_modules/.package-lock.json").is_file()
            && version().as_deref() == Some(VERSION)
    }

    /// Installs it with the npm of PATH.
    pub async fn install(&self, launcher: &Launcher) -> Result<(), ConfigError> {
        let disk_error = |error: disk::DiskError| ConfigError::new(error.to_string());
        disk::private_folder(&self.folder).map_err(disk_error)?;
        // A second tah that installs at the same time would tear the packages apart.
        let _lock = disk::Lock::take(&self.folder.join("install.lock")).map_err(disk_error)?;
        if self.is_installed() {
            return Ok(());
        }
        for (name, text) in [("package.json", PACKAGE_JSON), ("package-lock.json", PACKAGE_LOCK)] {
            disk::write(&self.folder.join(name), text.as_bytes(), Access::Private).map_err(disk_error)?;
        }
        let arguments =
            ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];
        let mut child = Spawn::new("npm", launcher)
            .args(arguments)
            .cwd(&self.folder)
            .stdin(Input::Null)
            .stdout(Output::Pipe)
            .stderr(Output::WithStdout)
            .spawn()
            .await
            .map_err(|error| {
                ConfigError::new(format!("npm could not be started: {error}"))
                    .hint("install Node.js with npm, then run `tah browser install`")
            })?;
        let mut said = Vec::new();
        let reading = async {
            if let Some(stdout) = child.stdout.take() {
                let _ = stdout.take(64 * 1024).read_to_end(&mut said).await;
            }
            child.wait().await
        };
        let ended = tokio::time::timeout(INSTALL_WAIT, reading).await;
        match ended {
            Ok(ended) if ended.succeeded() && self.is_installed() => Ok(()),
            Ok(ended) => {
                let said = String::from_utf8_lossy(&said).trim().to_owned();
                Err(ConfigError::new(format!("npm {ended}: {said}"))
                    .hint("look at the connection to the npm registry, then run `tah browser install`"))
            }
            Err(_) => Err(ConfigError::new(format!("npm did not end within {} s", INSTALL_WAIT.as_secs()))
                .hint("run `tah browser install` again")),
        }
    }
}
