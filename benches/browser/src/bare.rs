//! The floor: a client of the protocol that does this job and nothing else, on the same browser with the same flags. It
//! waits for its documents and presses with the mouse; it does not look whether something can be acted on, reads nothing
//! back, and keeps no account of frames, dialogs, requests or downloads.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tah_browser::cdp::wire::{self, Command};
use tah_browser::cdp::{Connection, Event, Session, Sink, open_pipe};
use tah_browser::launch::FLAGS;
use tah_os::process::{Child, Launcher, Output, Spawn};
use tokio::sync::watch;

use crate::task::{Driver, FIELDS};

const SOON: Duration = Duration::from_secs(20);

/// A walker as simple as can be.
const OUTLINE: &str = "[...document.querySelectorAll('a[href],button,input,select,textarea,h1')].filter(e => e.checkVisibility()).map((e, i) => \
    `e${i} ${e.localName} ${JSON.stringify((e.labels?.[0]?.textContent ?? e.textContent ?? '').trim().slice(0, 80))}`).join('\\n')";

pub struct Bare {
    child: Child,
    page: Session,
    documents: watch::Receiver<String>,
    _profile: tempfile::TempDir,
}

/// Knows the last document that was parsed.
struct Parsed(watch::Sender<String>);

impl Sink for Parsed {
    fn event(&self, _: &Connection, event: Event<'_>) {
        if event.method == "Page.lifecycleEvent"
            && let Some(told) = event.read::<Value>()
            && told["name"] == "DOMContentLoaded"
        {
            self.0.send_replace(told["loaderId"].as_str().unwrap_or_default().to_owned());
        }
    }

    fn closed(&self, _: &str) {}
}

/// `Target.attachToTarget`, which tah has no use for.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Attach {
    target_id: String,
    flatten: bool,
}

impl Command for Attach {
    const METHOD: &'static str = "Target.attachToTarget";
    type Reply = Value;
}

pub async fn start(folder: &Path) -> Result<Driver> {
    let profile = tempfile::tempdir_in(folder)?;
    let (commands, chrome_reads) = UnixStream::pair()?;
    let (answers, chrome_writes) = UnixStream::pair()?;
    let data = format!("--user-data-dir={}", profile.path().display());
    let child = Spawn::new("/usr/bin/chromium", &Launcher::None)
        .args(FLAGS.iter().copied())
        .args([&data, "--headless", "--mute-audio", "--window-size=1280,800"])
        .args(["--disable-dev-shm-usage", "--no-sandbox", "about:blank"])
        .stderr(Output::Null)
        .fd(3, chrome_reads)
        .fd(4, chrome_writes)
        .spawn()
        .await?;
    commands.set_nonblocking(true)?;
    answers.set_nonblocking(true)?;
    let writer = tokio::net::UnixStream::from_std(commands)?.into_split().1;
    let reader = tokio::net::UnixStream::from_std(answers)?.into_split().0;
    let (parsed, documents) = watch::channel(String::new());
    let connection = open_pipe(reader, writer, Arc::new(Parsed(parsed)));
    let browser = connection.browser();
    let target = loop {
        let all = browser.call_within(SOON, wire::GetTargets {}).await?.target_infos;
        if let Some(page) = all.into_iter().find(|target| target.kind == "page") {
            break page.target_id;
        }
    };
    let attached = browser.call_within(SOON, Attach { target_id: target, flatten: true }).await?;
    let page = connection.session(attached["sessionId"].as_str().context("no session")?);
    page.call_within(SOON, wire::PageEnable {}).await?;
    page.call_within(SOON, wire::SetLifecycleEvents { enabled: true }).await?;
    Ok(Driver::Bare(Box::new(Bare { child, page, documents, _profile: profile })))
}

impl Bare {
    async fn evaluate(&self, script: &str) -> Result<Value> {
        let ask = wire::Evaluate {
            expression: script.to_owned(),
            return_by_value: Some(true),
            ..Default::default()
        };
        Ok(self.page.call_within(SOON, ask).await?.result.value.unwrap_or_default())
    }

    /// Waits until the document that was parsed last is another one than `old`.
    async fn arrive(&mut self, old: &str) -> Result<()> {
        tokio::time::timeout(SOON, self.documents.wait_for(|now| now != old)).await??;
        Ok(())
    }

    pub async fn open(&mut self, url: &str) -> Result<String> {
        let old = self.documents.borrow().clone();
        let reply = self.page.call_within(SOON, wire::Navigate { url: url.to_owned() }).await?;
        ensure!(reply.error_text.is_none(), "{:?}", reply.error_text);
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
        let event = |kind: &str, button: &str, count: i64| wire::MouseEvent {
            r#type: kind.to_owned(),
            x,
            y,
            button: Some(button.to_owned()),
            click_count: Some(count),
            ..Default::default()
        };
        // Sent together and answered in order: a move that is waited for costs a frame.
        self.page.post(event("mouseMoved", "none", 0));
        self.page.post(event("mousePressed", "left", 1));
        self.page.call_within(SOON, event("mouseReleased", "left", 1)).await?;
        Ok(())
    }

    pub async fn fill_and_send(&mut self) -> Result<()> {
        for (name, value) in FIELDS {
            let focused = self.evaluate(&format!("document.querySelector('#{name}').focus()")).await?;
            ensure!(focused == json!(null), "{focused}");
            self.page.call_within(SOON, wire::InsertText { text: value.to_owned() }).await?;
        }
        self.click("#agree").await?;
        let old = self.documents.borrow().clone();
        self.click("#go").await?;
        self.arrive(&old).await
    }

    pub async fn close(self) {
        let _ = self.page.connection().browser().call_within(SOON, wire::BrowserClose {}).await;
        let _ = tokio::time::timeout(SOON, self.child.wait()).await;
    }
}
