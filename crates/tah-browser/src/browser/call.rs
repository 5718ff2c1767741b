//! What a tool is given: its arguments, the time it has, and the way to the page.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::chrome::{Chrome, Tab};
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::registry::Row;
use crate::state::{Life, Phase};

use super::{Browser, Caller, lock};

/// One call of one tool. Cheap to clone.
#[derive(Clone)]
pub struct Call {
    pub browser: Browser,
    pub row: &'static Row,
    /// Checked against the schema; nulls are left out.
    pub args: Map<String, Value>,
    pub caller: Caller,
    pub cancel: CancellationToken,
    pub(super) started: Instant,
    pub(super) budget: Duration,
    /// Texts that must not be in the history.
    pub(super) hidden: Arc<Mutex<Vec<String>>>,
}

impl Call {
    /// The arguments as a type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BrowserError> {
        T::deserialize(Value::Object(self.args.clone()))
            .map_err(|error| BrowserError::argument(format!("{}: {error}", self.row.name)))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.args.get(name).and_then(Value::as_str)
    }

    /// The time left of the call's budget, with a little kept for saying what came of it.
    pub fn left(&self) -> Duration {
        let keep = Duration::from_millis(500);
        (self.budget.saturating_sub(self.started.elapsed()))
            .saturating_sub(keep)
            .max(Duration::from_millis(50))
    }

    /// A caller's `timeoutMs`, at most what is left.
    pub fn wait_of(&self, argument: &str, default: Duration) -> Duration {
        let asked = self.args.get(argument).and_then(Value::as_u64).map(Duration::from_millis);
        asked.unwrap_or(default).min(self.left())
    }

    /// The running browser.
    pub fn chrome(&self) -> Result<Arc<Chrome>, BrowserError> {
        self.browser.current().ok_or_else(|| {
            BrowserError::new(Code::Crashed, "the browser ended; the page is lost")
                .hint("the next call starts a new browser; open the page again with browser_open")
        })
    }

    /// The active tab, as it is.
    pub fn tab_now(&self) -> Result<Tab, BrowserError> {
        self.chrome()?.active_tab().ok_or_else(|| BrowserError::new(Code::TabUnknown, "no tab is open"))
    }

    /// The active tab, once a page that is on its way has been parsed (at most [`limits::NEW_DOCUMENT`]).
    pub async fn tab(&self) -> Result<Tab, BrowserError> {
        let tab = self.tab_now()?;
        let ready = tab.chrome().world().until(limits::NEW_DOCUMENT.min(self.left()), |state| {
            let Some(known) = state.tab(tab.id()) else { return Some(Err(Code::TabUnknown)) };
            if known.life == Life::Crashed {
                return Some(Err(Code::Crashed));
            }
            if known.dialog.as_ref().is_some_and(|dialog| !dialog.answered) {
                return Some(Ok(()));
            }
            let frame = state.frames.get(&known.main_frame)?;
            // A new window has an empty document without an address until its own comes.
            let coming = known.opener.is_some() && frame.url.is_empty();
            let settled = frame.phase >= Phase::Interactive && frame.navigating.is_none() && !coming;
            (known.life == Life::Live && settled).then_some(Ok(()))
        });
        match ready.await? {
            Some(Err(Code::Crashed)) => Err(crate::page::PageError::Crashed.into()),
            Some(Err(code)) => Err(BrowserError::new(code, "the tab was closed")),
            // Still loading: the tool looks at what is there.
            Some(Ok(())) | None => Ok(tab),
        }
    }

    /// Keeps a text (a password, a cookie) out of the history.
    pub fn hide(&self, text: &str) {
        if !text.is_empty() {
            lock(&self.hidden).push(text.to_owned());
        }
    }

    pub(super) fn hidden(&self) -> Vec<String> {
        lock(&self.hidden).clone()
    }

    pub fn options(&self) -> &super::Options {
        self.browser.options()
    }
}
