//! One typed value of all layers, made once at the start; nothing later reads files or the environment again.

use super::agents_md;
use super::environment;
use super::file;
use super::layers::{Layers, Source};
use super::trust::{self, TrustList};
use super::{ConfigError, keys};
use crate::limits;
use crate::plugin::browser::{BrowserSettings, EngineChoice, NativeSettings, Window};
use crate::plugin::mcp::hidden_env;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tah_agent::approval::rules::{Pattern, RuleEffect, Rules};
use tah_agent::model::resolve::{KEY_VARIABLES, Key, ModelSettings};
use tah_agent::tool::Vision;
use tah_browser::browser::AuthCookies;
use tah_browser::guard::{HostList, HostRules, PrivateHosts};
use tah_browser::registry::Extras;
use tah_os::process::Launcher;

/// What the command line says of settings.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub cwd: Option<PathBuf>,
    /// Values of flags by the path of their key.
    pub flags: Vec<(&'static str, &'static str, Value)>,
    pub rules: Vec<(RuleEffect, String)>,
    pub trust: TrustForRun,
}

/// Whether the folder's files are trusted for this run (`--trust`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrustForRun {
    #[default]
    AsListed,
    Trusted,
}

/// What a user who was asked about an untrusted folder said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustAnswer {
    /// From now on.
    Yes,
    /// Go on without what needs trust.
    No,
    /// Nobody is there to ask.
    Nobody,
}

/// What the browser's settings need to know beside the configuration.
pub struct BrowserSurroundings {
    /// Unless configured: none for `tah run`, one for a chat (P2).
    pub window: Window,
    /// Whether a window could be shown.
    pub display: bool,
    pub vision: Vision,
    pub launcher: Launcher,
}

/// The settings of one run.
#[derive(Debug)]
pub struct Settings {
    pub cwd: PathBuf,
    pub home: PathBuf,
    pub layers: Layers,
    /// Values of the variables tah knows, from the environment or else a trusted `.env`.
    variables: BTreeMap<&'static str, (String, Source)>,
    pub instructions: Vec<(String, String)>,
    /// What to tell the user at the start.
    pub notices: Vec<String>,
    rules: Rules,
}

/// Puts the layers together. `ask` is called with the folder and what of it needs trust.
pub fn load(
    given: &Given,
    ask: impl FnOnce(&Path, &[String]) -> TrustAnswer,
) -> Result<Settings, ConfigError> {
    let cwd = working_folder(given.cwd.as_deref())?;
    let home = environment::home()?;
    let mut layers = Layers::default();
    let user_file = home.join("config.json");
    layers.push(file::read(&user_file)?, &Source::User(user_file.clone()));
    let folder_file = cwd.join("tah.config.json");
    let folder_values = file::read(&folder_file)?;
    let dot_env = environment::dot_env(&cwd)?;
    let mut notices = Vec::new();
    let mut list = TrustList::load(&home)?;
    let mut trusted = given.trust == TrustForRun::Trusted || list.holds(&cwd);
    let (tightening, mut needs) = trust::split(folder_values.clone(), &layers);
    let file_needs = needs.len();
    let asked_of_env = dot_env.keys().filter(|name| environment::raw(name).is_none());
    needs.extend(asked_of_env.map(|name| format!("{name} (.env)")));
    if !trusted && !needs.is_empty() {
        match ask(&cwd, &needs) {
            TrustAnswer::Yes => {
                list.add(&cwd)?;
                trusted = true;
            }
            TrustAnswer::Nobody if file_needs > 0 => {
                return Err(ConfigError::new(format!(
                    "{} is not trusted, and its tah.config.json sets {}",
                    cwd.display(),
                    needs[..file_needs].join(", ")
                ))
                .hint("look at the file; then `tah trust` here, or --trust for one run"));
            }
            TrustAnswer::No | TrustAnswer::Nobody => notices.push(format!(
                "this folder is not trusted, so it does not set {} (`tah trust`, or --trust for one run)",
                needs.join(", ")
            )),
        }
    }
    layers.push(if trusted { folder_values } else { tightening }, &Source::Folder(folder_file));
    let mut variables = BTreeMap::new();
    for name in environment::known() {
        if let Some(value) = environment::text(name) {
            variables.insert(name, (value, Source::Environment(name)));
        } else if trusted && let Some(value) = dot_env.get(name) {
            variables.insert(name, (value.clone(), Source::DotEnv(name)));
        }
    }
    for (name, path) in environment::SETTINGS {
        if let (Some(path), Some((value, source))) = (path, variables.get(name)) {
            layers.set(path, Value::String(value.clone()), source.clone());
        }
    }
    for (flag, path, value) in &given.flags {
        layers.set(path, value.clone(), Source::Flag(flag));
    }
    let rules = rules(&layers, &given.rules)?;
    let (instructions, more) = agents_md::instructions(&cwd);
    notices.extend(more);
    Ok(Settings { cwd, home, layers, variables, instructions, notices, rules })
}

fn working_folder(wanted: Option<&Path>) -> Result<PathBuf, ConfigError> {
    let folder = wanted.unwrap_or(Path::new("."));
    let real = folder
        .canonicalize()
        .map_err(|error| ConfigError::new(format!("the working folder {}: {error}", folder.display())))?;
    if !real.is_dir() {
        return Err(ConfigError::new(format!("{} is not a folder", real.display())));
    }
    Ok(real)
}

/// The configuration's rules, allow before ask before deny, then the flags' in their order.
fn rules(layers: &Layers, flags: &[(RuleEffect, String)]) -> Result<Rules, ConfigError> {
    let mut rules = Rules::default();
    let groups = [
        ("permissions.allow", RuleEffect::Allow),
        ("permissions.ask", RuleEffect::Ask),
        ("permissions.deny", RuleEffect::Deny),
    ];
    for (path, effect) in groups {
        for (text, source) in layers.texts(path) {
            let pattern: Pattern =
                text.parse().map_err(|error| ConfigError::new(format!("{source}: {path}: {error}")))?;
            rules.push(effect, pattern);
        }
    }
    for (effect, text) in flags {
        let pattern: Pattern = text.parse().map_err(|error| ConfigError::new(format!("{error}")))?;
        rules.push(*effect, pattern);
    }
    Ok(rules)
}

impl Settings {
    pub fn rules(&self) -> Rules {
        self.rules.clone()
    }

    pub fn max_steps(&self) -> usize {
        let number = self.layers.number("maxSteps").and_then(|number| usize::try_from(number).ok());
        number.unwrap_or(tah_agent::limits::MAX_STEPS)
    }

    /// `.tah` of the working folder.
    pub fn state(&self) -> PathBuf {
        self.cwd.join(".tah")
    }

    pub fn model(&self) -> ModelSettings {
        let variable = |name: &str| self.variables.get(name).map(|(value, _)| value.clone());
        let keys = KEY_VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), Key::new(&variable(name)?)?)))
            .collect();
        ModelSettings {
            keys,
            base_url: self.layers.text("baseUrl").map(str::to_owned),
            openai_base_url: variable("OPENAI_BASE_URL"),
            model: self.layers.text("model").map(str::to_owned),
            window: self.layers.number("contextWindow"),
            vision: self
                .layers
                .bool("capabilities.vision")
                .map(|on| if on { Vision::On } else { Vision::Off }),
        }
    }

    /// Further folders the file tools see: from a file relative to the working folder, as flags are.
    pub fn add_dirs(&self) -> Result<Vec<PathBuf>, ConfigError> {
        let mut folders = Vec::new();
        for (text, source) in self.layers.texts("addDirs") {
            let folder = self.cwd.join(&text);
            let real = folder.canonicalize().map_err(|error| {
                ConfigError::new(format!("{source}: addDirs: {}: {error}", folder.display()))
            })?;
            folders.push(real);
        }
        Ok(folders)
    }

    /// The browser's settings; what of them is the machine's and the front end's is `surroundings`.
    pub fn browser(&self, here: BrowserSurroundings) -> BrowserSettings {
        let at = |name: &str| format!("capabilities.browser.{name}");
        let engine = match self.layers.text(&at("engine")) {
            Some("playwright") => EngineChoice::Playwright,
            Some("native") => EngineChoice::Native,
            _ => EngineChoice::Auto,
        };
        let window = match self.layers.bool(&at("headless")) {
            Some(true) => Window::Headless,
            Some(false) => Window::Shown,
            None => here.window,
        };
        let list = |path: String| -> Vec<String> {
            self.layers.texts(&path).into_iter().map(|(text, _)| text).collect()
        };
        let command = list(at("playwright.command"));
        let milliseconds = |name: &str| self.layers.number(&at(name)).map(Duration::from_millis);
        BrowserSettings {
            engine,
            window,
            display: here.display,
            command: (!command.is_empty()).then_some(command),
            executable: self.layers.text(&at("executablePath")).map(|text| self.cwd.join(text)),
            call_timeout: milliseconds("callTimeoutMs").unwrap_or(limits::BROWSER_CALL_TIMEOUT),
            settle: milliseconds("playwright.settleMs").unwrap_or(limits::BROWSER_SETTLE),
            home: self.home.clone(),
            cwd: self.cwd.clone(),
            path: environment::raw("PATH").unwrap_or_default(),
            hidden_env: hidden_env(),
            vision: here.vision,
            launcher: here.launcher,
            native: self.native_browser(),
        }
    }

    fn native_browser(&self) -> NativeSettings {
        let at = |name: &str| format!("capabilities.browser.{name}");
        let list = |name: &str| -> Vec<String> {
            self.layers.texts(&at(name)).into_iter().map(|(text, _)| text).collect()
        };
        let extras = match self.layers.get(&at("extras")).map(|(value, _)| value) {
            Some(Value::Bool(false)) => Extras::Off,
            Some(Value::Array(names)) if !names.is_empty() => Extras::OnWithNetwork,
            _ => Extras::On,
        };
        let denied = list("denyHosts");
        let requests = [denied.clone(), list("denyRequestHosts")].concat();
        let private = match self.layers.bool(&at("privateHosts")) {
            Some(false) => PrivateHosts::Denied,
            _ => PrivateHosts::Allowed,
        };
        let downloads = self.layers.text(&at("downloadDir")).map(|text| self.cwd.join(text));
        NativeSettings {
            extras,
            rules: HostRules {
                navigation: HostList { allow: list("allowHosts"), deny: denied },
                requests: HostList { allow: list("allowRequestHosts"), deny: requests },
                private,
            },
            downloads: downloads
                .or_else(environment::downloads)
                .unwrap_or_else(|| self.home.join("downloads")),
            auth: match self.layers.bool(&at("authInline")) {
                Some(true) => AuthCookies::Inline,
                _ => AuthCookies::InFile,
            },
        }
    }

    /// The lines of `tah config`: path, value, source. Keys are named, never shown.
    pub fn effective(&self) -> Vec<(String, String, String)> {
        let mut lines = Vec::new();
        for (path, key) in keys::leaves() {
            let set: Vec<(&str, &Value, &Source)> = self
                .layers
                .all()
                .filter(|(at, ..)| {
                    *at == path
                        || matches!(key.kind, keys::Kind::Servers(_)) && at.starts_with(&format!("{path}."))
                })
                .collect();
            if set.is_empty() && !path.contains("NAME") {
                let value = match self.layers.switch(&path) {
                    Some(on) => on.to_string(),
                    None if key.default.is_empty() => "–".to_owned(),
                    None => key.default.to_owned(),
                };
                lines.push((path, value, "default".to_owned()));
                continue;
            }
            for (at, value, source) in set {
                lines.push((at.to_owned(), shown(value), source.to_string()));
            }
        }
        for (name, (value, source)) in &self.variables {
            let value = if name.contains("KEY") { "set".to_owned() } else { value.clone() };
            lines.push(((*name).to_owned(), value, source.to_string()));
        }
        lines
    }
}

/// A value with what may be secret in it left out: variables and headers of a server.
fn shown(value: &Value) -> String {
    let Value::Object(fields) = value else { return value.to_string() };
    let mut fields = fields.clone();
    for name in ["env", "headers"] {
        if let Some(Value::Object(map)) = fields.get_mut(name) {
            map.values_mut().for_each(|value| *value = Value::String("…".to_owned()));
        }
    }
    Value::Object(fields).to_string()
}
