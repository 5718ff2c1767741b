//! File name patterns of `glob` and `grep`.

use crate::tool::ToolError;
use globset::{GlobBuilder, GlobMatcher};
use std::path::Path;

/// A pattern for paths below a folder. Without a slash it is about the name, at any depth.
pub(crate) struct Pattern {
    matcher: GlobMatcher,
    sense: Sense,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    Only,
    AllBut,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, ToolError> {
        let (text, sense) = match text.strip_prefix('!') {
            Some(rest) => (rest, Sense::AllBut),
            None => (text, Sense::Only),
        };
        let text = text.trim_start_matches("./");
        let anchored = match text.trim_end_matches('/').contains('/') {
            true => text.trim_start_matches('/').to_owned(),
            false => format!("**/{text}"),
        };
        // A folder means what is in it.
        let anchored = if anchored.ends_with('/') { format!("{anchored}**") } else { anchored };
        let glob = GlobBuilder::new(&anchored).literal_separator(true).build().map_err(|error| {
            ToolError::new(format!("the pattern `{text}` can't be read: {}", error.kind()))
                .hint("* and ? match within a name, ** any folders, {a,b} one of several")
        })?;
        Ok(Pattern { matcher: glob.compile_matcher(), sense })
    }

    pub(crate) fn matches(&self, below: &Path) -> bool {
        self.matcher.is_match(below) == (self.sense == Sense::Only)
    }
}
