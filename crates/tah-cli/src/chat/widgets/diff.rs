//! A unified diff: coloured, marked by its signs too, with its counts.

use crate::chat::style;
use crate::chat::wrap;
use ratatui::style::Style;
use ratatui::text::Line;

/// Lines added and taken away.
pub fn counts(diff: &str) -> (usize, usize) {
    let body =
        |sign, head| diff.lines().filter(move |line| line.starts_with(sign) && !line.starts_with(head));
    (body('+', "+++ ").count(), body('-', "--- ").count())
}

/// `+3 −1` for people.
pub fn counts_for_people(diff: &str) -> String {
    let (added, gone) = counts(diff);
    format!("+{added} −{gone}")
}

/// Its lines, each wrapped under its sign. The text is safe already.
pub fn lines(diff: &str, columns: usize) -> Vec<Line<'static>> {
    diff.lines()
        .flat_map(|line| {
            let line = wrap::expand_tabs(line);
            wrap::wrap(&style::line(line.clone(), look(&line)), columns, &Line::default(), &Line::from("  "))
        })
        .collect()
}

fn look(line: &str) -> Style {
    match line.as_bytes().first() {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => style::BOLD,
        Some(b'+') => style::GOOD,
        Some(b'-') => style::BAD,
        Some(b'@') => style::ACCENT,
        _ => style::PLAIN,
    }
}
