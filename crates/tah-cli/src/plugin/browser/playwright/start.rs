//! The start of Playwright MCP: its command line, the profile, the browser it drives, and what to say when it
//! does not start (O5).

use super::super::{ALLOWED, BrowserSetup, UserKind, Window, engine::EngineTool};
use super::{Memory, Playwright};
use crate::plugin::mcp::hidden_env;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use tah_agent::event::Level;
use tah_agent::tool::{ToolContext, ToolError};
use tah_browser::{find, profile};
use tah_mcp::{Client, CloseOrder, Reach, ServerSpec};
use tah_os::disk;
use tokio::sync::Mutex;

/// Where Playwright itself looks for Google Chrome on Linux.
const CHROME: &str = "/opt/google/chrome/chrome";

impl Playwright {
    /// Starts the server and lists its tools. Chrome itself starts with the first call.
    pub async fn start(setup: &BrowserSetup, context: &ToolContext) -> Result<Arc<Self>, ToolError> {
        if setup.settings.command.is_none() && !setup.package().is_installed() {
            context.events.notice(Level::Info, "installing Playwright MCP").await;
            setup
                .package()
                .install(&setup.launcher)
                .await
                .map_err(|error| ToolError { message: error.message, hint: error.hint })?;
        }
        disk::private_folder(&setup.profile()).map_err(|error| ToolError::new(error.to_string()))?;
        // Its own words would come after 5 s, and a lock whose pid is somebody else's now would block for ever.
        profile::claim(&setup.profile()).await.map_err(|error| ToolError::new(error.to_string()))?;
        let state = setup.cwd.join(".tah");
        let output = tah_agent::session::store::own_state_folder(&state);
        output.map_err(|error| ToolError::new(error.to_string()))?;
        let (command, args) = command_line(setup)?;
        if setup.user == UserKind::Root {
            let notice = "running as root, so Chrome's own sandbox is off (--no-sandbox)";
            context.events.notice(Level::Info, notice).await;
        }
        let reach = Reach::Stdio {
            command,
            args,
            env: Vec::new(),
            hidden_env: hidden_env(),
            cwd: Some(setup.cwd.clone()),
        };
        let spec = ServerSpec::new("playwright", reach, &setup.cwd);
        let client = Client::start(&spec, &setup.launcher, &context.cancel).await.map_err(|error| {
            ToolError::new(format!(
                "Playwright MCP did not start; see whether `tah browser install` helps\n{error}"
            ))
        })?;
        let all = client.tools();
        let tools: Vec<EngineTool> = ALLOWED
            .iter()
            .filter_map(|name| all.iter().find(|tool| tool.name == *name))
            .map(|tool| EngineTool {
                name: tool.name.clone(),
                description: tool.description.clone(),
                schema: eased(Value::Object(tool.input_schema.clone())),
            })
            .collect();
        if tools.is_empty() {
            client.close(CloseOrder::SigtermFirst).await;
            return Err(ToolError::new(
                "what was started in place of Playwright MCP lists none of its tools",
            ));
        }
        let listed = all.iter().map(|tool| tool.name.clone()).collect();
        let memory = Arc::new(Mutex::new(Memory::default()));
        Ok(Arc::new(Playwright { client, tools, setup: setup.clone(), memory, listed }))
    }
}

fn command_line(setup: &BrowserSetup) -> Result<(PathBuf, Vec<OsString>), ToolError> {
    let mut args: Vec<OsString> = Vec::new();
    let command = match &setup.settings.command {
        Some(words) => {
            args.extend(words.iter().skip(1).map(OsString::from));
            PathBuf::from(words.first().map(String::as_str).unwrap_or_default())
        }
        None => {
            args.push(setup.package().cli().into());
            setup.program("node").ok_or_else(|| {
                ToolError::new("Playwright MCP needs Node.js, and there is no node in PATH")
                    .hint("the user can install Node.js 20 or newer")
            })?
        }
    };
    let mut add = |words: &[&str]| args.extend(words.iter().map(OsString::from));
    add(&["--browser", "chrome", "--image-responses", "omit", "--no-webmcp"]);
    add(&["--timeout-settle", &setup.settings.settle.as_millis().to_string()]);
    if setup.window().0 == Window::Hidden {
        add(&["--headless"]);
    }
    if setup.user == UserKind::Root {
        add(&["--no-sandbox"]);
    }
    args.extend(["--user-data-dir".into(), setup.profile().into()]);
    args.extend(["--output-dir".into(), setup.output().into()]);
    if let Some(executable) = executable(setup) {
        args.extend(["--executable-path".into(), executable.into()]);
    }
    args.extend(setup.settings.args.iter().map(OsString::from));
    Ok((command, args))
}

/// The browser to name: the configured one, or what stands in for a missing Google Chrome. Where there is none,
/// Playwright's own words say so.
fn executable(setup: &BrowserSetup) -> Option<PathBuf> {
    match &setup.settings.executable {
        Some(configured) => Some(configured.clone()),
        None if cfg!(target_os = "linux") && std::path::Path::new(CHROME).exists() => None,
        None => find::find(None, setup.path.as_deref()).ok(),
    }
}

/// A schema without what providers refuse or what is not meant: a property with a default is not required.
fn eased(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    fields.remove("$schema");
    let defaulted: Vec<String> = fields
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(_, property)| property.get("default").is_some())
        .map(|(name, _)| name.clone())
        .collect();
    if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !defaulted.iter().any(|other| other == name)));
    }
    schema
}

/// Whether an error of the first call means that there is no browser, and not that a page could not be loaded.
pub(super) fn is_start_failure(text: &str) -> bool {
    ["initializeServer", "already in use", "Browser logs:", "Failed to launch", "executable doesn't exist"]
        .iter()
        .any(|words| text.contains(words))
}

/// The error with one line before it that says what to do (O5, P8).
pub(super) fn advised(error: ToolError, setup: &BrowserSetup) -> ToolError {
    let text = &error.message;
    if text.contains("already in use") {
        return ToolError::new(profile::ProfileError::InUse(setup.profile()).to_string());
    }
    let advice = if text.contains("is not found at") || text.contains("executable doesn't exist") {
        "there is no Chrome to start: the user can install Google Chrome or Chromium, or name one with \
         capabilities.browser.executablePath"
    } else if text.contains("sandbox") {
        "Chrome could not start its sandbox: the user can add --no-sandbox to capabilities.browser.playwright.args"
    } else {
        "Chrome did not start: see what it says below"
    };
    ToolError::new(format!("{advice}\n{text}"))
}
