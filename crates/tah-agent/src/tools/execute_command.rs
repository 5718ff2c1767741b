//! `execute_command`: a shell line in the working folder, its output shown as it comes and bounded in the result.
//!
//! What runs is a [`running::Running`]; what outlives its call becomes one of the [`jobs`](super::jobs). Who may
//! run what is the gate's business: this tool makes the card and names the simple commands of the line.

mod live;
mod refusal;
mod running;
mod setup;

use super::arguments;
use super::jobs::Jobs;
use super::shell_line::ShellLine;
use crate::card::{Card, CardLine, Insistence, Scope};
use crate::limits;
use crate::message::Input;
use crate::tool::{Cut, Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use live::Live;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tah_os::process::Ended;

pub(crate) use running::Running;
pub use setup::ShellSetup;

const NAME: &str = "execute_command";

pub(crate) struct ExecuteCommand {
    setup: ShellSetup,
    jobs: Jobs,
    schema: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    command: String,
    timeout_ms: Option<u64>,
    #[serde(default)]
    background: bool,
    sandbox: Option<bool>,
}

/// Whether the sandbox of this machine and setup applies to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confinement {
    /// There is none to leave.
    Absent,
    On,
    /// Switched off for this call, which the card shows.
    Waived,
}

impl ExecuteCommand {
    pub(crate) fn new(setup: ShellSetup, jobs: Jobs) -> Self {
        let mut properties = json!({
            "command": {"type": "string"},
            "timeoutMs": {"type": "integer", "minimum": 1, "description": "default 120000; in the background none"},
            "background": {"type": "boolean", "description": "return at once; see the jobs tool"}
        });
        // Where nothing is enforced, there is nothing to ask for.
        if setup.confines() {
            properties["sandbox"] = json!({"type": "boolean", "description": "false: may write outside the working folders; asks the user"});
        }
        let schema = json!({"type": "object", "properties": properties, "required": ["command"]});
        ExecuteCommand { setup, jobs, schema }
    }

    fn line(&self, input: &Input) -> ShellLine {
        let roots = self.setup.roots.clone();
        ShellLine::read(arguments::text(input, "command"), move |path| {
            roots.resolve(path).is_ok_and(|place| place.real().is_ok())
        })
    }

    fn confinement(&self, arguments: &Arguments) -> Confinement {
        match (self.setup.confines(), arguments.sandbox) {
            (false, _) => Confinement::Absent,
            (true, Some(false)) => Confinement::Waived,
            (true, _) => Confinement::On,
        }
    }

    /// Puts what outlives its call among the jobs; the line that says so.
    fn keep(&self, command: &str, running: Running) -> String {
        let tree = running.process().tree();
        let pids: Vec<String> = tree.iter().map(|it| format!("{} ({})", it.pid, it.name)).collect();
        let id = self.jobs.keep(command, running);
        format!("[job {id}: still running in the background: pid {}]", pids.join(", "))
    }
}

#[async_trait]
impl Tool for ExecuteCommand {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Runs a shell command line, each time from the working folder. stdin is empty; there is no terminal."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let arguments: Arguments = arguments::read(NAME, input)?;
        let mut always =
            self.line(input).always.map(|prefixes| Scope::Prefix { name: NAME.to_owned(), prefixes });
        let mut insistence = Insistence::Normal;
        let confinement = self.confinement(&arguments);
        let mut lines = vec![CardLine::Command(arguments.command)];
        if arguments.background {
            lines.push(CardLine::Text("in the background".to_owned()));
        }
        if confinement == Confinement::Waived {
            // What was allowed inside the sandbox was not allowed outside of it.
            lines.push(CardLine::Text("without the sandbox: it may write anywhere".to_owned()));
            always = None;
            insistence = Insistence::EveryTime;
        }
        Ok(Some(Card { title: "Run command".to_owned(), lines, always, insistence }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        self.line(input).subjects
    }

    fn summary(&self, input: &Input) -> String {
        arguments::text(input, "command").to_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let confinement = self.confinement(&arguments);
        let began = Instant::now();
        let running = running::start(&self.setup, &arguments.command, confinement).await?;
        if arguments.background {
            return Ok(self.background(&arguments, running, context).await);
        }
        let limit = arguments.timeout_ms.map_or(limits::COMMAND_TIME, Duration::from_millis);
        let live = Live::show(&running, context);
        let stop = running.until(limit, &context.cancel).await;
        if stop == Stop::Cancelled {
            running.process().end(limits::COMMAND_GRACE);
            return Err(ToolError::new("cancelled; may have happened"));
        }
        if stop == Stop::TimedOut {
            running.process().terminate(limits::COMMAND_GRACE).await;
        } else {
            // A child that holds the pipe open is not waited for (X1).
            running.drain(limits::COMMAND_DRAIN).await;
        }
        live.finish().await;

        let (mut text, cut) = running.text();
        let mut notes = Vec::new();
        if let (Stop::Ended(ended), Confinement::On) = (stop, confinement) {
            notes.extend(refusal::note(&self.setup, ended, &text));
        }
        let brief = match stop {
            Stop::TimedOut => format!("stopped after {} s (timeoutMs)", limit.as_secs_f64()),
            Stop::Ended(ended) => ended.to_string(),
            Stop::Cancelled => "cancelled".to_owned(),
        };
        let folder = self.setup.roots.working_folder().display();
        notes.push(match stop {
            Stop::TimedOut => format!("[the command was {brief} with all that it had started, in {folder}]"),
            _ => format!("[the command {brief} after {:.1} s in {folder}]", began.elapsed().as_secs_f64()),
        });
        if matches!(stop, Stop::Ended(_)) && !running.process().tree().is_empty() {
            notes.insert(0, self.keep(&arguments.command, running));
        }
        end_line(&mut text);
        text.push_str(&notes.join("\n"));
        Ok(Output { cut, ..Output::new(text, brief) })
    }
}

impl ExecuteCommand {
    /// Gives a job a moment, so that one that fails at once says so at once.
    async fn background(&self, arguments: &Arguments, running: Running, context: &ToolContext) -> Output {
        if let Stop::Ended(ended) = running.until(limits::JOB_FIRST_LOOK, &context.cancel).await
            && running.process().tree().is_empty()
        {
            running.drain(limits::COMMAND_DRAIN).await;
            let (mut text, cut) = running.text();
            end_line(&mut text);
            text.push_str(&format!("[the command {ended} at once]"));
            return Output { cut, ..Output::new(text, ended.to_string()) };
        }
        if let Some(limit) = arguments.timeout_ms {
            let process = running.process().clone();
            tokio::spawn(async move {
                if tokio::time::timeout(Duration::from_millis(limit), process.wait_gone()).await.is_err() {
                    process.end(limits::COMMAND_GRACE);
                }
            });
        }
        let (mut text, _) = running.text();
        end_line(&mut text);
        text.push_str(&self.keep(&arguments.command, running));
        Output::new(text, "in the background")
    }
}

/// How the wait for a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Ended(Ended),
    TimedOut,
    Cancelled,
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// What is said of bytes that did not fit, with the place where all of them are.
pub(crate) fn cut_of(left_out: u64, log: Option<&str>) -> Option<Cut> {
    let remedy = match log {
        Some(log) => format!("read {log}"),
        None => "send the output to a file and read parts of it".to_owned(),
    };
    (left_out > 0).then_some(Cut { chars: left_out, remedy })
}
