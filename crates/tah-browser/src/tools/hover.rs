//! `browser_hover`: moves the mouse over an element.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::input::Modifiers;
use crate::limits;
use crate::page::{Needs, PageError, Target, told};

#[derive(Deserialize)]
struct Args {
    target: Value,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let target = Target::read(&args.target)?;
    let tab = call.tab().await?;
    let (element, ready, point) = tab.aim(&target, Needs::POINT, limits::FIND_TO_ACT).await?;
    let watch = tab.watch_frame(&element.frame).await?;
    match tab.move_mouse(point, None, Modifiers::default(), call.left()).await {
        Ok(()) | Err(PageError::Dialog(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let outcome = tab.outcome(&element.frame, &watch, call.left()).await?;
    let mut result = Map::new();
    result.insert(String::from("hovered"), json!(ready.what));
    told::count_note(element.count, &mut result);
    call.tell(&tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}
