//! The native engine behind the same door: `tah-browser`'s tools as the agent's. What a tool is, its schema, whether it
//! asks and what it needs stands in that crate's one table; here is only the joint.

mod fit;
mod told;

pub(crate) use told::{RESULT_CHARS, marked};

use super::settings::BrowserSettings;
use super::{Shared, display};
use crate::config::environment;
use async_trait::async_trait;
use base64::Engine as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tah_agent::card::{Card, CardLine, Insistence, Scope};
use tah_agent::message::{Image, Input};
use tah_agent::session::store::own_state_folder;
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError, Vision};
use tah_browser::registry::{self, Ask, PageText, Row};
use tah_browser::secret::Secrets;
use tah_browser::{Browser, BrowserError, Caller};
use tah_os::disk;

/// A screenshot a model is shown is no larger than this, in bytes.
const IMAGE_BYTES: u64 = 4 << 20;

/// The engine of an open door.
pub(super) struct Native {
    browser: Browser,
}

impl Native {
    /// Makes the folders; the browser itself starts with the first call.
    pub async fn prepare(settings: &BrowserSettings) -> Result<Self, ToolError> {
        let refused =
            |error: disk::DiskError| ToolError::new(format!("the browser can't be opened: {error}"));
        own_state_folder(&settings.cwd.join(".tah")).map_err(refused)?;
        disk::private_folder(&settings.output()).map_err(refused)?;
        disk::private_folder(&settings.home).map_err(refused)?;
        let secrets = Secrets::load(&settings.secrets(), environment::text)
            .await
            .map_err(|error| ToolError::new(format!("the browser can't be opened: {error}")))?;
        Ok(Native { browser: Browser::new(settings.native_options(secrets)) })
    }

    pub fn is_running(&self) -> bool {
        self.browser.is_open()
    }

    pub async fn close(&self) {
        self.browser.close().await;
    }

    /// `browser_open`'s own part: goes to the page and looks. `head` comes before what it says.
    pub async fn open(
        &self,
        input: &Input,
        head: Value,
        context: &ToolContext,
    ) -> Result<String, BrowserError> {
        let args = Value::Object(input.clone());
        let result = self.browser.call("browser_open", args, Caller::Model, context.cancel.clone()).await?;
        let mut whole = head;
        if let (Some(whole), Value::Object(page)) = (whole.as_object_mut(), result) {
            whole.extend(page);
        }
        Ok(marked(whole, PageText::Inside, RESULT_CHARS))
    }
}

/// The tools behind the door.
pub(super) fn tools(engine: &Arc<Native>, shared: &Arc<Shared>) -> Vec<Arc<dyn Tool>> {
    engine
        .browser
        .tools()
        .filter(|row| row.ask != Ask::WhenClosed)
        .map(|row| Arc::new(Mounted { row, engine: engine.clone(), shared: shared.clone() }) as Arc<dyn Tool>)
        .collect()
}

/// The error as the agent has it: the code stands in front, so that the model and a program can tell kinds apart.
pub(super) fn tool_error(error: BrowserError) -> ToolError {
    ToolError { message: format!("{}: {}", error.code.as_str(), error.message), hint: error.hint }
}

struct Mounted {
    row: &'static Row,
    engine: Arc<Native>,
    shared: Arc<Shared>,
}

#[async_trait]
impl Tool for Mounted {
    fn name(&self) -> &str {
        self.row.name
    }

    fn description(&self) -> &str {
        self.row.description
    }

    fn schema(&self) -> &Value {
        self.row.schema()
    }

    fn effect(&self, _: &Input) -> Effect {
        match self.row.effect {
            registry::Effect::Read => Effect::Read,
            registry::Effect::Write => Effect::Write,
        }
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let settings = &self.shared.settings;
        Ok(match self.row.ask {
            Ask::Never | Ask::WhenClosed => None,
            Ask::Always => Some(card(self.row.name, input, settings)),
            Ask::WhenSavedElsewhere => {
                let elsewhere = path_of(input, "savePath", settings)
                    .is_some_and(|path| !is_beneath(&path, &settings.output()));
                elsewhere.then(|| card(self.row.name, input, settings))
            }
            Ask::AsRepeated => {
                let seq = input.get("seq").and_then(Value::as_u64).unwrap_or_default();
                let repeated = self.engine.browser.replayed(seq);
                repeated
                    .filter(|(name, _)| registry::row(name).is_some_and(|row| row.ask == Ask::Always))
                    .map(|(name, input)| card(name, &input, settings))
            }
        })
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        let names = ["url", "savePath"];
        let mut subjects: Vec<String> =
            names.iter().filter_map(|name| input.get(*name)?.as_str()).map(str::to_owned).collect();
        subjects.extend(uploads(input, &self.shared.settings));
        subjects
    }

    fn summary(&self, input: &Input) -> String {
        display::native_summary(input)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        if self.row.name == "browser_close" {
            let _changing = self.shared.changing.lock().await;
            self.shared.close().await;
            let text = json!({"closed": true}).to_string();
            return Ok(Output::new(text, "closed"));
        }
        let call = self.engine.browser.call(
            self.row.name,
            Value::Object(input),
            Caller::Model,
            context.cancel.clone(),
        );
        let result = call.await.map_err(tool_error)?;
        let picture = picture(self.row.name, &result, context.vision);
        let title = result.get("title").and_then(Value::as_str).map(str::to_owned);
        let text = marked(result, self.row.page_text, RESULT_CHARS);
        let brief = title.unwrap_or_else(|| format!("{} characters", text.chars().count()));
        let mut output = Output::new(text, brief);
        output.images.extend(picture);
        Ok(output)
    }
}

/// What a call that takes something out of the browser, puts it on the disk or runs code shows (A2, A3).
fn card(name: &str, input: &Input, settings: &BrowserSettings) -> Card {
    let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut always = Some(Scope::Tool { name: name.to_owned() });
    let mut insistence = Insistence::Normal;
    let (title, lines) = match name {
        "browser_upload" => {
            always = None;
            insistence = Insistence::EveryTime;
            ("Upload files", uploads(input, settings).into_iter().map(CardLine::Path).collect())
        }
        "browser_download" => {
            ("Download", vec![CardLine::Url(text("url")), CardLine::Path(text("savePath"))])
        }
        "browser_execute" => {
            let mut lines = vec![CardLine::Command(text("script"))];
            if let Some(args) = input.get("args") {
                lines.push(CardLine::Text(format!("arguments: {args}")));
            }
            ("Run a script in the page", lines)
        }
        "browser_auth" => {
            let line = match text("action").as_str() {
                "flush" => "reads the cookies of every site this browser is logged in to",
                _ => "puts cookies into the browser",
            };
            ("Logins", vec![CardLine::Text(line.to_owned())])
        }
        "browser_screenshot" => ("Save a screenshot", vec![CardLine::Path(text("savePath"))]),
        _ => ("Use the browser", vec![CardLine::Text(Value::Object(input.clone()).to_string())]),
    };
    Card { title: title.to_owned(), lines, always, insistence }
}

fn uploads(input: &Input, settings: &BrowserSettings) -> Vec<String> {
    let list = input.get("paths").or_else(|| input.get("files")).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|path| settings.cwd.join(path).display().to_string())
        .collect()
}

fn path_of(input: &Input, name: &str, settings: &BrowserSettings) -> Option<PathBuf> {
    Some(settings.cwd.join(input.get(name)?.as_str()?))
}

/// Whether a path as it is written stays beneath a folder; the engine itself judges the real one.
fn is_beneath(path: &Path, folder: &Path) -> bool {
    path.strip_prefix(folder)
        .is_ok_and(|rest| rest.components().all(|part| matches!(part, std::path::Component::Normal(_))))
}

/// The screenshot a result names, for a model that can look at it (V1).
fn picture(tool: &str, result: &Value, vision: Vision) -> Option<Image> {
    if tool != "browser_screenshot" || vision == Vision::Off {
        return None;
    }
    let path = PathBuf::from(result.get("path")?.as_str()?);
    let bytes = disk::read(&path, IMAGE_BYTES).ok()?;
    let media_type = if path.extension()? == "png" { "image/png" } else { "image/jpeg" };
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    Some(Image { media_type: media_type.to_owned(), data, label: path.display().to_string() })
}
