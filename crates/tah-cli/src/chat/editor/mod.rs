//! The editor: a text with a caret ([`buffer`]), pastes folded to tags ([`paste`]), the prompts of earlier sessions
//! ([`history`]) and how it looks ([`view`]).

pub mod buffer;
pub mod history;
pub mod keys;
pub mod paste;
pub mod view;

use buffer::Buffer;
use history::History;
use paste::Pastes;

/// What is being written.
pub struct Editor {
    pub buffer: Buffer,
    pub pastes: Pastes,
    pub history: History,
    /// Columns it was last drawn with; up and down move in these rows.
    pub columns: usize,
}

impl Editor {
    pub fn new(history: History) -> Self {
        Editor { buffer: Buffer::default(), pastes: Pastes::default(), history, columns: 80 }
    }

    pub fn text(&self) -> &str {
        self.buffer.text()
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.text().is_empty()
    }

    /// What is sent: pastes unfolded. The editor is empty afterwards and the prompt is in the history.
    pub fn take(&mut self) -> String {
        let shown = self.buffer.take();
        let text = self.pastes.unfold(&shown);
        self.pastes.clear();
        self.history.add(&text);
        text
    }

    /// Replaces everything; can be undone.
    pub fn set(&mut self, text: &str) {
        self.buffer.replace_all(text);
    }

    /// A paste: line ends made one kind, control characters taken out, folded to a tag where it is large (U4).
    pub fn paste(&mut self, text: &str) {
        let clean = paste::clean(text);
        let shown = self.pastes.fold(clean);
        self.buffer.insert(&shown);
    }

    /// An earlier prompt in place of the text.
    pub fn older(&mut self) {
        if let Some(text) = self.history.older(self.buffer.text()) {
            self.buffer.replace_all(&text);
        }
    }

    /// Back towards the present.
    pub fn newer(&mut self) {
        if let Some(text) = self.history.newer() {
            self.buffer.replace_all(&text);
        }
    }
}
