//! `tah run`: one prompt, one answer. stdout is the answer (or the events as JSON), everything else is stderr, and
//! the exit code says how it ended.

use super::load_settings;
use crate::args::RunArgs;
use crate::assemble::{Plugins, assemble};
use crate::config::ConfigError;
use crate::exit::Exit;
use crate::front::plain::Plain;
use crate::front::signals::Signals;
use crate::front::tty::{self, Question};
use crate::front::{FrontEnd, Telling};
use crate::limits;
use crate::ui::{self, Gone, Verbosity};
use std::io::Read;
use tah_agent::approval::ApproveMode;
use tah_agent::card::Answer;
use tah_agent::event::{EndReason, Event};
use tah_agent::host::{Command, Host};
use tah_agent::id::ApprovalId;
use tokio::time::Instant;

pub async fn run(args: RunArgs) -> anyhow::Result<Exit> {
    let mut signals = Signals::listen();
    let settings = load_settings(&args.shared.given())?;
    let prompt = tokio::select! {
        prompt = prompt(args.prompt.as_deref()) => prompt?,
        exit = signals.next() => return Ok(exit),
    };
    // A4: who is to answer is decided by stdin, also where stdout goes elsewhere.
    let mode = match (args.shared.yes, ui::stdin_is_terminal()) {
        (true, _) => ApproveMode::Yes,
        (false, true) => ApproveMode::Ask,
        (false, false) => ApproveMode::Unattended,
    };
    let verbosity = if args.quiet { Verbosity::Quiet } else { Verbosity::Normal };
    let telling = Telling { verbosity };
    let assembled = tokio::select! {
        assembled = assemble(&args.shared, &settings, FrontEnd::Run, mode) => assembled?,
        exit = signals.next() => return Ok(exit),
    };
    for notice in &assembled.notices {
        ui::tell(&format!("warning: {notice}"));
    }
    let plugins = assembled.plugins.clone();
    let host = Host::start(assembled.setup);
    let output = if args.json { Output::Json } else { Output::Answer(Plain::new(verbosity)) };
    let line = Some(assembled.line);
    let mut run =
        Run { host, plugins: plugins.clone(), output, telling, line, question: None, stopping: None };
    let exit = run.work(prompt, &mut signals).await;
    end(run.host, &plugins, &mut signals).await;
    Ok(exit)
}

/// The prompt: with an argument stdin is never read (H1); `-`, or nothing with piped input, reads it.
async fn prompt(argument: Option<&str>) -> anyhow::Result<String> {
    let text = match argument {
        Some("-") => read_stdin().await?,
        Some(text) => text.to_owned(),
        None if ui::stdin_is_terminal() => {
            let error =
                ConfigError::new("no prompt").hint("tah run \"what to do\", or `-` to read it from stdin");
            return Err(error.into());
        }
        None => read_stdin().await?,
    };
    if text.trim().is_empty() {
        return Err(ConfigError::new("the prompt is empty").into());
    }
    Ok(text)
}

async fn read_stdin() -> anyhow::Result<String> {
    let bytes = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        std::io::stdin().take(limits::PROMPT_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
    })
    .await??;
    if bytes.len() as u64 > limits::PROMPT_BYTES {
        return Err(
            ConfigError::new(format!("the prompt has more than {} bytes", limits::PROMPT_BYTES)).into()
        );
    }
    String::from_utf8(bytes).map_err(|_| ConfigError::new("the prompt on stdin is not UTF-8 text").into())
}

enum Output {
    Answer(Plain),
    Json,
}

struct Run {
    host: Host,
    plugins: Plugins,
    output: Output,
    telling: Telling,
    /// The start-up line, until the session is known.
    line: Option<String>,
    question: Option<(ApprovalId, Question)>,
    /// A signal came: what it was and until when the turn may still end by itself.
    stopping: Option<(Exit, Instant)>,
}

impl Run {
    async fn work(&mut self, prompt: String, signals: &mut Signals) -> Exit {
        let send = Command::Send { text: prompt, images: Vec::new() };
        if self.host.commands.send(send).await.is_err() {
            return Exit::Failed;
        }
        loop {
            let deadline = self.stopping.map(|(_, until)| until);
            tokio::select! {
                event = self.host.events.recv() => match event {
                    None => return self.stopping.map_or(Exit::Failed, |(exit, _)| exit),
                    Some(event) => if let Some(exit) = self.take(&event).await {
                        return self.stopping.map_or(exit, |(stopped, _)| stopped);
                    },
                },
                answer = answered(&mut self.question) => self.answer(answer).await,
                exit = signals.next() => match self.stopping {
                    // H4: the first stops and saves, the second exits now.
                    Some(_) => return exit,
                    None => {
                        self.question = None;
                        self.stopping = Some((exit, Instant::now() + limits::STOP_WAIT));
                        let _ = self.host.commands.send(Command::Cancel).await;
                    }
                },
                () = until(deadline) => return self.stopping.map_or(Exit::Failed, |(exit, _)| exit),
            }
        }
    }

    /// Shows an event; the exit where it was the last.
    async fn take(&mut self, event: &Event) -> Option<Exit> {
        if let Event::Session { id, .. } = event
            && let Some(line) = self.line.take()
            && self.telling.verbosity == Verbosity::Normal
        {
            ui::tell(&format!("{line} · session {id}"));
        }
        if matches!(event, Event::Session { .. }) {
            self.plugins.tell(self.host.sink.clone());
        }
        let shown = match &mut self.output {
            Output::Answer(plain) => plain.show(event),
            Output::Json => serde_json::to_string(event).map_err(|_| Gone).and_then(|line| ui::json(&line)),
        };
        if let (Output::Json, Event::Notice { text, .. }) = (&self.output, event) {
            // A refusal is said on stderr in any case (A4).
            ui::tell(&format!("warning: {text}"));
        }
        if let Event::TurnEnd { reason: EndReason::StepLimit, steps } = event {
            ui::tell(&format!("warning: stopped after {steps} steps; --continue goes on"));
        }
        match event {
            Event::Approval { id, card, .. } => self.question = Some((id.clone(), tty::ask(card))),
            Event::ApprovalEnd { .. } => self.question = None,
            Event::TurnEnd { reason, .. } | Event::TurnError { reason, .. } => {
                return Some(Exit::from(*reason));
            }
            _ => {}
        }
        if shown.is_err() && self.stopping.is_none() {
            // Nobody reads any more, so nothing more is done; no word about it.
            self.stopping = Some((Exit::Finished, Instant::now() + limits::STOP_WAIT));
            let _ = self.host.commands.send(Command::Cancel).await;
        }
        None
    }

    async fn answer(&mut self, answer: Answer) {
        if let Some((id, _)) = self.question.take() {
            let _ = self.host.commands.send(Command::Answer { id, answer }).await;
        }
    }
}

/// The answer to the open question; waits for ever without one.
async fn answered(question: &mut Option<(ApprovalId, Question)>) -> Answer {
    match question {
        Some((_, question)) => (&mut question.answer).await.unwrap_or(Answer::No { reason: None }),
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Saves and ends everything; one more signal ends the waiting.
pub async fn end(host: Host, plugins: &Plugins, signals: &mut Signals) {
    let Host { commands, mut events, sink } = host;
    // The stream of events ends when the last of its senders does.
    drop(sink);
    plugins.quiet();
    let ending = async {
        let _ = commands.send(Command::Close).await;
        let drained = async { while events.recv().await.is_some() {} };
        let _ = tokio::time::timeout(limits::SAVE_WAIT, drained).await;
        plugins.close().await;
    };
    tokio::select! {
        () = ending => {}
        _ = signals.next() => {}
    }
}
