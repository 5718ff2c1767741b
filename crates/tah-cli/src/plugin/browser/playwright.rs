//! Playwright MCP as an engine: how it is started (P1, P2), and what a user must not suffer from while it runs and
//! when it ends (P8, P8a, P8b; `start`, `calls`).

mod calls;
mod start;

use super::BrowserSetup;
use super::engine::{EngineTool, FirstPage};
use super::{install, results};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tah_agent::message::{Image, Input};
use tah_agent::tool::{Output, ToolContext, ToolError, Vision};
use tah_mcp::{CallOptions, Client, CloseOrder};
use tah_os::disk;
use tokio::sync::Mutex;

/// A running Playwright MCP and what is known of its browser.
pub struct Playwright {
    client: Client,
    tools: Vec<EngineTool>,
    setup: BrowserSetup,
    /// One call at a time; a call that was cancelled goes on inside, and the next one waits for it.
    memory: Arc<Mutex<Memory>>,
    /// Names the server lists, those that are not mounted too.
    listed: Vec<String>,
}

/// What is remembered from call to call.
#[derive(Default)]
struct Memory {
    /// The page's address, as last told.
    url: String,
    /// The last navigation failed: the next one may stumble over its error page (P8a).
    navigation_failed: bool,
    /// Who held the profile after the last call: another holder is another browser.
    holder: Option<String>,
}

/// How long a look at the browser that nobody asked for may take.
const LOOK_WAIT: Duration = Duration::from_secs(3);

/// How long closing the tab of a page that doesn't answer may take.
const RESCUE_WAIT: Duration = Duration::from_secs(5);

/// Bytes of a screenshot that is shown to a model.
const PICTURE_BYTES: u64 = 8 * 1024 * 1024;

impl Playwright {
    /// What the card of the door says beside the url; an error where opening can't work (P1).
    pub fn before_start(setup: &BrowserSetup) -> Result<Option<String>, ToolError> {
        if setup.settings.command.is_some() || setup.package().is_installed() {
            return Ok(None);
        }
        if setup.program("npm").is_none() {
            return Err(ToolError::new("Playwright MCP is not installed, and there is no npm to install it")
                .hint("the user can install Node.js with npm and then run `tah browser install`"));
        }
        Ok(Some(format!(
            "Playwright MCP {} is not installed yet: yes also installs it ({}, npm)",
            install::VERSION,
            install::SIZE
        )))
    }

    pub fn tools(&self) -> &[EngineTool] {
        &self.tools
    }

    pub fn is_over(&self) -> bool {
        self.client.ending().is_some()
    }

    /// Calls a mounted tool. A cancelled call has its result at once; the next one waits for its real end.
    pub async fn call(
        self: &Arc<Self>,
        tool: &str,
        input: Input,
        context: &ToolContext,
    ) -> Result<Output, ToolError> {
        let said = self.ask(tool, input, context).await?;
        let mut output = results::for_model("", &said.text, &said.url);
        if tool == "browser_take_screenshot" && context.vision == Vision::On {
            output.images.extend(self.picture(&said.text));
        }
        Ok(output)
    }

    /// Goes to a page and looks at it (P8b): the navigation's own result holds only a link to a file.
    pub async fn visit(self: &Arc<Self>, url: &str, context: &ToolContext) -> Result<FirstPage, ToolError> {
        let mut input = Input::new();
        input.insert("url".to_owned(), Value::String(url.to_owned()));
        let navigation = match self.ask("browser_navigate", input, context).await {
            Ok(said) => said,
            Err(error) => {
                if start::is_start_failure(&error.message) {
                    return Err(start::advised(error, &self.setup));
                }
                if self.is_over() || context.cancel.is_cancelled() {
                    return Err(error);
                }
                // O1: the browser stays open, the model learns what happened.
                let text = format!("the navigation failed:\n{}", error.message);
                return Ok(FirstPage { text, url: url.to_owned() });
            }
        };
        let mut text = navigation.text;
        let blank = navigation.url == "about:blank" || url == "about:blank";
        if !blank && let Ok(snapshot) = self.ask("browser_snapshot", Input::new(), context).await {
            text = format!("{}\n{}", text.trim_end(), only_snapshot(&snapshot.text));
        }
        Ok(FirstPage { text, url: navigation.url })
    }

    async fn ask(
        self: &Arc<Self>,
        tool: &str,
        input: Input,
        context: &ToolContext,
    ) -> Result<calls::Said, ToolError> {
        let (me, tool, cancel) = (self.clone(), tool.to_owned(), context.cancel.clone());
        let task = tokio::spawn(async move {
            let mut memory = tokio::select! {
                memory = me.memory.clone().lock_owned() => memory,
                () = cancel.cancelled() => return Err(ToolError::new("cancelled before it ran")),
            };
            me.call_alone(&tool, input, &mut memory).await
        });
        tokio::select! {
            outcome = task => outcome.unwrap_or_else(|_| Err(ToolError::new("the call failed inside (a defect of tah)"))),
            () = context.cancel.cancelled() => Err(ToolError::new("cancelled; may have happened")),
        }
    }

    /// Ends it so that logins stay: SIGTERM before its stdin is closed (P8a). Its files of the page go with it (P8b).
    pub async fn close(&self) {
        if !self.is_over()
            && self.holder().is_some()
            && self.listed.iter().any(|name| name == "browser_close")
        {
            let options = CallOptions { timeout: Some(LOOK_WAIT), ..CallOptions::default() };
            let _ = self.client.call("browser_close", &Value::Null, &options).await;
        }
        self.client.close(CloseOrder::SigtermFirst).await;
        remove_page_files(&self.setup.output());
    }

    /// Who holds the profile, as Chrome writes it down: `host-pid`.
    fn holder(&self) -> Option<String> {
        let link = std::fs::read_link(self.setup.profile().join("SingletonLock")).ok()?;
        Some(link.to_string_lossy().into_owned())
    }

    /// The picture a result names (V1).
    fn picture(&self, text: &str) -> Option<Image> {
        use base64::Engine;
        let name = results::linked_file(text)?;
        let path =
            self.setup.cwd.join(name).canonicalize().ok().filter(|path| path.starts_with(&self.setup.cwd))?;
        let media_type = match path.extension()?.to_str()? {
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "webp" => "image/webp",
            _ => return None,
        };
        let bytes = disk::read(&path, PICTURE_BYTES).ok()?;
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        Some(Image { media_type: media_type.to_owned(), data, label: name.to_owned() })
    }
}

/// The snapshot of a result, without what the navigation has said already.
fn only_snapshot(text: &str) -> &str {
    results::section(text, "### Snapshot").unwrap_or(text)
}

/// Snapshots and console logs are files only since Playwright makes one of each action; screenshots and downloads
/// stay.
fn remove_page_files(folder: &Path) {
    let is_left_over = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("page-") && name.ends_with(".yml")
            || name.starts_with("console-") && name.ends_with(".log")
    };
    for path in disk::list(folder).unwrap_or_default().iter().filter(|path| is_left_over(path)) {
        let _ = disk::remove(path);
    }
}
