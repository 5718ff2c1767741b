//! `browser_open`: the one browser tool that is always there. It starts the engine, mounts its tools, and goes to
//! the first page; what is half started when something fails is ended again (O1–O5).

use super::engine::{Engine, FirstPage};
use super::mounted::MountedTool;
use super::playwright::Playwright;
use super::{BrowserSetup, DOOR, EngineKind, address, results};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use tah_agent::card::{Card, CardLine, Insistence};
use tah_agent::event::Level;
use tah_agent::message::Input;
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError, ToolSource};

/// The one browser of this process, open or not.
pub struct Browser {
    pub setup: BrowserSetup,
    state: Mutex<State>,
    /// Held while it is opened or closed: two calls at once open one browser.
    turning: tokio::sync::Mutex<()>,
}

enum State {
    Closed,
    Open { engine: Arc<Engine>, tools: Vec<Arc<dyn Tool>> },
}

impl Browser {
    pub fn new(setup: BrowserSetup) -> Arc<Self> {
        Arc::new(Browser { setup, state: Mutex::new(State::Closed), turning: tokio::sync::Mutex::new(()) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine, if it is open and lives.
    pub fn engine(&self) -> Option<Arc<Engine>> {
        self.forget_dead();
        match &*self.state() {
            State::Open { engine, .. } => Some(engine.clone()),
            State::Closed => None,
        }
    }

    /// Whether it is still open with the engine a tool was mounted from.
    pub fn is_open_with(&self, mine: &Arc<Engine>) -> bool {
        matches!(&*self.state(), State::Open { engine, .. } if Arc::ptr_eq(engine, mine))
    }

    /// Takes the tools of an engine that ended by itself out; it is not started again behind the user's back (P5).
    pub fn forget_dead(&self) {
        let mut state = self.state();
        if matches!(&*state, State::Open { engine, .. } if engine.is_over()) {
            *state = State::Closed;
        }
    }

    /// Ends the browser and takes its tools out (P5, P7).
    pub async fn close(&self) {
        let _turning = self.turning.lock().await;
        let open = std::mem::replace(&mut *self.state(), State::Closed);
        if let State::Open { engine, .. } = open {
            engine.close().await;
        }
    }

    fn mounted(&self) -> Vec<Arc<dyn Tool>> {
        self.forget_dead();
        match &*self.state() {
            State::Open { tools, .. } => tools.clone(),
            State::Closed => Vec::new(),
        }
    }

    /// Starts the engine and mounts its tools. The first call is the navigation: with Playwright that is what
    /// starts Chrome.
    async fn open(
        self: &Arc<Self>,
        url: &str,
        context: &ToolContext,
    ) -> Result<(Arc<Engine>, FirstPage), ToolError> {
        let engine = match self.setup.engine() {
            EngineKind::Playwright => Engine::Playwright(Playwright::start(&self.setup, context).await?),
            EngineKind::Native => {
                return Err(ToolError::new("Playwright MCP is not installed")
                    .hint("the user can install it with `tah browser install`"));
            }
        };
        let engine = Arc::new(engine);
        let first = tokio::select! {
            first = engine.visit(url, context) => first,
            () = context.cancel.cancelled() => Err(ToolError::new("cancelled; the browser was not opened")),
        };
        match first {
            Ok(page) => {
                let mount = |tool: &super::engine::EngineTool| {
                    let (browser, engine) = (self.clone(), engine.clone());
                    Arc::new(MountedTool { browser, engine, tool: tool.clone() }) as Arc<dyn Tool>
                };
                let tools = engine.tools().iter().map(mount).collect();
                *self.state() = State::Open { engine: engine.clone(), tools };
                Ok((engine, page))
            }
            Err(error) => {
                engine.close().await;
                Err(error)
            }
        }
    }
}

/// The door and, while the browser is open, its tools.
pub struct BrowserSource {
    door: Arc<dyn Tool>,
    browser: Arc<Browser>,
}

impl BrowserSource {
    pub fn new(browser: Arc<Browser>) -> Self {
        BrowserSource { door: Arc::new(Door { browser: browser.clone() }), browser }
    }
}

impl ToolSource for BrowserSource {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = vec![self.door.clone()];
        tools.extend(self.browser.mounted());
        tools
    }
}

struct Door {
    browser: Arc<Browser>,
}

const DESCRIPTION: &str = "Open a real Chrome to click, fill in, log in, or read pages that need JavaScript. Its \
tools (browser_navigate, browser_snapshot, browser_click and so on) are there in the next step. Asks the user first.";

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {"url": {"type": "string", "description": "The page to go to first"}},
        "additionalProperties": false,
    })
});

impl Door {
    fn url(input: &Input) -> Option<String> {
        let url = input.get("url").and_then(Value::as_str)?.trim();
        (!url.is_empty()).then(|| address::mend(url))
    }
}

#[async_trait]
impl Tool for Door {
    fn name(&self) -> &str {
        DOOR
    }

    fn description(&self) -> &str {
        DESCRIPTION
    }

    fn schema(&self) -> &Value {
        &SCHEMA
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        if self.browser.engine().is_some() {
            return Ok(None);
        }
        let url = Door::url(input).unwrap_or_else(|| "about:blank".to_owned());
        let mut lines = vec![CardLine::Url(url)];
        if self.browser.setup.engine() == EngineKind::Playwright {
            lines.extend(Playwright::before_start(&self.browser.setup)?.map(CardLine::Text));
        }
        Ok(Some(Card {
            title: "Open browser".to_owned(),
            lines,
            always: None,
            insistence: Insistence::EveryTime,
        }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        Door::url(input).into_iter().collect()
    }

    fn summary(&self, input: &Input) -> String {
        Door::url(input).unwrap_or_default()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let url = Door::url(&input);
        let turning = self.browser.turning.lock().await;
        if let Some(engine) = self.browser.engine() {
            drop(turning);
            let lead = format!("{}\n", json!({"opened": true, "note": "already open"}));
            let mut output = match url {
                // Without a url it stays where it is (O2).
                None => Output::new(lead.trim_end(), ""),
                Some(url) => {
                    let page = engine.visit(&url, context).await?;
                    results::for_model(&lead, &page.text, &page.url)
                }
            };
            output.brief = "already open".to_owned();
            return Ok(output);
        }
        let (window, notice) = self.browser.setup.window();
        tracing::debug!(?window, "opening the browser");
        if let Some(notice) = notice {
            context.events.notice(Level::Info, notice).await;
        }
        // O3: without a url the window shows at once all the same.
        let (engine, page) = self.browser.open(url.as_deref().unwrap_or("about:blank"), context).await?;
        let names: Vec<&str> = engine.tools().iter().map(|tool| tool.name.as_str()).collect();
        let lead = format!("{}\n", json!({"opened": true, "tools": names}));
        let mut output = results::for_model(&lead, &page.text, &page.url);
        output.brief = "opened".to_owned();
        Ok(output)
    }
}
