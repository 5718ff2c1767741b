//! The chat on a stage: the real front end and host, with a model that does what the prompt names, so that a test
//! decides what streams, which cards open and what panics. `TAH_HOME` and the working folder are the test's.
#![allow(clippy::disallowed_methods, clippy::expect_used, reason = "a part of the tests")]

use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tah_agent::approval::ApproveMode;
use tah_agent::approval::rules::Rules;
use tah_agent::card::{Card, CardLine, Insistence, Scope};
use tah_agent::host::{Host, Setup};
use tah_agent::id::CallId;
use tah_agent::message::{Input, Message, Origin, ToolCall};
use tah_agent::model::{CallsInText, Delta, Model, ModelError, Profile, Reply, ReplyEnd, Request, Usage};
use tah_agent::session::store::SessionStore;
use tah_agent::tool::{Effect, FixedTools, Output, Tool, ToolContext, ToolError, ToolSource, Vision};
use tah_cli::chat::{self, Ended, Facts, Options, Surroundings};
use tah_os::process::Launcher;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

static PANIC: AtomicBool = AtomicBool::new(false);

#[tokio::main]
async fn main() -> std::process::ExitCode {
    let cwd = std::env::current_dir().expect("a working folder");
    let home = std::env::var_os("TAH_HOME").map(std::path::PathBuf::from);
    let store = SessionStore::beneath(&cwd.join(".tah"));
    let sources: Vec<Arc<dyn ToolSource>> = vec![Arc::new(FixedTools(vec![Arc::new(Act::new())]))];
    let session = std::env::args().nth(1).map(|which| store.open(&which).expect("the session"));
    let setup = Setup {
        model: Arc::new(Scripted::new()),
        sources: sources.clone(),
        mode: ApproveMode::Ask,
        rules: Rules::default(),
        system: String::new(),
        max_steps: 3,
        store: store.clone(),
        cwd: cwd.clone(),
        models: None,
        session,
    };
    let variable = |name: &str| std::env::var(name).ok();
    let options = Options {
        cwd,
        home,
        store,
        sources,
        mode: ApproveMode::Ask,
        vision: Vision::On,
        facts: Arc::new(StageFacts),
        launcher: Launcher::None,
        surroundings: Surroundings {
            term: variable("TERM").unwrap_or_default(),
            term_program: variable("TERM_PROGRAM").unwrap_or_default(),
            xterm_version: variable("XTERM_VERSION"),
            kitty_window: None,
            no_color: variable("NO_COLOR"),
            editor: variable("EDITOR"),
            shell: Some("/bin/sh".to_owned()),
        },
        first_prompt: None,
    };
    match chat::run(Host::start(setup), options).await {
        Ok(Ended::ByUser) => std::process::ExitCode::SUCCESS,
        Ok(Ended::BySignal(number)) => std::process::ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
        Err(_) => std::process::ExitCode::FAILURE,
    }
}

struct StageFacts;

impl Facts for StageFacts {
    fn models(&self) -> Vec<String> {
        vec!["stage".to_owned(), "other".to_owned()]
    }

    fn servers(&self) -> Vec<String> {
        vec!["everything ready · 8 tools".to_owned()]
    }

    fn browser(&self) -> Option<String> {
        assert!(!PANIC.load(Ordering::SeqCst), "the stage was told to panic");
        Some("closed".to_owned())
    }
}

struct Scripted {
    profile: Profile,
}

impl Scripted {
    fn new() -> Self {
        let profile = Profile {
            name: "stage".to_owned(),
            window: Some(100_000),
            vision: Vision::On,
            calls_in_text: CallsInText::Never,
        };
        Scripted { profile }
    }
}

const MARKDOWN: &str = "# A heading\n\nSome **bold** and `code` and a [link](https://example.org).\n\n- one\n- two\n  - inner\n\n1. first\n2. second\n\n```rust\nfn main() { let x = 1; }\n```\n\n| 名字 | n |\n| --- | --: |\n| 你好 | 1 |\n| abc | 22 |\n\n> quoted\n\nThe end.\n";

#[async_trait]
impl Model for Scripted {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    async fn stream(
        &self,
        request: &Request,
        deltas: mpsc::Sender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let prompt = request
            .messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::User { text, origin: Origin::Person, .. } => Some(text.clone()),
                _ => None,
            })
            .unwrap_or_default();
        let answered = matches!(request.messages.last(), Some(Message::Tool { .. }));
        let words: Vec<&str> = prompt.split_whitespace().collect();
        let mut calls = Vec::new();
        let text = match words.as_slice() {
            ["stream", lines, per_second] => {
                let (lines, rate): (u64, u64) =
                    (lines.parse().unwrap_or(1), per_second.parse().unwrap_or(100));
                return self.stream_lines(lines, rate, &deltas, cancel).await;
            }
            // A summary is asked for with the whole conversation; it comes when the test says so.
            ["<transcript>", ..] => {
                while !std::path::Path::new("summarise").exists() {
                    tokio::select! {
                        () = cancel.cancelled() => return Err(ModelError::cancelled()),
                        () = tokio::time::sleep(Duration::from_millis(10)) => {}
                    }
                }
                "SUMMARY".to_owned()
            }
            ["wait"] => {
                let _ = deltas.send(Delta::Text("waiting\n\n".to_owned())).await;
                cancel.cancelled().await;
                return Err(ModelError::cancelled());
            }
            ["loop"] => {
                calls.push(call("act", json!({"free": true})));
                String::new()
            }
            ["panic"] => {
                PANIC.store(true, Ordering::SeqCst);
                "panics now\n".to_owned()
            }
            ["markdown"] => MARKDOWN.to_owned(),
            ["escapes"] => {
                "a\x1b]52;c;AAAA\x07b\x1b[2Jc\rd\u{202e}e \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n"
                    .to_owned()
            }
            ["think"] => {
                let _ = deltas.send(Delta::Reasoning("let me think about it".to_owned())).await;
                "thought enough\n".to_owned()
            }
            ["slowcard"] if !answered => {
                let _ = deltas.send(Delta::Text("about to ask\n\n".to_owned())).await;
                let until = std::path::Path::new("go");
                while !until.exists() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                calls.push(call("act", json!({"command": "touch made"})));
                String::new()
            }
            [name, rest @ ..] if !answered && matches!(*name, "card" | "cards" | "edit" | "run" | "evil") => {
                let command = rest.join(" ");
                match *name {
                    "cards" => calls.extend([
                        call("act", json!({"command": "echo one"})),
                        call("act", json!({"command": "echo two"})),
                    ]),
                    "edit" => calls.push(call(
                        "act",
                        json!({"diff": "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old 旧\n+new 新\n"}),
                    )),
                    "evil" => calls.push(call("act", json!({"command": "rm -rf x\recho ok\u{202e}\x1b[2K"}))),
                    "run" => calls.push(call("act", json!({"free": true, "lines": 30}))),
                    _ => calls.push(call("act", json!({"command": command}))),
                }
                String::new()
            }
            _ => format!("you said: {prompt}\n"),
        };
        if !text.is_empty() {
            let _ = deltas.send(Delta::Text(text.clone())).await;
        }
        Ok(whole(text, calls))
    }
}

impl Scripted {
    async fn stream_lines(
        &self,
        lines: u64,
        rate: u64,
        deltas: &mpsc::Sender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let mut text = String::new();
        for number in 0..lines {
            let line = format!("line {number:05} of the stream\n\n");
            text.push_str(&line);
            let _ = deltas.send(Delta::Text(line)).await;
            tokio::select! {
                () = cancel.cancelled() => return Err(ModelError::cancelled()),
                () = tokio::time::sleep(Duration::from_micros(1_000_000 / rate)) => {}
            }
        }
        Ok(whole(text, Vec::new()))
    }
}

fn whole(text: String, calls: Vec<ToolCall>) -> Reply {
    let usage = Some(Usage { input: 1200, output: 34, cached: 0 });
    Reply { text, reasoning: String::new(), calls, usage, end: ReplyEnd::Complete }
}

fn call(name: &str, input: Value) -> ToolCall {
    let Value::Object(input) = input else { unreachable!("the stage writes objects") };
    ToolCall { id: CallId::random(), name: name.to_owned(), input, fault: None }
}

struct Act {
    schema: Value,
}

impl Act {
    fn new() -> Self {
        Act { schema: json!({"type": "object"}) }
    }
}

fn text_of<'a>(input: &'a Input, name: &str) -> Option<&'a str> {
    input.get(name).and_then(Value::as_str)
}

#[async_trait]
impl Tool for Act {
    fn name(&self) -> &str {
        "act"
    }

    fn description(&self) -> &str {
        "Acts on the stage. It does nothing else."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        if input.contains_key("free") {
            return Ok(None);
        }
        let (title, line) = match text_of(input, "diff") {
            Some(diff) => ("Edit x", CardLine::Diff(diff.to_owned())),
            None => ("Run command", CardLine::Command(text_of(input, "command").unwrap_or("").to_owned())),
        };
        let prefixes = vec!["echo".to_owned()];
        Ok(Some(Card {
            title: title.to_owned(),
            lines: vec![line],
            always: Some(Scope::Prefix { name: "act".to_owned(), prefixes }),
            insistence: Insistence::Normal,
        }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        text_of(input, "command").map(str::to_owned).into_iter().collect()
    }

    fn summary(&self, input: &Input) -> String {
        text_of(input, "command").unwrap_or("on the stage").to_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let lines = input.get("lines").and_then(Value::as_u64).unwrap_or(0);
        for number in 0..lines {
            context.events.output(&context.call_id, format!("\x1b[32moutput {number}\x1b[0m\n")).await;
            tokio::select! {
                () = context.cancel.cancelled() => return Err(ToolError::new("cancelled")),
                () = tokio::time::sleep(Duration::from_millis(30)) => {}
            }
        }
        if let Some(name) = text_of(&input, "command").and_then(|command| command.strip_prefix("touch ")) {
            std::fs::write(name, "").map_err(|error| ToolError::new(error.to_string()))?;
        }
        Ok(Output::new("done", "done"))
    }
}
