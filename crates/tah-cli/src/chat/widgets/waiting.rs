//! What waits or is under way: the working line, thoughts while they stream, queued messages, the plan.

use super::tool_line::{spinner, whole_seconds};
use crate::chat::state::{Chat, Turn};
use crate::chat::style::{self, span};
use crate::chat::wrap;
use ratatui::text::Line;
use tah_agent::event::{TodoItem, TodoState};
use tah_os::text::{Keep, sanitise};

/// The line that says tah works, and how to stop it.
pub fn working(chat: &Chat, columns: usize) -> Option<Line<'static>> {
    let (since, word, end) = match (chat.turn, &chat.shell) {
        (Turn::Running(since), _) => (since, "working", "Esc stops"),
        (Turn::Summarising(since), _) => (since, "summarising", "Esc stops"),
        (Turn::Stopping(since), _) => (since, "stopping", ""),
        (_, Some(run)) => (run.since, "running", "Esc stops"),
        _ => return None,
    };
    let seconds = chat.now.duration_since(since).as_secs();
    let mut text = format!(" {word} {}", whole_seconds(seconds));
    if let (Some(run), false) = (&chat.shell, chat.is_busy()) {
        text.push_str(&format!(" · ! {}", sanitise(&run.line, Keep::Text)));
    }
    if !end.is_empty() {
        text.push_str(&format!(" · {end}"));
    }
    if let Some(item) = chat.todo.iter().find(|item| item.state == TodoState::InProgress) {
        text.push_str(&format!(" · {}", sanitise(&item.text, Keep::Text)));
    }
    let text = text.replace('\n', " ");
    Some(wrap::fit_line(
        Line::from(vec![span(spinner(since, chat.now), style::ACCENT), span(text, style::DIM)]),
        columns,
    ))
}

/// The last `most` rows of a thought.
pub fn thought(text: &str, columns: usize, most: usize) -> Vec<Line<'static>> {
    let mut from = text.len().saturating_sub(columns * most * 4);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let look = style::DIM.patch(style::ITALIC);
    let mut lines = Vec::new();
    for line in text[from..].trim().lines().filter(|line| !line.trim().is_empty()) {
        let line = style::line(wrap::expand_tabs(line), look);
        lines.extend(wrap::wrap(&line, columns, &style::line("∴ ", style::DIM), &Line::from("  ")));
    }
    lines.split_off(lines.len().saturating_sub(most))
}

/// Messages that are sent when the turn ends.
pub fn queued(chat: &Chat, columns: usize) -> Vec<Line<'static>> {
    let row = |text: &str| {
        let text = sanitise(text, Keep::Text).replace('\n', " ");
        style::line(wrap::fit(&format!("  next: {text}"), columns), style::DIM)
    };
    let mut lines: Vec<Line<'static>> = chat.queue.iter().map(|prompt| row(&prompt.shown)).collect();
    if lines.len() > 3 {
        let more = lines.len() - 2;
        lines.truncate(2);
        lines.push(style::line(format!("  … and {more} more"), style::DIM));
    }
    if !chat.shell_results.is_empty() {
        let count = chat.shell_results.len();
        let word = if count == 1 { "result" } else { "results" };
        let text = format!("  {count} shell {word} will go with your next message");
        lines.push(style::line(wrap::fit(&text, columns), style::DIM));
    }
    for picture in &chat.pictures {
        let text = format!("  picture: {}", sanitise(&picture.label, Keep::Text));
        lines.push(style::line(wrap::fit(&text, columns), style::DIM));
    }
    lines
}

/// The plan, an item a line.
pub fn plan(items: &[TodoItem], columns: usize) -> Vec<Line<'static>> {
    items
        .iter()
        .flat_map(|item| {
            let (mark, look) = match item.state {
                TodoState::Pending => ("☐ ", style::PLAIN),
                TodoState::InProgress => ("▸ ", style::CHOSEN),
                TodoState::Done => ("☑ ", style::DIM),
            };
            let text = wrap::expand_tabs(&sanitise(&item.text, Keep::Text)).replace('\n', " ");
            wrap::wrap(&style::line(text, look), columns, &style::line(mark, look), &Line::from("  "))
        })
        .collect()
}
