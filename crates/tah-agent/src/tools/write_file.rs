//! `write_file`: a whole file, new or in place of another. A file that is there keeps its mode, its encoding and,
//! if all its lines end with `\r\n`, its line endings.

use super::arguments;
use super::edit_file::line_endings::{Ending, Lines};
use super::files::{Files, blocking, count};
use super::rewriting::{Present, Rewrite};
use crate::card::Card;
use crate::message::Input;
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

const NAME: &str = "write_file";

pub(crate) struct WriteFile {
    files: Files,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    content: String,
}

impl WriteFile {
    pub(crate) fn new(files: Files) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"]
        });
        WriteFile { files, schema }
    }
}

#[async_trait]
impl Tool for WriteFile {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Writes a whole file and the folders above it. To change a part of a file use edit_file."
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
            let (path, change) = (&rewrite.path, &rewrite.change);
            Ok(match rewrite.present {
                Present::Nothing => {
                    let lines = count(change.added, "line");
                    Output::new(format!("{path}: created, {lines}"), format!("new, {lines}"))
                }
                Present::Text { .. } => {
                    Output::new(format!("{path}: written ({} lines)", change.brief()), change.brief())
                }
                Present::Opaque { .. } => Output::new(format!("{path}: replaced"), "replaced"),
            })
        })
        .await
    }
}

fn rewrite(files: &Files, input: &Input) -> Result<Rewrite, ToolError> {
    let arguments: Arguments = arguments::read(NAME, input)?;
    let path = files.resolve(&arguments.path)?;
    let present = Present::at(&path)?;
    files.check_seen(&path, present.stamp())?;
    let content = match &present {
        Present::Text { text, .. } => like(&arguments.content, text),
        Present::Nothing | Present::Opaque { .. } => arguments.content,
    };
    Rewrite::new(path, present, &content)
}

/// New content for a file whose lines all end with `\r\n`: a model writes `\n` and means the file's own (E1).
fn like(content: &str, old: &str) -> String {
    let mut lines = Lines::of(content);
    let plain = lines.uniform() == Some(Ending::Lf);
    match Lines::of(old).uniform() {
        Some(Ending::CrLf) if plain => {
            lines.endings.fill(Ending::CrLf);
            lines.original()
        }
        _ => content.to_owned(),
    }
}
