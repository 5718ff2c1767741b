//! Finished blocks as lines.

use super::highlight::Highlighter;
use super::table::Table;
use crate::chat::style::{self, span};
use crate::chat::wrap;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// The Markdown that models write.
pub fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// The lines of some blocks, each at most `columns` wide.
pub fn render(text: &str, columns: usize) -> Vec<Line<'static>> {
    let mut renderer = Renderer::new(columns);
    for event in Parser::new_ext(text, options()) {
        renderer.take(event);
    }
    renderer.flush();
    renderer.lines
}

/// What stands in front of the lines of a list item or a quotation.
struct Prefix {
    /// In front of the first line; taken by it.
    first: Option<Line<'static>>,
    rest: Line<'static>,
}

struct Renderer {
    columns: usize,
    lines: Vec<Line<'static>>,
    prefixes: Vec<Prefix>,
    /// The numbers of the lists we are in; `None` for bullets.
    lists: Vec<Option<u64>>,
    styles: Vec<Style>,
    /// The inline text of the block at hand.
    inline: Vec<Span<'static>>,
    code: Option<(Highlighter, String)>,
    table: Option<Table>,
    link: Option<(String, usize)>,
    /// A blank line belongs in front of the next block.
    gap: Gap,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Line,
}

impl Renderer {
    fn new(columns: usize) -> Self {
        Renderer {
            columns: columns.max(4),
            lines: Vec::new(),
            prefixes: Vec::new(),
            lists: Vec::new(),
            styles: vec![Style::new()],
            inline: Vec::new(),
            code: None,
            table: None,
            link: None,
            gap: Gap::None,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text, self.style()),
            },
            Event::Code(text) => self.push(&text, self.style().patch(style::CODE)),
            Event::Html(text) | Event::InlineHtml(text) => self.push(text.trim_end_matches('\n'), style::DIM),
            Event::SoftBreak => self.push(" ", self.style()),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.open();
                self.emit(style::line("─".repeat(self.room().min(40)), style::DIM));
                self.gap = Gap::Line;
            }
            Event::TaskListMarker(done) => self.push(if done { "☑ " } else { "☐ " }, style::PLAIN),
            Event::FootnoteReference(name) => self.push(&format!("[{name}]"), style::DIM),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, style::CODE),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.open(),
            Tag::Heading { level, .. } => {
                self.open();
                let marks = if level == HeadingLevel::H1 { Modifier::UNDERLINED } else { Modifier::empty() };
                self.styles.push(style::BOLD.add_modifier(marks));
            }
            Tag::BlockQuote(_) => {
                self.open();
                self.prefixes.push(Prefix { first: None, rest: style::line("│ ", style::DIM) });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.open();
                let language = match &kind {
                    CodeBlockKind::Fenced(name) => name.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((Highlighter::new(&language), String::new()));
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.open();
                }
                self.gap = Gap::None;
                self.lists.push(first);
            }
            Tag::Item => {
                let depth = self.lists.len();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ if depth > 1 => "◦ ".to_owned(),
                    _ => "• ".to_owned(),
                };
                let indent = " ".repeat(wrap::width(&mark));
                self.prefixes
                    .push(Prefix { first: Some(style::line(mark, style::ACCENT)), rest: Line::from(indent) });
                self.gap = Gap::None;
            }
            Tag::Table(alignments) => {
                self.open();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            Tag::TableHead => {
                self.styles.push(style::BOLD);
                self.new_row();
            }
            Tag::TableRow => self.new_row(),
            Tag::Emphasis => self.styles.push(self.style().patch(style::ITALIC)),
            Tag::Strong => self.styles.push(self.style().patch(style::BOLD)),
            Tag::Strikethrough => {
                self.styles.push(self.style().add_modifier(Modifier::CROSSED_OUT));
            }
            Tag::Link { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.inline.len()));
                self.styles.push(style::LINK);
            }
            Tag::Image { dest_url, .. } => {
                self.push("image: ", style::DIM);
                self.link = Some((dest_url.to_string(), self.inline.len()));
                self.styles.push(style::LINK);
            }
            Tag::HtmlBlock => self.open(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush();
                self.gap = Gap::Line;
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
                self.gap = Gap::Line;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefixes.pop();
                self.gap = Gap::Line;
            }
            TagEnd::CodeBlock => {
                if let Some((mut highlighter, code)) = self.code.take() {
                    for line in code.lines() {
                        let mut spans = vec![Span::raw("  ")];
                        spans.extend(highlighter.line(&wrap::expand_tabs(line)));
                        self.emit_hanging(Line::from(spans), "  ");
                    }
                }
                self.gap = Gap::Line;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.gap = if self.lists.is_empty() { Gap::Line } else { Gap::None };
            }
            TagEnd::Item => {
                self.flush();
                // An item without text still shows its mark.
                if self.prefixes.last().is_some_and(|prefix| prefix.first.is_some()) {
                    self.emit(Line::default());
                }
                self.prefixes.pop();
                self.gap = Gap::None;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    for line in table.lines(self.room()) {
                        self.emit(line);
                    }
                }
                self.gap = Gap::Line;
            }
            TagEnd::TableHead => {
                self.styles.pop();
            }
            TagEnd::TableCell => {
                let cell = Line::from(std::mem::take(&mut self.inline));
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                if let Some((url, from)) = self.link.take() {
                    let text: String =
                        self.inline.iter().skip(from).map(|span| span.content.as_ref()).collect();
                    if text != url && !url.is_empty() && url != format!("mailto:{text}") {
                        self.push(&format!(" ({url})"), style::DIM);
                    }
                }
            }
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push(&mut self, text: &str, style: Style) {
        if !text.is_empty() {
            self.inline.push(span(wrap::expand_tabs(text), style));
        }
    }

    fn new_row(&mut self) {
        if let Some(table) = &mut self.table {
            table.rows.push(Vec::new());
        }
    }

    /// A new block begins.
    fn open(&mut self) {
        self.flush();
        if self.gap == Gap::Line && !self.lines.is_empty() {
            self.emit(Line::default());
        }
        self.gap = Gap::None;
    }

    /// The inline text so far as lines of their own.
    fn flush(&mut self) {
        if self.inline.is_empty() || self.table.is_some() {
            return;
        }
        let line = Line::from(std::mem::take(&mut self.inline));
        self.emit_hanging(line, "");
    }

    fn room(&self) -> usize {
        let used: usize = self.prefixes.iter().map(|prefix| wrap::line_width(&prefix.rest)).sum();
        self.columns.saturating_sub(used).max(2)
    }

    fn emit(&mut self, line: Line<'static>) {
        self.emit_hanging(line, "");
    }

    fn emit_hanging(&mut self, line: Line<'static>, hang: &str) {
        let mut first = Line::default();
        let mut rest = Line::default();
        for prefix in &mut self.prefixes {
            let own = prefix.first.take().unwrap_or_else(|| prefix.rest.clone());
            first.spans.extend(own.spans.into_iter().map(|span| span.patch_style(own.style)));
            let own = prefix.rest.clone();
            rest.spans.extend(own.spans.into_iter().map(|span| span.patch_style(own.style)));
        }
        rest.spans.push(Span::raw(hang.to_owned()));
        self.lines.extend(wrap::wrap(&line, self.columns, &first, &rest));
    }
}

#[cfg(test)]
mod tests;
