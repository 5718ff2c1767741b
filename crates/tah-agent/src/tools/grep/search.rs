//! The search of one file with ripgrep's libraries: in bounded memory, a long line cut to what is around its match.

use crate::limits;
use crate::tool::ToolError;
use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use std::fs::File;
use std::io;

/// Compiled once, used by every thread.
pub(super) struct Engine {
    matcher: RegexMatcher,
    builder: SearcherBuilder,
    /// Lines kept of one file.
    keep: usize,
}

impl Engine {
    pub(super) fn new(pattern: &str, context: usize, keep: usize) -> Result<Self, ToolError> {
        let spans_lines = pattern.contains("\\n") || pattern.contains('\n') || pattern.contains("(?s");
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).crlf(false);
        if !spans_lines {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder.build(pattern).map_err(|error| {
            ToolError::new(format!("the pattern can't be read: {error}"))
                .hint("it is a regular expression: escape ( ) [ ] { } . * + ? | ^ $ \\ to search for them")
        })?;
        let mut searcher = SearcherBuilder::new();
        searcher
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .multi_line(spans_lines)
            .heap_limit(Some(limits::GREP_HEAP_BYTES))
            .line_terminator(LineTerminator::byte(b'\n'));
        if keep > 0 {
            searcher.before_context(context).after_context(context);
        }
        Ok(Engine { matcher, builder: searcher, keep })
    }

    /// A searcher for one thread.
    pub(super) fn searcher(&self) -> FileSearcher<'_> {
        FileSearcher { engine: self, searcher: self.builder.build() }
    }
}

pub(super) struct FileSearcher<'a> {
    engine: &'a Engine,
    searcher: Searcher,
}

impl FileSearcher<'_> {
    /// What is in a file; `None` if nothing is, or it is binary.
    pub(super) fn search(&mut self, file: &File) -> io::Result<Option<InFile>> {
        let mut sink = Collector { engine: self.engine, found: InFile::default() };
        self.searcher.search_file(&self.engine.matcher, file, &mut sink)?;
        Ok((sink.found.matches > 0).then_some(sink.found))
    }
}

/// What was found in one file.
#[derive(Default)]
pub(super) struct InFile {
    pub matches: u64,
    pub lines: Vec<Line>,
}

/// A line to show.
pub(super) enum Line {
    Match {
        number: u64,
        text: String,
    },
    Context {
        number: u64,
        text: String,
    },
    /// Lines between two groups are left out.
    Gap,
}

impl Line {
    pub(super) fn shown(&self) -> String {
        match self {
            Line::Match { number, text } => format!("{number}: {text}"),
            Line::Context { number, text } => format!("{number}- {text}"),
            Line::Gap => "--".to_owned(),
        }
    }

    pub(super) fn is_match(&self) -> bool {
        matches!(self, Line::Match { .. })
    }
}

struct Collector<'a> {
    engine: &'a Engine,
    found: InFile,
}

impl Collector<'_> {
    fn has_room(&self) -> bool {
        self.found.lines.len() < self.engine.keep
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let first = found.line_number().unwrap_or(0);
        for (number, line) in (first..).zip(found.lines()) {
            self.found.matches += 1;
            if self.has_room() {
                let at = self.engine.matcher.find(line).ok().flatten().map_or(0, |span| span.start());
                self.found.lines.push(Line::Match { number, text: around(line, at) });
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.has_room() {
            let number = context.line_number().unwrap_or(0);
            self.found.lines.push(Line::Context { number, text: around(context.bytes(), 0) });
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.has_room() {
            self.found.lines.push(Line::Gap);
        }
        Ok(true)
    }
}

/// A line without its end; of a long one the part around byte `at`.
fn around(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= limits::GREP_LINE_CHARS {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = at.saturating_sub(limits::GREP_LINE_CHARS / 4).min(line.len());
    let end = (start + limits::GREP_LINE_CHARS).min(line.len());
    // A cut through a character shows as one; it is at the edge, so it is dropped.
    let text = String::from_utf8_lossy(&line[start..end]);
    let text = text.trim_matches(char::REPLACEMENT_CHARACTER);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{text}{after}")
}
