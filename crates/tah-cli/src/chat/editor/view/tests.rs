//! Rows and the caret's cell.

use super::*;
use crate::chat::editor::history::History;

fn editor(text: &str) -> Editor {
    let mut editor = Editor::new(History::load(None));
    editor.set(text);
    editor
}

fn texts(text: &str, columns: usize) -> Vec<&str> {
    rows(text, columns).into_iter().map(|row| &text[row]).collect()
}

#[test]
fn u2_a_wide_cell_never_straddles_the_edge() {
    assert_eq!(texts("你好世界abcdef", 5), ["你好", "世界a", "bcdef"]);
    assert_eq!(texts("a\n\nb", 5), ["a", "", "b"]);
    assert_eq!(texts("", 5), [""]);
}

#[test]
fn u3_the_caret_is_where_the_next_character_goes() {
    let mut editor = editor("你好ab");
    let (_, caret) = draw(&mut editor, 41, "");
    assert_eq!(caret, (0, MARK + 6));
    editor.buffer.go_to("你".len());
    assert_eq!(draw(&mut editor, 41, "").1, (0, MARK + 2));
    editor.set("one\ntwo");
    assert_eq!(draw(&mut editor, 41, "").1, (1, MARK + 3));
}

#[test]
fn a_long_text_shows_the_rows_around_the_caret() {
    let text: Vec<String> = (0..20).map(|number| format!("row {number}")).collect();
    let mut editor = editor(&text.join("\n"));
    let (lines, caret) = draw(&mut editor, 40, "");
    assert_eq!(lines.len(), limits::EDITOR_ROWS);
    assert_eq!(lines.last().unwrap().to_string(), "  row 19");
    assert_eq!(lines[0].to_string(), "↑ row 12");
    assert_eq!(caret.0, limits::EDITOR_ROWS - 1);
}

#[test]
fn up_and_down_keep_the_column_over_wide_text() {
    let text = "abcdef\n你好世";
    let all = rows(text, 40);
    assert_eq!(caret_at(text, &all[1], 3), 7 + "你".len(), "column 3 is inside 好, so before it");
    assert_eq!(caret_at(text, &all[0], 99), 6);
    assert_eq!(place(text, &all, 7 + "你".len()), (1, 2));
}
