//! `browser_switch_tab`: the tab the next calls work on, and the one the window shows.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};

use super::list_tabs::named;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let id = named(&call)?;
    let chrome = call.chrome()?;
    let tab = chrome
        .tab(&id)
        .ok_or_else(|| BrowserError::new(Code::TabUnknown, format!("the tab {id} is gone")))?;
    tab.activate().await?;
    chrome.refresh_titles().await?;
    let title = chrome.world().read(|state| state.tab(&id).map(|tab| tab.title.clone()));
    Ok(json!({"switched": id, "url": tab.url(), "title": title}))
}
