//! The loop: waits for keys, events, signals and what runs outside, lets the state take them, and draws at most
//! thirty frames a second.

use super::frame::Changed;
use super::limits;
use super::outside::{self, ShellResult};
use super::state::{Chat, Wish};
use super::style::{self, Colours};
use super::terminal::guard::{self, Guard};
use super::terminal::inline::{Inline, Narrowing, Size};
use super::widgets::tool_line::coloured;
use super::{Options, mention, resume};
use crossterm::event::{Event as Input, EventStream};
use futures_util::StreamExt;
use ratatui::text::Line;
use std::fs::File;
use std::os::fd::AsFd;
use std::time::Instant;
use tah_agent::event::Event;
use tah_agent::host::{Command, Host};
use tah_os::text::{Keep, sanitise};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Why the chat could not run.
#[derive(Debug, thiserror::Error)]
#[error("the terminal can't be used: {0}")]
pub struct ChatError(#[from] std::io::Error);

/// How the chat ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user left.
    ByUser,
    /// By this signal.
    BySignal(i32),
}

const TERMINATE: i32 = rustix::process::Signal::TERM.as_raw();
const HANG_UP: i32 = rustix::process::Signal::HUP.as_raw();

/// One thing the loop waited for.
enum Happened {
    Input(Input),
    Outcome(Outcome),
    Event(Box<Event>),
    /// The host can take a command.
    Room,
    Suspend,
    End(Ended),
    Nothing,
}

/// What comes from outside.
enum Outcome {
    Files(Vec<String>),
    Shell(ShellResult),
}

/// Runs the chat on this process's terminal until the user leaves.
pub async fn run(host: Host, options: Options) -> Result<Ended, ChatError> {
    let guard = Guard::take()?;
    let out = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    let size = sane(columns, rows);
    let surroundings = &options.surroundings;
    let colours = match &surroundings.no_color {
        Some(value) if !value.is_empty() => Colours::Off,
        _ => Colours::On,
    };
    let narrowing = match &surroundings.xterm_version {
        Some(_) => Narrowing::Cuts,
        None if surroundings.term == "linux" || surroundings.term.starts_with("rxvt") => Narrowing::Cuts,
        None => Narrowing::Reflows,
    };
    let chat = Chat::new(options.clone(), usize::from(size.columns), usize::from(size.rows), Instant::now());
    let (outcomes, outcome) = mpsc::unbounded_channel();
    let mut program = Program {
        chat,
        host,
        guard: Some(guard),
        inline: Inline::new(out, size, colours, narrowing),
        keys: Some(EventStream::new()),
        resizing: None,
        last_frame: None,
        changed: Changed::Yes,
        focus: Focus::Here,
        outcomes,
        outcome,
        stop_shell: CancellationToken::new(),
        leaving: None,
    };
    let ended = program.go().await?;
    program.leave().await;
    Ok(ended)
}

/// Whether the user looks at the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Focus {
    Here,
    Elsewhere,
}

struct Program {
    chat: Chat,
    host: Host,
    guard: Option<Guard>,
    inline: Inline<File>,
    keys: Option<EventStream>,
    /// The size to come and when it was last changed.
    resizing: Option<(Size, Instant)>,
    last_frame: Option<Instant>,
    changed: Changed,
    focus: Focus,
    outcomes: mpsc::UnboundedSender<Outcome>,
    outcome: mpsc::UnboundedReceiver<Outcome>,
    stop_shell: CancellationToken,
    leaving: Option<Ended>,
}

struct Signals {
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
    suspend: Signal,
}

impl Program {
    async fn go(&mut self) -> Result<Ended, ChatError> {
        let mut signals = Signals {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            suspend: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
        };
        loop {
            self.step(&mut signals).await;
            self.grant().await;
            if let Some(ended) = self.leaving {
                return Ok(ended);
            }
            self.draw_if_due()?;
        }
    }

    /// Waits for one thing and takes it.
    async fn step(&mut self, signals: &mut Signals) {
        let wake = self.wake();
        let keys = &mut self.keys;
        let next_key = async {
            match keys {
                Some(stream) => stream.next().await,
                None => std::future::pending().await,
            }
        };
        let is_listening = self.chat.out.len() < limits::BACKLOG_LINES;
        let has_commands = !self.chat.commands.is_empty();
        let happened = tokio::select! {
            biased;
            input = next_key => match input {
                Some(Ok(input)) => Happened::Input(input),
                Some(Err(_)) | None => Happened::End(Ended::ByUser),
            },
            _ = signals.terminate.recv() => Happened::End(Ended::BySignal(TERMINATE)),
            _ = signals.hang_up.recv() => Happened::End(Ended::BySignal(HANG_UP)),
            _ = signals.interrupt.recv() => Happened::Input(ctrl_c()),
            _ = signals.suspend.recv() => Happened::Suspend,
            Some(outcome) = self.outcome.recv() => Happened::Outcome(outcome),
            room = self.host.commands.reserve(), if has_commands => match room {
                Ok(_) => Happened::Room,
                Err(_) => Happened::End(Ended::ByUser),
            },
            event = self.host.events.recv(), if is_listening => match event {
                Some(event) => Happened::Event(Box::new(event)),
                None => Happened::End(Ended::ByUser),
            },
            () = tokio::time::sleep_until(wake.into()) => Happened::Nothing,
        };
        self.chat.now = Instant::now();
        match happened {
            Happened::Input(input) => self.input(input),
            Happened::Outcome(outcome) => self.outcome(outcome),
            Happened::Event(event) => {
                self.chat.event(*event);
                self.changed = Changed::Yes;
            }
            Happened::Room => self.command(),
            Happened::Suspend => self.chat.wish(Wish::Suspend),
            Happened::End(ended) => self.leaving = Some(ended),
            Happened::Nothing => {}
        }
    }

    fn command(&mut self) {
        let Some(command) = self.chat.commands.pop_front() else { return };
        if let Err(mpsc::error::TrySendError::Full(command)) = self.host.commands.try_send(command) {
            self.chat.commands.push_front(command);
        }
    }

    /// When something is to be done by itself.
    fn wake(&self) -> Instant {
        let now = Instant::now();
        let far = now + std::time::Duration::from_secs(3600);
        let mut wake = far;
        if let Some((_, since)) = self.resizing {
            return since + limits::RESIZE_QUIET;
        }
        if self.changed == Changed::Yes {
            wake = wake.min(self.last_frame.map_or(now, |last| last + limits::FRAME));
        }
        if self.chat.is_busy() || self.chat.shell.is_some() {
            wake = wake.min(self.last_frame.map_or(now, |last| last + limits::SPIN));
        }
        if let Some(at) = self.chat.cards.front().and_then(super::widgets::card::OpenCard::arms_at) {
            wake = wake.min(at);
        }
        if let Some(at) = self.chat.exit_asked {
            wake = wake.min(at + limits::EXIT_AGAIN);
        }
        wake
    }

    fn draw_if_due(&mut self) -> Result<(), ChatError> {
        if let Some((size, since)) = self.resizing {
            if since.elapsed() < limits::RESIZE_QUIET {
                return Ok(());
            }
            self.resizing = None;
            self.inline.resized(size)?;
            self.chat.columns = usize::from(size.columns);
            self.chat.rows = usize::from(size.rows);
            self.changed = Changed::Yes;
        }
        let is_due = self.last_frame.is_none_or(|last| last.elapsed() >= limits::FRAME);
        if !is_due {
            return Ok(());
        }
        if self.chat.tick() == Changed::Yes {
            self.changed = Changed::Yes;
        }
        for panic in guard::take_panics() {
            self.chat.warn(&format!("something failed inside (a defect of tah): {panic}"));
            self.changed = Changed::Yes;
        }
        if self.changed == Changed::No {
            return Ok(());
        }
        self.draw()
    }

    fn draw(&mut self) -> Result<(), ChatError> {
        let finished = std::mem::take(&mut self.chat.out);
        let live = self.chat.frame();
        self.inline.draw(&finished, &live)?;
        if let Some(guard) = &self.guard {
            guard.drawn(self.inline.rows_below() + 1);
        }
        self.last_frame = Some(Instant::now());
        self.changed = Changed::No;
        self.chat.now = Instant::now();
        self.chat.drawn();
        Ok(())
    }

    fn input(&mut self, input: Input) {
        self.chat.now = Instant::now();
        self.changed = Changed::Yes;
        match input {
            Input::Key(key) => self.chat.key(key),
            Input::Paste(text) => self.chat.paste(&text),
            Input::Resize(columns, rows) => self.resizing = Some((sane(columns, rows), Instant::now())),
            Input::FocusGained => self.focus = Focus::Here,
            Input::FocusLost => self.focus = Focus::Elsewhere,
            Input::Mouse(_) => {}
        }
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.chat.now = Instant::now();
        self.changed = Changed::Yes;
        match outcome {
            Outcome::Files(paths) => mention::walked(&mut self.chat, paths),
            Outcome::Shell(result) => self.shell_ended(result),
        }
    }

    fn shell_ended(&mut self, result: ShellResult) {
        let chat = &mut self.chat;
        chat.shell = None;
        chat.gap();
        let line = sanitise(&result.line, Keep::Exact).into_owned();
        chat.print(Line::from(vec![style::span("! ", style::ACCENT), style::span(line, style::BOLD)]));
        let columns = chat.columns;
        for line in sanitise(&result.output, Keep::Colours).lines() {
            let mut spans = vec![style::span("  ", style::PLAIN)];
            spans.extend(coloured(line));
            let hang = Line::from("  ");
            chat.out.extend(super::wrap::wrap(&Line::from(spans), columns, &Line::default(), &hang));
        }
        if !result.end.is_empty() {
            chat.say(&format!("  ✗ {}", result.end), style::BAD);
        }
        let plain = sanitise(&result.output, Keep::Text).into_owned();
        let end = if result.end.is_empty() { String::new() } else { format!("\n({})", result.end) };
        chat.shell_results.push(format!(
            "I ran `{}` myself. Its output:\n\n{}{end}",
            result.line,
            plain.trim_end()
        ));
    }

    /// Does what the state can't do itself.
    async fn grant(&mut self) {
        for wish in std::mem::take(&mut self.chat.wishes) {
            self.changed = Changed::Yes;
            match wish {
                Wish::Notify(text) if self.focus == Focus::Elsewhere => self.notify(&text),
                Wish::Notify(_) => {}
                Wish::Copy(text) => self.copy(&text),
                Wish::OpenEditor => self.edit().await,
                Wish::Suspend => self.suspend(),
                Wish::Shell(line) => {
                    self.stop_shell = CancellationToken::new();
                    let (options, stop, done) =
                        (self.chat.options.clone(), self.stop_shell.clone(), self.outcomes.clone());
                    tokio::spawn(async move {
                        let _ = done.send(Outcome::Shell(outside::shell(options, line, stop).await));
                    });
                }
                Wish::StopShell => self.stop_shell.cancel(),
                Wish::Walk => {
                    let (root, done) = (self.chat.options.cwd.clone(), self.outcomes.clone());
                    tokio::task::spawn_blocking(move || {
                        let _ = done.send(Outcome::Files(mention::walk(&root)));
                    });
                }
                Wish::Recall(id) => resume::recall(&mut self.chat, &id),
                Wish::Redraw => {
                    let _ = self.inline.clear();
                }
                Wish::Exit => self.leaving = Some(Ended::ByUser),
            }
        }
    }

    fn notify(&mut self, text: &str) {
        let text: String =
            sanitise(text, Keep::Text).chars().filter(|c| !c.is_control() && *c != ';').collect();
        let program = self.chat.options.surroundings.term_program.as_str();
        let term = self.chat.options.surroundings.term.as_str();
        let message = match program {
            "iTerm.app" | "WezTerm" | "ghostty" => format!("\x1b]9;tah: {text}\x07"),
            _ if term.contains("kitty") => format!("\x1b]9;tah: {text}\x07"),
            _ if term.starts_with("rxvt") || term.starts_with("foot") => {
                format!("\x1b]777;notify;tah;{text}\x07")
            }
            // A bell is understood everywhere, and tmux passes it on.
            _ => "\x07".to_owned(),
        };
        let _ = self.inline.aside(&message);
    }

    /// Through the terminal (OSC 52), so that it works over ssh too.
    fn copy(&mut self, text: &str) {
        use base64::Engine;
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        let _ = self.inline.aside(&format!("\x1b]52;c;{data}\x07"));
    }

    async fn edit(&mut self) {
        let text = self.chat.editor.pastes.unfold(self.chat.editor.text());
        self.hand_over();
        let edited = outside::editor(self.chat.options.clone(), text).await;
        self.take_over();
        match edited {
            Ok(text) => self.chat.editor.set(&text),
            Err(why) => self.chat.warn(&why),
        }
        self.chat.follow_editor();
    }

    fn suspend(&mut self) {
        self.hand_over();
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        self.take_over();
    }

    /// Another program has the terminal from here on.
    fn hand_over(&mut self) {
        self.keys = None;
        let _ = self.inline.clear();
        if let Some(guard) = self.guard.take() {
            guard.drawn(0);
        }
    }

    fn take_over(&mut self) {
        self.guard = Guard::take().ok();
        self.keys = Some(EventStream::new());
        let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
        let size = sane(columns, rows);
        self.inline.forget();
        let _ = self.inline.resized(size);
        self.chat.columns = usize::from(size.columns);
        self.chat.rows = usize::from(size.rows);
        self.changed = Changed::Yes;
    }

    /// Prints what is left, gives the terminal back and waits for the host.
    async fn leave(&mut self) {
        self.stop_shell.cancel();
        self.keys = None;
        let chat = &mut self.chat;
        let has_said = !chat.prompts.is_empty() && chat.status.path.is_some();
        if has_said {
            let text = format!("tah chat --session {} goes on with this session", chat.status.session);
            chat.gap();
            chat.say(&text, style::DIM);
        }
        let finished = std::mem::take(&mut chat.out);
        let _ = self.inline.draw(&finished, &super::terminal::inline::Live::default());
        let _ = self.inline.clear();
        if let Some(guard) = self.guard.take() {
            guard.drawn(0);
        }
        let end = tokio::time::timeout(limits::CLOSE_GRACE, async {
            let _ = self.host.commands.send(Command::Close).await;
            while self.host.events.recv().await.is_some() {}
        });
        let _ = end.await;
    }
}

fn sane(columns: u16, rows: u16) -> Size {
    // A terminal that does not know its size says 0.
    let or = |value: u16, usual| if value == 0 { usual } else { value };
    Size { columns: or(columns, 80), rows: or(rows, 24) }
}

fn ctrl_c() -> Input {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    Input::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL))
}
