//! `browser_challenge`: whether something stands in the way that only a person can pass.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::Call;
use crate::chrome::Tab;
use crate::error::BrowserError;
use crate::launch::Window;

#[derive(Deserialize)]
struct Suspicion {
    kind: String,
    reason: String,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let tab = call.tab().await?;
    Ok(match look(&call, &tab).await? {
        None => json!({"blocked": false}),
        Some((kind, reason)) => {
            let hint = match call.options().launch.window {
                Window::Shown => {
                    "ask the user to solve it in the browser window, then look again with browser_snapshot"
                }
                Window::Headless => "it can't be solved here, without a window: tell the user",
            };
            json!({"blocked": true, "kind": kind, "reason": reason, "hint": hint})
        }
    })
}

/// The kind of challenge that blocks the page and why we think so.
pub async fn look(call: &Call, tab: &Tab) -> Result<Option<(String, String)>, BrowserError> {
    let within = call.left();
    if let Some(found) = tab.main_frame()?.call::<Option<Suspicion>>("interstitial", (), within).await? {
        return Ok(Some((found.kind, found.reason)));
    }
    for frame in tab.frames().into_iter().skip(1) {
        let url = tab
            .chrome()
            .world()
            .read(|state| state.frames.get(frame.id()).map(|f| f.url.clone()))
            .unwrap_or_default();
        let Some(kind) = kind_of(&url) else { continue };
        let Ok(Some((parent, node))) = frame.owner(within).await else { continue };
        let Ok(element) = parent.resolve(node, within).await else { continue };
        // A frame that shows nothing is waiting in the background, not in the way.
        if element.call::<bool>("standsThere", (kind,), within).await.unwrap_or(false) {
            return Ok(Some((kind.to_owned(), format!("a visible {kind} challenge"))));
        }
    }
    Ok(None)
}

fn kind_of(url: &str) -> Option<&'static str> {
    let (_, rest) = url.split_once("://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host == "challenges.cloudflare.com" {
        Some("turnstile")
    } else if path.starts_with("recaptcha/")
        && (host.ends_with("google.com") || host.ends_with("recaptcha.net"))
    {
        Some("recaptcha")
    } else if host.ends_with("hcaptcha.com") {
        Some("hcaptcha")
    } else {
        None
    }
}
