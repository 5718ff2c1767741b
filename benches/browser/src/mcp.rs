//! Servers over stdio: `tah mcp serve` and Playwright MCP.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tah_mcp::{Client, CloseOrder, Reach, ServerSpec};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

use crate::agent::resident;
use crate::task::{Driver, FIELDS, Memory};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tah,
    Playwright,
}

pub struct Server {
    pub name: String,
    kind: Kind,
    client: Client,
    /// A part of its command line, to find its process by.
    mark: String,
}

async fn start(
    name: &str,
    kind: Kind,
    command: &str,
    args: Vec<String>,
    mark: String,
    folder: &Path,
) -> Result<Server> {
    let reach = Reach::Stdio {
        command: PathBuf::from(command),
        args: args.into_iter().map(Into::into).collect(),
        env: Vec::new(),
        hidden_env: Vec::new(),
        cwd: Some(folder.to_owned()),
    };
    let spec = ServerSpec::new("bench", reach, std::env::temp_dir());
    let client = Client::start(&spec, &Launcher::None, &CancellationToken::new())
        .await
        .with_context(|| name.to_owned())?;
    Ok(Server { name: name.to_owned(), kind, client, mark })
}

pub async fn tah(path: &str, folder: &Path) -> Result<Driver> {
    Ok(Driver::Server(Box::new(Server::tah(path, folder).await?)))
}

pub async fn playwright(folder: &Path) -> Result<Driver> {
    Ok(Driver::Server(Box::new(Server::playwright(folder).await?)))
}

/// What the set-up installed.
fn deps() -> PathBuf {
    target().join("test-deps")
}

/// The workspace's folder of things made.
pub fn target() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

impl Server {
    pub async fn tah(path: &str, folder: &Path) -> Result<Server> {
        // One folder a server, to tell their processes apart.
        let downloads = folder.join(format!("tah-{:08x}", fastrand::u32(..))).display().to_string();
        let args = ["mcp", "serve", "--headless", "--download-dir", &downloads].map(str::to_owned).to_vec();
        start("tah mcp serve", Kind::Tah, path, args, downloads.clone(), folder).await
    }

    pub async fn playwright(folder: &Path) -> Result<Server> {
        let cli = deps().join("node_modules/@playwright/mcp/cli.js").display().to_string();
        ensure!(Path::new(&cli).exists(), "Playwright MCP is not installed: run cargo xtask setup");
        let profile = folder.join(format!("pw-{:08x}", fastrand::u32(..))).display().to_string();
        let output = folder.join("pw-out").display().to_string();
        let args = [
            &cli,
            "--browser",
            "chrome",
            "--headless",
            "--user-data-dir",
            &profile,
            "--output-dir",
            &output,
            "--image-responses",
            "omit",
            "--executable-path",
            "/usr/bin/chromium",
            "--no-sandbox",
        ];
        start(
            "Playwright MCP 0.0.83",
            Kind::Playwright,
            "node",
            args.map(str::to_owned).to_vec(),
            profile.clone(),
            folder,
        )
        .await
    }

    pub async fn call(&self, tool: &str, args: Value) -> Result<String> {
        let result = self.client.call(&format!("browser_{tool}"), &args, &Default::default()).await?;
        let text = result.text().into_owned();
        ensure!(!result.is_error, "{} {tool}: {text}", self.name);
        Ok(text)
    }

    pub async fn open(&self, url: &str) -> Result<String> {
        match self.kind {
            Kind::Tah => self.call("open", json!({"url": url})).await,
            Kind::Playwright => {
                self.call("navigate", json!({"url": url})).await?;
                self.look().await
            }
        }
    }

    pub async fn look(&self) -> Result<String> {
        self.call("snapshot", json!({})).await
    }

    pub async fn click(&self, selector: &str) -> Result<()> {
        let args = match self.kind {
            Kind::Tah => json!({"target": selector}),
            Kind::Playwright => json!({"target": selector, "element": "the button"}),
        };
        self.call("click", args).await.map(|_| ())
    }

    pub async fn fill_and_send(&self) -> Result<()> {
        if self.kind == Kind::Tah {
            return self.call("fill", fill()).await.map(|_| ());
        }
        let field = |name: &str, kind: &str, value: &str| json!({"element": name, "target": format!("#{name}"), "name": name, "type": kind, "value": value});
        let mut fields: Vec<Value> =
            FIELDS.iter().map(|(name, value)| field(name, "textbox", value)).collect();
        fields.push(field("agree", "checkbox", "true"));
        self.call("fill_form", json!({ "fields": fields })).await?;
        self.click("#go").await
    }

    /// The server's own process, and the launcher between it and the browser.
    pub fn memory(&self) -> Memory {
        let driver = resident(|line, _, _| line.contains(&self.mark) && !line.contains("__child"));
        let pid = driver.as_ref().map(|one| one.pid.clone()).unwrap_or_default();
        let launcher = resident(|line, _, parent| line.contains("__child") && parent == pid);
        Memory { driver: driver.map(|one| one.bytes), beside: launcher.map(|one| one.bytes) }
    }

    pub async fn close(self) {
        self.client.close(CloseOrder::StdinFirst).await;
    }
}

/// The arguments of the fill that does the form.
fn fill() -> Value {
    let mut fields: Vec<Value> =
        FIELDS.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    fields.push(json!({"name": "agree", "value": true}));
    json!({"fields": fields, "submit": true})
}
