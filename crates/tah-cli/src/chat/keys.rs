//! What keys do: first the card, then an open menu, then the keys of the chat itself (a table), then the editor.

use super::commands;
use super::editor::keys::Taken;
use super::limits;
use super::state::{Chat, Prompt, Thoughts, Turn, Wish};
use super::widgets::card::Arming;
use super::widgets::menu::{Item, Kind, Menu};
use super::{mention, outside};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tah_agent::card::Answer;
use tah_agent::host::Command;

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

/// One key of the chat itself.
pub struct Binding {
    pub modifiers: KeyModifiers,
    pub code: KeyCode,
    pub name: &'static str,
    pub does: &'static str,
    act: fn(&mut Chat) -> Taken,
}

/// The keys that are not editing.
pub const KEYS: &[Binding] = &[
    Binding {
        modifiers: NONE,
        code: KeyCode::Enter,
        name: "Enter",
        does: "send; while a turn runs, queue",
        act: enter,
    },
    Binding {
        modifiers: NONE,
        code: KeyCode::Tab,
        name: "Tab",
        does: "complete a command or a file",
        act: tab,
    },
    Binding {
        modifiers: NONE,
        code: KeyCode::Esc,
        name: "Esc",
        does: "stop the turn; at a card, deny this call",
        act: escape,
    },
    Binding {
        modifiers: CTRL,
        code: KeyCode::Char('c'),
        name: "Ctrl+C",
        does: "stop the turn; clear the line; twice, exit",
        act: interrupt,
    },
    Binding {
        modifiers: CTRL,
        code: KeyCode::Char('d'),
        name: "Ctrl+D",
        does: "exit on an empty line",
        act: end_of_input,
    },
    Binding {
        modifiers: CTRL,
        code: KeyCode::Char('r'),
        name: "Ctrl+R",
        does: "search earlier messages",
        act: search_history,
    },
    Binding {
        modifiers: CTRL,
        code: KeyCode::Char('t'),
        name: "Ctrl+T",
        does: "show or fold what the model thinks",
        act: fold_thoughts,
    },
    Binding {
        modifiers: CTRL,
        code: KeyCode::Char('g'),
        name: "Ctrl+G",
        does: "write in $EDITOR",
        act: open_editor,
    },
    Binding { modifiers: CTRL, code: KeyCode::Char('l'), name: "Ctrl+L", does: "draw anew", act: redraw },
    Binding { modifiers: CTRL, code: KeyCode::Char('z'), name: "Ctrl+Z", does: "suspend", act: suspend },
    Binding {
        modifiers: NONE,
        code: KeyCode::Up,
        name: "Up",
        does: "take a queued message back, else as in the editor",
        act: take_back,
    },
];

impl Chat {
    /// Takes one key.
    pub fn key(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        let is_interrupt = key.code == KeyCode::Char('c') && key.modifiers == CTRL;
        if !is_interrupt {
            self.exit_asked = None;
        }
        // A hint is about the key before; the next one takes it away.
        self.hint = None;
        if !self.cards.is_empty() && self.card_key(key) == Taken::Yes {
            return;
        }
        if self.menu.is_some() && self.menu_key(key) == Taken::Yes {
            return;
        }
        let row = KEYS.iter().find(|row| row.code == key.code && row.modifiers == key.modifiers);
        if row.is_some_and(|row| (row.act)(self) == Taken::Yes) {
            return;
        }
        if self.editor.key(key) == Taken::Yes {
            self.follow_editor();
        }
    }

    /// Takes a paste: into the editor, a picture's path as a picture.
    pub fn paste(&mut self, text: &str) {
        if let Some(open) = self.cards.front_mut() {
            if let Arming::Seen(since) = &mut open.arming {
                *since = self.now;
            }
            if let Some(reason) = &mut open.reason {
                reason.insert(&super::editor::paste::clean(text).replace('\n', " "));
                return;
            }
        }
        if let Some(menu) = self.menu.as_mut().filter(|menu| !menu.kind.follows_editor()) {
            let filter = format!("{}{}", menu.filter, super::editor::paste::clean(text).replace('\n', " "));
            menu.filter(filter);
            return;
        }
        match outside::picture(text, &self.options.cwd, self.options.vision) {
            outside::Pasted::Picture(image) => self.pictures.push(image),
            outside::Pasted::Refused(why) => {
                self.hint = Some(why);
                self.editor.paste(text);
            }
            outside::Pasted::Text => self.editor.paste(text),
        }
        self.follow_editor();
    }

    fn card_key(&mut self, key: KeyEvent) -> Taken {
        let now = self.now;
        let Some(open) = self.cards.front_mut() else { return Taken::No };
        let plain = key.modifiers.difference(KeyModifiers::SHIFT) == NONE;
        if key.code == KeyCode::Char('c') && key.modifiers == CTRL {
            self.deny_all();
            return Taken::Yes;
        }
        if open.reason.is_some() {
            return self.reason_key(key);
        }
        if key.code == KeyCode::Esc {
            self.answer(Answer::No { reason: None });
            return Taken::Yes;
        }
        if open.arming != Arming::Armed {
            // U5: what is typed before the card can be read is meant for the editor.
            if let Arming::Seen(since) = &mut open.arming {
                *since = now;
            }
            return Taken::No;
        }
        match key.code {
            KeyCode::Char('y') if plain => self.answer(Answer::Yes),
            KeyCode::Char('a') if plain && open.card.always.is_some() => self.answer(Answer::Always),
            KeyCode::Char('n') if plain => self.answer(Answer::No { reason: None }),
            KeyCode::Char('e') if plain => open.reason = Some(Default::default()),
            KeyCode::Up => open.scroll = open.scroll.saturating_sub(1),
            KeyCode::Down => open.scroll += 1,
            KeyCode::PageUp => open.scroll = open.scroll.saturating_sub(10),
            KeyCode::PageDown => open.scroll += 10,
            KeyCode::Char('l' | 'z') if key.modifiers == CTRL => return Taken::No,
            _ => {}
        }
        Taken::Yes
    }

    fn reason_key(&mut self, key: KeyEvent) -> Taken {
        use super::editor::buffer::{Reach, Way};
        let Some(reason) = self.cards.front_mut().and_then(|open| open.reason.as_mut()) else {
            return Taken::No;
        };
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => {
                if let Some(open) = self.cards.front_mut() {
                    open.reason = None;
                }
            }
            (KeyCode::Enter, _) => {
                let text = reason.text().trim().to_owned();
                self.answer(Answer::No { reason: (!text.is_empty()).then_some(text) });
            }
            (KeyCode::Backspace, NONE) => reason.delete(Way::Back, Reach::Grapheme),
            (KeyCode::Char('w'), CTRL) => reason.delete(Way::Back, Reach::Word),
            (KeyCode::Char('u'), CTRL) => reason.delete(Way::Back, Reach::Text),
            (KeyCode::Char(c), modifiers) if !modifiers.intersects(CTRL | KeyModifiers::ALT) => {
                reason.insert(c.encode_utf8(&mut [0; 4]));
            }
            _ => {}
        }
        Taken::Yes
    }

    fn answer(&mut self, answer: Answer) {
        if let Some(open) = self.cards.front() {
            self.commands.push_back(Command::Answer { id: open.id.clone(), answer: answer.clone() });
        }
        // Shown as answered at once: the next key is for the next card, and not twice for this one.
        if let Some(open) = self.cards.pop_front() {
            let lines = super::widgets::card::answered(&open, &answer, self.columns, limits::DIFF_KEPT_LINES);
            self.out.extend(lines);
        }
    }

    /// Ctrl+C at a card: every card is denied and the turn stops.
    fn deny_all(&mut self) {
        while !self.cards.is_empty() {
            self.answer(Answer::No { reason: None });
        }
        self.stop();
    }

    fn menu_key(&mut self, key: KeyEvent) -> Taken {
        let Some(menu) = self.menu.as_mut() else { return Taken::No };
        let follows = menu.kind.follows_editor();
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => self.menu = None,
            (KeyCode::Char('c'), CTRL) if !follows => self.menu = None,
            (KeyCode::Up, NONE) | (KeyCode::Char('p'), CTRL) => menu.up(),
            (KeyCode::Down, NONE) | (KeyCode::Char('n'), CTRL) => menu.down(),
            (KeyCode::Char('r'), CTRL) if menu.kind == Kind::History => menu.down(),
            (KeyCode::Enter, NONE) if menu.chosen().is_some() => return self.choose(),
            (KeyCode::Tab, NONE) if menu.chosen().is_some() => self.complete(),
            (KeyCode::Enter | KeyCode::Tab, NONE) => return if follows { Taken::No } else { Taken::Yes },
            _ if follows => return Taken::No,
            (KeyCode::Backspace, _) => {
                let mut filter = menu.filter.clone();
                filter.pop();
                menu.filter(filter);
            }
            (KeyCode::Char(c), modifiers) if !modifiers.intersects(CTRL | KeyModifiers::ALT) => {
                let filter = format!("{}{c}", menu.filter);
                menu.filter(filter);
            }
            _ => {}
        }
        Taken::Yes
    }

    /// Enter on a choice.
    fn choose(&mut self) -> Taken {
        let Some(menu) = self.menu.take() else { return Taken::No };
        let Some(item) = menu.chosen().cloned() else { return Taken::No };
        match menu.kind {
            Kind::Slash => {
                // A command that wants more is completed, any other is run.
                let wants_more = commands::find(&item.value).is_some_and(|row| row.needs_argument());
                self.editor.set(&format!("/{}{}", item.value, if wants_more { " " } else { "" }));
                if !wants_more {
                    enter(self);
                }
            }
            Kind::Mention(from) => mention::insert(self, from, &item),
            Kind::History => self.editor.set(&item.value),
            Kind::Sessions | Kind::Models | Kind::Rewind | Kind::Approve => {
                commands::chosen(self, menu.kind, &item.value);
            }
        }
        Taken::Yes
    }

    /// Tab on a choice: writes it and goes on.
    fn complete(&mut self) {
        match self.menu.as_ref().map(|menu| menu.kind) {
            Some(Kind::Slash) => {
                let value = self.menu.as_ref().and_then(Menu::chosen).map(|item| item.value.clone());
                if let Some(value) = value {
                    self.editor.set(&format!("/{value} "));
                }
                self.follow_editor();
            }
            _ => {
                self.choose();
            }
        }
    }

    /// Opens, filters or closes the menus that belong to what stands in the editor.
    pub fn follow_editor(&mut self) {
        if self.menu.as_ref().is_some_and(|menu| !menu.kind.follows_editor()) {
            return;
        }
        let text = self.editor.text();
        let (before, _) = self.editor.buffer.around();
        if text.starts_with('/') && !text.contains(char::is_whitespace) {
            let filter = text[1..].to_owned();
            let mut menu = match self.menu.take() {
                Some(menu) if menu.kind == Kind::Slash => menu,
                _ => Menu::new(Kind::Slash, commands::items()),
            };
            menu.filter(filter);
            self.menu = (!menu.shown.is_empty()).then_some(menu);
        } else if let Some(from) = mention::start(before) {
            mention::follow(self, from);
        } else {
            self.menu = None;
        }
    }
}

fn enter(chat: &mut Chat) -> Taken {
    let (before, _) = chat.editor.buffer.around();
    if before.ends_with('\\') {
        // A backslash at the end asks for another line, as in a shell.
        let caret = chat.editor.buffer.caret();
        chat.editor.buffer.cut(caret - 1..caret);
        chat.editor.buffer.insert("\n");
        return Taken::Yes;
    }
    chat.menu = None;
    if chat.editor.text().trim().is_empty() && chat.pictures.is_empty() {
        if matches!(chat.turn, Turn::Paused(_)) && chat.editor.is_empty() {
            chat.go_on();
        }
        return Taken::Yes;
    }
    let shown = chat.editor.text().trim_end().to_owned();
    let text = chat.editor.take().trim_end().to_owned();
    if let Some(line) = text.strip_prefix('!') {
        chat.run_shell(line.trim());
    } else if let Some(rest) = commands::as_command(&text) {
        commands::run(chat, rest);
    } else {
        let prompt = Prompt {
            text: chat.with_shell_results(&text),
            shown,
            images: std::mem::take(&mut chat.pictures),
        };
        chat.submit(prompt);
    }
    Taken::Yes
}

fn tab(_chat: &mut Chat) -> Taken {
    Taken::Yes
}

fn escape(chat: &mut Chat) -> Taken {
    if chat.shell.is_some() {
        chat.wish(Wish::StopShell);
    } else if chat.is_busy() {
        chat.stop();
    } else if !chat.pictures.is_empty() {
        chat.pictures.pop();
    }
    Taken::Yes
}

fn interrupt(chat: &mut Chat) -> Taken {
    if chat.shell.is_some() {
        chat.wish(Wish::StopShell);
    } else if matches!(chat.turn, Turn::Running(_) | Turn::Summarising(_)) {
        chat.stop();
    } else if !chat.editor.is_empty() || !chat.pictures.is_empty() {
        chat.editor.set("");
        chat.pictures.clear();
        chat.menu = None;
    } else if chat.exit_asked.is_some() {
        chat.wish(Wish::Exit);
    } else {
        chat.exit_asked = Some(chat.now);
        chat.hint = Some("Ctrl+C again ends tah".to_owned());
    }
    Taken::Yes
}

fn end_of_input(chat: &mut Chat) -> Taken {
    if chat.editor.is_empty() {
        chat.wish(Wish::Exit);
    } else {
        use super::editor::buffer::{Reach, Way};
        chat.editor.buffer.delete(Way::Ahead, Reach::Grapheme);
        chat.follow_editor();
    }
    Taken::Yes
}

fn search_history(chat: &mut Chat) -> Taken {
    let prompts = chat.editor.history.newest_first();
    let items = prompts.into_iter().map(|prompt| Item::new(&prompt, "", prompt.clone())).collect();
    chat.menu = Some(Menu::new(Kind::History, items));
    Taken::Yes
}

fn fold_thoughts(chat: &mut Chat) -> Taken {
    match chat.thoughts {
        Thoughts::Folded => {
            chat.thoughts = Thoughts::Unfolded;
            // What streams is in the live area; a finished one that was folded is shown now.
            if chat.thought.is_none()
                && let Some((text, seconds)) = chat.last_thought.clone()
            {
                chat.print_thought(&text, seconds);
            }
            chat.hint = Some("thoughts are shown whole from here on (Ctrl+T folds them)".to_owned());
        }
        Thoughts::Unfolded => {
            chat.thoughts = Thoughts::Folded;
            chat.hint = Some("thoughts are folded from here on (Ctrl+T shows them)".to_owned());
        }
    }
    Taken::Yes
}

fn open_editor(chat: &mut Chat) -> Taken {
    chat.wish(Wish::OpenEditor);
    Taken::Yes
}

fn redraw(chat: &mut Chat) -> Taken {
    chat.wish(Wish::Redraw);
    Taken::Yes
}

fn suspend(chat: &mut Chat) -> Taken {
    chat.wish(Wish::Suspend);
    Taken::Yes
}

fn take_back(chat: &mut Chat) -> Taken {
    if chat.queue.is_empty() || !chat.editor.is_empty() {
        return Taken::No;
    }
    chat.unqueue();
    Taken::Yes
}

impl Chat {
    fn run_shell(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if self.shell.is_some() {
            self.hint = Some("a shell line runs already; Esc stops it".to_owned());
            return;
        }
        self.shell = Some(super::state::ShellRun { line: line.to_owned(), since: self.now });
        self.wish(Wish::Shell(line.to_owned()));
    }

    /// The message with what `!` lines gave in front.
    fn with_shell_results(&mut self, text: &str) -> String {
        let mut parts: Vec<String> = std::mem::take(&mut self.shell_results);
        parts.push(text.to_owned());
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests;
