//! The chat in memory for unit tests: keys as text, events by hand, the screen as a person would see it.

use super::state::{Chat, Wish};
use super::style::Colours;
use super::terminal::inline::{Inline, Narrowing, Size};
use super::{Facts, Options, Surroundings, Tokens};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tah_agent::approval::ApproveMode;
use tah_agent::card::{Card, CardLine, Insistence, Scope};
use tah_agent::event::{EndReason, Event};
use tah_agent::host::Command;
use tah_agent::id::{ApprovalId, CallId, SessionId, TurnId};
use tah_agent::session::store::SessionStore;
use tah_agent::tool::Vision;
use tah_os::process::Launcher;

/// A chat and its screen.
pub struct Stage {
    pub chat: Chat,
    inline: Inline<vt100::Parser>,
    pub folder: tempfile::TempDir,
}

struct Known;

impl Facts for Known {
    fn models(&self) -> Vec<String> {
        vec!["alpha".to_owned(), "beta".to_owned()]
    }

    fn servers(&self) -> Vec<String> {
        vec!["files ready · 14 tools".to_owned(), "web starting".to_owned()]
    }

    fn browser(&self) -> Option<String> {
        Some("closed".to_owned())
    }

    fn sandbox(&self) -> Option<String> {
        Some("landlock".to_owned())
    }

    fn cost(&self, _: &str, tokens: Tokens) -> Option<f64> {
        Some(tokens.input as f64 / 1e6)
    }
}

impl Stage {
    /// An 80×24 screen with a session.
    pub fn new() -> Self {
        Self::sized(80, 24)
    }

    pub fn sized(columns: u16, rows: u16) -> Self {
        let mut stage = Self::before_the_session(columns, rows);
        stage.chat.event(session("abcd2345", 0));
        stage.screen();
        stage
    }

    pub fn before_the_session(columns: u16, rows: u16) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let cells = |count| NonZeroU16::new(count).expect("cells");
        let parser = vt100::Parser::new(cells(rows), cells(columns), 10_000);
        let inline = Inline::new(parser, Size { columns, rows }, Colours::On, Narrowing::Cuts);
        let options = Options {
            cwd: folder.path().to_owned(),
            home: None,
            store: SessionStore::beneath(&folder.path().join(".tah")),
            sources: Vec::new(),
            mode: ApproveMode::Ask,
            vision: Vision::On,
            facts: Arc::new(Known),
            launcher: Launcher::None,
            surroundings: Surroundings::default(),
            first_prompt: None,
        };
        let chat = Chat::new(options, usize::from(columns), usize::from(rows), Instant::now());
        Stage { chat, inline, folder }
    }

    /// Draws and gives the screen.
    pub fn screen(&mut self) -> String {
        self.chat.tick();
        let finished = std::mem::take(&mut self.chat.out);
        let live = self.chat.frame();
        self.inline.draw(&finished, &live).expect("memory can be written");
        self.chat.drawn();
        let screen = self.inline.writer().screen();
        let (row, column) = screen.cursor_position();
        let (rows, columns) = screen.size();
        assert!(row < rows.get() && column < columns.get());
        screen.contents()
    }

    /// The screen below a line of it.
    pub fn screen_after(&mut self, mark: &str) -> String {
        let screen = self.screen();
        screen.split_once(mark).map_or(screen.clone(), |(_, rest)| rest.trim_start_matches('\n').to_owned())
    }

    pub fn cursor(&mut self) -> (u16, u16) {
        self.screen();
        self.inline.writer().screen().cursor_position()
    }

    /// The character in front of the cursor.
    pub fn before_cursor(&mut self) -> String {
        let (row, column) = self.cursor();
        let screen = self.inline.writer().screen();
        let cell =
            |column| screen.cell(row, column).map(|cell| cell.contents().to_owned()).unwrap_or_default();
        match cell(column.saturating_sub(1)) {
            // Behind a wide character its own cell is two back.
            text if text.is_empty() => cell(column.saturating_sub(2)),
            text => text,
        }
    }

    /// Types: letters as they are, `<Enter>`, `<Esc>`, `<C-c>`, `<A-f>`, … as keys.
    pub fn keys(&mut self, text: &str) -> &mut Self {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let named = (c == '<').then(|| rest.find('>')).flatten();
            let key = match named {
                Some(end) => {
                    let name = &rest[1..end];
                    rest = &rest[end + 1..];
                    key_of(name)
                }
                None => {
                    rest = &rest[c.len_utf8()..];
                    KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
                }
            };
            self.chat.key(key);
        }
        self
    }

    pub fn pass(&mut self, time: Duration) -> &mut Self {
        self.chat.now += time;
        self
    }

    pub fn event(&mut self, event: Event) -> &mut Self {
        self.chat.event(event);
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.event(Event::Text { text: text.to_owned() })
    }

    /// A turn begins: what the host says to a prompt.
    pub fn begin(&mut self, prompt: &str) -> &mut Self {
        self.keys(prompt).keys("<Enter>");
        self.take_commands();
        self.event(Event::User { turn: TurnId::new("t"), text: prompt.to_owned(), images: 0 })
    }

    pub fn end(&mut self, reason: EndReason) -> &mut Self {
        self.event(Event::ReplyEnd { calls: 0 });
        self.event(Event::TurnEnd { reason, steps: 1 })
    }

    pub fn card(&mut self, id: &str, card: Card) -> &mut Self {
        let event = Event::Approval {
            id: ApprovalId::new(id),
            call_id: CallId::new(format!("call-{id}")),
            tool: "shell".to_owned(),
            card,
        };
        self.event(event)
    }

    /// Draws the open card and waits until it takes keys.
    pub fn armed(&mut self) -> &mut Self {
        self.screen();
        self.pass(super::limits::CARD_ARM);
        self.screen();
        self
    }

    pub fn take_commands(&mut self) -> Vec<Command> {
        self.chat.commands.drain(..).collect()
    }

    /// The commands for the host, written for people.
    pub fn said(&mut self) -> String {
        let commands: Vec<String> =
            self.take_commands().iter().map(|command| format!("{command:?}")).collect();
        commands.join("\n")
    }

    pub fn wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.chat.wishes)
    }
}

pub fn session(id: &str, messages: usize) -> Event {
    Event::Session {
        id: SessionId::new(id),
        path: None,
        model: "alpha".to_owned(),
        cwd: "/home/me/project".to_owned(),
        messages,
    }
}

pub fn command_card(command: &str) -> Card {
    Card {
        title: "Run command".to_owned(),
        lines: vec![CardLine::Command(command.to_owned())],
        always: Some(Scope::Prefix { name: "shell".to_owned(), prefixes: vec!["git status".to_owned()] }),
        insistence: Insistence::Normal,
    }
}

fn key_of(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut name = name;
    while let Some((first, rest)) =
        name.split_once('-').filter(|(first, rest)| first.len() == 1 && !rest.is_empty())
    {
        modifiers |= match first {
            "C" => KeyModifiers::CONTROL,
            "A" => KeyModifiers::ALT,
            _ => KeyModifiers::SHIFT,
        };
        name = rest;
    }
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "BS" => KeyCode::Backspace,
        other => KeyCode::Char(other.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}
