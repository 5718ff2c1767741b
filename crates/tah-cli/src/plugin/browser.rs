//! The browser plugin: one small tool, the [`door`], until the model opens it; behind it the tools of an engine.
//!
//! Idle costs nothing: no process runs and only the door is listed (S3). Opening hands the agent the engine's
//! tools, which take effect at its next step (O4); closing, or the engine's death, takes them back (P5).

pub mod display;
mod door;
pub mod install;
mod native;
mod playwright;
mod rules;
mod settings;

pub use settings::{BrowserSettings, EngineChoice, EngineKind, NativeSettings, Window};

pub use playwright::MOUNTED;

pub(crate) use native::{RESULT_CHARS, marked};

use native::Native;
use playwright::Playwright;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tah_agent::tool::{Tool, ToolSource};

/// The plugin, as the agent and the program around it see it.
pub struct BrowserPlugin {
    shared: Arc<Shared>,
    door: Arc<dyn Tool>,
}

/// What the door and the mounted tools share.
pub(crate) struct Shared {
    settings: BrowserSettings,
    /// Held while a browser opens or closes, so that two calls never start two.
    changing: tokio::sync::Mutex<()>,
    open: Mutex<Option<Open>>,
}

/// An open browser.
#[derive(Clone)]
struct Open {
    engine: Engine,
    tools: Vec<Arc<dyn Tool>>,
}

/// What drives it.
#[derive(Clone)]
enum Engine {
    Playwright(Arc<Playwright>),
    Native(Arc<Native>),
}

impl BrowserPlugin {
    pub fn new(settings: BrowserSettings) -> Arc<Self> {
        let open = Mutex::new(None);
        let shared = Arc::new(Shared { settings, changing: tokio::sync::Mutex::default(), open });
        let door = Arc::new(door::Door::new(shared.clone()));
        Arc::new(BrowserPlugin { shared, door })
    }

    /// For the start-up line.
    pub fn engine_name(&self) -> &'static str {
        self.shared.settings.kind().name()
    }

    /// What the system prompt says of the web and the browser (R1).
    pub fn prompt_rules(&self) -> String {
        rules::prompt(self.shared.settings.window, self.shared.settings.vision)
    }

    /// Whether a browser is open now.
    pub fn is_open(&self) -> bool {
        self.shared.is_open()
    }

    /// Ends the browser, so that its logins are kept and nothing of it stays (P7).
    pub async fn shutdown(&self) {
        let _changing = self.shared.changing.lock().await;
        self.shared.close().await;
    }
}

impl ToolSource for BrowserPlugin {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = vec![self.door.clone()];
        if let Some(open) = self.shared.lock().as_ref() {
            tools.extend(open.tools.iter().cloned());
        }
        tools
    }

    fn refresh(&self) {
        self.shared.unmount_if_dead();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_open(&self) -> bool {
        self.unmount_if_dead();
        self.lock().is_some()
    }

    fn mount(&self, open: Open) {
        *self.lock() = Some(open);
    }

    /// A dead engine's tools go; it is not started again behind the user's back (P5).
    fn unmount_if_dead(&self) {
        let mut open = self.lock();
        let dead = open.as_ref().is_some_and(|open| match &open.engine {
            Engine::Playwright(engine) => engine.has_ended(),
            // It is started again with the next call, which says so (B75).
            Engine::Native(_) => false,
        });
        if dead {
            *open = None;
        }
    }

    /// Takes the tools out and ends the engine. The caller holds `changing`.
    async fn close(&self) {
        let open = self.lock().take();
        match open.map(|open| open.engine) {
            Some(Engine::Playwright(engine)) => engine.close().await,
            Some(Engine::Native(engine)) => engine.close().await,
            None => {}
        }
    }
}
