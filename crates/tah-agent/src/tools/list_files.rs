//! `list_files`: what is in a folder, some levels deep, without what `.gitignore` names.

use super::arguments;
use super::files::{Files, blocking, count};
use super::walk::Base;
use crate::card::Card;
use crate::limits;
use crate::message::Input;
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use tah_os::path::Kind;
use tokio_util::sync::CancellationToken;

const NAME: &str = "list_files";
const DEPTH: usize = 2;

pub(crate) struct ListFiles {
    files: Files,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    directory: Option<String>,
    depth: Option<usize>,
}

impl ListFiles {
    pub(crate) fn new(files: Files) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "directory": {"type": "string", "description": "default: the working folder"},
                "depth": {"type": "integer", "minimum": 1, "description": "levels, default 2"}
            }
        });
        ListFiles { files, schema }
    }
}

#[async_trait]
impl Tool for ListFiles {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Lists files and folders (folders end with /). What .gitignore names is left out."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, _input: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        self.files.subjects(match arguments::text(input, "directory") {
            "" => ".",
            directory => directory,
        })
    }

    fn summary(&self, input: &Input) -> String {
        match arguments::text(input, "directory") {
            "" => ".".to_owned(),
            directory => directory.to_owned(),
        }
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let (files, cancel) = (self.files.clone(), context.cancel.clone());
        blocking(move || list(&files, &arguments, &cancel)).await
    }
}

struct Found {
    depth: usize,
    line: String,
}

fn list(files: &Files, arguments: &Arguments, cancel: &CancellationToken) -> Result<Output, ToolError> {
    let base = Base::folder(files.folder(arguments.directory.as_deref())?)?;
    let depth = arguments.depth.unwrap_or(DEPTH).max(1);
    let mut found = Vec::new();
    let mut top = HashSet::new();
    let mut unreadable = 0;
    let mut more = false;
    let walk = base.builder().max_depth(Some(depth)).sort_by_file_name(|a, b| a.cmp(b)).build();
    for entry in walk {
        if cancel.is_cancelled() {
            return Err(ToolError::new("cancelled"));
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if entry.depth() == 0 {
            continue;
        }
        if found.len() == limits::LIST_LOOKED_AT {
            more = true;
            break;
        }
        if entry.depth() == 1 {
            top.insert(entry.file_name().to_owned());
        }
        let mark = entry.file_type().map_or("", |kind| mark(kind.is_dir(), kind.is_symlink()));
        let line = format!("{}{mark}", base.shown(base.below(entry.path())));
        found.push(Found { depth: entry.depth(), line });
    }
    let total = found.len();
    let (shown, note) = fit(found, depth);
    let mut text: String = shown.iter().map(|found| format!("{}\n", found.line)).collect();
    let mut notes: Vec<String> = note.into_iter().collect();
    if more {
        notes.push(format!("there are more than {total} entries"));
    }
    if let Some(ignored) = ignored(&base, &top) {
        notes.push(ignored);
    }
    if unreadable > 0 {
        notes.push(format!("{} could not be read", count(unreadable, "entry").replace("entrys", "entries")));
    }
    if shown.is_empty() {
        text.push_str("[nothing to show]\n");
    }
    if !notes.is_empty() {
        text.push_str(&format!("[{}]\n", notes.join("; ")));
    }
    let brief = if total == 1 { "1 entry".to_owned() } else { format!("{total} entries") };
    Ok(Output::new(text, brief))
}

fn mark(is_folder: bool, is_link: bool) -> &'static str {
    match (is_folder, is_link) {
        (true, _) => "/",
        (_, true) => " (link)",
        _ => "",
    }
}

/// Too many entries: the deepest levels go first, so that what is left is complete to its depth.
fn fit(mut found: Vec<Found>, depth: usize) -> (Vec<Found>, Option<String>) {
    if found.len() <= limits::LIST_ENTRIES {
        return (found, None);
    }
    let total = found.len();
    let deepest = found.iter().map(|found| found.depth).max().unwrap_or(depth);
    let fits = (1..deepest)
        .rev()
        .find(|&level| found.iter().filter(|found| found.depth <= level).count() <= limits::LIST_ENTRIES);
    match fits {
        Some(level) => found.retain(|found| found.depth <= level),
        None => {
            found.retain(|found| found.depth == 1);
            found.truncate(limits::LIST_ENTRIES);
        }
    }
    let note = match fits {
        Some(level) => format!(
            "{} entries below level {level} not shown: list a folder of them, or use glob",
            total - found.len()
        ),
        None => format!("{} more entries not shown: use glob with a pattern", total - found.len()),
    };
    (found, Some(note))
}

/// What is there but left out, at the top level: a model should not believe that `.env` does not exist.
fn ignored(base: &Base, shown: &HashSet<std::ffi::OsString>) -> Option<String> {
    let listing = base.place.list(limits::LIST_LOOKED_AT).ok()?;
    let names: Vec<String> = listing
        .entries
        .iter()
        .filter(|entry| !shown.contains(&entry.name) && entry.name != ".git" && entry.name != ".tah")
        .map(|entry| {
            let name = base.shown(Path::new(&entry.name));
            if entry.kind == Kind::Folder { format!("{name}/") } else { name }
        })
        .collect();
    match names.len() {
        0 => None,
        many if many > 10 => Some(format!("ignored: {} and {} more", names[..10].join(", "), many - 10)),
        _ => Some(format!("ignored: {}", names.join(", "))),
    }
}
