//! `edit_file`: replaces texts in a file, all of the given edits or none. What an edit matches is in [`matching`],
//! how line endings stay is in [`line_endings`].

pub(crate) mod line_endings;
pub(crate) mod matching;
#[cfg(test)]
mod tests;

use super::arguments;
use super::files::{Files, blocking, count};
use super::rewriting::{Present, Rewrite};
use crate::card::Card;
use crate::message::Input;
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use matching::Edit;
use serde::Deserialize;
use serde_json::{Value, json};

const NAME: &str = "edit_file";

pub(crate) struct EditFile {
    files: Files,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    edits: Vec<Edit>,
}

impl EditFile {
    pub(crate) fn new(files: Files) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "old": {"type": "string", "description": "exact text, there once"},
                            "new": {"type": "string"},
                            "all": {"type": "boolean", "description": "replace every occurrence"}
                        },
                        "required": ["old", "new"]
                    }
                }
            },
            "required": ["path", "edits"]
        });
        EditFile { files, schema }
    }
}

#[async_trait]
impl Tool for EditFile {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Replaces exact pieces of a file, in order; if one does not fit, none is made. Read the file first."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let (files, input) = (self.files.clone(), input.clone());
        blocking(move || {
            let rewrite = rewrite(&files, &input)?;
            files.plan(NAME, &input, rewrite.present.stamp().cloned());
            Ok(Some(rewrite.card(NAME)))
        })
        .await
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        self.files.subjects(arguments::text(input, "path"))
    }

    fn summary(&self, input: &Input) -> String {
        arguments::text(input, "path").to_owned()
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> Result<Output, ToolError> {
        let files = self.files.clone();
        blocking(move || {
            let rewrite = rewrite(&files, &input)?;
            rewrite.commit(&files, NAME, &input)?;
            let edits = input.get("edits").and_then(Value::as_array).map_or(0, Vec::len);
            let brief = rewrite.change.brief();
            Ok(Output::new(format!("{}: {} made ({brief} lines)", rewrite.path, count(edits, "edit")), brief))
        })
        .await
    }
}

fn rewrite(files: &Files, input: &Input) -> Result<Rewrite, ToolError> {
    let arguments: Arguments = arguments::read(NAME, input)?;
    if arguments.edits.is_empty() {
        return Err(ToolError::new("there are no edits"));
    }
    let path = files.resolve(&arguments.path)?;
    let present = Present::at(&path)?;
    files.check_seen(&path, present.stamp())?;
    let new = match &present {
        Present::Nothing => {
            return Err(ToolError::new(format!("no such file: {path}")).hint("write_file makes a new one"));
        }
        Present::Opaque { why, .. } => {
            return Err(ToolError::new(format!("{path} can't be edited as text: it is {why}")));
        }
        Present::Text { text, .. } => matching::apply(text, &arguments.edits)
            .map_err(|error| ToolError { message: format!("{path}: {}", error.message), hint: error.hint })?,
    };
    Rewrite::new(path, present, &new)
}
