//! `browser_reset`: one blank tab and no other.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::state::TabId;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let chrome = call.chrome()?;
    let old: Vec<TabId> =
        chrome.world().read(|state| state.visible_tabs().map(|tab| tab.id.clone()).collect());
    let blank = chrome.open_tab().await?;
    for id in &old {
        chrome.close_tab(id).await?;
    }
    chrome.world().change(|state| state.active = Some(blank.id().clone()));
    Ok(json!({"reset": true, "active": blank.id()}))
}
