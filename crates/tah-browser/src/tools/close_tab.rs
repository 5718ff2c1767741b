//! `browser_close_tab`: the next tab becomes the active one; the last leaves a blank one.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::state::TabId;

use super::list_tabs::named;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let id = named(&call)?;
    let chrome = call.chrome()?;
    let (was_active, next) = chrome.world().read(|state| {
        let ids: Vec<&TabId> = state.visible_tabs().map(|tab| &tab.id).collect();
        let at = ids.iter().position(|other| **other == id).unwrap_or(0);
        let next = ids.get(at + 1).or_else(|| at.checked_sub(1).and_then(|before| ids.get(before)));
        (state.active.as_ref() == Some(&id), next.map(|id| (*id).clone()))
    });
    match next {
        // The browser may end with its last window.
        None => drop(chrome.open_tab().await?),
        Some(next) if was_active => {
            if let Some(tab) = chrome.tab(&next) {
                tab.activate().await?;
            }
        }
        Some(_) => {}
    }
    chrome.close_tab(&id).await?;
    let gone = chrome.world().read(|state| state.tab(&id).is_none());
    Ok(json!({"closed": gone, "active": chrome.world().read(|state| state.active.clone())}))
}
