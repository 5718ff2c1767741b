//! What keys do in the editor, as a table: the key, its name for people, what it does.

use super::Editor;
use super::buffer::{Reach, Way};
use super::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Yes,
    No,
}

/// One row of the table.
pub struct Binding {
    pub modifiers: KeyModifiers,
    pub code: KeyCode,
    /// As it is written in help.
    pub name: &'static str,
    pub does: &'static str,
    act: fn(&mut Editor),
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

macro_rules! keys {
    ($($modifiers:ident $code:expr, $name:literal, $does:literal, $act:expr;)*) => {
        &[$(Binding { modifiers: $modifiers, code: $code, name: $name, does: $does, act: $act }),*]
    };
}

/// Every editing key.
pub const KEYS: &[Binding] = keys! {
    NONE KeyCode::Backspace, "Backspace", "delete back", |e| delete_back(e);
    CTRL KeyCode::Char('h'), "Ctrl+H", "delete back", |e| delete_back(e);
    NONE KeyCode::Delete, "Delete", "delete ahead", |e| e.buffer.delete(Way::Ahead, Reach::Grapheme);
    NONE KeyCode::Left, "Left", "back", |e| e.buffer.go(Way::Back, Reach::Grapheme);
    CTRL KeyCode::Char('b'), "Ctrl+B", "back", |e| e.buffer.go(Way::Back, Reach::Grapheme);
    NONE KeyCode::Right, "Right", "ahead", |e| e.buffer.go(Way::Ahead, Reach::Grapheme);
    CTRL KeyCode::Char('f'), "Ctrl+F", "ahead", |e| e.buffer.go(Way::Ahead, Reach::Grapheme);
    CTRL KeyCode::Left, "Ctrl+Left", "back a word", |e| e.buffer.go(Way::Back, Reach::Word);
    ALT KeyCode::Left, "Alt+Left", "back a word", |e| e.buffer.go(Way::Back, Reach::Word);
    ALT KeyCode::Char('b'), "Alt+B", "back a word", |e| e.buffer.go(Way::Back, Reach::Word);
    CTRL KeyCode::Right, "Ctrl+Right", "ahead a word", |e| e.buffer.go(Way::Ahead, Reach::Word);
    ALT KeyCode::Right, "Alt+Right", "ahead a word", |e| e.buffer.go(Way::Ahead, Reach::Word);
    ALT KeyCode::Char('f'), "Alt+F", "ahead a word", |e| e.buffer.go(Way::Ahead, Reach::Word);
    NONE KeyCode::Home, "Home", "to the line's beginning", |e| e.buffer.go(Way::Back, Reach::Line);
    CTRL KeyCode::Char('a'), "Ctrl+A", "to the line's beginning", |e| e.buffer.go(Way::Back, Reach::Line);
    NONE KeyCode::End, "End", "to the line's end", |e| e.buffer.go(Way::Ahead, Reach::Line);
    CTRL KeyCode::Char('e'), "Ctrl+E", "to the line's end", |e| e.buffer.go(Way::Ahead, Reach::Line);
    CTRL KeyCode::Home, "Ctrl+Home", "to the text's beginning", |e| e.buffer.go(Way::Back, Reach::Text);
    CTRL KeyCode::End, "Ctrl+End", "to the text's end", |e| e.buffer.go(Way::Ahead, Reach::Text);
    CTRL KeyCode::Char('w'), "Ctrl+W", "delete the word before", |e| e.buffer.delete(Way::Back, Reach::Word);
    ALT KeyCode::Backspace, "Alt+Backspace", "delete the word before", |e| e.buffer.delete(Way::Back, Reach::Word);
    CTRL KeyCode::Backspace, "Ctrl+Backspace", "delete the word before", |e| e.buffer.delete(Way::Back, Reach::Word);
    ALT KeyCode::Char('d'), "Alt+D", "delete the word after", |e| e.buffer.delete(Way::Ahead, Reach::Word);
    CTRL KeyCode::Char('k'), "Ctrl+K", "delete to the line's end", |e| e.buffer.delete(Way::Ahead, Reach::Line);
    CTRL KeyCode::Char('u'), "Ctrl+U", "delete to the line's beginning", |e| e.buffer.delete(Way::Back, Reach::Line);
    CTRL KeyCode::Char('y'), "Ctrl+Y", "put back what was deleted", |e| e.buffer.yank();
    CTRL KeyCode::Char('_'), "Ctrl+_", "undo", |e| e.buffer.undo();
    CTRL KeyCode::Char('7'), "Ctrl+/", "undo", |e| e.buffer.undo();
    CTRL KeyCode::Char('/'), "Ctrl+/", "undo", |e| e.buffer.undo();
    ALT KeyCode::Char('_'), "Alt+_", "redo", |e| e.buffer.redo();
    ALT KeyCode::Enter, "Alt+Enter", "new line", |e| e.buffer.insert("\n");
    SHIFT KeyCode::Enter, "Shift+Enter", "new line", |e| e.buffer.insert("\n");
    CTRL KeyCode::Char('j'), "Ctrl+J", "new line", |e| e.buffer.insert("\n");
    NONE KeyCode::Up, "Up", "up, or an earlier prompt", |e| up(e);
    NONE KeyCode::Down, "Down", "down, or a later prompt", |e| down(e);
    CTRL KeyCode::Char('p'), "Ctrl+P", "an earlier prompt", |e| e.older();
    CTRL KeyCode::Char('n'), "Ctrl+N", "a later prompt", |e| e.newer();
};

impl Editor {
    /// Does what the key says; other keys that write a character write it.
    pub fn key(&mut self, key: KeyEvent) -> Taken {
        let found = KEYS.iter().find(|row| row.code == key.code && row.modifiers == key.modifiers);
        if let Some(row) = found {
            (row.act)(self);
            return Taken::Yes;
        }
        match key.code {
            KeyCode::Char(c) if !key.modifiers.intersects(CTRL | ALT) && !c.is_control() => {
                self.buffer.insert(c.encode_utf8(&mut [0; 4]));
                Taken::Yes
            }
            _ => Taken::No,
        }
    }
}

fn delete_back(editor: &mut Editor) {
    let (before, _) = editor.buffer.around();
    match editor.pastes.tag_before(before).map(str::len) {
        Some(length) => {
            let caret = editor.buffer.caret();
            editor.buffer.cut(caret - length..caret);
        }
        None => editor.buffer.delete(Way::Back, Reach::Grapheme),
    }
}

fn up(editor: &mut Editor) {
    let rows = view::rows(editor.text(), editor.columns);
    let (row, column) = view::place(editor.text(), &rows, editor.buffer.caret());
    match row.checked_sub(1) {
        Some(above) => {
            let to = view::caret_at(editor.text(), &rows[above], column);
            editor.buffer.go_to(to);
        }
        None => editor.older(),
    }
}

fn down(editor: &mut Editor) {
    let rows = view::rows(editor.text(), editor.columns);
    let (row, column) = view::place(editor.text(), &rows, editor.buffer.caret());
    match rows.get(row + 1) {
        Some(below) => {
            let to = view::caret_at(editor.text(), below, column);
            editor.buffer.go_to(to);
        }
        None => editor.newer(),
    }
}

#[cfg(test)]
mod tests;
