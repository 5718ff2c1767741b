//! Tables in cells: columns as wide as what is in them, narrowed evenly where the terminal is not wide enough (U2).

use crate::chat::style::{self, span};
use crate::chat::wrap;
use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

/// A table as it was read.
#[derive(Default)]
pub struct Table {
    pub alignments: Vec<Alignment>,
    /// The first row is the head.
    pub rows: Vec<Vec<Line<'static>>>,
}

/// Columns of the least useful cell.
const NARROWEST: usize = 3;

impl Table {
    /// Its lines at a width.
    pub fn lines(&self, columns: usize) -> Vec<Line<'static>> {
        let widths = self.widths(columns);
        if widths.is_empty() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            lines.extend(self.row(row, &widths));
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|&wide| "─".repeat(wide)).collect();
                lines.push(style::line(rule.join("─┼─"), style::DIM));
            }
        }
        lines
    }

    fn widths(&self, columns: usize) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![NARROWEST; count];
        for row in &self.rows {
            for (index, cell) in row.iter().enumerate() {
                widths[index] = widths[index].max(wrap::line_width(cell));
            }
        }
        let room = columns.saturating_sub(3 * count.saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            let Some(widest) = widths.iter_mut().max().filter(|wide| **wide > NARROWEST) else { break };
            *widest -= 1;
        }
        widths
    }

    fn row(&self, row: &[Line<'static>], widths: &[usize]) -> Vec<Line<'static>> {
        let empty = Line::default();
        let cells: Vec<Vec<Line<'static>>> = widths
            .iter()
            .enumerate()
            .map(|(index, &wide)| wrap::wrap_plain(row.get(index).unwrap_or(&empty), wide))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        (0..height)
            .map(|at| {
                let mut spans: Vec<Span<'static>> = Vec::new();
                for (index, (cell, &wide)) in cells.iter().zip(widths).enumerate() {
                    if index > 0 {
                        spans.push(span(" │ ", style::DIM));
                    }
                    let line = cell.get(at).cloned().unwrap_or_default();
                    let free = wide.saturating_sub(wrap::line_width(&line));
                    let (before, after) = match self.alignments.get(index) {
                        Some(Alignment::Right) => (free, 0),
                        Some(Alignment::Center) => (free / 2, free - free / 2),
                        _ => (0, free),
                    };
                    spans.push(Span::raw(" ".repeat(before)));
                    spans.extend(line.spans);
                    if index + 1 < widths.len() {
                        spans.push(Span::raw(" ".repeat(after)));
                    }
                }
                Line::from(spans)
            })
            .collect()
    }
}
