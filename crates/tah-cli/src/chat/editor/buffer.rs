//! A text with a caret that moves by graphemes, words and lines, with undo.

use crate::chat::limits;
use unicode_segmentation::UnicodeSegmentation;

/// The caret is a byte position between two graphemes.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    text: String,
    caret: usize,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    /// What the last kill took, for yank.
    killed: String,
    /// Whether the last change was one typed character: those are undone together.
    typing: Typing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Typing {
    #[default]
    No,
    Word,
}

/// How far a move or a deletion goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Grapheme,
    Word,
    /// To the end of the line.
    Line,
    /// To the end of the text.
    Text,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Back,
    Ahead,
}

impl Buffer {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn caret(&self) -> usize {
        self.caret
    }

    /// What is before and after the caret.
    pub fn around(&self) -> (&str, &str) {
        self.text.split_at(self.caret)
    }

    pub fn insert(&mut self, text: &str) {
        let one_letter = text.chars().count() == 1 && !text.contains(char::is_whitespace);
        if !(one_letter && self.typing == Typing::Word) {
            self.remember();
        }
        self.typing = if one_letter { Typing::Word } else { Typing::No };
        self.text.insert_str(self.caret, text);
        self.caret += text.len();
        self.settle();
    }

    /// Replaces `from..caret` (a mention, a command being completed).
    pub fn replace_before(&mut self, from: usize, text: &str) {
        self.remember();
        self.text.replace_range(from..self.caret, text);
        self.caret = from + text.len();
        self.settle();
    }

    pub fn replace_all(&mut self, text: &str) {
        self.remember();
        self.text = text.to_owned();
        self.caret = self.text.len();
    }

    /// Empties it; what was there is not undone into the next message.
    pub fn take(&mut self) -> String {
        self.undo.clear();
        self.redo.clear();
        self.typing = Typing::No;
        self.caret = 0;
        std::mem::take(&mut self.text)
    }

    pub fn go(&mut self, way: Way, reach: Reach) {
        self.typing = Typing::No;
        self.caret = self.target(way, reach);
    }

    /// Puts the caret at a byte position, or at the beginning of the grapheme around it.
    pub fn go_to(&mut self, at: usize) {
        self.typing = Typing::No;
        self.caret = at.min(self.text.len());
        self.settle_back();
    }

    pub fn delete(&mut self, way: Way, reach: Reach) {
        let mut to = self.target(way, reach);
        if reach == Reach::Line && to == self.caret {
            // At the line's end the line end itself goes.
            to = self.target(way, Reach::Grapheme);
        }
        if to == self.caret {
            return;
        }
        self.remember();
        let range = to.min(self.caret)..to.max(self.caret);
        if reach != Reach::Grapheme {
            self.killed = self.text[range.clone()].to_owned();
        }
        self.caret = range.start;
        self.text.replace_range(range, "");
        self.settle();
    }

    /// Takes a range out, the caret to its beginning.
    pub fn cut(&mut self, range: std::ops::Range<usize>) {
        self.remember();
        self.caret = range.start;
        self.text.replace_range(range, "");
    }

    /// Puts back what the last kill took.
    pub fn yank(&mut self) {
        let killed = self.killed.clone();
        if !killed.is_empty() {
            self.insert(&killed);
        }
    }

    pub fn undo(&mut self) {
        if let Some(before) = self.undo.pop() {
            self.redo.push((std::mem::replace(&mut self.text, before.0), self.caret));
            self.caret = before.1;
            self.typing = Typing::No;
        }
    }

    pub fn redo(&mut self) {
        if let Some(after) = self.redo.pop() {
            self.undo.push((std::mem::replace(&mut self.text, after.0), self.caret));
            self.caret = after.1;
            self.typing = Typing::No;
        }
    }

    fn remember(&mut self) {
        self.typing = Typing::No;
        self.redo.clear();
        self.undo.push((self.text.clone(), self.caret));
        if self.undo.len() > limits::UNDO_STEPS {
            self.undo.remove(0);
        }
    }

    fn target(&self, way: Way, reach: Reach) -> usize {
        let (before, after) = self.around();
        match (way, reach) {
            (Way::Back, Reach::Grapheme) => {
                self.caret - before.graphemes(true).next_back().map_or(0, str::len)
            }
            (Way::Ahead, Reach::Grapheme) => self.caret + after.graphemes(true).next().map_or(0, str::len),
            (Way::Back, Reach::Word) => before
                .split_word_bound_indices()
                .rev()
                .find(|(_, word)| is_word(word))
                .map_or(0, |(at, _)| at),
            (Way::Ahead, Reach::Word) => after
                .split_word_bound_indices()
                .find(|(_, word)| is_word(word))
                .map_or(self.text.len(), |(at, word)| self.caret + at + word.len()),
            (Way::Back, Reach::Line) => before.rfind('\n').map_or(0, |at| at + 1),
            (Way::Ahead, Reach::Line) => after.find('\n').map_or(self.text.len(), |at| self.caret + at),
            (Way::Back, Reach::Text) => 0,
            (Way::Ahead, Reach::Text) => self.text.len(),
        }
    }

    /// After a change a combining mark may have joined what is before it: the caret goes behind the whole.
    fn settle(&mut self) {
        let mut at = 0;
        // Only the line the caret is in can be joined anew.
        let from = self.text[..self.caret].rfind('\n').unwrap_or(0);
        for grapheme in self.text[from..].graphemes(true) {
            if from + at >= self.caret {
                break;
            }
            at += grapheme.len();
        }
        self.caret = from + at;
    }

    fn settle_back(&mut self) {
        while !self.text.is_char_boundary(self.caret) {
            self.caret -= 1;
        }
        let at = self
            .text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .take_while(|&at| at <= self.caret)
            .last()
            .unwrap_or(0);
        if self.caret < self.text.len() {
            self.caret = at;
        }
    }
}

fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
