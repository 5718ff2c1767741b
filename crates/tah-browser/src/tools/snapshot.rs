//! `browser_snapshot`: what can be acted on, numbered.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::Call;
use crate::chrome::Tab;
use crate::error::BrowserError;
use crate::page::look::SNAPSHOT;

use super::challenge;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let tab = call.tab().await?;
    take(&call, &tab, call.left()).await
}

/// The snapshot of a tab: `{url, title, elements, truncated, challenge}`; also the end of `browser_open`.
pub async fn take(call: &Call, tab: &Tab, within: Duration) -> Result<Value, BrowserError> {
    let (look, blocked) = tokio::join!(tab.look(call.form(), SNAPSHOT, within), challenge::look(call, tab));
    let mut result = look?.to_json(call.form());
    let blocked = match blocked {
        Ok(Some((kind, reason))) => json!({"kind": kind, "reason": reason}),
        _ => Value::Null,
    };
    let more = result.remove("more");
    result.insert(String::from("challenge"), blocked);
    if let Some(more) = more {
        result.insert(String::from("more"), more);
    }
    Ok(Value::Object(result))
}
