//! The Playwright engine: the real `@playwright/mcp` as a child, and what a user must not suffer from it (P8a).
//!
//! [`launch`] has its command line, [`reply`] what is done to its answers, [`mounted`] the tools the agent gets,
//! [`passwords`] what of an answer is masked, [`files`] what is done to the files it writes. Calls run one after the other; one that was cancelled goes on in the
//! server, so the next waits for it.

mod files;
mod launch;
mod mounted;
mod passwords;
mod reply;
mod track;

pub use mounted::MOUNTED;
pub(super) use mounted::tools;
pub(super) use reply::RESULT_CHARS;

use super::settings::BrowserSettings;
use files::Files;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tah_agent::event::Level;
use tah_agent::tool::{ToolContext, ToolError};
use tah_browser::profile::Claim;
use tah_mcp::{CallError, CallOptions, CallResult, Client, CloseOrder};
use tokio_util::sync::CancellationToken;
use track::Track;

/// How long the tab of a page that hangs may take to close before the browser is closed instead.
const RESCUE_TIMEOUT: Duration = Duration::from_secs(3);

/// The pauses before a navigation is repeated that another one got in the way of. The first follow at once, since that
/// is nearly always enough; on a busy machine the other one may take its time.
const REPEATS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// A running Playwright MCP.
pub(super) struct Playwright {
    client: Arc<Client>,
    call_timeout: Duration,
    profile: PathBuf,
    /// The turn to start a browser at the profile, until the first call has started it.
    claim: std::sync::Mutex<Option<Claim>>,
    files: Files,
    /// Held by the call that runs.
    track: Arc<tokio::sync::Mutex<Track>>,
    /// Whether a dialog or a file chooser is open, for those who don't want to wait for the call that runs.
    blocked: Arc<std::sync::atomic::AtomicBool>,
}

/// What a call gave, before the agent's rules for texts.
struct Answer {
    text: String,
    is_error: bool,
}

impl Playwright {
    /// Starts the server. Chrome starts with its first call.
    pub async fn start(settings: &BrowserSettings, context: &ToolContext) -> Result<Self, ToolError> {
        let prepared = launch::prepare(settings).await?;
        for notice in &prepared.notices {
            context.events.notice(Level::Info, notice.clone()).await;
        }
        let client =
            Client::start(&prepared.spec, &settings.launcher, &context.cancel).await.map_err(|error| {
                let hint =
                    error.hint().unwrap_or_else(|| "run `tah browser install` to install it anew".to_owned());
                ToolError::new(format!("Playwright MCP did not start: {error}")).hint(hint)
            })?;
        Ok(Playwright {
            client: Arc::new(client),
            call_timeout: settings.call_timeout,
            profile: settings.profile(),
            claim: std::sync::Mutex::new(Some(prepared.claim)),
            files: Files::new(settings.cwd.clone(), settings.output()),
            track: Arc::default(),
            blocked: Arc::default(),
        })
    }

    pub fn has_ended(&self) -> bool {
        self.client.ending().is_some()
    }

    /// Whether a dialog or a file chooser is open.
    pub fn is_blocked(&self) -> bool {
        self.blocked.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// Calls a tool and gives the text for the model, marked as a page's.
    pub async fn call(&self, tool: &str, input: Value, context: &ToolContext) -> Result<String, ToolError> {
        self.call_within(reply::RESULT_CHARS, tool, input, context).await
    }

    /// The same, of a text of at most so many characters.
    pub async fn call_within(
        &self,
        chars: usize,
        tool: &str,
        input: Value,
        context: &ToolContext,
    ) -> Result<String, ToolError> {
        let input = self.files.confined(reply::with_scheme(tool, input));
        // In a task of its own: a cancelled call goes on in the server, and the next one waits for its end.
        let engine = self.clone_for_task();
        let name = tool.to_owned();
        let task = tokio::spawn(async move { engine.call_in_order(&name, input, chars).await });
        let said = tokio::select! {
            joined = task => joined.unwrap_or_else(|_| Err(ToolError::new("the call failed inside"))),
            () = context.cancel.cancelled() => Err(ToolError::new("cancelled; may have happened")),
        };
        // Whatever came of it, the browser had its chance to take the profile.
        drop(self.claim.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
        said
    }

    fn clone_for_task(&self) -> Caller {
        Caller {
            client: self.client.clone(),
            call_timeout: self.call_timeout,
            profile: self.profile.clone(),
            files: self.files.clone(),
            track: self.track.clone(),
            blocked: self.blocked.clone(),
        }
    }

    /// Whether the browser is there after a first call that failed: a page that can't be reached leaves it usable,
    /// a browser that can't start does not (O5). The cause is Playwright's own words behind one line of advice.
    pub async fn is_usable(&self, first: &ToolError, context: &ToolContext) -> Result<(), ToolError> {
        if self.has_ended() {
            return Err(launch::advice(&self.profile, &first.message));
        }
        if first.message.contains("net::ERR_") || context.cancel.is_cancelled() {
            return Ok(());
        }
        match self.call("browser_tabs", json!({"action": "list"}), context).await {
            Ok(_) => Ok(()),
            Err(_) => Err(launch::advice(&self.profile, &first.message)),
        }
    }

    /// Ends the server so that logins are kept (P8a), and removes the files only it reads (P8b).
    pub async fn close(&self) {
        // A signal reaches Chrome too, and it may end before it has written its cookies: so it is closed first. Where
        // no Chrome runs the call would start one.
        let runs = std::fs::read_link(self.profile.join("SingletonLock")).is_ok();
        if runs && !self.has_ended() {
            let options = CallOptions { timeout: Some(RESCUE_TIMEOUT), ..CallOptions::default() };
            // A page that hangs may keep it from closing; then the signal has to do.
            let _ = self.client.call("browser_close", &json!({}), &options).await;
        }
        self.client.close(CloseOrder::SigtermFirst).await;
        self.files.remove_leavings();
    }
}

/// What one call needs, so that it can outlive the turn that made it.
struct Caller {
    client: Arc<Client>,
    call_timeout: Duration,
    profile: PathBuf,
    files: Files,
    track: Arc<tokio::sync::Mutex<Track>>,
    blocked: Arc<std::sync::atomic::AtomicBool>,
}

impl Caller {
    async fn call_in_order(&self, tool: &str, input: Value, chars: usize) -> Result<String, ToolError> {
        let mut track = self.track.clone().lock_owned().await;
        track.may_run(tool)?;
        let mut answer = self.answer(tool, &input, &mut track).await?;
        // A good navigation right after a failed one fails half the time, and works when repeated.
        for pause in REPEATS {
            if !reply::was_interrupted(&answer.text) {
                break;
            }
            tokio::time::sleep(pause).await;
            answer = self.answer(tool, &input, &mut track).await?;
        }
        if answer.is_error && track.has_browser() && reply::met_the_browsers_end(&answer.text) {
            if !track::only_looks(tool) {
                let text = format!("the browser ended, the page is lost; may have happened\n{}", answer.text);
                return Err(ToolError::new(text).hint("call browser_open with the page's url to go on"));
            }
            // Looking again harms nobody; it starts the browser anew, which is said below.
            answer = self.answer(tool, &input, &mut track).await?;
        }
        let lost = track.see(tool, &answer.text, &self.profile);
        self.blocked.store(track.is_blocked(), std::sync::atomic::Ordering::SeqCst);
        let text = self.without_passwords(&answer.text, &input, &mut track).await;
        let text = match lost {
            Some(line) => format!("{line}\n{text}"),
            None => text,
        };
        match (answer.is_error, track.url()) {
            (false, url) => Ok(reply::marked(&text, url, chars)),
            // What an error says of elements is the page's word too (R2); before there is a page it can't be.
            (true, Some(url)) => Err(ToolError::new(reply::marked(&text, Some(url), chars))),
            (true, None) => Err(ToolError::new(reply::cut(&text, chars))),
        }
    }

    async fn answer(&self, tool: &str, input: &Value, track: &mut Track) -> Result<Answer, ToolError> {
        match self.raw(tool, input, self.call_timeout).await {
            Ok(result) => {
                let is_error = result.is_error;
                Ok(Answer { text: reply::without_escapes(&result.into_text()), is_error })
            }
            Err(CallError::Timeout { .. }) => Err(self.rescue(track).await),
            Err(error) => {
                let message = error.to_string();
                Err(match error.hint() {
                    Some(hint) => ToolError::new(message).hint(hint),
                    None => ToolError::new(message).hint("call browser_open to start the browser again"),
                })
            }
        }
    }

    async fn raw(&self, tool: &str, input: &Value, timeout: Duration) -> Result<CallResult, CallError> {
        let cancel = CancellationToken::new();
        let options = CallOptions { timeout: Some(timeout), cancel, ..CallOptions::default() };
        self.client.call(tool, input, &options).await
    }

    /// A page that loops for ever gives no answer: its tab is closed, or else the whole browser (P8a).
    async fn rescue(&self, track: &mut Track) -> ToolError {
        let seconds = self.call_timeout.as_secs();
        let close = json!({"action": "close", "index": track.current_tab()});
        let closed_tab = self.raw("browser_tabs", &close, RESCUE_TIMEOUT).await.is_ok();
        let what = if closed_tab {
            "its tab was closed"
        } else if self.raw("browser_close", &json!({}), RESCUE_TIMEOUT).await.is_ok() {
            "its tab could not be closed, so the browser was"
        } else {
            self.client.close(CloseOrder::SigtermFirst).await;
            "its tab could not be closed, so the browser was ended"
        };
        track.forget_page();
        self.blocked.store(false, std::sync::atomic::Ordering::SeqCst);
        ToolError::new(format!(
            "no answer in {seconds} s: the page hangs (a script that never ends?); {what}"
        ))
        .hint("go on with browser_open and the url, without the step that made the page hang")
    }

    /// The text without the passwords of the page, which are taken out of the files it links, too (P8a).
    async fn without_passwords(&self, text: &str, input: &Value, track: &mut Track) -> String {
        let files = self.files.linked(text);
        let mut shown = passwords::Shown::Known;
        let mut events = None;
        if !track.is_blocked() && (passwords::may_show(text) || files.iter().any(files::Linked::may_show)) {
            let script = json!({"function": passwords::SCRIPT});
            match self.raw("browser_evaluate", &script, passwords::TIMEOUT).await {
                Ok(result) if !result.is_error => {
                    let answer = reply::without_escapes(&result.into_text());
                    track.remember_secrets(passwords::read(&answer));
                    // What happened meanwhile is told once, so here or never.
                    events = track::section(&answer, "### Events");
                }
                _ => shown = passwords::Shown::Unknown,
            }
        }
        let mask = |text: &str| passwords::mask(text, input, track.secrets(), shown);
        files.iter().for_each(|file| file.mask(mask));
        match events {
            Some(events) => format!("{}\n### Events\n{events}", mask(text)),
            None => mask(text),
        }
    }
}
