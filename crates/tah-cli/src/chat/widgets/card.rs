//! The approval card: what will run or change, exactly, and the keys that answer (U5, U8).
//!
//! A card takes keys only after it has been seen for a moment without a key: what was typed before it appeared is
//! meant for the editor. Esc and Ctrl+C, which only deny, work at once.

use super::diff;
use crate::chat::editor::buffer::Buffer;
use crate::chat::limits;
use crate::chat::style::{self, span};
use crate::chat::wrap;
use ratatui::text::Line;
use std::time::Instant;
use tah_agent::card::{Answer, Card, CardLine};
use tah_agent::id::{ApprovalId, CallId};
use tah_os::text::{Keep, sanitise};

/// Whether keys answer it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arming {
    /// Not drawn yet.
    Unseen,
    /// On the screen; since when without a key.
    Seen(Instant),
    Armed,
}

/// A card that waits for its answer.
pub struct OpenCard {
    pub id: ApprovalId,
    pub call_id: CallId,
    pub tool: String,
    pub card: Card,
    pub arming: Arming,
    /// The reason being written, after `e`.
    pub reason: Option<Buffer>,
    /// First row shown of a body that is higher than the screen.
    pub scroll: usize,
}

impl OpenCard {
    pub fn new(id: ApprovalId, call_id: CallId, tool: String, card: Card) -> Self {
        OpenCard { id, call_id, tool, card, arming: Arming::Unseen, reason: None, scroll: 0 }
    }

    /// The moment it will take keys.
    pub fn arms_at(&self) -> Option<Instant> {
        match self.arming {
            Arming::Seen(since) => Some(since + limits::CARD_ARM),
            Arming::Unseen | Arming::Armed => None,
        }
    }
}

/// A card's rows and the caret, at most `room` rows high.
pub fn draw(
    open: &mut OpenCard,
    others: usize,
    columns: usize,
    room: usize,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let bar = style::line("┃ ", style::WARN);
    let inner = columns.saturating_sub(2).max(4);
    let mut rows = vec![head(open, others, inner)];
    let keys = keys(open, inner);
    let body = body(&open.card, inner);
    let space = room.saturating_sub(rows.len() + keys.len() + 1).max(1);
    if body.len() > space {
        let space = space.saturating_sub(1).max(1);
        open.scroll = open.scroll.min(body.len() - space);
        let below = body.len() - space - open.scroll;
        rows.extend(body.into_iter().skip(open.scroll).take(space));
        let text = format!("… {} lines above, {below} below (↑ ↓ PgUp PgDn)", open.scroll);
        rows.push(style::line(wrap::fit(&text, inner), style::DIM));
    } else {
        open.scroll = 0;
        rows.extend(body);
    }
    let caret = caret(open, &keys, rows.len(), inner);
    rows.extend(keys);
    let lines = rows
        .into_iter()
        .map(|row| {
            let mut spans = bar.spans.clone();
            spans.iter_mut().for_each(|span| span.style = style::WARN);
            spans.extend(row.spans.into_iter().map(|span| span.patch_style(row.style)));
            Line::from(spans)
        })
        .collect();
    (lines, caret)
}

fn caret(open: &OpenCard, keys: &[Line<'static>], above: usize, inner: usize) -> Option<(usize, usize)> {
    if open.arming != Arming::Armed {
        return None;
    }
    let last = keys.last().map_or(0, wrap::line_width).min(inner.saturating_sub(1));
    Some((above + keys.len().saturating_sub(1), 2 + last))
}

fn head(open: &OpenCard, others: usize, inner: usize) -> Line<'static> {
    let title = sanitise(&open.card.title, Keep::Exact).replace('\n', "␊");
    let mut spans = vec![span(title, style::BOLD)];
    for line in &open.card.lines {
        if let CardLine::Diff(diff) = line {
            spans.push(span(format!("  {}", diff::counts_for_people(diff)), style::DIM));
        }
    }
    if others > 0 {
        spans.push(span(format!("  ({others} more after this)"), style::DIM));
    }
    wrap::fit_line(Line::from(spans), inner)
}

/// Everything that will run or change; nothing is left out, what is too high is scrolled.
fn body(card: &Card, inner: usize) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for line in &card.lines {
        let (mark, text, look) = match line {
            CardLine::Command(text) => ("$ ", text, style::BOLD),
            CardLine::Path(text) => ("", text, style::ACCENT),
            CardLine::Url(text) => ("", text, style::LINK),
            CardLine::Text(text) => ("", text, style::PLAIN),
            CardLine::Diff(text) => {
                rows.extend(diff::lines(&sanitise(text, Keep::Exact), inner));
                continue;
            }
        };
        let text = wrap::expand_tabs(&sanitise(text, Keep::Exact));
        let rest = Line::from(" ".repeat(mark.len()));
        for (index, part) in text.split('\n').enumerate() {
            let first = if index == 0 { style::line(mark, style::DIM) } else { rest.clone() };
            rows.extend(wrap::wrap(&style::line(part, look), inner, &first, &rest));
        }
    }
    rows
}

fn keys(open: &OpenCard, inner: usize) -> Vec<Line<'static>> {
    if let Some(reason) = &open.reason {
        let text = format!("why not? {}", reason.text());
        let mut rows = wrap::wrap_plain(&style::line(wrap::expand_tabs(&text), style::PLAIN), inner);
        rows.insert(
            0,
            style::line(wrap::fit("Enter denies with this reason, Esc goes back", inner), style::DIM),
        );
        return rows;
    }
    let mut words = vec![("y", "yes".to_owned())];
    if let Some(scope) = &open.card.always {
        let scope = sanitise(&scope.to_string(), Keep::Exact).into_owned();
        words.push(("a", format!("always: {scope}")));
    }
    words.push(("n", "no".to_owned()));
    words.push(("e", "no, and say why".to_owned()));
    let armed = open.arming == Arming::Armed;
    let mut line = Line::default();
    for (index, (key, text)) in words.into_iter().enumerate() {
        if index > 0 {
            line.spans.push(span(" · ", style::DIM));
        }
        line.spans.push(span(key, if armed { style::CHOSEN } else { style::DIM }));
        line.spans.push(span(format!(" {text}"), if armed { style::PLAIN } else { style::DIM }));
    }
    line.spans.push(span(if armed { " ?" } else { " …" }, style::DIM));
    wrap::wrap_plain(&line, inner)
}

/// What stays in the scrollback of an answered card: its title, a diff, and the answer.
pub fn answered(open: &OpenCard, answer: &Answer, columns: usize, most: usize) -> Vec<Line<'static>> {
    let title = sanitise(&open.card.title, Keep::Exact).replace('\n', "␊");
    let (mark, look, word) = match answer {
        Answer::Yes => ("✓", style::GOOD, "yes".to_owned()),
        Answer::Always => {
            let scope = open.card.always.as_ref().map(ToString::to_string).unwrap_or_default();
            ("✓", style::GOOD, format!("always: {}", sanitise(&scope, Keep::Exact)))
        }
        Answer::No { reason: None } => ("✗", style::BAD, "no".to_owned()),
        Answer::No { reason: Some(reason) } => {
            ("✗", style::BAD, format!("no: {}", sanitise(reason, Keep::Text)))
        }
    };
    let mut lines = Vec::new();
    let inner = columns.saturating_sub(2).max(4);
    for line in &open.card.lines {
        if let (CardLine::Diff(diff), Answer::Yes | Answer::Always) = (line, answer) {
            let all = diff::lines(&sanitise(diff, Keep::Exact), inner);
            let more = all.len().saturating_sub(most);
            let kept = all.into_iter().take(most).map(|mut line| {
                line.spans.insert(0, span("  ", style::PLAIN));
                line
            });
            lines.extend(kept);
            if more > 0 {
                lines.push(style::line(format!("  … {more} more lines of this change"), style::DIM));
            }
        }
    }
    let line = Line::from(vec![
        span(title, style::DIM),
        span(format!(" — {}", word.replace('\n', " ")), style::DIM),
    ]);
    lines.extend(wrap::wrap(&line, columns, &style::line(format!("  {mark} "), look), &Line::from("    ")));
    lines
}

#[cfg(test)]
mod tests;
