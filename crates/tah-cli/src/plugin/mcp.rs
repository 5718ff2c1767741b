//! MCP servers as tools: `extensions.mcp` and `--mcp` become a fleet, its tools become the agent's (M8).

mod clip;
mod expand;
mod lazy;
mod tool;

pub use lazy::SEARCH;

use crate::args::SharedArgs;
use crate::config::settings::Settings;
use crate::config::{ConfigError, environment};
use crate::limits;
use clip::Clip;
use lazy::{Shelf, Shown};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tah_agent::event::{EventSink, Level};
use tah_agent::tool::{Tool, ToolSource};
use tah_mcp::{Fleet, Member, Presence, Reach, Roots, ServerSpec, ServerState, ToolFilter, configure_http};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;
use tool::McpTool;

/// The servers of the configuration and of flags.
pub fn members(settings: &Settings, args: &SharedArgs) -> Result<Vec<Member>, ConfigError> {
    let mut members = Vec::new();
    for (name, value, _) in settings.layers.below("extensions.mcp") {
        let Value::Object(fields) = value else { continue };
        if fields.get("enabled") != Some(&Value::Bool(false)) {
            members.push(configured(name, fields, settings)?);
        }
    }
    for (at, command) in args.mcp.iter().enumerate() {
        let name = if at == 0 { "mcp".to_owned() } else { format!("mcp{}", at + 1) };
        let arguments = args.mcp_args.get(at).cloned().unwrap_or_default();
        let reach = stdio(command, arguments.into_iter().map(OsString::from).collect(), settings);
        let spec = ServerSpec::new(name, reach, &settings.cwd);
        // Named on the command line, so a first turn without it makes no sense.
        members.push(Member { spec, filter: ToolFilter::default(), presence: Presence::Required });
    }
    Ok(members)
}

fn stdio(command: &str, args: Vec<OsString>, settings: &Settings) -> Reach {
    // `./server` is the folder's, `server` is looked for in PATH.
    let path = PathBuf::from(command);
    let command = if command.contains('/') { settings.cwd.join(path) } else { path };
    Reach::Stdio { command, args, env: Vec::new(), hidden_env: hidden_env(), cwd: None }
}

/// Keys of model providers are none of a server's business (X6).
pub fn hidden_env() -> Vec<OsString> {
    tah_agent::model::resolve::KEY_VARIABLES.iter().map(OsString::from).collect()
}

fn configured(name: &str, written: &Map<String, Value>, settings: &Settings) -> Result<Member, ConfigError> {
    let expanded = with_variables(&format!("extensions.mcp.{name}"), written)?;
    let fields = &expanded;
    let texts = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let pairs = |value: Option<&Value>| -> Vec<(String, String)> {
        let map = value.and_then(Value::as_object).into_iter().flatten();
        map.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    };
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let number = |key: &str| fields.get(key).and_then(Value::as_u64);
    let reach = if let Some(url) = text("url") {
        let client = tah_agent::http::client(|builder| configure_http(builder, url))
            .map_err(|error| ConfigError::new(format!("extensions.mcp.{name}: no HTTP client: {error}")))?;
        Reach::Http { url: url.to_owned(), headers: pairs(fields.get("headers")), client }
    } else {
        let args = texts(fields.get("args")).into_iter().map(OsString::from).collect();
        let mut reach = stdio(text("command").unwrap_or_default(), args, settings);
        if let Reach::Stdio { env, cwd, .. } = &mut reach {
            *env = pairs(fields.get("env"))
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
            *cwd = text("cwd").map(|folder| settings.cwd.join(folder));
        }
        reach
    };
    let mut spec = ServerSpec::new(name, reach, &settings.cwd);
    if let Some(ms) = number("startTimeoutMs") {
        spec.start_timeout = Duration::from_millis(ms);
    }
    if let Some(ms) = number("callTimeoutMs") {
        spec.call_timeout = Duration::from_millis(ms);
    }
    if let Some(bytes) = number("maxLineBytes").and_then(|bytes| usize::try_from(bytes).ok()) {
        spec.line_bytes = bytes;
    }
    if fields.get("roots") == Some(&Value::Bool(true)) {
        spec.roots = Roots::Declared;
    }
    let tools = fields.get("tools").and_then(Value::as_object);
    let list = |key: &str| texts(tools.and_then(|tools| tools.get(key)));
    let filter = ToolFilter { allow: list("allow"), deny: list("deny") };
    let required = fields.get("required") == Some(&Value::Bool(true));
    let presence = if required { Presence::Required } else { Presence::Optional };
    Ok(Member { spec, filter, presence })
}

/// The fields with variables of the environment put into every text.
fn with_variables(at: &str, fields: &Map<String, Value>) -> Result<Map<String, Value>, ConfigError> {
    fn put_in(at: &str, value: &mut Value) -> Result<(), ConfigError> {
        match value {
            Value::String(text) => *text = expand::expand(text, at, environment::text)?,
            Value::Array(list) => list.iter_mut().try_for_each(|one| put_in(at, one))?,
            Value::Object(map) => {
                for (name, one) in map {
                    put_in(&format!("{at}.{name}"), one)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
    let mut all = Value::Object(fields.clone());
    put_in(at, &mut all)?;
    match all {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

/// Starts the servers; an error names required ones that failed. `reserved` are the names of built-in tools.
pub async fn start(
    members: Vec<Member>,
    launcher: &Launcher,
    reserved: Vec<String>,
) -> Result<Arc<Fleet>, ConfigError> {
    let fleet = Fleet::start(members, launcher, reserved);
    fleet.wait_for_required().await;
    // Most servers are there in a moment; one that is not joins at a later step (M2).
    let _ = tokio::time::timeout(limits::MCP_START_GRACE, fleet.wait_for_all()).await;
    let failed = fleet.states().into_iter().find_map(|(member, state)| match state {
        ServerState::Failed(error) if member.presence == Presence::Required => Some(error),
        _ => None,
    });
    match failed {
        None => Ok(fleet),
        Some(error) => {
            fleet.close().await;
            Err(ConfigError { message: error.to_string(), hint: error.hint() })
        }
    }
}

/// The fleet as a source of tools: all of them while they are few, more behind `tool_search`.
pub struct McpSource {
    fleet: Arc<Fleet>,
    shelf: Arc<Shelf>,
    /// The folder's `.tah`.
    state: PathBuf,
    /// Characters of a result a model gets, by server.
    result_chars: HashMap<String, usize>,
}

impl McpSource {
    pub fn new(fleet: Arc<Fleet>, settings: &Settings) -> Self {
        let chars = |(name, value, _): (&str, &Value, _)| {
            let chars = value.get("resultChars")?.as_u64()?;
            Some((name.to_owned(), usize::try_from(chars).ok()?))
        };
        let result_chars = settings.layers.below("extensions.mcp").filter_map(chars).collect();
        Self { fleet, shelf: Arc::default(), state: settings.state(), result_chars }
    }
}

impl ToolSource for McpSource {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let shown = self.shelf.arrange(&self.fleet.tools(), limits::MCP_TOOL_CHARS);
        let tool = |shown| -> Arc<dyn Tool> {
            match shown {
                Shown::Search(search) => search,
                Shown::Tool(mounted) => {
                    let chars =
                        self.result_chars.get(&mounted.server).copied().unwrap_or(limits::MCP_RESULT_CHARS);
                    let clip = Clip { state: self.state.clone(), chars };
                    Arc::new(McpTool { fleet: self.fleet.clone(), mounted, clip })
                }
            }
        };
        shown.into_iter().map(tool).collect()
    }

    /// A server that could not be started may be there by now (M3).
    fn refresh(&self) {
        self.fleet.try_failed_again();
    }
}

/// Tells the user what is new about the servers, until `quiet` fires.
pub async fn tell(fleet: Arc<Fleet>, sink: EventSink, quiet: CancellationToken) {
    let mut changes = fleet.watch();
    loop {
        for notice in fleet.take_notices() {
            sink.notice(Level::Warning, notice.text).await;
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = quiet.cancelled() => return,
        }
    }
}
