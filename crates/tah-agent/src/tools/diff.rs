//! What a change looks like: a unified diff for the card, and how many lines come and go for people.

use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Longer than this a diff is not refined any more; it stays right, only less short.
const PATIENCE: Duration = Duration::from_millis(500);
const CONTEXT: usize = 3;
/// Lines of a diff on a card. What is beyond is counted.
const LINES: usize = 2_000;
/// Characters of one line of a diff on a card.
const LINE_CHARS: usize = 1_000;

/// A change of a text.
pub(crate) struct Change {
    /// Without file header: hunks only.
    pub hunks: String,
    pub added: usize,
    pub removed: usize,
}

impl Change {
    pub(crate) fn between(old: &str, new: &str) -> Self {
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
        let (mut added, mut removed) = (0, 0);
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Insert => added += 1,
                ChangeTag::Delete => removed += 1,
                ChangeTag::Equal => {}
            }
        }
        let hunks = bounded(&diff.unified_diff().context_radius(CONTEXT).to_string());
        Change { hunks, added, removed }
    }

    /// `+4 -2`
    pub(crate) fn brief(&self) -> String {
        format!("+{} -{}", self.added, self.removed)
    }
}

fn bounded(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len());
    let mut lines = diff.lines();
    for line in lines.by_ref().take(LINES) {
        match line.char_indices().nth(LINE_CHARS) {
            None => text.push_str(line),
            Some((at, _)) => {
                let more = line[at..].chars().count();
                text.push_str(&format!("{}… [{more} more chars]", &line[..at]));
            }
        }
        text.push('\n');
    }
    let more = lines.count();
    if more > 0 {
        text.push_str(&format!("[{more} more lines of the diff]\n"));
    }
    text
}
