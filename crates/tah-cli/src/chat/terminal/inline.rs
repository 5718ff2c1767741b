//! The inline writer: finished lines are printed once with real newlines and belong to the terminal from then on;
//! the live area below them is ours and redrawn by difference. No scroll regions and no alternate screen (U1),
//! every frame in one write inside a synchronized update (U9), the real cursor at the caret after each (U3).

use super::paint;
use crate::chat::style::Colours;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

/// What a terminal does with lines that became too wide when it is made narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// Breaks them anew (nearly all).
    Reflows,
    /// Cuts them (xterm, the Linux console).
    Cuts,
}

/// The live area of one moment.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Each fits the width.
    pub rows: Vec<Line<'static>>,
    /// Row and column of the caret.
    pub caret: (usize, usize),
}

/// Writes to a terminal whose cursor stands at the beginning of an empty line.
pub struct Inline<W> {
    out: W,
    size: Size,
    colours: Colours,
    narrowing: Narrowing,
    /// What the live area shows now.
    shown: Buffer,
    caret: (u16, u16),
    /// The live area must be drawn anew, not by difference.
    stale: bool,
    bytes: u64,
}

const SYNC_BEGIN: &str = "\x1b[?2026h";
const SYNC_END: &str = "\x1b[?2026l";

impl<W: Write> Inline<W> {
    pub fn new(out: W, size: Size, colours: Colours, narrowing: Narrowing) -> Self {
        let shown = Buffer::empty(Rect::ZERO);
        Inline { out, size, colours, narrowing, shown, caret: (0, 0), stale: true, bytes: 0 }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What it writes to.
    pub fn writer(&self) -> &W {
        &self.out
    }

    /// What it writes to, to resize a model of a screen.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Rows of the live area below the caret.
    pub fn rows_below(&self) -> u16 {
        self.shown.area.height.saturating_sub(self.caret.0 + 1)
    }

    /// Prints `finished` and shows `live` below it.
    pub fn draw(&mut self, finished: &[Line<'static>], live: &Live) -> io::Result<()> {
        let next = self.lay_out(live);
        let caret = self.clamp(live.caret, next.area);
        let mut out = String::new();
        if !finished.is_empty() || self.stale || next.area != self.shown.area {
            self.to_top(&mut out);
            out.push_str("\x1b[J");
            for line in finished {
                paint::line(&mut out, line, self.colours);
                out.push_str("\r\n");
            }
            self.all_rows(&mut out, &next);
            self.caret = (next.area.height.saturating_sub(1), 0);
        } else {
            self.changed_rows(&mut out, &next);
        }
        self.move_to(&mut out, caret);
        self.shown = next;
        let was_stale = std::mem::replace(&mut self.stale, false);
        if out.is_empty() && !was_stale {
            return Ok(());
        }
        self.send(&out)
    }

    /// The terminal has another size now: the live area is erased, and the next draw makes a new one.
    pub fn resized(&mut self, size: Size) -> io::Result<()> {
        let above = self.rows_above(size.columns).min(size.rows.saturating_sub(1));
        let mut out = String::from("\r");
        up(&mut out, above);
        out.push_str("\x1b[J");
        self.size = size;
        self.forget();
        self.send(&out)
    }

    /// Takes the live area away; the cursor stands at the beginning of an empty line below what was finished.
    pub fn clear(&mut self) -> io::Result<()> {
        let mut out = String::new();
        self.to_top(&mut out);
        out.push_str("\x1b[J");
        self.forget();
        self.send(&out)
    }

    /// Writes a sequence that moves nothing (a bell, the clipboard).
    pub fn aside(&mut self, bytes: &str) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// Somebody else wrote to the terminal: the next draw begins a live area at the cursor.
    pub fn forget(&mut self) {
        self.shown = Buffer::empty(Rect::ZERO);
        self.caret = (0, 0);
        self.stale = true;
    }

    fn send(&mut self, body: &str) -> io::Result<()> {
        let frame = format!("{SYNC_BEGIN}\x1b[?25l{body}\x1b[?25h{SYNC_END}");
        self.bytes += frame.len() as u64;
        self.out.write_all(frame.as_bytes())?;
        self.out.flush()
    }

    /// Rows between the top of the live area and the cursor at a width of `columns`.
    fn rows_above(&self, columns: u16) -> u16 {
        let (row, column) = self.caret;
        if self.narrowing == Narrowing::Cuts || columns >= self.shown.area.width || columns == 0 {
            return row;
        }
        let broken = |row| paint::used(&self.shown, row).div_ceil(columns).max(1);
        (0..row).map(broken).sum::<u16>() + column / columns
    }

    fn lay_out(&self, live: &Live) -> Buffer {
        let most = usize::from(self.size.rows.saturating_sub(1).max(1));
        // What does not fit is cut at the top: the editor and the status line are at the bottom.
        let rows = &live.rows[live.rows.len().saturating_sub(most)..];
        let height = u16::try_from(rows.len()).unwrap_or(1).max(1);
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.columns, height));
        for (index, line) in (0u16..).zip(rows) {
            buffer.set_line(0, index, line, self.size.columns);
        }
        buffer
    }

    fn clamp(&self, caret: (usize, usize), area: Rect) -> (u16, u16) {
        let most = usize::from(area.height.saturating_sub(1));
        let row = u16::try_from(caret.0.min(most)).unwrap_or(0);
        let edge = usize::from(self.size.columns.saturating_sub(1));
        (row, u16::try_from(caret.1.min(edge)).unwrap_or(0))
    }

    fn to_top(&self, out: &mut String) {
        out.push('\r');
        up(out, self.caret.0);
    }

    fn all_rows(&self, out: &mut String, next: &Buffer) {
        for row in 0..next.area.height {
            if row > 0 {
                out.push_str("\r\n");
            }
            paint::cells(out, next, row, 0, paint::used(next, row), self.colours);
        }
    }

    fn changed_rows(&mut self, out: &mut String, next: &Buffer) {
        for row in 0..next.area.height {
            let Some((first, last)) = difference(&self.shown, next, row) else { continue };
            self.move_to(out, (row, first));
            let (old, new) = (paint::used(&self.shown, row), paint::used(next, row));
            paint::cells(out, next, row, first, last.min(new), self.colours);
            if last > new && old > new {
                let _ = write!(out, "\x1b[{}G\x1b[K", new + 1);
            }
            // Where the cursor stands after this is not worth knowing: columns are always set.
            self.caret.1 = u16::MAX;
        }
    }

    /// Moves inside the live area, without a byte if the cursor is there.
    fn move_to(&mut self, out: &mut String, to: (u16, u16)) {
        if self.caret == to {
            return;
        }
        if to.0 < self.caret.0 {
            up(out, self.caret.0 - to.0);
        } else if to.0 > self.caret.0 {
            let _ = write!(out, "\x1b[{}B", to.0 - self.caret.0);
        }
        let _ = write!(out, "\x1b[{}G", to.1 + 1);
        self.caret = to;
    }
}

fn up(out: &mut String, rows: u16) {
    if rows > 0 {
        let _ = write!(out, "\x1b[{rows}A");
    }
}

/// The columns of a row that differ, widened to whole characters.
fn difference(old: &Buffer, new: &Buffer, row: u16) -> Option<(u16, u16)> {
    let differs = |column: &u16| old[(*column, row)] != new[(*column, row)];
    let mut first = (0..new.area.width).find(differs)?;
    let mut last = (0..new.area.width).rev().find(differs)? + 1;
    let wide = |buffer: &Buffer, column: u16| super::super::wrap::width(buffer[(column, row)].symbol()) > 1;
    if first > 0 && (wide(old, first - 1) || wide(new, first - 1)) {
        first -= 1;
    }
    if last < new.area.width && wide(new, last - 1) {
        last += 1;
    }
    Some((first, last))
}

#[cfg(test)]
mod tests;
