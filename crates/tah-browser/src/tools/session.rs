//! `browser_session`: the browser of this task and its tabs.

use serde_json::Value;

use crate::browser::Call;
use crate::error::BrowserError;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    super::list_tabs::list(&call).await
}
