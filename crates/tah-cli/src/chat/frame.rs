//! The live area, laid out from top to bottom: what streams, what runs, the card or the menu, the editor, the
//! status line.

use super::editor::view;
use super::limits;
use super::state::{Chat, Thoughts, Turn};
use super::style;
use super::terminal::inline::Live;
use super::widgets::card::{self, Arming};
use super::widgets::{status, waiting};
use super::wrap;
use ratatui::text::Line;

impl Chat {
    /// The live area at the current size.
    pub fn frame(&mut self) -> Live {
        let columns = self.columns;
        let mut rows: Vec<Line<'static>> = Vec::new();
        let most = self.rows.saturating_sub(1).max(3);
        if let Some(thought) = &self.thought {
            rows.push(Line::default());
            let thought_rows = match self.thoughts {
                Thoughts::Folded => limits::THOUGHT_ROWS,
                Thoughts::Unfolded => (most / 2).max(limits::THOUGHT_ROWS),
            };
            rows.extend(waiting::thought(&thought.text, columns, thought_rows));
        }
        let stream_rows = limits::STREAM_ROWS.min(most / 2).max(1);
        rows.extend(self.stream.live(columns, stream_rows));
        for call in &self.calls {
            rows.extend(call.running(self.now, columns));
        }
        rows.push(Line::default());
        let mut bottom = Vec::new();
        let mut caret = None;
        let others = self.cards.len().saturating_sub(1);
        let has_card = !self.cards.is_empty();
        if let Some(open) = self.cards.front_mut() {
            let (lines, at) = card::draw(open, others, columns, most.saturating_sub(4).max(4));
            caret = at;
            bottom.extend(lines);
        }
        if !has_card {
            bottom.extend(waiting::working(self, columns));
        }
        bottom.extend(waiting::queued(self, columns));
        let modal = self.menu.as_ref().filter(|menu| !menu.kind.follows_editor() && !has_card);
        if let Some(menu) = modal {
            let (lines, at) = menu.draw(columns);
            caret = at.map(|(row, column)| (bottom.len() + row, column));
            bottom.extend(lines);
        } else {
            let hint = self.editor_hint();
            let (lines, at) = view::draw(&mut self.editor, columns, &hint);
            if caret.is_none() {
                caret = Some((bottom.len() + at.0, at.1));
            }
            bottom.extend(lines);
            if let Some(menu) = self.menu.as_ref().filter(|_| !has_card) {
                bottom.extend(menu.draw(columns).0);
            }
        }
        bottom.push(self.bottom_line());
        // What is above gives way: the card, the editor and the status line are always whole.
        let room = most.saturating_sub(bottom.len());
        let skip = rows.len().saturating_sub(room);
        let mut rows = rows.split_off(skip);
        let above = rows.len();
        rows.extend(bottom);
        let (row, column) = caret.unwrap_or((0, 0));
        Live { rows, caret: (above + row, column) }
    }

    fn editor_hint(&self) -> String {
        match self.turn {
            Turn::Idle if self.editor.is_empty() && self.shell.is_none() => "ask, or /help".to_owned(),
            Turn::Paused(_) => "Enter goes on, or say something else".to_owned(),
            Turn::Running(_) => "type the next message; it is sent when this turn ends".to_owned(),
            Turn::Summarising(_) => "type the next message; it is sent after the summary".to_owned(),
            _ => String::new(),
        }
    }

    fn bottom_line(&self) -> Line<'static> {
        match &self.hint {
            Some(hint) => style::line(wrap::fit(hint, self.columns.saturating_sub(1)), style::WARN),
            None => status::draw(self, self.columns),
        }
    }

    /// Told after each frame: a card that was drawn begins to be seen now.
    pub fn drawn(&mut self) {
        let now = self.now;
        if let Some(open) = self.cards.front_mut()
            && open.arming == Arming::Unseen
        {
            open.arming = Arming::Seen(now);
        }
    }

    /// Time passes. Whether something to see changed.
    pub fn tick(&mut self) -> Changed {
        let mut changed = Changed::No;
        if let Some(open) = self.cards.front_mut()
            && open.arms_at().is_some_and(|at| at <= self.now)
        {
            open.arming = Arming::Armed;
            changed = Changed::Yes;
        }
        if self.exit_asked.is_some_and(|at| self.now.duration_since(at) > limits::EXIT_AGAIN) {
            self.exit_asked = None;
            self.hint = None;
            changed = Changed::Yes;
        }
        if self.is_busy() || self.shell.is_some() {
            changed = Changed::Yes;
        }
        changed
    }
}

/// Whether a new frame is worth drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Yes,
    No,
}

#[cfg(test)]
mod tests;
