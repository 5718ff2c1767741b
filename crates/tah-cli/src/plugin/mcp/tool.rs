//! One tool of a server as the agent's tool: its card, its call, its result.

use super::clip::Clip;
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;
use tah_agent::card::{Card, CardLine, Insistence, Scope};
use tah_agent::message::{Image, Input};
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError, Vision};
use tah_mcp::{CallOptions, Fleet, MountedTool, Progress};
use tah_os::text::shorten;
use tokio::sync::mpsc;

/// A mounted tool and its way to the server.
pub struct McpTool {
    pub fleet: Arc<Fleet>,
    pub mounted: Arc<MountedTool>,
    pub clip: Clip,
}

#[async_trait]
impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.mounted.name
    }

    fn description(&self) -> &str {
        &self.mounted.description
    }

    fn schema(&self) -> &Value {
        &self.mounted.schema
    }

    /// What a server says of its tools' effects is no reason to trust it.
    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let mut lines =
            vec![CardLine::Text(format!("{} of server {}", self.mounted.tool.name, self.mounted.server))];
        if !input.is_empty() {
            lines.push(CardLine::Text(serde_json::to_string_pretty(input).unwrap_or_default()));
        }
        Ok(Some(Card {
            title: format!("Call {}", self.mounted.name),
            lines,
            always: Some(Scope::Tool { name: self.mounted.name.clone() }),
            insistence: Insistence::Normal,
        }))
    }

    fn summary(&self, input: &Input) -> String {
        if input.is_empty() {
            return String::new();
        }
        shorten(&Value::Object(input.clone()).to_string(), 60).into_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let (progress, mut seen) = mpsc::channel(16);
        let options = CallOptions { cancel: context.cancel.clone(), progress: Some(progress), timeout: None };
        let input = Value::Object(input);
        let mut call = std::pin::pin!(self.fleet.call(&self.mounted, &input, &options));
        let outcome = loop {
            tokio::select! {
                outcome = &mut call => break outcome,
                Some(progress) = seen.recv() => {
                    context.events.output(&context.call_id, progress_line(&progress)).await;
                }
            }
        };
        let result = outcome.map_err(|error| ToolError { message: error.to_string(), hint: error.hint() })?;
        let images: Vec<Image> = match context.vision {
            Vision::Off => Vec::new(),
            Vision::On => result
                .images()
                .map(|(mime, data)| Image {
                    media_type: mime.to_owned(),
                    data: data.to_owned(),
                    label: format!("{} of {}", self.mounted.tool.name, self.mounted.server),
                })
                .collect(),
        };
        let failed = result.is_error;
        let output = self.clip.output(result.into_text(), &self.mounted.name);
        match failed {
            // M9: a failure without a word is still one
            true if output.text.trim().is_empty() => {
                Err(ToolError::new("the tool failed and gave no reason"))
            }
            true => Err(ToolError::new(output.text)),
            false => Ok(Output { images, ..output }),
        }
    }
}

fn progress_line(progress: &Progress) -> String {
    let done = progress.done;
    let count = match progress.total {
        Some(total) => format!("{done}/{total}"),
        None => done.to_string(),
    };
    match &progress.message {
        Some(message) => format!("{count} {message}\n"),
        None => format!("{count}\n"),
    }
}
