//! The files Playwright writes: where they may be, what must not stand in them, which of them go (P8b, P9).

use super::passwords;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};
use tah_os::disk::{self, Access};

/// A file of text longer than this, in bytes, is no snapshot.
const TEXT_BYTES: u64 = 32 << 20;

/// The folders of one engine, and what was in them before.
#[derive(Clone)]
pub(super) struct Files {
    cwd: PathBuf,
    output: PathBuf,
    /// What was in the output folder at the start, so that only what the engine leaves is removed.
    kept: Vec<PathBuf>,
}

/// A file a result links, whose text may show what a field holds.
pub(super) struct Linked {
    path: PathBuf,
    pub text: String,
}

impl Files {
    pub fn new(cwd: PathBuf, output: PathBuf) -> Self {
        let kept = disk::list(&output).unwrap_or_default();
        Files { cwd, output, kept }
    }

    /// The input with the file it names below the output folder. Playwright would write over any file of the working
    /// folder, and nobody is asked about a screenshot.
    pub fn confined(&self, mut input: Value) -> Value {
        if let Some(name) = input.get("filename").and_then(Value::as_str) {
            let name = Path::new(name).file_name().unwrap_or_default();
            let path = self.output.join(name);
            input["filename"] = path.display().to_string().into();
        }
        input
    }

    /// The texts a result links. One that can't be read is removed: what is in it is not known.
    pub fn linked(&self, result: &str) -> Vec<Linked> {
        let mut found = Vec::new();
        for path in result.lines().filter_map(|line| link(line, &["Snapshot", "Find results"])) {
            let path = self.cwd.join(path);
            match disk::read_text(&path, TEXT_BYTES) {
                Ok(Some(text)) => found.push(Linked { path, text }),
                Ok(None) => {}
                Err(_) => drop(disk::remove(&path)),
            }
        }
        found
    }

    /// Removes what only the server reads: snapshots and console logs; not screenshots and downloads (P8b).
    pub fn remove_leavings(&self) {
        for path in disk::list(&self.output).unwrap_or_default() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let leavings = (name.starts_with("page-") && name.ends_with(".yml"))
                || (name.starts_with("console-") && name.ends_with(".log"));
            if leavings && !self.kept.contains(&path) {
                // A file that can't be removed harms nobody: no password is in it.
                let _ = disk::remove(&path);
            }
        }
    }
}

impl Linked {
    pub fn may_show(&self) -> bool {
        passwords::may_show(&self.text)
    }

    /// Takes the passwords out of the file; one that can't be written anew is removed.
    pub fn mask(&self, mask: impl Fn(&str) -> String) {
        let masked = mask(&self.text);
        if masked != self.text && disk::write(&self.path, masked.as_bytes(), Access::Private).is_err() {
            let _ = disk::remove(&self.path);
        }
    }
}

/// The path in `- [Snapshot](.tah/browser/page-….yml)`, where the link has one of these names and does not leave the
/// working folder.
pub(super) fn link<'a>(line: &'a str, names: &[&str]) -> Option<&'a Path> {
    let (name, path) = line.strip_prefix("- [")?.strip_suffix(')')?.rsplit_once("](")?;
    let path = Path::new(path);
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    (is_below && names.iter().any(|one| name.starts_with(one))).then_some(path)
}

#[cfg(test)]
mod tests;
