//! The command line. What a flag means for settings is decided here and nowhere else.

use crate::config::settings::{Given, TrustForRun};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use tah_agent::approval::rules::RuleEffect;

/// An agent that works in a folder, on the web and through tools, and asks before it does harm.
#[derive(Parser, Debug)]
#[command(name = "tah", version, propagate_version = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Work on one prompt and print the answer
    Run(RunArgs),
    /// Talk, in the terminal or line by line through a pipe
    Chat(ChatArgs),
    /// List, show, export or delete the sessions of this folder
    Sessions(SessionsArgs),
    /// Print the settings in effect and where each came from
    Config(FolderArgs),
    /// Prepare the browser
    Browser {
        #[command(subcommand)]
        command: BrowserCommand,
    },
    /// List the MCP servers, or try one
    Mcp(McpArgs),
    /// Trust the files of this folder to set what needs trust
    Trust(TrustArgs),
    /// Print a completion script for a shell
    Completions { shell: clap_complete::Shell },
}

#[derive(Subcommand, Debug)]
pub enum BrowserCommand {
    /// Install Playwright MCP into tah's own folder (needs npm)
    Install,
}

#[derive(Args, Debug)]
pub struct McpArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Trust the files of this folder for this run
    #[arg(long, global = true)]
    pub trust: bool,
    #[command(subcommand)]
    pub command: Option<McpCommand>,
}

#[derive(Subcommand, Debug)]
pub enum McpCommand {
    /// Start each configured server and say how it answers
    List,
    /// Start one server and show what it says of itself
    Test { name: String },
    /// Call a tool of a server and print the result
    Call {
        name: String,
        tool: String,
        /// The arguments as a JSON object
        arguments: Option<String>,
    },
    /// Serve the browser's tools over stdin and stdout, for other programs
    Serve(Box<ServeMcpArgs>),
}

#[derive(Args, Debug, Default)]
pub struct ServeMcpArgs {
    /// Only these tools, like click,snapshot; `all` adds browser_network
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// No window
    #[arg(long)]
    pub headless: bool,
    /// Where cookies and logins live; without it a folder that is removed at the end
    #[arg(long, value_name = "DIR")]
    pub profile: Option<PathBuf>,
    /// Where downloads go (default: the user's download folder)
    #[arg(long, value_name = "DIR")]
    pub download_dir: Option<PathBuf>,
    /// Hosts that may be opened, like example.com or *.example.com; without it all
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub allow_hosts: Vec<String>,
    /// Hosts that pages may load from; without it all
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub allow_request_hosts: Vec<String>,
    /// Hosts that pages may neither open nor load from
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub deny_hosts: Vec<String>,
    /// Open no address of this machine or a private network, unless allowed by name
    #[arg(long)]
    pub deny_private: bool,
    /// The browser to start instead of the one that is found
    #[arg(long, value_name = "PATH")]
    pub executable: Option<PathBuf>,
    /// Use a running browser: its ws:// address
    #[arg(long, value_name = "URL", conflicts_with_all = ["headless", "profile", "executable"])]
    pub connect: Option<String>,
}

/// What `run` and `chat` share.
#[derive(Args, Debug, Default)]
pub struct SharedArgs {
    /// Answer every question with yes (deny rules still hold)
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// A built-in model that needs no key and no network
    #[arg(long)]
    pub mock: bool,
    /// The folder to work in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// A further folder the file tools see; may be repeated
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<String>,
    /// The model's name
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// A server with the OpenAI API
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Model requests a turn makes at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Go on with a session: its id, the beginning of it, or its number in the list
    #[arg(long, value_name = "ID", conflicts_with = "continue")]
    pub session: Option<String>,
    /// Go on with the newest session of this folder
    #[arg(long, short = 'c')]
    pub r#continue: bool,
    /// Keep no session
    #[arg(long, conflicts_with_all = ["session", "continue"])]
    pub no_persist: bool,
    /// Calls that don't ask: `tool` or `tool(pattern)`; may be repeated
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
    /// Calls that are refused; may be repeated
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,
    /// Start an MCP server with this command; may be repeated
    #[arg(long, value_name = "CMD")]
    pub mcp: Vec<String>,
    /// An argument of the --mcp before it; may be repeated
    #[arg(long, value_name = "ARG", allow_hyphen_values = true, requires = "mcp")]
    pub mcp_arg: Vec<String>,
    /// Whether there is a browser, and which engine drives it
    #[arg(long, value_name = "ENGINE")]
    pub browser: Option<BrowserFlag>,
    /// Let commands write everywhere (Linux)
    #[arg(long)]
    pub no_sandbox_commands: bool,
    /// Trust the files of this folder for this run
    #[arg(long)]
    pub trust: bool,
    /// The arguments of each --mcp, filled in from the order on the command line.
    #[arg(skip)]
    pub mcp_args: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum BrowserFlag {
    Off,
    On,
    Auto,
    Playwright,
    Native,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    /// What to do; `-` or nothing with piped input reads it from there
    pub prompt: Option<String>,
    #[command(flatten)]
    pub shared: SharedArgs,
    /// Print every event as a line of JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the answer, warnings and errors
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub struct ChatArgs {
    /// The first prompt
    pub prompt: Option<String>,
    #[command(flatten)]
    pub shared: SharedArgs,
    /// Lines in and out, no screen; chosen by itself where stdin or stdout is no terminal
    #[arg(long)]
    pub plain: bool,
}

#[derive(Args, Debug)]
pub struct FolderArgs {
    /// The folder to look at
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct SessionsArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

#[derive(Subcommand, Debug)]
pub enum SessionsCommand {
    /// The sessions, the one used last first
    List,
    /// Print a session
    Show { session: String },
    /// Print a session for another program
    Export {
        session: String,
        #[arg(long, value_enum, default_value_t = ExportFormat::Md)]
        format: ExportFormat,
    },
    /// Remove sessions
    Delete { sessions: Vec<String> },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportFormat {
    Md,
    Json,
}

#[derive(Args, Debug)]
pub struct TrustArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Trust it no longer
    #[arg(long)]
    pub revoke: bool,
    /// Print the trusted folders
    #[arg(long, conflicts_with = "revoke")]
    pub list: bool,
}

impl Cli {
    /// Reads a command line. An error prints itself and knows its exit code.
    pub fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let matches = Cli::command().try_get_matches_from(args)?;
        let mut cli = Cli::from_arg_matches(&matches)?;
        if let (Some(shared), Some((_, below))) = (cli.command.shared_mut(), matches.subcommand()) {
            shared.mcp_args = arguments_by_server(below, shared);
        }
        Ok(cli)
    }
}

impl Command {
    fn shared_mut(&mut self) -> Option<&mut SharedArgs> {
        match self {
            Command::Run(args) => Some(&mut args.shared),
            Command::Chat(args) => Some(&mut args.shared),
            _ => None,
        }
    }
}

/// Each `--mcp-arg` belongs to the last `--mcp` before it.
fn arguments_by_server(matches: &clap::ArgMatches, shared: &SharedArgs) -> Vec<Vec<String>> {
    let places = |id: &str| matches.indices_of(id).map(|all| all.collect::<Vec<_>>()).unwrap_or_default();
    let servers = places("mcp");
    let mut arguments = vec![Vec::new(); servers.len()];
    for (place, text) in places("mcp_arg").into_iter().zip(&shared.mcp_arg) {
        let owner = servers.iter().rposition(|server| *server < place).unwrap_or(0);
        if let Some(list) = arguments.get_mut(owner) {
            list.push(text.clone());
        }
    }
    arguments
}

impl SharedArgs {
    /// The settings among the flags.
    pub fn given(&self) -> Given {
        let mut flags: Vec<(&'static str, &'static str, Value)> = Vec::new();
        if let Some(model) = &self.model {
            flags.push(("--model", "model", json!(model)));
        }
        if let Some(url) = &self.base_url {
            flags.push(("--base-url", "baseUrl", json!(url)));
        }
        if let Some(steps) = self.max_steps {
            flags.push(("--max-steps", "maxSteps", json!(steps)));
        }
        if !self.add_dir.is_empty() {
            // Relative to where the user is, not to --cwd.
            let absolute = |text: &String| std::path::absolute(text).unwrap_or_else(|_| PathBuf::from(text));
            let list: Vec<String> =
                self.add_dir.iter().map(|text| absolute(text).display().to_string()).collect();
            flags.push(("--add-dir", "addDirs", json!(list)));
        }
        if self.no_sandbox_commands {
            flags.push(("--no-sandbox-commands", "sandbox.commands", json!(false)));
        }
        if let Some(browser) = self.browser {
            let engine = match browser {
                BrowserFlag::Off | BrowserFlag::On => None,
                BrowserFlag::Auto => Some("auto"),
                BrowserFlag::Playwright => Some("playwright"),
                BrowserFlag::Native => Some("native"),
            };
            let on = !matches!(browser, BrowserFlag::Off);
            flags.push(("--browser", "capabilities.browser.enabled", json!(on)));
            flags.extend(engine.map(|name| ("--browser", "capabilities.browser.engine", json!(name))));
        }
        let allow = self.allow.iter().map(|rule| (RuleEffect::Allow, rule.clone()));
        let deny = self.deny.iter().map(|rule| (RuleEffect::Deny, rule.clone()));
        Given {
            cwd: self.cwd.clone(),
            flags,
            rules: allow.chain(deny).collect(),
            trust: if self.trust { TrustForRun::Trusted } else { TrustForRun::AsListed },
        }
    }
}
