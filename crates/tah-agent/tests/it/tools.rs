//! The tools as the agent calls them: each on a folder of its own, with the approval step before the run.
#![allow(clippy::disallowed_methods, reason = "a test lays out and reads the disk by hand")]

mod edits;
mod fetch;
mod hostile;
mod paths;
mod reading;
mod rules;
mod shell;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tah_agent::card::Card;
use tah_agent::event::{Event, EventSink};
use tah_agent::id::CallId;
use tah_agent::message::Input;
use tah_agent::tool::{Output, Tool, ToolContext, ToolError, ToolSet, Vision};
use tah_agent::tools::{PrivateHosts, Setup, ShellSetup, WebSetup, standard};
use tah_os::path::Roots;
use tah_os::process::Launcher;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A folder with the standard tools on it.
pub struct Bench {
    pub folder: tempfile::TempDir,
    tools: ToolSet,
    context: ToolContext,
    pub events: mpsc::Receiver<Event>,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots::open(folder.path()).unwrap();
        Bench::with(folder, roots, PrivateHosts::Ask)
    }

    pub fn with(folder: tempfile::TempDir, roots: Roots, private: PrivateHosts) -> Self {
        let shell = ShellSetup::new(roots.clone(), Launcher::None).without_sandbox();
        let setup = Setup { files: Some(roots), shell: Some(shell), web: Some(WebSetup { private }) };
        let tools = ToolSet::collect(&[Arc::new(tah_agent::tool::FixedTools(standard(&setup)))]);
        let (sink, events) = EventSink::channel();
        let context = ToolContext {
            call_id: CallId::new("call"),
            cancel: CancellationToken::new(),
            events: sink,
            vision: Vision::Off,
        };
        Bench { folder, tools, context, events }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn tool(&self, name: &str) -> Arc<dyn Tool> {
        self.tools.get(name).unwrap_or_else(|| panic!("no tool {name}")).clone()
    }

    pub fn seeing(mut self) -> Self {
        self.context.vision = Vision::On;
        self
    }

    pub fn cancel(&self) -> CancellationToken {
        self.context.cancel.clone()
    }

    pub async fn card(&self, name: &str, input: Value) -> Result<Option<Card>, ToolError> {
        self.tool(name).approval(&object(input)).await
    }

    /// The run alone, as it comes after a card that was answered.
    pub async fn run(&self, name: &str, input: Value) -> Result<Output, ToolError> {
        self.tool(name).run(object(input), &self.context).await
    }

    /// As in a turn: the card first, which may already be an error, then the run.
    pub async fn call(&self, name: &str, input: Value) -> Result<Output, ToolError> {
        self.card(name, input.clone()).await?;
        self.run(name, input).await
    }

    pub async fn ok(&self, name: &str, input: Value) -> String {
        match self.call(name, input.clone()).await {
            Ok(output) => output.text,
            Err(error) => panic!("{name} {input}: {}", error.for_model()),
        }
    }

    pub async fn fault(&self, name: &str, input: Value) -> String {
        match self.call(name, input.clone()).await {
            Ok(output) => panic!("{name} {input} worked: {}", output.text),
            Err(error) => error.for_model(),
        }
    }
}

pub fn object(value: Value) -> Input {
    value.as_object().cloned().unwrap()
}

pub fn link(to: impl AsRef<Path>, at: impl AsRef<Path>) {
    std::os::unix::fs::symlink(to, at).unwrap();
}
