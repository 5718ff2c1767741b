//! Text in cells: how wide it is, where a line of it breaks, how it is cut. Works on graphemes, so that flags,
//! joined emoji and combining marks stay whole (U2).

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns a text takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Columns a line takes.
pub fn line_width(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| width(&span.content)).sum()
}

/// A tab has no width of its own in a cell; four columns are near enough everywhere.
pub fn expand_tabs(text: &str) -> String {
    text.replace('\t', "    ")
}

/// The beginning of a text that fits into `columns`, with `…` where something was left out.
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 0;
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        used += width(grapheme);
        if used + 1 > columns {
            break;
        }
        kept.push_str(grapheme);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// A line cut to `columns`.
pub fn fit_line(line: Line<'static>, columns: usize) -> Line<'static> {
    if line_width(&line) <= columns {
        return line;
    }
    let mut left = columns;
    let mut spans = Vec::new();
    for span in line.spans {
        let wide = width(&span.content);
        // The column of the `…` is kept free while more follows.
        if wide < left {
            left -= wide;
            spans.push(span);
        } else {
            let mut text = fit(&span.content, left);
            if !text.ends_with('…') && left > 0 {
                text = fit(&format!("{text} "), left);
            }
            spans.push(Span::styled(text, span.style));
            break;
        }
    }
    Line { spans, ..line }
}

/// Where a text breaks: between words, beside wide characters, and inside a word only where it is longer than a
/// line. `first` and `rest` are the columns of the first and of every other line.
pub fn breaks(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut breaker = Breaker::new(first.max(2), rest.max(2));
    if text.is_ascii() {
        for (at, byte) in text.bytes().enumerate() {
            breaker.take(at, 1, 1, if byte == b' ' { Kind::Space } else { Kind::Letter });
        }
    } else {
        for (at, grapheme) in text.grapheme_indices(true) {
            let columns = if grapheme.len() == 1 { 1 } else { grapheme.width() };
            let kind = match grapheme {
                " " => Kind::Space,
                _ if columns > 1 => Kind::Wide,
                _ => Kind::Letter,
            };
            breaker.take(at, grapheme.len(), columns, kind);
        }
    }
    breaker.lines.push(breaker.start..text.len());
    breaker.lines
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Space,
    Wide,
}

struct Breaker {
    lines: Vec<Range<usize>>,
    start: usize,
    /// Columns used since `start`.
    used: usize,
    limit: usize,
    rest: usize,
    /// The last place to break: where the line ends, where the next begins, columns up to there.
    chance: Option<(usize, usize, usize)>,
    last: Kind,
}

impl Breaker {
    fn new(first: usize, rest: usize) -> Self {
        Breaker { lines: Vec::new(), start: 0, used: 0, limit: first, rest, chance: None, last: Kind::Letter }
    }

    fn take(&mut self, at: usize, bytes: usize, columns: usize, kind: Kind) {
        let beside_wide =
            kind == Kind::Wide && at > self.start || self.last == Kind::Wide && kind == Kind::Letter;
        // Behind a space there is a better chance already, without the space.
        if beside_wide && self.last != Kind::Space {
            // Closing punctuation would be nicer on the line before; a terminal's reader is used to this.
            self.chance = Some((at, at, self.used));
        }
        if self.used + columns > self.limit && kind != Kind::Space {
            let (end, next, before) = match self.chance {
                // What is carried over must fit its new line, which may be shorter than this one.
                Some((end, next, before))
                    if next > self.start && self.used - before + columns <= self.rest =>
                {
                    (end, next, before)
                }
                _ => (at, at, self.used),
            };
            self.lines.push(self.start..end);
            self.start = next;
            self.used -= before;
            self.limit = self.rest;
            self.chance = None;
        }
        self.used += columns;
        if kind == Kind::Space {
            // Spaces at the end of a line hang over its edge and are not carried to the next.
            let end = match self.chance {
                Some((end, next, _)) if next == at && self.last == Kind::Space => end,
                _ => at,
            };
            self.chance = Some((end, at + bytes, self.used));
        }
        self.last = kind;
    }
}

/// A styled line broken to `columns`, `first` in front of the first and `rest` in front of every other line.
pub fn wrap(
    line: &Line<'_>,
    columns: usize,
    first: &Line<'static>,
    rest: &Line<'static>,
) -> Vec<Line<'static>> {
    let mut text = String::new();
    let mut runs: Vec<(usize, Style)> = Vec::new();
    for span in &line.spans {
        text.push_str(&span.content);
        runs.push((text.len(), line.style.patch(span.style)));
    }
    let room = |prefix: &Line<'_>| columns.saturating_sub(line_width(prefix));
    let ranges = breaks(&text, room(first), room(rest));
    let mut lines = Vec::with_capacity(ranges.len());
    let mut run = 0;
    for (index, range) in ranges.into_iter().enumerate() {
        let mut spans = if index == 0 { first.spans.clone() } else { rest.spans.clone() };
        let mut at = range.start;
        while run < runs.len() && runs[run].0 <= at {
            run += 1;
        }
        let mut here = run;
        while at < range.end && here < runs.len() {
            let end = runs[here].0.min(range.end);
            if end > at {
                spans.push(Span::styled(text[at..end].to_owned(), runs[here].1));
            }
            at = end;
            here += 1;
        }
        lines.push(Line::from(spans));
    }
    lines
}

/// [`wrap`] without anything in front.
pub fn wrap_plain(line: &Line<'_>, columns: usize) -> Vec<Line<'static>> {
    wrap(line, columns, &Line::default(), &Line::default())
}

#[cfg(test)]
mod tests;
