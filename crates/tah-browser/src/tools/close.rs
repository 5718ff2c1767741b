//! `browser_close`: ends the browser with its cookies written; does not wait for calls that are under way.

use serde_json::{Value, json};

use crate::browser::{Call, Closed};
use crate::error::BrowserError;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let closed = call.browser.close().await;
    Ok(match closed {
        Closed::Now => json!({"closed": true}),
        Closed::Already => json!({"closed": true, "was": "not open"}),
    })
}
