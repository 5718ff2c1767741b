//! A list to choose from, filtered by what is typed: slash commands, files, sessions, models, earlier prompts.

use crate::chat::limits;
use crate::chat::style::{self, span};
use crate::chat::wrap;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::text::Line;
use tah_os::text::{Keep, sanitise};

/// What is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Commands; the filter is the editor's text.
    Slash,
    /// Files for the `@` at this byte of the editor's text.
    Mention(usize),
    Sessions,
    Models,
    Rewind,
    History,
    Approve,
}

impl Kind {
    /// Menus of the editor's own text leave the keys to the editor; the others take them.
    pub fn follows_editor(self) -> bool {
        matches!(self, Kind::Slash | Kind::Mention(_))
    }

    fn title(self) -> &'static str {
        match self {
            Kind::Slash | Kind::Mention(_) => "",
            Kind::Sessions => "resume which session?",
            Kind::Models => "which model?",
            Kind::Rewind => "go back to before which message?",
            Kind::History => "earlier messages",
            Kind::Approve => "how should calls be approved?",
        }
    }
}

/// One line to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub label: String,
    pub detail: String,
    /// What choosing it means.
    pub value: String,
}

impl Item {
    pub fn new(label: &str, detail: &str, value: impl Into<String>) -> Self {
        let clean = |text: &str| wrap::expand_tabs(&sanitise(text, Keep::Text)).replace('\n', " ");
        Item { label: clean(label), detail: clean(detail), value: value.into() }
    }
}

/// An open menu.
pub struct Menu {
    pub kind: Kind,
    pub items: Vec<Item>,
    pub filter: String,
    /// Indexes of the items that match, best first.
    pub shown: Vec<usize>,
    pub chosen: usize,
}

impl Menu {
    pub fn new(kind: Kind, items: Vec<Item>) -> Self {
        let mut menu = Menu { kind, items, filter: String::new(), shown: Vec::new(), chosen: 0 };
        menu.filter(String::new());
        menu
    }

    /// Filters anew; the best match is chosen.
    pub fn filter(&mut self, filter: String) {
        let labels = self.items.iter().map(|item| item.label.as_str());
        self.shown = best(labels, &filter, usize::MAX);
        self.filter = filter;
        self.chosen = 0;
    }

    pub fn chosen(&self) -> Option<&Item> {
        self.shown.get(self.chosen).and_then(|&index| self.items.get(index))
    }

    pub fn up(&mut self) {
        self.chosen = self.chosen.checked_sub(1).unwrap_or(self.shown.len().saturating_sub(1));
    }

    pub fn down(&mut self) {
        self.chosen = if self.chosen + 1 < self.shown.len() { self.chosen + 1 } else { 0 };
    }

    /// Its rows, and the caret where it has a filter of its own.
    pub fn draw(&self, columns: usize) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        let mut lines = Vec::new();
        let mut caret = None;
        if !self.kind.follows_editor() {
            let head = vec![
                span(self.kind.title(), style::BOLD),
                span(" ", style::PLAIN),
                span(self.filter.clone(), style::ACCENT),
            ];
            let head = wrap::fit_line(Line::from(head), columns.saturating_sub(1));
            caret = Some((0, wrap::line_width(&head)));
            lines.push(head);
        }
        let first = (self.chosen + 1).saturating_sub(limits::MENU_ROWS);
        let seen: Vec<&Item> = self
            .shown
            .iter()
            .skip(first)
            .take(limits::MENU_ROWS)
            .filter_map(|&i| self.items.get(i))
            .collect();
        let wide = seen.iter().map(|item| wrap::width(&item.label)).max().unwrap_or(0).min(columns * 2 / 3);
        for (index, item) in seen.iter().enumerate() {
            let is_chosen = first + index == self.chosen;
            let look = if is_chosen { style::CHOSEN } else { style::PLAIN };
            let label = wrap::fit(&item.label, columns.saturating_sub(3));
            let pad = " ".repeat(wide.saturating_sub(wrap::width(&label)));
            let spans = vec![
                span(if is_chosen { "▸ " } else { "  " }, style::CHOSEN),
                span(label, look),
                span(format!("{pad}  {}", item.detail), style::DIM),
            ];
            lines.push(wrap::fit_line(Line::from(spans), columns));
        }
        let more = self.shown.len().saturating_sub(first + seen.len());
        if self.shown.is_empty() {
            lines.push(style::line("  nothing fits", style::DIM));
        } else if more > 0 {
            lines.push(style::line(format!("  … {more} more"), style::DIM));
        }
        (lines, caret)
    }
}

/// The indexes of the candidates that match, best first; in their order without a pattern.
pub fn best<'a>(candidates: impl Iterator<Item = &'a str>, pattern: &str, most: usize) -> Vec<usize> {
    if pattern.is_empty() {
        return (0..candidates.count().min(most)).collect();
    }
    let pattern = Pattern::parse(pattern, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut room = Vec::new();
    let mut scored: Vec<(u32, usize, usize)> = candidates
        .enumerate()
        .filter_map(|(index, text)| {
            let score = pattern.score(Utf32Str::new(text, &mut room), &mut matcher)?;
            Some((score, text.len(), index))
        })
        .collect();
    let order = |a: &(u32, usize, usize), b: &(u32, usize, usize)| {
        b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2))
    };
    if scored.len() > most {
        scored.select_nth_unstable_by(most, order);
        scored.truncate(most);
    }
    scored.sort_by(order);
    scored.into_iter().map(|(_, _, index)| index).collect()
}

#[cfg(test)]
mod tests;
