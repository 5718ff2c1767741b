//! The eighteen tools behind the door (P3), as the agent gets them.

use super::super::{Shared, display};
use super::{Playwright, files};
use async_trait::async_trait;
use base64::Engine as _;
use serde_json::Value;
use std::sync::Arc;
use tah_agent::card::{Card, CardLine, Insistence};
use tah_agent::message::{Image, Input};
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError, Vision};
use tah_os::disk;

/// In the order they are listed. Whatever else the server lists is never mounted.
pub const MOUNTED: [&str; 18] = [
    "browser_navigate",
    "browser_navigate_back",
    "browser_snapshot",
    "browser_find",
    "browser_click",
    "browser_type",
    "browser_fill_form",
    "browser_select_option",
    "browser_press_key",
    "browser_hover",
    "browser_drag",
    "browser_wait_for",
    "browser_tabs",
    "browser_take_screenshot",
    "browser_handle_dialog",
    "browser_file_upload",
    "browser_console_messages",
    "browser_close",
];

/// A screenshot a model is shown is no larger than this, in bytes.
const IMAGE_BYTES: u64 = 4 << 20;

/// The allowed tools of what the server lists now; the list stays as it is while the browser is open.
pub(crate) fn tools(engine: &Arc<Playwright>, shared: &Arc<Shared>) -> Vec<Arc<dyn Tool>> {
    let listed = engine.client.tools();
    MOUNTED
        .iter()
        .filter_map(|name| {
            let tool = listed.iter().find(|tool| tool.name == *name)?;
            Some(Arc::new(Mounted {
                name: tool.name.clone(),
                description: tool.description.clone(),
                schema: eased(tool.input_schema.clone()),
                engine: engine.clone(),
                shared: shared.clone(),
            }) as Arc<dyn Tool>)
        })
        .collect()
}

/// The schema without what costs tokens and says nothing, and without defaulted properties among the required ones.
fn eased(mut schema: serde_json::Map<String, Value>) -> Value {
    schema.remove("$schema");
    let properties = schema.get("properties").cloned().unwrap_or_default();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| {
            name.as_str()
                .is_some_and(|name| properties.get(name).and_then(|one| one.get("default")).is_none())
        });
    }
    Value::Object(schema)
}

struct Mounted {
    name: String,
    description: String,
    schema: Value,
    engine: Arc<Playwright>,
    shared: Arc<Shared>,
}

#[async_trait]
impl Tool for Mounted {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _: &Input) -> Effect {
        // One page: also those that only look must keep their place in the order.
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        if self.name != "browser_file_upload" {
            return Ok(None);
        }
        let mut lines: Vec<CardLine> = self.paths(input).into_iter().map(CardLine::Path).collect();
        if lines.is_empty() {
            lines.push(CardLine::Text("no file: closes the file chooser".to_owned()));
        }
        let title = "Upload files".to_owned();
        Ok(Some(Card { title, lines, always: None, insistence: Insistence::EveryTime }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        match self.name.as_str() {
            "browser_file_upload" => self.paths(input),
            _ => input.get("url").and_then(Value::as_str).map(str::to_owned).into_iter().collect(),
        }
    }

    fn summary(&self, input: &Input) -> String {
        display::summary(&self.name, input)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        if self.name == "browser_close" {
            return self.close(context).await;
        }
        let text = self.engine.call(&self.name, Value::Object(input), context).await?;
        let mut output = Output::new(text.clone(), display::brief(&text));
        if self.name == "browser_take_screenshot" && context.vision == Vision::On {
            output.images.extend(self.picture(&text));
        }
        Ok(output)
    }
}

impl Mounted {
    /// Closes the browser and takes its tools out of the list (P5).
    async fn close(&self, context: &ToolContext) -> Result<Output, ToolError> {
        let _changing = self.shared.changing.lock().await;
        let text = self.engine.call("browser_close", Value::Object(Input::new()), context).await;
        self.shared.close().await;
        let said = text.unwrap_or_else(|error| error.for_model());
        Ok(Output::new(format!("the browser is closed; browser_open opens it again\n{said}"), "closed"))
    }

    /// The files of an upload, each as the path it will be read from.
    fn paths(&self, input: &Input) -> Vec<String> {
        let list = input.get("paths").and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|path| self.shared.settings.cwd.join(path).display().to_string())
            .collect()
    }

    /// The screenshot a result names, for a model that can look at it (V1).
    fn picture(&self, text: &str) -> Option<Image> {
        let path = text.lines().find_map(|line| files::link(line, &["Screenshot of "]))?;
        let bytes = disk::read(&self.shared.settings.cwd.join(path), IMAGE_BYTES).ok()?;
        let media_type = match path.extension()?.to_str()? {
            "png" => "image/png",
            "jpeg" | "jpg" => "image/jpeg",
            "webp" => "image/webp",
            _ => return None,
        };
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        Some(Image { media_type: media_type.to_owned(), data, label: path.display().to_string() })
    }
}
