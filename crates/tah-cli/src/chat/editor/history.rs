//! Prompts of this and earlier sessions: one JSON string a line in `history.jsonl` of tah's home.

use crate::chat::limits;
use std::path::PathBuf;
use tah_os::disk::{self, Access, AppendFile};

/// Where one is in the past.
pub struct History {
    prompts: Vec<String>,
    file: Option<PathBuf>,
    /// The prompt shown; `prompts.len()` is the present.
    at: usize,
    /// What was being written when the past was entered.
    present: String,
}

impl History {
    /// The history in tah's home; an unreadable one is an empty one.
    pub fn load(home: Option<PathBuf>) -> Self {
        let file = home.map(|home| home.join("history.jsonl"));
        let mut prompts: Vec<String> = Vec::new();
        if let Some(path) = &file {
            // A history that grew too large is begun anew rather than read.
            let text = disk::read_text(path, limits::HISTORY_BYTES).ok().flatten().unwrap_or_default();
            prompts.extend(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
            if text.len() as u64 > limits::HISTORY_BYTES / 2 {
                shrink(path, &prompts);
            }
        }
        let skip = prompts.len().saturating_sub(limits::HISTORY_PROMPTS);
        prompts.drain(..skip);
        History { at: prompts.len(), prompts, file, present: String::new() }
    }

    /// Adds a prompt, here and for later sessions.
    pub fn add(&mut self, prompt: &str) {
        self.present.clear();
        if !prompt.trim().is_empty() && self.prompts.last().is_none_or(|last| last != prompt) {
            self.prompts.push(prompt.to_owned());
            self.store(prompt);
        }
        self.at = self.prompts.len();
    }

    fn store(&self, prompt: &str) {
        let Some(path) = &self.file else { return };
        let Ok(mut line) = serde_json::to_vec(prompt) else { return };
        line.push(b'\n');
        // A history that can't be written is no reason to stop anybody.
        if let Some(folder) = path.parent()
            && disk::private_folder(folder).is_ok()
            && let Ok(mut file) = AppendFile::open(path, Access::Private)
        {
            let _ = file.append(&line);
        }
    }

    pub fn older(&mut self, now: &str) -> Option<String> {
        if self.at == self.prompts.len() {
            self.present = now.to_owned();
        }
        self.at = self.at.checked_sub(1)?;
        self.prompts.get(self.at).cloned()
    }

    pub fn newer(&mut self) -> Option<String> {
        if self.at >= self.prompts.len() {
            return None;
        }
        self.at += 1;
        Some(self.prompts.get(self.at).cloned().unwrap_or_else(|| std::mem::take(&mut self.present)))
    }

    /// Whether an earlier prompt is shown.
    pub fn is_in_the_past(&self) -> bool {
        self.at < self.prompts.len()
    }

    /// The newest first, each once.
    pub fn newest_first(&self) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        self.prompts.iter().rev().filter(|prompt| seen.insert(prompt.as_str())).cloned().collect()
    }
}

fn shrink(path: &std::path::Path, prompts: &[String]) {
    let kept = &prompts[prompts.len().saturating_sub(limits::HISTORY_PROMPTS)..];
    let lines: String =
        kept.iter().filter_map(|prompt| serde_json::to_string(prompt).ok()).map(|line| line + "\n").collect();
    let _ = disk::write(path, lines.as_bytes(), Access::Private);
}

#[cfg(test)]
mod tests;
