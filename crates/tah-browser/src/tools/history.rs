//! `browser_history`: what was done so far.

use serde_json::Value;

use crate::browser::Call;
use crate::error::BrowserError;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    Ok(call.browser.history().to_json())
}
