//! A tool call: `⏺ name  summary` with a spinner, the time and the last lines of its output while it runs, with
//! its result when it has ended.

use crate::chat::limits;
use crate::chat::style::{self, span};
use crate::chat::wrap;
use ansi_to_tui::IntoText;
use ratatui::text::{Line, Span};
use std::time::Instant;
use tah_agent::id::CallId;
use tah_os::text::{Keep, Sanitiser, sanitise};

/// A call that runs.
pub struct Call {
    pub id: CallId,
    tool: String,
    summary: String,
    since: Instant,
    output: String,
    left_out: bool,
    sanitiser: Sanitiser,
}

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The spinner's picture after some time.
pub fn spinner(since: Instant, now: Instant) -> &'static str {
    let step = now.duration_since(since).as_millis() / limits::SPIN.as_millis();
    SPINNER[usize::try_from(step % 10).unwrap_or(0)]
}

/// Time in a few letters.
pub fn elapsed(ms: u64) -> String {
    match ms {
        0..100 => format!("{ms} ms"),
        100..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{} s", ms / 1000),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// Time in whole seconds, so that a line that shows it does not change with every frame.
pub fn whole_seconds(seconds: u64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

impl Call {
    pub fn new(id: CallId, tool: &str, summary: &str, since: Instant) -> Self {
        let one_line = |text: &str| wrap::expand_tabs(&sanitise(text, Keep::Text)).replace('\n', " ");
        Call {
            id,
            tool: one_line(tool),
            summary: one_line(summary),
            since,
            output: String::new(),
            left_out: false,
            sanitiser: Sanitiser::new(Keep::Colours),
        }
    }

    /// Takes live output; only its end is kept.
    pub fn output(&mut self, chunk: &str) {
        let clean = self.sanitiser.push(chunk);
        self.output.push_str(&clean);
        if self.output.len() > 2 * limits::OUTPUT_BYTES {
            let mut from = self.output.len() - limits::OUTPUT_BYTES;
            while !self.output.is_char_boundary(from) {
                from += 1;
            }
            self.output.drain(..from);
            self.left_out = true;
        }
    }

    /// How it looks while it runs.
    pub fn running(&self, now: Instant, columns: usize) -> Vec<Line<'static>> {
        let ms = u64::try_from(now.duration_since(self.since).as_millis()).unwrap_or(0);
        let time = if ms < 1000 { String::new() } else { format!("  {}", whole_seconds(ms / 1000)) };
        let mut lines =
            vec![self.head(span(spinner(self.since, now), style::ACCENT), span(time, style::DIM), columns)];
        lines.extend(self.tail(columns));
        lines
    }

    fn head(&self, mark: Span<'static>, end: Span<'static>, columns: usize) -> Line<'static> {
        let used = 2 + wrap::width(&self.tool) + 2 + wrap::width(&end.content);
        let summary = wrap::fit(&self.summary, columns.saturating_sub(used).max(8));
        let spans = vec![
            mark,
            span(" ", style::PLAIN),
            span(self.tool.clone(), style::BOLD),
            span("  ", style::PLAIN),
            span(summary, style::PLAIN),
            end,
        ];
        wrap::fit_line(Line::from(spans), columns)
    }

    /// The last lines of the output.
    fn tail(&self, columns: usize) -> Vec<Line<'static>> {
        let text = self.output.trim_end();
        if text.is_empty() {
            return Vec::new();
        }
        let all: Vec<&str> = text.lines().collect();
        let kept = &all[all.len().saturating_sub(limits::OUTPUT_ROWS)..];
        let hidden = all.len() - kept.len();
        let mut lines = Vec::new();
        if hidden > 0 {
            let least = if self.left_out { "more than " } else { "" };
            lines.push(style::line(format!("  │ … {least}{hidden} lines above"), style::DIM));
        }
        for line in kept {
            let mut spans = vec![span("  │ ", style::DIM)];
            spans.extend(coloured(line));
            lines.push(wrap::fit_line(Line::from(spans), columns));
        }
        lines
    }
}

/// A line of command output with the colours it came with, dimmed where it has none.
pub fn coloured(line: &str) -> Vec<Span<'static>> {
    let line = wrap::expand_tabs(line);
    if !line.contains('\u{1b}') {
        return vec![span(line, style::DIM)];
    }
    match line.into_text() {
        Ok(text) => {
            text.lines.into_iter().flat_map(|line| line.spans).map(|s| span(s.content, s.style)).collect()
        }
        Err(_) => vec![span(sanitise(&line, Keep::Text), style::DIM)],
    }
}

/// A call that has ended, as it stays in the scrollback.
pub fn finished(call: &Call, ok: bool, result: &str, ms: u64, columns: usize) -> Vec<Line<'static>> {
    let (mark, look) = if ok { ("✓", style::GOOD) } else { ("✗", style::BAD) };
    let result = wrap::expand_tabs(&sanitise(result, Keep::Text));
    let mut parts = result.lines();
    let first = parts.next().unwrap_or("").trim_end().to_owned();
    let time = format!("  {}", elapsed(ms));
    let bullet = span("⏺", look);
    let one_line =
        2 + wrap::width(&call.tool) + 2 + wrap::width(&call.summary) + 3 + wrap::width(&first) + time.len();
    let mut lines = Vec::new();
    if one_line <= columns && parts.clone().next().is_none() {
        let mut line = call.head(bullet, span("", style::PLAIN), columns);
        line.spans.extend([span(format!(" {mark} "), look), span(first, style::DIM), span(time, style::DIM)]);
        lines.push(line);
        lines.extend(call.tail(columns));
        return lines;
    }
    lines.push(call.head(bullet, span(time, style::DIM), columns));
    lines.extend(call.tail(columns));
    let hang = Line::from("    ");
    lines.extend(wrap::wrap(
        &style::line(first, style::DIM),
        columns,
        &style::line(format!("  {mark} "), look),
        &hang,
    ));
    for line in parts.take(limits::OUTPUT_ROWS) {
        lines.extend(wrap::wrap(&style::line(line, style::DIM), columns, &hang, &hang));
    }
    lines
}

/// A call of an earlier run: its result in one line.
pub fn recalled(call: &Call, ok: bool, result: &str, columns: usize) -> Line<'static> {
    let (mark, look) = if ok { ("✓", style::GOOD) } else { ("✗", style::BAD) };
    let mut line = call.head(span("⏺", look), span("", style::PLAIN), columns);
    line.spans.extend([
        span(format!("{mark} "), look),
        span(sanitise(result, Keep::Text).replace('\n', " "), style::DIM),
    ]);
    wrap::fit_line(line, columns)
}

#[cfg(test)]
mod tests;
