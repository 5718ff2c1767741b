//! What the fuzz targets reach inside the tools for (feature `fuzzing`, used by `fuzz/` alone).

use super::edit_file::matching::{Edit, apply};
use crate::tool::ToolError;

/// Edits as `(old, new, all)`.
pub fn apply_edits(original: &str, edits: &[(String, String, bool)]) -> Result<String, ToolError> {
    let edits: Vec<Edit> =
        edits.iter().map(|(old, new, all)| Edit { old: old.clone(), new: new.clone(), all: *all }).collect();
    apply(original, &edits)
}
