//! The tools of an open browser. They never ask, but for the upload of files (A2); closing takes all of them out.

use super::door::Browser;
use super::engine::{Engine, EngineTool};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;
use tah_agent::card::{Card, CardLine, Insistence};
use tah_agent::message::Input;
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError};
use tah_os::text::shorten;

/// One tool of the open browser.
pub struct MountedTool {
    pub browser: Arc<Browser>,
    pub engine: Arc<Engine>,
    pub tool: EngineTool,
}

#[async_trait]
impl Tool for MountedTool {
    fn name(&self) -> &str {
        &self.tool.name
    }

    fn description(&self) -> &str {
        &self.tool.description
    }

    fn schema(&self) -> &Value {
        &self.tool.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        // One page, one thing after the other.
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        if self.tool.name != "browser_file_upload" {
            return Ok(None);
        }
        let paths = paths(input);
        let mut lines: Vec<CardLine> = paths.into_iter().map(CardLine::Path).collect();
        if lines.is_empty() {
            lines.push(CardLine::Text("no file: the page's file dialog is closed".to_owned()));
        }
        Ok(Some(Card {
            title: "Upload files".to_owned(),
            lines,
            always: None,
            insistence: Insistence::EveryTime,
        }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        match self.tool.name.as_str() {
            "browser_file_upload" => paths(input),
            "browser_navigate" => text(input, "url").map(str::to_owned).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn summary(&self, input: &Input) -> String {
        if self.tool.name == "browser_navigate"
            && let Some(url) = text(input, "url")
        {
            return url.to_owned();
        }
        if let Some(element) = text(input, "element") {
            return element.to_owned();
        }
        if input.is_empty() {
            return String::new();
        }
        shorten(&Value::Object(input.clone()).to_string(), 60).into_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        if !self.browser.is_open_with(&self.engine) {
            return Err(ToolError::new("the browser is closed").hint("open it with browser_open"));
        }
        let outcome = self.engine.call(&self.tool.name, input, context).await;
        if self.tool.name == "browser_close" && outcome.is_ok() {
            self.browser.close().await;
        } else if self.engine.is_over() {
            self.browser.forget_dead();
        }
        outcome
    }
}

fn text<'a>(input: &'a Input, name: &str) -> Option<&'a str> {
    input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn paths(input: &Input) -> Vec<String> {
    let list = input.get("paths").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
