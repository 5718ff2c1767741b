//! From settings to a running agent: the model, the tools in their fixed order, the prompt, the session; and the
//! end of everything that was started for it.

use crate::args::SharedArgs;
use crate::config::ConfigError;
use crate::config::environment;
use crate::config::settings::{BrowserSurroundings, Settings};
use crate::front::FrontEnd;
use crate::limits;
use crate::plugin::browser::{BrowserPlugin, BrowserSettings, MOUNTED, Window};
use crate::plugin::mcp::{self, McpSource};
use crate::plugin::mounts::MountOrder;
use std::sync::Arc;
use tah_agent::approval::ApproveMode;
use tah_agent::event::EventSink;
use tah_agent::host::Setup;
use tah_agent::model::mock::MockModel;
use tah_agent::model::openai::OpenAi;
use tah_agent::model::{Model, Models, resolve};
use tah_agent::prompt::{PromptParts, system_prompt};
use tah_agent::session::Session;
use tah_agent::session::store::{SessionError, SessionStore};
use tah_agent::tool::{FixedTools, ToolSource, Vision};
use tah_agent::tools::{self, PrivateHosts, ShellSetup, WebSetup};
use tah_mcp::Fleet;
use tah_os::path::Roots;
use tah_os::process::Launcher;
use tah_os::sandbox::{self, Level, Sandbox};
use tokio_util::sync::CancellationToken;

/// An agent ready to start.
pub struct Assembled {
    pub setup: Setup,
    pub plugins: Plugins,
    /// Model, folder, browser and sandbox, for the start-up line; the session comes with the first event.
    pub line: String,
    /// What to tell the user at the start.
    pub notices: Vec<String>,
    /// How commands are held, in a word or two.
    pub sandbox: &'static str,
}

/// What was started for the agent and must be ended.
#[derive(Clone, Default)]
pub struct Plugins {
    pub mcp: Option<Arc<Fleet>>,
    pub browser: Option<Arc<BrowserPlugin>>,
    /// Fires when the front end takes no more events.
    quiet: CancellationToken,
}

impl Plugins {
    /// From now on the user is told what is new about the servers. To be called once the session is announced.
    pub fn tell(&self, sink: EventSink) {
        if let Some(fleet) = &self.mcp {
            tokio::spawn(mcp::tell(fleet.clone(), sink, self.quiet.clone()));
        }
    }

    /// No more of that: the stream of events is about to end.
    pub fn quiet(&self) {
        self.quiet.cancel();
    }

    /// Ends everything; past the limit what is left ends with this process.
    pub async fn close(&self) {
        let servers = async {
            if let Some(fleet) = &self.mcp {
                fleet.close().await;
            }
        };
        let browser = async {
            if let Some(browser) = &self.browser {
                browser.shutdown().await;
            }
        };
        let both = async { tokio::join!(servers, browser) };
        let _ = tokio::time::timeout(limits::CLOSE_WAIT, both).await;
    }
}

/// Makes an agent's parts of the settings.
pub async fn assemble(
    args: &SharedArgs,
    settings: &Settings,
    front: FrontEnd,
    mode: ApproveMode,
) -> anyhow::Result<Assembled> {
    let (model, model_line) = model(args, settings)?;
    let launcher = Launcher::this_program();
    let store = store(args, settings);
    let session = session(args, &store)?;
    let notices = settings.notices.clone();
    let mut capabilities = Vec::new();
    let (tool_setup, sandbox_word) = tools(settings, &launcher)?;
    if tool_setup.files.is_some() {
        capabilities.push(FILE_RULES.to_owned());
    }
    if tool_setup.web.is_some() {
        capabilities.push(WEB_RULES.to_owned());
    }
    let built_in = tools::standard(&tool_setup);
    let mut reserved: Vec<String> = built_in.iter().map(|tool| tool.name().to_owned()).collect();
    reserved.extend(MOUNTED.iter().chain(&[mcp::SEARCH]).map(|name| (*name).to_owned()));
    reserved.extend(tah_browser::registry::ROWS.iter().map(|row| row.name.to_owned()));
    // What comes and goes stands behind what stays, in the order in which it comes.
    let mut mounted: Vec<Arc<dyn ToolSource>> = Vec::new();
    let mut plugins = Plugins::default();
    let members = mcp::members(settings, args)?;
    if !members.is_empty() {
        let fleet = mcp::start(members, &launcher, reserved).await?;
        mounted.push(Arc::new(McpSource::new(fleet.clone(), settings)));
        plugins.mcp = Some(fleet);
    }
    // S2: a demonstration starts no browser.
    let mut browser_word = "off".to_owned();
    if !args.mock && settings.layers.browser() {
        let browser = BrowserPlugin::new(browser(settings, front, model.profile().vision, launcher));
        browser_word = format!("on engine={}", browser.engine_name());
        capabilities.push(browser.prompt_rules());
        mounted.push(browser.clone());
        plugins.browser = Some(browser);
    }
    let sources: Vec<Arc<dyn ToolSource>> =
        vec![Arc::new(FixedTools(built_in)), Arc::new(MountOrder::new(mounted))];
    let system = system_prompt(&PromptParts {
        cwd: settings.cwd.display().to_string(),
        capabilities,
        instructions: settings.instructions.clone(),
    });
    let line = format!(
        "tah · model {model_line} · folder {} · browser={browser_word} · sandbox={sandbox_word}",
        settings.cwd.display()
    );
    let setup = Setup {
        model,
        sources,
        mode,
        rules: settings.rules(),
        system,
        max_steps: settings.max_steps(),
        store,
        cwd: settings.cwd.clone(),
        session,
        models: (!args.mock).then(|| Arc::new(settings.model()) as Arc<dyn Models>),
    };
    Ok(Assembled { setup, plugins, line, notices, sandbox: sandbox_word })
}

const FILE_RULES: &str = "Files and commands:
- Paths are relative to the working folder. Prefer edit_file for changes to a file that exists.
- After a change, run what shows that it works (tests, the program) where there is something.";

const WEB_RULES: &str = "The web:
- web_fetch reads a public page as text. Say where a fact comes from.";

fn model(args: &SharedArgs, settings: &Settings) -> Result<(Arc<dyn Model>, String), ConfigError> {
    if args.mock {
        return Ok((Arc::new(MockModel::default()), "mock".to_owned()));
    }
    let resolved = resolve::resolve(&settings.model())
        .map_err(|error| ConfigError { message: error.message, hint: Some(error.hint) })?;
    let line = resolved.line.clone();
    let model =
        OpenAi::new(resolved).map_err(|error| ConfigError { message: error.message, hint: error.hint })?;
    Ok((Arc::new(model), line))
}

/// The sessions of the folder, or none at all.
pub fn store(args: &SharedArgs, settings: &Settings) -> SessionStore {
    if args.no_persist { SessionStore::nowhere() } else { SessionStore::beneath(&settings.state()) }
}

fn session(args: &SharedArgs, store: &SessionStore) -> Result<Option<Session>, ConfigError> {
    let opened = match (&args.session, args.r#continue) {
        (Some(which), _) => store.open(which),
        (None, true) => store.open_newest(),
        (None, false) => return Ok(None),
    };
    opened.map(Some).map_err(|error| {
        let hint = match &error {
            SessionError::Unknown(_) | SessionError::Ambiguous(..) => {
                Some("`tah sessions` lists them".to_owned())
            }
            _ => None,
        };
        ConfigError { message: error.to_string(), hint }
    })
}

/// What the built-in tools work with, and the word of the start-up line for how commands are held.
fn tools(settings: &Settings, launcher: &Launcher) -> Result<(tools::Setup, &'static str), ConfigError> {
    let coding = settings.layers.coding();
    let mut roots = None;
    if coding {
        let fail = |error: tah_os::path::PathError| ConfigError::new(error.to_string());
        let mut all = Roots::open(&settings.cwd).map_err(fail)?;
        for folder in settings.add_dirs()? {
            all = all.and(&folder).map_err(fail)?;
        }
        roots = Some(all);
    }
    let wanted = settings.layers.switch("sandbox.commands") != Some(false);
    let word = match (coding && wanted, sandbox::level()) {
        (false, _) => "off",
        (true, Level::Full) => "on",
        (true, Level::Partial) => "partial (old kernel)",
        (true, Level::Missing(_)) => "off (no Landlock here)",
    };
    let mut sandbox = Sandbox::new().temporary();
    for root in roots.iter().flat_map(Roots::paths) {
        sandbox = sandbox.writable(root);
    }
    for (folder, _) in settings.layers.texts("sandbox.writable") {
        sandbox = sandbox.writable(settings.cwd.join(folder));
    }
    let shell = roots.clone().map(|roots| {
        let mut shell = ShellSetup::new(roots, launcher.clone());
        shell.sandbox = wanted.then_some(sandbox);
        shell
    });
    let allow_private = settings.layers.switch("allowPrivateAddresses") == Some(true);
    let private = if allow_private { PrivateHosts::Allow } else { PrivateHosts::Ask };
    let web = settings.layers.web().then_some(WebSetup { private });
    Ok((tools::Setup { files: roots, shell, web }, word))
}

fn browser(settings: &Settings, front: FrontEnd, vision: Vision, launcher: Launcher) -> BrowserSettings {
    let display = !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment::raw(name).is_some());
    let window = match front {
        FrontEnd::Run => Window::Headless,
        FrontEnd::Chat => Window::Shown,
    };
    settings.browser(BrowserSurroundings { window, display, vision, launcher })
}
