//! `AGENTS.md`: the project's instructions for agents, from the repository's root down to the working folder.

use crate::limits;
use std::path::Path;
use tah_os::disk;

/// The files from the outermost folder to `cwd`, each with its path and text. Without a repository above, only
/// the one of `cwd` itself counts.
pub fn instructions(cwd: &Path) -> (Vec<(String, String)>, Vec<String>) {
    let mut folders: Vec<&Path> = cwd.ancestors().collect();
    let root = folders.iter().position(|folder| folder.join(".git").exists()).unwrap_or(0);
    folders.truncate(root + 1);
    let (mut found, mut notices) = (Vec::new(), Vec::new());
    for folder in folders.into_iter().rev() {
        let path = folder.join("AGENTS.md");
        match disk::read_text(&path, limits::INSTRUCTIONS_BYTES) {
            Ok(Some(text)) if !text.trim().is_empty() => found.push((path.display().to_string(), text)),
            Ok(_) => {}
            Err(error) => notices.push(format!("AGENTS.md is not used: {error}")),
        }
    }
    (found, notices)
}
