//! Caret moves and changes.

use super::*;

fn at(text: &str, caret: usize) -> Buffer {
    let mut buffer = Buffer::default();
    buffer.insert(text);
    buffer.go_to(caret);
    buffer
}

#[test]
fn u2_an_insert_in_the_middle_of_wide_text_keeps_the_rest() {
    let mut buffer = at("你好世界abcdef", "你好世界".len());
    buffer.insert("，");
    assert_eq!(buffer.text(), "你好世界，abcdef");
    assert_eq!(buffer.around().0, "你好世界，");
}

#[test]
fn u2_the_caret_moves_by_graphemes() {
    let mut buffer = at("a👨‍👩‍👧🇨🇳e\u{301}", 0);
    let mut stops = Vec::new();
    for _ in 0..5 {
        stops.push(buffer.caret());
        buffer.go(Way::Ahead, Reach::Grapheme);
    }
    assert_eq!(stops, [0, 1, 19, 27, 30]);
    for _ in 0..3 {
        buffer.delete(Way::Back, Reach::Grapheme);
    }
    assert_eq!(buffer.text(), "a");
}

#[test]
fn a_combining_mark_typed_later_joins_what_is_before() {
    let mut buffer = at("e", 1);
    buffer.insert("\u{301}");
    assert_eq!(buffer.caret(), buffer.text().len());
    buffer.go(Way::Back, Reach::Grapheme);
    assert_eq!(buffer.caret(), 0);
}

#[test]
fn words_and_lines() {
    let mut buffer = at("one two, three\nfour", 14);
    buffer.go(Way::Back, Reach::Word);
    assert_eq!(buffer.caret(), 9);
    buffer.go(Way::Back, Reach::Word);
    assert_eq!(buffer.caret(), 4);
    buffer.go(Way::Ahead, Reach::Line);
    assert_eq!(buffer.caret(), 14);
    buffer.delete(Way::Ahead, Reach::Line);
    assert_eq!(buffer.text(), "one two, threefour", "at the line's end the line end goes");
    buffer.delete(Way::Back, Reach::Word);
    assert_eq!(buffer.text(), "one two, four");
    buffer.yank();
    assert_eq!(buffer.text(), "one two, threefour");
    buffer.go(Way::Back, Reach::Text);
    assert_eq!(buffer.caret(), 0);
}

#[test]
fn undo_takes_typed_words_together_and_redo_brings_them_back() {
    let mut buffer = Buffer::default();
    for letter in ["h", "i", " ", "y", "o", "u"] {
        buffer.insert(letter);
    }
    buffer.undo();
    assert_eq!(buffer.text(), "hi ");
    buffer.undo();
    buffer.undo();
    assert_eq!(buffer.text(), "");
    buffer.redo();
    assert_eq!(buffer.text(), "hi");
    buffer.insert("!");
    buffer.redo();
    assert_eq!(buffer.text(), "hi!", "a change ends what could be redone");
}
