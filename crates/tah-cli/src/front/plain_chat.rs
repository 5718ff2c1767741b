//! `tah chat --plain`: a prompt a line, answers on stdout, all else on stderr. Lines are taken one by one: the next
//! is read when the turn before it has ended, so a pipe of prompts is worked through in order.

use super::plain::Plain;
use super::signals::Signals;
use super::tty::{self, Question};
use super::{FrontEnd, Telling};
use crate::args::SharedArgs;
use crate::assemble::{Plugins, assemble};
use crate::command::load_settings;
use crate::command::run::end;
use crate::command::sessions;
use crate::exit::Exit;
use crate::limits;
use crate::ui::{self, Verbosity};
use std::io::BufRead;
use tah_agent::approval::ApproveMode;
use tah_agent::card::Answer;
use tah_agent::event::{EndReason, Event};
use tah_agent::host::{Command, Host};
use tah_agent::id::ApprovalId;
use tah_agent::session::store::SessionStore;
use tokio::sync::mpsc;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Prompt(String),
    Nothing,
    Exit,
    Reset,
    Sessions,
    Resume(String),
    Fork,
    Continue,
    Help,
    /// A slash command that is none.
    Unknown(String),
}

/// The commands, for `/help`.
const HELP: &str = "/exit  /reset  /sessions  /resume ID|N  /fork  /continue  /help";

/// Reads a line. A path like `/etc/hosts` is a prompt, not a command.
pub fn read_line(text: &str) -> Line {
    let text = text.trim();
    if text.is_empty() {
        return Line::Nothing;
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(name) = word.strip_prefix('/') else { return Line::Prompt(text.to_owned()) };
    match (name, rest.trim()) {
        ("exit" | "quit", "") => Line::Exit,
        ("reset", "") => Line::Reset,
        ("sessions", "") => Line::Sessions,
        ("resume", which) if !which.is_empty() => Line::Resume(which.to_owned()),
        ("resume", _) => Line::Sessions,
        ("fork", "") => Line::Fork,
        ("continue", "") => Line::Continue,
        ("help", "") => Line::Help,
        (name, "") if !name.is_empty() && name.chars().all(char::is_alphabetic) => {
            Line::Unknown(word.to_owned())
        }
        _ => Line::Prompt(text.to_owned()),
    }
}

pub async fn chat(args: &SharedArgs, first: Option<String>) -> anyhow::Result<Exit> {
    let mut signals = Signals::listen();
    let settings = load_settings(&args.given())?;
    let mode = match (args.yes, ui::stdin_is_terminal()) {
        (true, _) => ApproveMode::Yes,
        (false, true) => ApproveMode::Ask,
        (false, false) => ApproveMode::Unattended,
    };
    let assembled = tokio::select! {
        assembled = assemble(args, &settings, FrontEnd::Chat, mode) => assembled?,
        exit = signals.next() => return Ok(exit),
    };
    for notice in &assembled.notices {
        ui::tell(&format!("warning: {notice}"));
    }
    let plugins = assembled.plugins.clone();
    let store = assembled.setup.store.clone();
    let mut chat = Chat {
        host: Host::start(assembled.setup),
        plugins: plugins.clone(),
        plain: Plain::new(Telling { verbosity: Verbosity::Normal }.verbosity),
        store,
        line: Some(assembled.line),
        question: None,
        worst: Exit::Finished,
    };
    let exit = chat.work(first, &mut signals).await;
    end(chat.host, &plugins, &mut signals).await;
    Ok(exit)
}

struct Chat {
    host: Host,
    plugins: Plugins,
    plain: Plain,
    store: SessionStore,
    line: Option<String>,
    question: Option<(ApprovalId, Question)>,
    /// How the last turn ended, for the exit code of a pipe.
    worst: Exit,
}

/// Whether to go on.
enum Then {
    Next,
    Leave(Exit),
}

impl Chat {
    async fn work(&mut self, first: Option<String>, signals: &mut Signals) -> Exit {
        let is_terminal = ui::stdin_is_terminal();
        let mut lines = Lines::start();
        // The first event names the session, before the first prompt is asked for.
        if let Some(event) = self.host.events.recv().await {
            let _ = self.show(&event);
        }
        self.plugins.tell(self.host.sink.clone());
        if let Some(text) = first
            && let Then::Leave(exit) = self.turn(Command::Send { text, images: Vec::new() }, signals).await
        {
            return exit;
        }
        loop {
            if is_terminal {
                ui::tell_piece("> ");
            }
            let text = tokio::select! {
                text = lines.next() => text,
                // At an idle prompt a signal is the end.
                exit = signals.next() => {
                    if is_terminal {
                        ui::tell("");
                    }
                    return if is_terminal && exit == Exit::Interrupted { Exit::Finished } else { exit };
                }
            };
            let Some(text) = text else {
                return if is_terminal { Exit::Finished } else { self.worst };
            };
            match self.obey(read_line(&text), signals).await {
                Then::Next => {}
                Then::Leave(exit) => return exit,
            }
        }
    }

    async fn obey(&mut self, line: Line, signals: &mut Signals) -> Then {
        match line {
            Line::Nothing => Then::Next,
            Line::Prompt(text) => self.turn(Command::Send { text, images: Vec::new() }, signals).await,
            Line::Continue => self.turn(Command::Continue, signals).await,
            Line::Exit => Then::Leave(Exit::Finished),
            Line::Reset => self.switch(Command::Reset).await,
            Line::Fork => self.switch(Command::Fork).await,
            Line::Resume(which) => self.switch(Command::Resume { which }).await,
            Line::Sessions => {
                for (at, listed) in self.store.list().iter().enumerate() {
                    ui::tell(&sessions::line(at + 1, listed));
                }
                Then::Next
            }
            Line::Help => {
                ui::tell(HELP);
                Then::Next
            }
            Line::Unknown(word) => {
                ui::tell(&format!("there is no command {word}; {HELP}"));
                Then::Next
            }
        }
    }

    /// Another session: the host answers with its first event, or with a notice why not.
    async fn switch(&mut self, command: Command) -> Then {
        if self.host.commands.send(command).await.is_err() {
            return Then::Leave(Exit::Failed);
        }
        while let Some(event) = self.host.events.recv().await {
            let _ = self.show(&event);
            if matches!(event, Event::Session { .. } | Event::Notice { .. }) {
                break;
            }
        }
        Then::Next
    }

    async fn turn(&mut self, command: Command, signals: &mut Signals) -> Then {
        if self.host.commands.send(command).await.is_err() {
            return Then::Leave(Exit::Failed);
        }
        let mut stopped = None;
        loop {
            tokio::select! {
                event = self.host.events.recv() => {
                    let Some(event) = event else { return Then::Leave(Exit::Failed) };
                    if self.show(&event).is_err() && stopped.is_none() {
                        stopped = Some(Exit::Finished);
                        let _ = self.host.commands.send(Command::Cancel).await;
                    }
                    match event {
                        Event::Approval { id, card, .. } => self.question = Some((id, tty::ask(&card))),
                        Event::ApprovalEnd { .. } => self.question = None,
                        Event::TurnEnd { reason, .. } | Event::TurnError { reason, .. } => {
                            return self.ended(reason, stopped);
                        }
                        _ => {}
                    }
                }
                answer = answered(&mut self.question) => {
                    if let Some((id, _)) = self.question.take() {
                        let _ = self.host.commands.send(Command::Answer { id, answer }).await;
                    }
                }
                exit = signals.next() => {
                    if stopped.is_some() || exit != Exit::Interrupted {
                        let _ = self.host.commands.send(Command::Cancel).await;
                        return Then::Leave(exit);
                    }
                    // Ctrl+C stops the turn and no more.
                    self.question = None;
                    stopped = Some(exit);
                    let _ = self.host.commands.send(Command::Cancel).await;
                }
            }
        }
    }

    fn ended(&mut self, reason: EndReason, stopped: Option<Exit>) -> Then {
        match stopped {
            // Nobody reads the answers any more.
            Some(Exit::Finished) => return Then::Leave(Exit::Finished),
            // In a pipe nobody is at a prompt to go back to.
            Some(exit) if !ui::stdin_is_terminal() => return Then::Leave(exit),
            Some(_) => ui::tell("stopped"),
            None if reason == EndReason::StepLimit => {
                ui::tell("the step limit was reached; /continue goes on")
            }
            None => {}
        }
        self.worst = Exit::from(reason);
        Then::Next
    }

    fn show(&mut self, event: &Event) -> Result<(), ui::Gone> {
        if let Event::Session { id, messages, .. } = event {
            match self.line.take() {
                Some(line) => ui::tell(&format!("{line} · session {id}")),
                None => ui::tell(&format!("session {id} ({messages} messages)")),
            }
        }
        self.plain.show(event)
    }
}

async fn answered(question: &mut Option<(ApprovalId, Question)>) -> Answer {
    match question {
        Some((_, question)) => (&mut question.answer).await.unwrap_or(Answer::No { reason: None }),
        None => std::future::pending().await,
    }
}

/// stdin by lines, read in a thread of its own and only when one is wanted: a card at the terminal reads the same
/// keys.
struct Lines {
    wanted: std::sync::mpsc::Sender<()>,
    lines: mpsc::Receiver<Option<String>>,
    /// A line was asked for and has not come.
    asked: bool,
}

impl Lines {
    fn start() -> Self {
        let (wanted, wants) = std::sync::mpsc::channel::<()>();
        let (sender, lines) = mpsc::channel(1);
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            while wants.recv().is_ok() {
                let line = one_line(&mut stdin);
                let is_end = line.is_none();
                if sender.blocking_send(line).is_err() || is_end {
                    return;
                }
            }
        });
        Lines { wanted, lines, asked: false }
    }

    async fn next(&mut self) -> Option<String> {
        if !self.asked {
            self.asked = true;
            let _ = self.wanted.send(());
        }
        let line = self.lines.recv().await.flatten();
        self.asked = false;
        line
    }
}

/// One line, at most as long as a prompt may be; what is not UTF-8 is replaced.
fn one_line(stdin: &mut impl BufRead) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    match stdin.take(limits::PROMPT_BYTES).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_prompt_unless_it_is_a_command() {
        assert_eq!(read_line(" hi there \n"), Line::Prompt("hi there".to_owned()));
        assert_eq!(read_line("/etc/hosts is odd"), Line::Prompt("/etc/hosts is odd".to_owned()));
        assert_eq!(read_line("/resume 2"), Line::Resume("2".to_owned()));
        assert_eq!(read_line("/exit"), Line::Exit);
        assert_eq!(read_line("/rest"), Line::Unknown("/rest".to_owned()));
        assert_eq!(read_line("\n"), Line::Nothing);
    }
}
