//! Every editing key does what its row says, and every row has its line here.

use super::*;
use crate::chat::editor::history::History;

/// Name, modifiers and code of the key, the text before with `|` as the caret, the text after.
const CASES: &[(&str, &str, &str)] = &[
    ("Backspace", "ab|c", "a|c"),
    ("Ctrl+H", "你好|c", "你|c"),
    ("Delete", "a|bc", "a|c"),
    ("Left", "你好|", "你|好"),
    ("Ctrl+B", "ab|", "a|b"),
    ("Right", "|你好", "你|好"),
    ("Ctrl+F", "|ab", "a|b"),
    ("Ctrl+Left", "one two|", "one |two"),
    ("Alt+Left", "one two|", "one |two"),
    ("Alt+B", "one two|", "one |two"),
    ("Ctrl+Right", "|one two", "one| two"),
    ("Alt+Right", "|one two", "one| two"),
    ("Alt+F", "|one two", "one| two"),
    ("Home", "x\nab|c", "x\n|abc"),
    ("Ctrl+A", "x\nab|c", "x\n|abc"),
    ("End", "|abc\nx", "abc|\nx"),
    ("Ctrl+E", "|abc\nx", "abc|\nx"),
    ("Ctrl+Home", "a\nb|", "|a\nb"),
    ("Ctrl+End", "|a\nb", "a\nb|"),
    ("Ctrl+W", "one two|", "one |"),
    ("Alt+Backspace", "one two|", "one |"),
    ("Ctrl+Backspace", "one two|", "one |"),
    ("Alt+D", "|one two", "| two"),
    ("Ctrl+K", "a|bc\nx", "a|\nx"),
    ("Ctrl+U", "x\nab|c", "x\n|c"),
    ("Ctrl+Y", "ab|", "ab|"),
    ("Ctrl+_", "ab|", "|"),
    ("Ctrl+/", "ab|", "|"),
    ("Alt+_", "ab|", "ab|"),
    ("Alt+Enter", "a|b", "a\n|b"),
    ("Shift+Enter", "a|b", "a\n|b"),
    ("Ctrl+J", "a|b", "a\n|b"),
    ("Up", "ab\nc|d", "a|b\ncd"),
    ("Down", "a|b\ncd", "ab\nc|d"),
    ("Ctrl+P", "ab|", "earlier|"),
    ("Ctrl+N", "ab|", "ab|"),
];

fn editor(marked: &str) -> Editor {
    let mut history = History::load(None);
    history.add("earlier");
    let mut editor = Editor::new(history);
    let caret = marked.find('|').expect("a caret");
    editor.buffer.insert(&marked.replace('|', ""));
    editor.buffer.go_to(caret);
    editor
}

fn marked(editor: &Editor) -> String {
    let (before, after) = editor.buffer.around();
    format!("{before}|{after}")
}

#[test]
fn every_key_does_what_its_row_says() {
    for row in KEYS {
        let case = CASES.iter().find(|(name, ..)| *name == row.name);
        let (name, before, after) = case.unwrap_or_else(|| panic!("{} has no case", row.name));
        let mut editor = editor(before);
        assert_eq!(editor.key(KeyEvent::new(row.code, row.modifiers)), Taken::Yes);
        assert_eq!(&marked(&editor), after, "{name}: {}", row.does);
    }
}

#[test]
fn letters_are_written_and_other_keys_left_to_the_chat() {
    let mut editor = editor("|");
    for letter in "Aé你".chars() {
        editor.key(KeyEvent::new(KeyCode::Char(letter), SHIFT));
    }
    assert_eq!(editor.text(), "Aé你");
    assert_eq!(editor.key(KeyEvent::new(KeyCode::Char('x'), CTRL)), Taken::No);
    assert_eq!(editor.key(KeyEvent::new(KeyCode::F(1), NONE)), Taken::No);
}

#[test]
fn a_folded_paste_is_deleted_as_a_whole() {
    let mut editor = editor("see |");
    editor.paste(&"x\n".repeat(50));
    assert!(editor.text().ends_with("[paste 1: 50 lines]"));
    editor.key(KeyEvent::new(KeyCode::Backspace, NONE));
    assert_eq!(editor.text(), "see ");
}
