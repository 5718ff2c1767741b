//! The floor: protocol commands and nothing else; no waiting until something can be acted on, no reading back.

use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tah_browser::cdp::wire;
use tah_browser::chrome::{Chrome, Tab};
use tah_browser::launch::{LaunchOptions, Profile, Window, launch};
use tah_browser::state::{Held, Phase};
use tah_os::process::Launcher;

use crate::task::{Driver, FIELDS};

pub struct Bare {
    chrome: Arc<Chrome>,
    tab: Tab,
}

const SOON: Duration = Duration::from_secs(20);

/// A walker as simple as can be.
const OUTLINE: &str = "[...document.querySelectorAll('a[href],button,input,select,textarea,h1')].filter(e => e.checkVisibility()).map((e, i) => \
    `e${i} ${e.localName} ${JSON.stringify((e.labels?.[0]?.textContent ?? e.textContent ?? '').trim().slice(0, 80))}`).join('\\n')";

/// The same options for everybody who starts Chromium through us.
pub fn options(folder: &Path) -> LaunchOptions {
    LaunchOptions {
        executable: None,
        path: std::env::var_os("PATH"),
        profile: Profile::Temporary,
        window: Window::Headless,
        connect: None,
        extra_args: Vec::new(),
        downloads: folder.join("downloads"),
        held: Held::ForDialogTool,
        rules: Default::default(),
        launcher: Launcher::None,
    }
}

pub async fn start(folder: &Path) -> Result<Driver> {
    let chrome = launch(&options(folder)).await?;
    let tab = chrome.active_tab().context("no tab")?;
    Ok(Driver::Bare(Box::new(Bare { chrome, tab })))
}

impl Bare {
    async fn evaluate(&self, script: &str) -> Result<serde_json::Value> {
        let ask = wire::Evaluate {
            expression: script.to_owned(),
            return_by_value: Some(true),
            ..Default::default()
        };
        Ok(self.tab.session().call_within(SOON, ask).await?.result.value.unwrap_or_default())
    }

    fn loader(&self) -> String {
        self.chrome.world().read(|state| {
            let tab = state.tab(self.tab.id());
            tab.and_then(|tab| state.frames.get(&tab.main_frame))
                .map(|f| f.loader.clone())
                .unwrap_or_default()
        })
    }

    async fn arrive(&self, old: &str) -> Result<()> {
        let arrived = self.chrome.world().until(SOON, |state| {
            let frame = state.frames.get(&state.tab(self.tab.id())?.main_frame)?;
            (frame.loader != old && frame.phase >= Phase::Interactive).then_some(())
        });
        arrived.await?.context("no new document")
    }

    pub async fn open(&self, url: &str) -> Result<String> {
        let old = self.loader();
        self.tab.session().call_within(SOON, wire::Navigate { url: url.to_owned() }).await?;
        self.arrive(&old).await?;
        self.look().await
    }

    pub async fn look(&self) -> Result<String> {
        Ok(self.evaluate(OUTLINE).await?.as_str().unwrap_or_default().to_owned())
    }

    pub async fn click(&self, selector: &str) -> Result<()> {
        let box_of = format!(
            "(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()"
        );
        let at = self.evaluate(&box_of).await?;
        let (x, y) = (at[0].as_f64().context("x")?, at[1].as_f64().context("y")?);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let pressed = kind != "mouseMoved";
            let event = wire::MouseEvent {
                r#type: kind.to_owned(),
                x,
                y,
                button: Some(String::from(if pressed { "left" } else { "none" })),
                click_count: Some(i64::from(pressed)),
                ..Default::default()
            };
            self.tab.session().call_within(SOON, event).await?;
        }
        Ok(())
    }

    pub async fn fill_and_send(&self) -> Result<()> {
        for (name, value) in FIELDS {
            self.evaluate(&format!("document.querySelector('#{name}').focus()")).await?;
            self.tab.session().call_within(SOON, wire::InsertText { text: value.to_owned() }).await?;
        }
        self.click("#agree").await?;
        let old = self.loader();
        self.click("#go").await?;
        self.arrive(&old).await
    }

    pub async fn close(self) {
        self.chrome.close().await;
    }
}
