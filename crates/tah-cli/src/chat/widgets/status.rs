//! The status line: model, context, cost, approval, browser, sandbox, session. What matters most is first, since a
//! narrow terminal cuts the end.

use crate::chat::state::{Chat, Status};
use crate::chat::style::{self, span};
use crate::chat::wrap;
use ratatui::text::Line;
use tah_agent::approval::ApproveMode;

/// `12.3k` for people.
pub fn count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

fn context(status: &Status) -> Option<String> {
    if status.context == 0 {
        return None;
    }
    let used = count(status.context);
    Some(match status.window.filter(|&window| window > 0) {
        Some(window) => format!("{used} tokens ({} %)", status.context * 100 / window),
        None => format!("{used} tokens"),
    })
}

/// The approval mode in a word.
pub fn mode(mode: ApproveMode) -> &'static str {
    match mode {
        ApproveMode::Ask => "ask",
        ApproveMode::Yes => "yes to all",
        ApproveMode::Unattended => "deny",
    }
}

/// The line.
pub fn draw(chat: &Chat, columns: usize) -> Line<'static> {
    let status = &chat.status;
    let mut spans = vec![span(status.model.clone(), style::DIM)];
    let mut add = |text: String, look| {
        spans.push(span(" · ", style::DIM));
        spans.push(span(text, look));
    };
    if let Some(text) = context(status) {
        add(text, style::DIM);
    }
    if let Some(cost) = status.cost {
        add(format!("${cost:.3}"), style::DIM);
    }
    let look = if chat.mode == ApproveMode::Yes { style::WARN } else { style::DIM };
    add(format!("approve: {}", mode(chat.mode)), look);
    if let Some(browser) = chat.options.facts.browser() {
        add(format!("browser: {browser}"), style::DIM);
    }
    if let Some(sandbox) = chat.options.facts.sandbox() {
        add(format!("sandbox: {sandbox}"), style::DIM);
    }
    if !status.session.is_empty() {
        add(status.session.clone(), style::DIM);
    }
    wrap::fit_line(Line::from(spans), columns.saturating_sub(1))
}
