//! Pastes: made safe and one (U4), and folded to a tag where they would fill the screen.

use crate::chat::limits;
use std::collections::BTreeMap;
use tah_os::text::{Keep, sanitise};

/// The text of a paste: `\r\n` and `\r` are line ends, escape sequences are gone, so that nothing inside can act
/// as a key or reach the terminal.
pub fn clean(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    sanitise(&lines, Keep::Text).into_owned()
}

/// The pastes the text has tags for.
#[derive(Clone, Debug, Default)]
pub struct Pastes {
    folded: BTreeMap<String, String>,
    count: usize,
}

impl Pastes {
    /// The paste itself, or a tag that stands for it.
    pub fn fold(&mut self, text: String) -> String {
        let lines = text.lines().count();
        let is_small = text.len() <= limits::PASTE_CHARS
            || text.chars().take(limits::PASTE_CHARS + 1).count() <= limits::PASTE_CHARS;
        if is_small && lines <= limits::PASTE_LINES {
            return text;
        }
        self.count += 1;
        let size =
            if lines > 1 { format!("{lines} lines") } else { format!("{} characters", text.chars().count()) };
        let tag = format!("[paste {}: {size}]", self.count);
        self.folded.insert(tag.clone(), text);
        tag
    }

    /// The text with the pastes in place of their tags.
    pub fn unfold(&self, text: &str) -> String {
        self.folded.iter().fold(text.to_owned(), |text, (tag, paste)| text.replacen(tag, paste, 1))
    }

    /// The tag that ends the text, if one does: it is deleted as a whole.
    pub fn tag_before<'a>(&'a self, text: &str) -> Option<&'a str> {
        self.folded.keys().find(|tag| text.ends_with(tag.as_str())).map(String::as_str)
    }

    pub fn clear(&mut self) {
        self.folded.clear();
    }
}

#[cfg(test)]
mod tests;
