//! `browser_wait`: a verdict, never an error and never a page.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

use crate::browser::Call;
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::page::{By, PageError, Target};
use crate::state::{Life, Phase};

/// How often the page is asked for the selector when no event tells of a change.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let end = Instant::now() + call.wait_of("timeoutMs", limits::LOOK).min(limits::LOOK);
    loop {
        let missing = match call.tab_now() {
            Ok(tab) => missing(&call, &tab, end).await,
            Err(error) => vec![error.message],
        };
        if missing.is_empty() {
            return Ok(json!({"ready": true, "reason": "ready"}));
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || call.cancel.is_cancelled() {
            return Ok(json!({"ready": false, "reason": missing.join("; ")}));
        }
        let mut first = true;
        if let Ok(chrome) = call.chrome() {
            // Wakes at the next change of any kind.
            let _ = chrome
                .world()
                .until(LOOK_AGAIN.min(left), |_| (!std::mem::take(&mut first)).then_some(()))
                .await;
        } else {
            tokio::time::sleep(LOOK_AGAIN.min(left)).await;
        }
    }
}

async fn missing(call: &Call, tab: &Tab, end: Instant) -> Vec<String> {
    let mut missing = Vec::new();
    let (life, ready, url, dialog) = tab.chrome().world().read(|state| {
        let Some(known) = state.tab(tab.id()) else { return (Life::Crashed, false, String::new(), None) };
        let frame = state.frames.get(&known.main_frame);
        let ready = frame.is_some_and(|f| f.phase >= Phase::Interactive && f.navigating.is_none());
        let dialog = known.dialog.as_ref().filter(|dialog| !dialog.answered).cloned();
        (known.life, ready, frame.map_or_else(String::new, |frame| frame.url.clone()), dialog)
    });
    if life == Life::Crashed {
        return vec![String::from("the page crashed; browser_refresh loads it again")];
    }
    if let Some(dialog) = dialog {
        return vec![format!(
            "a {} dialog is open: {:?}; answer it with browser_dialog",
            dialog.kind.as_str(),
            dialog.message
        )];
    }
    if !ready {
        missing.push(String::from("the page is still loading"));
    }
    if let Some(wanted) = call.text("url")
        && !at(&url, wanted)
    {
        missing.push(format!("the url is {url}, not {wanted}"));
    }
    if let Some(selector) = call.text("selector").filter(|_| ready) {
        let there = match Target::read(&json!(selector)) {
            Ok(Target::Query { by: By::Css, value, .. }) => has(tab, &value, end).await,
            Ok(target) => shows(tab, &target, end).await,
            Err(error) => Err(error.message),
        };
        match there {
            Ok(true) => {}
            Ok(false) => missing.push(format!("nothing matches {selector}")),
            Err(why) => missing.push(why),
        }
    } else if let Some(selector) = call.text("selector") {
        missing.push(format!("nothing matches {selector} yet"));
    }
    missing
}

fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(100), Duration::from_secs(2))
}

/// A selector's element in any frame, the main one first; it need not be visible.
async fn has(tab: &Tab, selector: &str, end: Instant) -> Result<bool, String> {
    for (index, frame) in tab.frames().into_iter().enumerate() {
        match frame.call::<bool>("has", (selector,), left(end)).await {
            Ok(true) => return Ok(true),
            // A child frame that can't answer is not the page.
            Err(PageError::Thrown(message)) if index == 0 => {
                return Err(format!("{selector} is no CSS selector: {message}"));
            }
            Err(error) if index == 0 => return Err(error.to_string()),
            Ok(false) | Err(_) => {}
        }
    }
    Ok(false)
}

/// What other tools take as their target: visible text, an XPath, a ref.
async fn shows(tab: &Tab, target: &Target, end: Instant) -> Result<bool, String> {
    match tab.shows(target, left(end)).await {
        Ok(there) => Ok(there),
        Err(error) if matches!(error.code, Code::TargetNotFound | Code::TargetGone) => Ok(false),
        Err(error) => Err(error.message),
    }
}

/// Exactly, or as a prefix within the same origin.
fn at(url: &str, wanted: &str) -> bool {
    if url == wanted {
        return true;
    }
    match (Url::parse(url), Url::parse(wanted)) {
        (Ok(here), Ok(there)) => {
            here == there || (here.origin() == there.origin() && here.as_str().starts_with(there.as_str()))
        }
        _ => false,
    }
}
