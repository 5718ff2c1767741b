//! A reply while it streams. A block is printed once it is finished and never touched again; the unfinished one is
//! shown in the live area. Code is printed line by line, a list item by item, so that little waits for its end.

use super::highlight::Highlighter;
use super::render;
use crate::chat::limits;
use crate::chat::style;
use crate::chat::wrap;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use ratatui::text::{Line, Span};
use tah_os::text::{Keep, Sanitiser};

/// One reply.
pub struct Stream {
    sanitiser: Sanitiser,
    /// What is not printed yet.
    tail: String,
    /// How much of `tail` was looked at for an end.
    seen: usize,
    fence: Option<Fence>,
    last: Printed,
    /// All of it, for `/copy`.
    whole: String,
}

/// An open code block at the top level.
struct Fence {
    /// The line that ends it begins with at least these.
    mark: String,
    indent: usize,
    highlighter: Highlighter,
}

/// What the last printed block was, for the blank line between blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Printed {
    Nothing,
    Item,
    Block,
}

/// A finished part of the tail.
struct Part {
    end: usize,
    kind: Printed,
}

impl Default for Stream {
    fn default() -> Self {
        Stream {
            sanitiser: Sanitiser::new(Keep::Text),
            tail: String::new(),
            seen: 0,
            fence: None,
            last: Printed::Nothing,
            whole: String::new(),
        }
    }
}

impl Stream {
    /// Takes the next piece and gives what it finished.
    pub fn push(&mut self, piece: &str, columns: usize) -> Vec<Line<'static>> {
        let piece = self.sanitiser.push(piece);
        self.tail.push_str(&piece);
        self.whole.push_str(&piece);
        let mut lines = Vec::new();
        self.advance(columns, &mut lines);
        lines
    }

    /// The reply has ended: everything that is left.
    pub fn finish(&mut self, columns: usize) -> Vec<Line<'static>> {
        let rest = self.sanitiser.finish();
        self.tail.push_str(&rest);
        self.whole.push_str(&rest);
        let mut lines = Vec::new();
        if !self.tail.is_empty() && !self.tail.ends_with('\n') {
            self.tail.push('\n');
        }
        self.advance(columns, &mut lines);
        let tail = std::mem::take(&mut self.tail);
        self.print(&tail, Printed::Block, columns, &mut lines);
        self.fence = None;
        self.seen = 0;
        lines
    }

    /// Throws away what was not printed yet.
    pub fn is_empty(&self) -> bool {
        self.whole.trim().is_empty()
    }

    /// The text so far.
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// The end of the unfinished block, at most `rows` rows.
    pub fn live(&self, columns: usize, rows: usize) -> Vec<Line<'static>> {
        // Only the end is seen, so only the end is laid out.
        let budget = columns * rows * 4;
        let mut from = self.tail.len().saturating_sub(budget);
        while !self.tail.is_char_boundary(from) {
            from += 1;
        }
        let tail = &self.tail[from..];
        if tail.trim().is_empty() {
            return Vec::new();
        }
        let mut lines = match &self.fence {
            Some(_) => {
                let text = wrap::expand_tabs(tail.trim_end_matches('\n'));
                wrap::wrap(&Line::from(text), columns, &Line::from("  "), &Line::from("    "))
            }
            None => render::render(tail, columns),
        };
        if self.last != Printed::Nothing && self.fence.is_none() && !is_item(tail) {
            lines.insert(0, Line::default());
        }
        lines.split_off(lines.len().saturating_sub(rows))
    }

    fn advance(&mut self, columns: usize, lines: &mut Vec<Line<'static>>) {
        loop {
            if self.fence.is_some() {
                if self.fence_lines(columns, lines) {
                    continue;
                }
                return;
            }
            let skip = blank_lines(&self.tail);
            if skip > 0 {
                self.tail.drain(..skip);
                self.seen = 0;
                if self.last == Printed::Item {
                    self.last = Printed::Block;
                }
            }
            if self.open_fence(columns, lines) {
                continue;
            }
            match self.finished() {
                Some(part) => {
                    let block: String = self.tail.drain(..part.end).collect();
                    self.seen = 0;
                    self.print(&block, part.kind, columns, lines);
                }
                None => return,
            }
        }
    }

    /// Prints whole lines of the open code block; whether the block ended.
    fn fence_lines(&mut self, columns: usize, lines: &mut Vec<Line<'static>>) -> bool {
        let Some(fence) = &mut self.fence else { return false };
        let mut done = 0;
        let mut ended = false;
        while let Some(length) = self.tail[done..].find('\n') {
            let line = &self.tail[done..done + length];
            done += length + 1;
            if closes(line, &fence.mark) {
                ended = true;
                break;
            }
            let inner = line.len() - line.trim_start_matches(' ').len();
            let text = wrap::expand_tabs(&line[inner.min(fence.indent)..]);
            let spans = Line::from(fence.highlighter.line(&text));
            lines.extend(wrap::wrap(&spans, columns, &Line::from("  "), &Line::from("    ")));
        }
        self.tail.drain(..done);
        if ended {
            self.fence = None;
            self.seen = 0;
        } else if self.tail.len() > limits::BLOCK_BYTES {
            let text = std::mem::take(&mut self.tail);
            let text = Line::from(wrap::expand_tabs(&text));
            lines.extend(wrap::wrap(&text, columns, &Line::from("  "), &Line::from("    ")));
        }
        ended
    }

    fn open_fence(&mut self, _columns: usize, lines: &mut Vec<Line<'static>>) -> bool {
        let Some(end) = self.tail.find('\n') else { return false };
        let line = &self.tail[..end];
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let Some(mark) = body.chars().next().filter(|c| matches!(c, '`' | '~')) else { return false };
        let count = body.chars().take_while(|&c| c == mark).count();
        let language = &body[count..];
        if indent > 3 || count < 3 || (mark == '`' && language.contains('`')) {
            return false;
        }
        let language = language.trim().to_owned();
        self.gap(lines);
        let label = if language.is_empty() { "code" } else { &language };
        lines.push(style::line(format!("  {label}"), style::DIM));
        let mark = mark.to_string().repeat(count);
        self.fence = Some(Fence { mark, indent, highlighter: Highlighter::new(&language) });
        self.last = Printed::Block;
        self.tail.drain(..=end);
        self.seen = 0;
        true
    }

    /// The first finished part of the tail.
    fn finished(&mut self) -> Option<Part> {
        if self.tail.len() > limits::BLOCK_BYTES {
            let end =
                self.tail.rfind('\n').or_else(|| self.tail.rfind(' ')).map_or(self.tail.len(), |at| at + 1);
            return Some(Part { end, kind: Printed::Block });
        }
        let end = self.tail.rfind('\n')? + 1;
        if end <= self.seen {
            return None;
        }
        self.seen = end;
        // A line that is still being written could be read as something else than it will be.
        finished_part(&self.tail[..end])
    }

    fn print(&mut self, block: &str, kind: Printed, columns: usize, lines: &mut Vec<Line<'static>>) {
        if block.trim().is_empty() {
            return;
        }
        if self.last != Printed::Item || !(kind == Printed::Item || is_item(block)) {
            self.gap(lines);
        }
        lines.extend(render::render(block, columns));
        let ends_blank = block.ends_with("\n\n");
        self.last = if kind == Printed::Item && !ends_blank { Printed::Item } else { Printed::Block };
    }

    fn gap(&mut self, lines: &mut Vec<Line<'static>>) {
        if self.last != Printed::Nothing {
            lines.push(Line::from(Vec::<Span<'static>>::new()));
        }
    }
}

fn blank_lines(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if !line.ends_with('\n') || !line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    end
}

fn closes(line: &str, mark: &str) -> bool {
    let body = line.trim_start_matches(' ');
    let first = mark.chars().next().unwrap_or('`');
    line.len() - body.len() <= 3 && body.starts_with(mark) && body.trim_end().chars().all(|c| c == first)
}

fn is_item(block: &str) -> bool {
    matches!(Parser::new_ext(block, render::options()).next(), Some(Event::Start(Tag::List(_))))
}

/// What of the text can no longer change. A block is finished when another follows it; a heading at its line's
/// end, a paragraph or a table at a blank line, an item of a list when the next one begins.
fn finished_part(text: &str) -> Option<Part> {
    let mut depth = 0;
    let mut blocks: Vec<(std::ops::Range<usize>, Tag<'_>)> = Vec::new();
    let mut items: Vec<usize> = Vec::new();
    for (event, range) in Parser::new_ext(text, render::options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    if blocks.len() == 1 {
                        // A second block: the first is finished.
                        return Some(Part { end: range.start, kind: kind_of(&blocks[0].1) });
                    }
                    blocks.push((range, tag));
                } else if depth == 1 && matches!(tag, Tag::Item) {
                    items.push(range.start);
                    if items.len() == 2 {
                        return Some(Part { end: line_start(text, items[1]), kind: Printed::Item });
                    }
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Rule if depth == 0 && blocks.is_empty() => {
                return text[range.end..]
                    .contains('\n')
                    .then_some(Part { end: range.end, kind: Printed::Block });
            }
            Event::Rule if depth == 0 => {
                return Some(Part { end: range.start, kind: kind_of(&blocks[0].1) });
            }
            _ => {}
        }
    }
    let (range, tag) = blocks.first()?;
    let rest = &text[range.end..];
    let whole = match tag {
        Tag::Heading { .. } => text[..range.end].ends_with('\n') || rest.starts_with('\n'),
        Tag::Paragraph | Tag::Table(_) => {
            text.ends_with("\n\n") || blank_lines(rest.strip_prefix('\n').unwrap_or("")) > 0
        }
        // Indented code has no end of its own; a fence at the top level is handled before.
        Tag::CodeBlock(CodeBlockKind::Indented) => false,
        _ => false,
    };
    whole.then(|| Part { end: range.end, kind: kind_of(tag) })
}

fn kind_of(tag: &Tag<'_>) -> Printed {
    if matches!(tag, Tag::List(_)) { Printed::Item } else { Printed::Block }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests;
