//! `browser_list_tabs`, and the list that `browser_session` shows as well.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};
use crate::state::{Life, TabId};

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    list(&call).await
}

pub async fn list(call: &Call) -> Result<Value, BrowserError> {
    let chrome = call.chrome()?;
    chrome.refresh_titles().await?;
    let tabs: Vec<Value> = chrome.world().read(|state| {
        let tab = |tab: &crate::state::TabState| {
            let active = state.active.as_ref() == Some(&tab.id);
            let mut line = json!({"id": tab.id, "url": tab.url, "title": tab.title, "active": active});
            if tab.life == Life::Crashed {
                line["crashed"] = Value::Bool(true);
            }
            if let Some(dialog) = &tab.dialog {
                line["dialog"] = json!(dialog.kind.as_str());
            }
            line
        };
        state.visible_tabs().map(tab).collect()
    });
    Ok(json!({"session": chrome.id, "tabs": tabs}))
}

/// The tab an argument names; an unknown one is an error that lists what there is.
pub fn named(call: &Call) -> Result<TabId, BrowserError> {
    let id = TabId(call.text("tabId").unwrap_or_default().trim().to_owned());
    let known: Vec<String> =
        call.chrome()?.world().read(|state| state.visible_tabs().map(|tab| tab.id.to_string()).collect());
    if known.contains(&id.0) {
        return Ok(id);
    }
    Err(BrowserError::new(Code::TabUnknown, format!("there is no tab {id}; there are: {}", known.join(", "))))
}
