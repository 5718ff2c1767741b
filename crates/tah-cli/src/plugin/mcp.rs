//! MCP servers as tools: `extensions.mcp` and `--mcp` become a fleet, its tools become the agent's (M8).

use crate::args::SharedArgs;
use crate::config::ConfigError;
use crate::config::settings::Settings;
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tah_agent::card::{Card, CardLine, Insistence, Scope};
use tah_agent::message::{Image, Input};
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError, ToolSource, Vision};
use tah_mcp::{
    CallOptions, Fleet, Member, MountedTool, Presence, Reach, Roots, ServerSpec, ServerState, ToolFilter,
    configure_http,
};
use tah_os::process::Launcher;
use tah_os::text::shorten;

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

fn configured(name: &str, fields: &Map<String, Value>, settings: &Settings) -> Result<Member, ConfigError> {
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

/// Starts the servers; an error names required ones that failed. `reserved` are the names of built-in tools.
pub async fn start(
    members: Vec<Member>,
    launcher: &Launcher,
    reserved: Vec<String>,
) -> Result<Arc<Fleet>, ConfigError> {
    let fleet = Fleet::start(members, launcher, reserved);
    fleet.wait_for_required().await;
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

/// The fleet as a source of tools.
pub struct McpSource(pub Arc<Fleet>);

impl ToolSource for McpSource {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tools = self.0.tools();
        tools
            .into_iter()
            .map(|mounted| Arc::new(McpTool { fleet: self.0.clone(), mounted }) as Arc<dyn Tool>)
            .collect()
    }
}

struct McpTool {
    fleet: Arc<Fleet>,
    mounted: Arc<MountedTool>,
}

#[async_trait]
impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.mounted.name
    }

    fn description(&self) -> &str {
        &self.mounted.description
    }

    fn schema(&self) -> &Value {
        &self.mounted.schema
    }

    /// What a server says of its tools' effects is no reason to trust it.
    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let arguments = serde_json::to_string_pretty(input).unwrap_or_default();
        let mut lines =
            vec![CardLine::Text(format!("{} of server {}", self.mounted.tool.name, self.mounted.server))];
        if !input.is_empty() {
            lines.push(CardLine::Text(arguments));
        }
        Ok(Some(Card {
            title: format!("Call {}", self.mounted.name),
            lines,
            always: Some(Scope::Tool { name: self.mounted.name.clone() }),
            insistence: Insistence::Normal,
        }))
    }

    fn summary(&self, input: &Input) -> String {
        if input.is_empty() {
            return String::new();
        }
        shorten(&Value::Object(input.clone()).to_string(), 60).into_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let options = CallOptions { cancel: context.cancel.clone(), ..CallOptions::default() };
        let outcome = self.fleet.call(&self.mounted, &Value::Object(input), &options).await;
        let result = outcome.map_err(|error| ToolError { message: error.to_string(), hint: error.hint() })?;
        let images: Vec<Image> = match context.vision {
            Vision::Off => Vec::new(),
            Vision::On => result
                .images()
                .map(|(mime, data)| Image {
                    media_type: mime.to_owned(),
                    data: data.to_owned(),
                    label: format!("{} of {}", self.mounted.tool.name, self.mounted.server),
                })
                .collect(),
        };
        let failed = result.is_error;
        let text = result.into_text();
        if failed {
            return Err(ToolError::new(text));
        }
        let brief = format!("{} chars", text.chars().count());
        Ok(Output { text, brief, images, cut: None })
    }
}
