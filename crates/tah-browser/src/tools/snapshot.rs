//! `browser_snapshot`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::Call;
use crate::chrome::Tab;
use crate::error::BrowserError;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let tab = call.tab().await?;
    take(&call, &tab, call.left()).await
}

/// The snapshot of a tab: `{url, title, elements, truncated, challenge}`; also the end of `browser_open`.
pub async fn take(_call: &Call, tab: &Tab, within: Duration) -> Result<Value, BrowserError> {
    let document: Value = tab.main_frame()?.call("document", (), within).await?;
    Ok(
        json!({"url": document["url"], "title": document["title"], "elements": "", "truncated": false, "challenge": null}),
    )
}
