//! Everything the chat knows. A plain value: keys and events go in ([`super::keys`], [`super::events`]), finished
//! lines, commands for the host and wishes to the loop come out, and [`super::frame`] lays it out.

use super::editor::Editor;
use super::editor::history::History;
use super::markdown::stream::Stream;
use super::mention::Files;
use super::style::{self, span};
use super::widgets::card::OpenCard;
use super::widgets::menu::Menu;
use super::widgets::tool_line::Call;
use super::{Options, Tokens};
use crate::chat::wrap;
use ratatui::text::Line;
use std::collections::VecDeque;
use std::time::Instant;
use tah_agent::approval::ApproveMode;
use tah_agent::event::{EndReason, TodoItem};
use tah_agent::host::Command;
use tah_agent::message::Image;
use tah_os::text::{Keep, sanitise};

/// A message as it is sent, and as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    pub shown: String,
    pub text: String,
    pub images: Vec<Image>,
}

/// Whether a turn runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    Idle,
    Running(Instant),
    /// A summary of what is behind is being written.
    Summarising(Instant),
    /// Told to stop; its end is on the way.
    Stopping(Instant),
    /// Ended where it can go on: an empty Enter continues.
    Paused(EndReason),
}

/// What only the loop can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Tell the user something if the terminal isn't looked at.
    Notify(String),
    /// Put a text into the clipboard.
    Copy(String),
    /// Open the editor program with the text at hand.
    OpenEditor,
    /// Stop as Ctrl+Z does.
    Suspend,
    /// Run the user's own shell line.
    Shell(String),
    StopShell,
    /// Walk the folder for `@`.
    Walk,
    /// Look up the messages of the session that was entered.
    Recall(String),
    /// Draw everything anew.
    Redraw,
    Exit,
}

/// What the status line tells.
#[derive(Clone, Debug, Default)]
pub struct Status {
    pub model: String,
    pub session: String,
    pub path: Option<String>,
    /// Tokens of the last request: what is in the context now.
    pub context: u64,
    pub window: Option<u64>,
    pub spent: Tokens,
    pub cost: Option<f64>,
}

/// Whether thoughts stay in the scrollback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoughts {
    Folded,
    Unfolded,
}

/// A thought while it streams.
pub struct Thought {
    pub text: String,
    pub since: Instant,
}

/// A shell line of the user's that runs.
pub struct ShellRun {
    pub line: String,
    pub since: Instant,
}

/// The chat.
pub struct Chat {
    pub options: Options,
    pub columns: usize,
    pub rows: usize,
    pub now: Instant,
    pub turn: Turn,
    pub mode: ApproveMode,
    pub stream: Stream,
    pub thought: Option<Thought>,
    pub last_thought: Option<(String, u64)>,
    pub thoughts: Thoughts,
    pub calls: Vec<Call>,
    pub cards: VecDeque<OpenCard>,
    pub editor: Editor,
    pub menu: Option<Menu>,
    /// Files for `@`, once they were walked.
    pub files: Files,
    /// Messages typed while a turn ran.
    pub queue: VecDeque<Prompt>,
    /// How messages that were sent are shown once the host takes them.
    pub sent: VecDeque<String>,
    pub pictures: Vec<Image>,
    /// Shell results that go with the next message.
    pub shell_results: Vec<String>,
    pub shell: Option<ShellRun>,
    pub status: Status,
    pub todo: Vec<TodoItem>,
    pub last_reply: String,
    /// The prompts of this session, for `/rewind`.
    pub prompts: Vec<String>,
    pub exit_asked: Option<Instant>,
    pub hint: Option<String>,
    pub out: Vec<Line<'static>>,
    pub commands: VecDeque<Command>,
    pub wishes: Vec<Wish>,
    /// The session the first `session` event named has been announced.
    pub greeted: Option<String>,
}

impl Chat {
    pub fn new(options: Options, columns: usize, rows: usize, now: Instant) -> Self {
        let history = History::load(options.home.clone());
        Chat {
            mode: options.mode,
            options,
            columns,
            rows,
            now,
            turn: Turn::Idle,
            stream: Stream::default(),
            thought: None,
            last_thought: None,
            thoughts: Thoughts::Folded,
            calls: Vec::new(),
            cards: VecDeque::new(),
            editor: Editor::new(history),
            menu: None,
            files: Files::default(),
            queue: VecDeque::new(),
            sent: VecDeque::new(),
            pictures: Vec::new(),
            shell_results: Vec::new(),
            shell: None,
            status: Status::default(),
            todo: Vec::new(),
            last_reply: String::new(),
            prompts: Vec::new(),
            exit_asked: None,
            hint: None,
            out: Vec::new(),
            commands: VecDeque::new(),
            wishes: Vec::new(),
            greeted: None,
        }
    }

    /// Whether a turn is under way.
    pub fn is_busy(&self) -> bool {
        matches!(self.turn, Turn::Running(_) | Turn::Summarising(_) | Turn::Stopping(_))
    }

    /// Prints a finished line.
    pub fn print(&mut self, line: Line<'static>) {
        self.out.push(line);
    }

    /// Prints text, made safe and broken to the width.
    pub fn say(&mut self, text: &str, style: ratatui::style::Style) {
        let text = wrap::expand_tabs(&sanitise(text, Keep::Text));
        for line in text.lines() {
            self.out.extend(wrap::wrap_plain(&style::line(line, style), self.columns));
        }
    }

    /// Prints something tah itself says, set off from what the model says.
    pub fn note(&mut self, text: &str) {
        let text = wrap::expand_tabs(&sanitise(text, Keep::Text));
        for (index, line) in text.lines().enumerate() {
            let first = if index == 0 { span("· ", style::ACCENT) } else { span("  ", style::PLAIN) };
            let line = style::line(line, style::DIM);
            self.out.extend(wrap::wrap(&line, self.columns, &Line::from(first), &Line::from("  ")));
        }
    }

    /// Prints what went wrong.
    pub fn warn(&mut self, text: &str) {
        let text = wrap::expand_tabs(&sanitise(text, Keep::Text));
        for line in text.lines() {
            let line = style::line(line, style::WARN);
            self.out.extend(wrap::wrap(
                &line,
                self.columns,
                &style::line("! ", style::WARN),
                &Line::from("  "),
            ));
        }
    }

    /// A blank line, for air.
    pub fn gap(&mut self) {
        self.out.push(Line::default());
    }

    /// Sends a message, or queues it while a turn runs.
    pub fn submit(&mut self, prompt: Prompt) {
        if self.is_busy() {
            self.queue.push_back(prompt);
        } else {
            self.send(prompt);
        }
    }

    pub fn send(&mut self, prompt: Prompt) {
        self.sent.push_back(prompt.shown.clone());
        self.prompts.push(prompt.shown);
        self.turn = Turn::Running(self.now);
        self.commands.push_back(Command::Send { text: prompt.text, images: prompt.images });
    }

    /// Goes on after a step limit or an error.
    pub fn go_on(&mut self) {
        self.turn = Turn::Running(self.now);
        self.commands.push_back(Command::Continue);
    }

    /// Stops the running turn; messages that wait come back to the editor.
    pub fn stop(&mut self) {
        if let Turn::Running(since) | Turn::Summarising(since) = self.turn {
            self.turn = Turn::Stopping(since);
            self.commands.push_back(Command::Cancel);
        }
        self.unqueue();
    }

    /// Messages that wait, back into the editor.
    pub fn unqueue(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        let mut texts: Vec<String> = Vec::new();
        for prompt in self.queue.drain(..) {
            texts.push(prompt.shown);
            self.pictures.extend(prompt.images);
        }
        if !self.editor.is_empty() {
            texts.push(self.editor.text().to_owned());
        }
        self.editor.set(&texts.join("\n"));
    }

    pub fn wish(&mut self, wish: Wish) {
        self.wishes.push(wish);
    }
}
