//! `browser_check`: checks or unchecks, and reads the state back.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::limits;
use crate::page::fields::Checked;
use crate::page::{Needs, Target, told};

#[derive(Deserialize)]
struct Args {
    target: Value,
    checked: Option<bool>,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let target = Target::read(&args.target)?;
    let wanted = if args.checked.unwrap_or(true) { Checked::Yes } else { Checked::No };
    let tab = call.tab().await?;
    let (element, ..) = tab.aim(&target, Needs::CHANGE, limits::FIND).await?;
    let watch = tab.watch_frame(&element.frame).await?;
    let checked = element.check(&tab, wanted).await?;
    let outcome = tab.outcome(&element.frame, &watch, call.left()).await?;
    let mut result = Map::new();
    result.insert(String::from("checked"), json!(checked));
    told::count_note(element.count, &mut result);
    if !(outcome.seen.is_nothing() && outcome.lines.is_empty()) {
        call.tell(&tab, &outcome, &mut result).await?;
    }
    Ok(Value::Object(result))
}
