//! `browser_fill`.

use serde_json::Value;

use crate::browser::Call;
use crate::error::{BrowserError, Code};

pub async fn run(_call: Call) -> Result<Value, BrowserError> {
    Err(BrowserError::new(Code::Unavailable, "browser_fill is on its way"))
}
