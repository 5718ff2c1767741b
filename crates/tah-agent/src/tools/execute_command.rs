//! `execute_command`: a shell line in the working folder, with its output as it comes and bounded in the result.

use super::arguments;
use super::shell_line::ShellLine;
use crate::card::{Card, CardLine, Insistence, Scope};
use crate::limits;
use crate::message::Input;
use crate::tool::{Cut, Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tah_os::capture::{Capture, Limits};
use tah_os::path::Roots;
use tah_os::process::{Child, Ended, Launcher, Output as Pipe, Spawn};
use tah_os::sandbox::Sandbox;
use tah_os::text::{Keep, Sanitiser, sanitise};
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep_until, timeout};

const NAME: &str = "execute_command";

/// How commands run.
#[derive(Clone, Debug)]
pub struct ShellSetup {
    /// The folders commands are about; they run in the first.
    pub roots: Roots,
    pub launcher: Launcher,
    /// Where they may write; `None` is anywhere.
    pub sandbox: Option<Sandbox>,
}

pub(crate) struct ExecuteCommand {
    setup: ShellSetup,
    shell: PathBuf,
    schema: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    command: String,
    timeout_ms: Option<u64>,
}

impl ExecuteCommand {
    pub(crate) fn new(setup: ShellSetup) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeoutMs": {"type": "integer", "minimum": 1, "description": "default 120000"}
            },
            "required": ["command"]
        });
        let bash = Path::new("/bin/bash");
        let shell = if bash.exists() { bash } else { Path::new("/bin/sh") };
        ExecuteCommand { setup, shell: shell.to_owned(), schema }
    }

    fn line(&self, input: &Input) -> ShellLine {
        let roots = self.setup.roots.clone();
        ShellLine::read(arguments::text(input, "command"), move |path| {
            roots.resolve(path).is_ok_and(|place| place.real().is_ok())
        })
    }

    async fn start(&self, command: &str) -> Result<Child, ToolError> {
        let mut spawn = Spawn::new(&self.shell, &self.setup.launcher)
            .arg("-c")
            .arg(command)
            .cwd(self.setup.roots.working_folder())
            .stdout(Pipe::Pipe)
            .stderr(Pipe::WithStdout)
            // X6: keys of providers are not the command's business.
            .env_remove_where(is_key)
            // X2: nobody is there to answer a question or to leave a pager.
            .envs([("GIT_TERMINAL_PROMPT", "0"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("TERM", "dumb")]);
        if let Some(sandbox) = &self.setup.sandbox {
            spawn = spawn.sandbox(sandbox.clone());
        }
        spawn.spawn().await.map_err(|error| ToolError::new(error.to_string()))
    }
}

fn is_key(name: &OsStr) -> bool {
    name.to_string_lossy().to_ascii_uppercase().ends_with("_API_KEY")
}

#[async_trait]
impl Tool for ExecuteCommand {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Runs a shell command line in the working folder. stdin is empty; there is no terminal."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let arguments: Arguments = arguments::read(NAME, input)?;
        let always =
            self.line(input).always.map(|prefixes| Scope::Prefix { name: NAME.to_owned(), prefixes });
        let lines = vec![CardLine::Command(arguments.command)];
        Ok(Some(Card { title: "Run command".to_owned(), lines, always, insistence: Insistence::Normal }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        self.line(input).subjects
    }

    fn summary(&self, input: &Input) -> String {
        arguments::text(input, "command").to_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let limit = arguments.timeout_ms.map_or(limits::COMMAND_TIME, Duration::from_millis);
        let mut child = self.start(&arguments.command).await?;
        let mut heard = Heard::new();
        let stop = heard.listen(&mut child, limit, context).await;
        let end = match stop {
            Stop::Ended(ended) => ended.to_string(),
            Stop::TimedOut => {
                child.terminate(limits::COMMAND_GRACE).await;
                format!("was stopped after {} s (timeoutMs)", limit.as_secs_f64())
            }
            Stop::Cancelled => {
                child.process().end(limits::COMMAND_GRACE);
                return Err(ToolError::new("cancelled; may have happened"));
            }
        };
        let mut text = heard.text();
        let mut cut = None;
        if let Some(chars) = heard.left_out() {
            let remedy = "send the output to a file and read parts of it".to_owned();
            cut = Some(Cut { chars, remedy });
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if matches!(stop, Stop::Ended(_)) && !child.process().tree().is_empty() {
            let pids: Vec<String> = child.process().tree().iter().map(|it| it.pid.to_string()).collect();
            text.push_str(&format!("[still running in the background: pid {}]\n", pids.join(", ")));
            // X1: what the command left running lives on until tah ends.
            child.leave();
        }
        text.push_str(&format!("[the command {end}]"));
        let mut output = Output::new(text, end);
        output.cut = cut;
        Ok(output)
    }
}

#[derive(Clone, Copy)]
enum Stop {
    Ended(Ended),
    TimedOut,
    Cancelled,
}

/// What a command has printed.
struct Heard {
    capture: Capture,
    /// Output that was not shown live yet.
    fresh: String,
    sanitiser: Sanitiser,
    shown: Instant,
}

impl Heard {
    fn new() -> Self {
        Heard {
            capture: Capture::new(Limits::default(), None),
            fresh: String::new(),
            sanitiser: Sanitiser::new(Keep::Colours),
            shown: Instant::now(),
        }
    }

    async fn listen(&mut self, child: &mut Child, limit: Duration, context: &ToolContext) -> Stop {
        let deadline = Instant::now() + limit;
        let process = child.process();
        let mut pipe = child.stdout.take();
        let mut chunk = vec![0; 64 * 1024];
        let stop = loop {
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => break Stop::Cancelled,
                () = sleep_until(deadline) => break Stop::TimedOut,
                ended = process.wait() => break Stop::Ended(ended),
                read = async { match pipe.as_mut() { Some(pipe) => pipe.read(&mut chunk).await, None => std::future::pending().await } } => {
                    match read {
                        Ok(0) | Err(_) => pipe = None,
                        Ok(bytes) => self.take(&chunk[..bytes], context).await,
                    }
                }
            }
        };
        if let (Stop::Ended(_), Some(mut pipe)) = (stop, pipe) {
            // What is still in the pipe; a child that holds it open is not waited for (X1).
            let until = Instant::now() + limits::COMMAND_DRAIN;
            while let Ok(Ok(bytes @ 1..)) =
                timeout(until.saturating_duration_since(Instant::now()), pipe.read(&mut chunk)).await
            {
                self.take(&chunk[..bytes], context).await;
                if Instant::now() >= until {
                    break;
                }
            }
        }
        self.show(context).await;
        stop
    }

    async fn take(&mut self, chunk: &[u8], context: &ToolContext) {
        self.capture.push(chunk);
        // Live output is for people: of a flood they see the last of each interval.
        if self.fresh.len() > limits::LIVE_BYTES {
            self.fresh.clear();
        }
        let piece = self.sanitiser.push(&String::from_utf8_lossy(chunk));
        self.fresh.push_str(&piece);
        if self.shown.elapsed() >= limits::LIVE_INTERVAL {
            self.show(context).await;
        }
    }

    async fn show(&mut self, context: &ToolContext) {
        if !self.fresh.is_empty() {
            context.events.output(&context.call_id, std::mem::take(&mut self.fresh)).await;
        }
        self.shown = Instant::now();
    }

    fn text(&self) -> String {
        let seen = self.capture.seen();
        let text = seen.text(|bytes| format!("[{bytes} bytes left out here]"));
        sanitise(&text, Keep::Text).into_owned()
    }

    fn left_out(&self) -> Option<u64> {
        Some(self.capture.seen().left_out).filter(|bytes| *bytes > 0)
    }
}
