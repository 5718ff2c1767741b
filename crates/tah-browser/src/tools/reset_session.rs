//! `browser_reset_session`: the browser ended and started anew, whatever state it was in. Logins stay.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    call.browser.close().await;
    let chrome = call.browser.ensure().await?;
    Ok(json!({"reset": true, "session": chrome.id}))
}
