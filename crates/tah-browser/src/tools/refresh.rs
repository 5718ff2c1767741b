//! `browser_refresh`: loads the page again, also one that crashed.

use serde_json::{Map, Value};

use crate::browser::Call;
use crate::error::BrowserError;

use super::arrival;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let tab = call.tab_now()?;
    let arrived = tab.reload(call.left()).await?;
    let mut result = Map::from_iter([(String::from("refreshed"), Value::Bool(true))]);
    result.extend(arrival::describe(&call, &tab, arrived).await?);
    Ok(Value::Object(result))
}
