//! How the editor looks: rows broken at the cell where they are full, and the cell the caret is in (U2, U3).

use super::Editor;
use crate::chat::limits;
use crate::chat::style::{self, span};
use crate::chat::wrap;
use ratatui::text::Line;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Columns of the mark in front of the text.
pub const MARK: usize = 2;

/// The rows of a text as byte ranges; a line end belongs to no row.
pub fn rows(text: &str, columns: usize) -> Vec<Range<usize>> {
    let columns = columns.max(2);
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let mut from = start;
        let mut used = 0;
        for (at, grapheme) in line.grapheme_indices(true) {
            let wide = wrap::width(grapheme);
            if used + wide > columns {
                rows.push(from..start + at);
                from = start + at;
                used = 0;
            }
            used += wide;
        }
        rows.push(from..start + line.len());
        start += line.len() + 1;
    }
    rows
}

/// The row and column of a caret.
pub fn place(text: &str, rows: &[Range<usize>], caret: usize) -> (usize, usize) {
    let row = rows.iter().rposition(|row| row.start <= caret).unwrap_or(0);
    let range = rows.get(row).cloned().unwrap_or(0..0);
    (row, wrap::width(&text[range.start..caret.min(range.end).max(range.start)]))
}

/// The caret at a column of a row, or at the row's end.
pub fn caret_at(text: &str, row: &Range<usize>, column: usize) -> usize {
    let mut used = 0;
    for (at, grapheme) in text[row.clone()].grapheme_indices(true) {
        let wide = wrap::width(grapheme);
        if used + wide > column {
            return row.start + at;
        }
        used += wide;
    }
    row.end
}

/// The rows to draw and the caret in them.
pub fn draw(editor: &mut Editor, columns: usize, hint: &str) -> (Vec<Line<'static>>, (usize, usize)) {
    // One column stays free, so that the caret has a cell behind a full row.
    editor.columns = columns.saturating_sub(MARK + 1).max(2);
    let text = editor.buffer.text();
    let rows = rows(text, editor.columns);
    let (row, column) = place(text, &rows, editor.buffer.caret());
    let first = (row + 1).saturating_sub(limits::EDITOR_ROWS);
    let last = rows.len().min(first + limits::EDITOR_ROWS);
    let mut lines = Vec::new();
    for (index, range) in rows.iter().enumerate().take(last).skip(first) {
        let mark = match index {
            0 => "› ",
            _ if index == first => "↑ ",
            _ if index + 1 == last && last < rows.len() => "↓ ",
            _ => "  ",
        };
        let body = wrap::expand_tabs(&text[range.clone()]);
        lines.push(Line::from(vec![span(mark, style::ACCENT), span(body, style::PLAIN)]));
    }
    if text.is_empty() {
        let room = columns.saturating_sub(MARK + 1);
        lines = vec![Line::from(vec![span("› ", style::ACCENT), span(wrap::fit(hint, room), style::DIM)])];
    }
    (lines, (row - first, column + MARK))
}

#[cfg(test)]
mod tests;
