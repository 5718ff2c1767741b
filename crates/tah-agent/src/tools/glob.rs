//! `glob`: files whose path matches a pattern.

use super::arguments;
use super::files::{Files, blocking, count};
use super::pattern::Pattern;
use super::walk::Base;
use crate::card::Card;
use crate::limits;
use crate::message::Input;
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use ignore::WalkState;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

const NAME: &str = "glob";

pub(crate) struct Glob {
    files: Files,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    directory: Option<String>,
}

impl Glob {
    pub(crate) fn new(files: Files) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "*.rs, src/**/*.{ts,tsx}"},
                "directory": {"type": "string"}
            },
            "required": ["pattern"]
        });
        Glob { files, schema }
    }
}

#[async_trait]
impl Tool for Glob {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Finds files by name. A pattern without / matches the name in any folder. What .gitignore names is left out."
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
        arguments::text(input, "pattern").to_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let (files, cancel) = (self.files.clone(), context.cancel.clone());
        blocking(move || find(&files, &arguments, &cancel)).await
    }
}

/// The first paths in their order, and how many there are.
#[derive(Default)]
struct Found {
    first: BinaryHeap<PathBuf>,
    total: usize,
}

fn find(files: &Files, arguments: &Arguments, cancel: &CancellationToken) -> Result<Output, ToolError> {
    let pattern = Pattern::new(&arguments.pattern)?;
    let base = Base::folder(files.folder(arguments.directory.as_deref())?)?;
    let found = Mutex::new(Found::default());
    base.parallel().run(|| {
        Box::new(|entry| {
            if cancel.is_cancelled() {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else { return WalkState::Continue };
            let below = base.below(entry.path());
            let is_folder = entry.file_type().is_none_or(|kind| kind.is_dir());
            if !is_folder && pattern.matches(below) {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.total += 1;
                found.first.push(below.to_owned());
                if found.first.len() > limits::LIST_ENTRIES {
                    found.first.pop();
                }
            }
            WalkState::Continue
        })
    });
    if cancel.is_cancelled() {
        return Err(ToolError::new("cancelled"));
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if found.total == 0 {
        return Ok(Output::new("[no file matches; files that .gitignore names are left out]", "no files"));
    }
    let shown = found.first.len();
    let mut text: String =
        found.first.into_sorted_vec().iter().map(|below| format!("{}\n", base.shown(below))).collect();
    if found.total > shown {
        text.push_str(&format!("[{} more; use a narrower pattern or a directory]\n", found.total - shown));
    }
    Ok(Output::new(text, count(found.total, "file")))
}
