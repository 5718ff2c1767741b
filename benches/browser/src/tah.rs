//! tah's own tools, called as a library: for the real sites.

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use std::path::Path;
use tah_browser::launch::{LaunchOptions, Profile, Window};
use tah_browser::state::Held;
use tah_browser::{Browser, Caller, Options};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

use crate::task::Driver;

pub struct Library {
    browser: Browser,
}

pub async fn start(folder: &Path) -> Result<Driver> {
    let browser = Browser::new(Options {
        launch: LaunchOptions {
            executable: None,
            path: std::env::var_os("PATH"),
            profile: Profile::Temporary,
            window: Window::Headless,
            connect: None,
            extra_args: Vec::new(),
            downloads: folder.join("downloads"),
            held: Held::ForDialogTool,
            rules: Default::default(),
            launcher: Launcher::None,
        },
        output: folder.join("out"),
        work_dir: folder.to_owned(),
        extras: Default::default(),
        auth: Default::default(),
        budgets: Default::default(),
        secrets: Default::default(),
    });
    let library = Library { browser };
    library.call("open", json!({})).await?;
    Ok(Driver::Library(Box::new(library)))
}

impl Library {
    pub async fn call(&self, tool: &str, args: Value) -> Result<String> {
        let name = format!("browser_{tool}");
        let called = self.browser.call(&name, args, Caller::Model, CancellationToken::new()).await;
        called.map(|value| value.to_string()).map_err(|error| anyhow!("{}", error.to_json()))
    }

    pub async fn close(self) {
        self.browser.close().await;
    }
}
