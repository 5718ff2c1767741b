//! `jobs`: commands that run in the background, and what commands left running. They end with tah.

use super::arguments;
use super::execute_command::Running;
use crate::card::Card;
use crate::limits;
use crate::message::Input;
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tah_os::text::{Keep, cut_middle, sanitise, shorten};

const NAME: &str = "jobs";

/// All jobs; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Jobs(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    jobs: BTreeMap<u32, Job>,
    last: u32,
}

struct Job {
    command: String,
    running: Arc<Running>,
    began: Instant,
}

impl Jobs {
    /// Keeps a command that goes on; its number.
    pub(crate) fn keep(&self, command: &str, running: Running) -> u32 {
        let mut known = self.lock();
        known.last += 1;
        let id = known.last;
        known.jobs.insert(
            id,
            Job { command: command.to_owned(), running: Arc::new(running), began: Instant::now() },
        );
        // Of ended ones the oldest are forgotten; one that runs never is.
        let ended: Vec<u32> =
            known.jobs.iter().filter(|(_, job)| job.running.process().is_gone()).map(|(id, _)| *id).collect();
        for id in ended.iter().take(ended.len().saturating_sub(limits::JOBS_ENDED)) {
            known.jobs.remove(id);
        }
        id
    }

    fn list(&self) -> String {
        let known = self.lock();
        if known.jobs.is_empty() {
            return "no jobs".to_owned();
        }
        let lines: Vec<String> = known.jobs.iter().map(|(id, job)| format!("{id}  {}", job.line())).collect();
        lines.join("\n")
    }

    fn find(&self, id: Option<u32>) -> Result<(u32, Arc<Running>), ToolError> {
        let known = self.lock();
        let id = match (id, known.jobs.len()) {
            (Some(id), _) => id,
            (None, 1) => known.jobs.keys().next().copied().unwrap_or_default(),
            (None, _) => {
                return Err(ToolError::new("which job? id is missing").hint("action list shows them"));
            }
        };
        match known.jobs.get(&id) {
            Some(job) => Ok((id, job.running.clone())),
            None => Err(ToolError::new(format!("there is no job {id}")).hint("action list shows them")),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    fn line(&self) -> String {
        let command = sanitise(&self.command, Keep::Exact).replace('\n', " ");
        let printed = self.running.printed();
        let state = state(&self.running);
        let age = self.began.elapsed().as_secs();
        format!("{state}, {age} s, {printed} bytes printed: {}", shorten(&command, limits::JOB_COMMAND_CHARS))
    }
}

fn state(running: &Running) -> String {
    let process = running.process();
    match (process.is_gone(), process.ended()) {
        (true, Some(ended)) => ended.to_string(),
        (true, None) => "ended".to_owned(),
        (false, Some(ended)) => {
            let pids: Vec<String> = process.tree().iter().map(|it| it.pid.to_string()).collect();
            format!("its shell {ended}, what it left runs (pid {})", pids.join(", "))
        }
        (false, None) => format!("running (pid {})", process.pid()),
    }
}

/// The tool.
pub(crate) struct JobsTool {
    jobs: Jobs,
    schema: Value,
}

impl JobsTool {
    pub(crate) fn new(jobs: Jobs) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["list", "output", "stop"]},
                "id": {"type": "integer"}
            },
            "required": ["action"]
        });
        JobsTool { jobs, schema }
    }
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum Action {
    List,
    Output,
    Stop,
}

#[derive(Deserialize)]
struct Arguments {
    action: Action,
    id: Option<u32>,
}

#[async_trait]
impl Tool for JobsTool {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Background commands: lists them, shows the last output of one, or stops one."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, input: &Input) -> Effect {
        if arguments::text(input, "action") == "stop" { Effect::Write } else { Effect::Read }
    }

    /// Never asks: a job was approved when it was started, and stopping is the way back.
    async fn approval(&self, _input: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn summary(&self, input: &Input) -> String {
        let id = input.get("id").and_then(Value::as_u64).map(|id| format!(" {id}")).unwrap_or_default();
        format!("{}{id}", arguments::text(input, "action"))
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        if arguments.action == Action::List {
            let text = self.jobs.list();
            let brief = text.lines().next().unwrap_or_default().to_owned();
            return Ok(Output::new(text, brief));
        }
        let (id, running) = self.jobs.find(arguments.id)?;
        if arguments.action == Action::Stop {
            tokio::select! {
                _ = running.process().terminate(limits::COMMAND_GRACE) => {}
                () = context.cancel.cancelled() => return Err(ToolError::new("cancelled; the job is being stopped")),
            }
        }
        let state = state(&running);
        let (text, cut) = running.text();
        let tail = cut_middle(&text, 0, limits::JOB_TAIL_BYTES);
        let mut shown = if tail.left_out > 0 {
            format!("[{} bytes before]\n{}", tail.left_out, tail.tail)
        } else {
            text.clone()
        };
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown.push_str(&format!("[job {id}: {state}]"));
        Ok(Output { cut, ..Output::new(shown, format!("job {id}: {state}")) })
    }
}
