//! `browser_forward`: one step in the tab's history.

use serde_json::{Map, Value};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::navigate::{Arrival, Direction};

use super::arrival;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let tab = call.tab_now()?;
    let arrived = tab.step(Direction::Forward, call.left()).await?;
    let moved = !matches!(arrived, Arrival::Nothing);
    let mut result = Map::from_iter([(String::from("forward"), Value::Bool(moved))]);
    result.extend(arrival::describe(&call, &tab, arrived).await?);
    Ok(Value::Object(result))
}
