//! `browser_open`, the door (O1–O5, A1): starts the engine, mounts its tools, and goes to a page.

use super::native::{self, Native};
use super::settings::EngineKind;
use super::{Engine, Open, Shared, display, install, playwright};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use tah_agent::card::{Card, CardLine, Insistence};
use tah_agent::message::Input;
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError};

/// The page of a browser that was opened without one, so that its window shows at once (O3).
const BLANK: &str = "about:blank";

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "description": "Page to go to; without it the page stays"},
            "newTab": {"type": "boolean", "description": "In a new tab (native engine)"},
        },
        "additionalProperties": false,
    })
});

pub(super) struct Door {
    shared: Arc<Shared>,
}

impl Door {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Door { shared }
    }
}

#[async_trait]
impl Tool for Door {
    fn name(&self) -> &str {
        "browser_open"
    }

    fn description(&self) -> &str {
        "Opens a real browser for pages that need clicks, forms, a login or JavaScript, and goes to `url`. \
         Its other browser_* tools come with your next step."
    }

    fn schema(&self) -> &Value {
        &SCHEMA
    }

    fn effect(&self, _: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        if self.shared.is_open() {
            return Ok(None);
        }
        let settings = &self.shared.settings;
        let mut lines = vec![CardLine::Url(url_of(input).unwrap_or(BLANK).to_owned())];
        if settings.kind() == EngineKind::Playwright && install::is_needed(settings) {
            if settings.program("npm").is_none() {
                return Err(install::without_npm());
            }
            lines.push(CardLine::Text(install::card_line(settings)));
        }
        let title = "Open browser".to_owned();
        Ok(Some(Card { title, lines, always: None, insistence: Insistence::EveryTime }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        vec![url_of(input).unwrap_or(BLANK).to_owned()]
    }

    fn summary(&self, input: &Input) -> String {
        display::summary("browser_open", input)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let _changing = self.shared.changing.lock().await;
        if self.shared.is_open() {
            return self.again(&input, context).await;
        }
        match self.shared.settings.kind() {
            EngineKind::Playwright => self.open_playwright(&input, context).await,
            EngineKind::Native => self.open_native(&input, context).await,
        }
    }
}

impl Door {
    async fn open_playwright(&self, input: &Input, context: &ToolContext) -> Result<Output, ToolError> {
        let settings = &self.shared.settings;
        if install::is_needed(settings) {
            install::install(settings, &context.cancel).await?;
        }
        let engine = Arc::new(playwright::Playwright::start(settings, context).await?);
        let tools = playwright::tools(&engine, &self.shared);
        let names: Vec<&str> =
            std::iter::once(self.name()).chain(tools.iter().map(|tool| tool.name())).collect();
        let head = json!({"opened": true, "tools": names}).to_string();
        let wanted = url_of(input);
        // The first call starts Chrome, so whatever keeps it from starting arrives here (O5).
        let first = go(&engine, wanted.unwrap_or(BLANK), &head, context).await;
        let page = match first {
            Ok(page) => page,
            Err(error) => {
                if let Err(cause) = engine.is_usable(&error, context).await {
                    engine.close().await;
                    return Err(cause);
                }
                // A failed navigation leaves the browser open (O1).
                error.for_model()
            }
        };
        self.shared.mount(Open { engine: Engine::Playwright(engine.clone()), tools });
        let mut text = format!("{head}\n{page}");
        if wanted.is_some() {
            text = with_snapshot(text, &engine, context).await;
        }
        Ok(Output::new(text, "opened"))
    }

    async fn open_native(&self, input: &Input, context: &ToolContext) -> Result<Output, ToolError> {
        let engine = Arc::new(Native::prepare(&self.shared.settings).await?);
        let tools = native::tools(&engine, &self.shared);
        let names: Vec<&str> =
            std::iter::once(self.name()).chain(tools.iter().map(|tool| tool.name())).collect();
        let head = json!({"opened": true, "tools": names});
        let text = match engine.open(input, head.clone(), context).await {
            Ok(text) => text,
            // A failed navigation leaves the browser open (O1).
            Err(error) if engine.is_running() => format!("{head}\n{}", native::tool_error(error).for_model()),
            Err(error) => {
                engine.close().await;
                return Err(native::tool_error(error));
            }
        };
        self.shared.mount(Open { engine: Engine::Native(engine), tools });
        Ok(Output::new(text, "opened"))
    }

    /// The browser is open: nothing is started; with a url it goes there (O2).
    async fn again(&self, input: &Input, context: &ToolContext) -> Result<Output, ToolError> {
        let Some(open) = self.shared.lock().clone() else {
            return Err(ToolError::new("the browser has just been closed").hint("call browser_open again"));
        };
        let head = "already open".to_owned();
        let engine = match open.engine {
            Engine::Playwright(engine) => engine,
            Engine::Native(engine) => {
                let said = json!({"open": head});
                let text = engine.open(input, said, context).await.map_err(native::tool_error)?;
                return Ok(Output::new(text, head));
            }
        };
        let Some(url) = url_of(input) else { return Ok(Output::new(head.clone(), head)) };
        let page = go(&engine, url, &head, context).await?;
        let text = with_snapshot(format!("{head}\n{page}"), &engine, context).await;
        Ok(Output::new(text, head))
    }
}

/// Goes to a page; what it gives and `head` are one result (P4).
async fn go(
    engine: &playwright::Playwright,
    url: &str,
    head: &str,
    context: &ToolContext,
) -> Result<String, ToolError> {
    let left = playwright::RESULT_CHARS.saturating_sub(head.chars().count());
    engine.call_within(left, "browser_navigate", json!({"url": url}), context).await
}

/// The page behind the result, since an action of Playwright gives only a link to a file (P8b).
async fn with_snapshot(mut text: String, engine: &playwright::Playwright, context: &ToolContext) -> String {
    let left = playwright::RESULT_CHARS.saturating_sub(text.chars().count());
    if engine.is_blocked() || left == 0 {
        return text;
    }
    if let Ok(snapshot) = engine.call_within(left, "browser_snapshot", json!({}), context).await {
        text.push('\n');
        text.push_str(&snapshot);
    }
    text
}

fn url_of(input: &Input) -> Option<&str> {
    input.get("url").and_then(Value::as_str).map(str::trim).filter(|url| !url.is_empty())
}
