//! `browser_select`: chooses an option of a `<select>`; an option that isn't there is an error that lists them (B5).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::limits;
use crate::page::{Needs, Target, told};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    target: Value,
    option_value: Option<String>,
    option_text: Option<String>,
    option_index: Option<u64>,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let wanted = match (&args.option_value, &args.option_text, args.option_index) {
        (Some(value), None, None) => json!({ "value": value }),
        (None, Some(text), None) => json!({ "text": text }),
        (None, None, Some(index)) => json!({ "index": index }),
        _ => {
            return Err(BrowserError::argument(
                "browser_select takes exactly one of optionValue, optionText and optionIndex",
            ));
        }
    };
    let target = Target::read(&args.target)?;
    let tab = call.tab().await?;
    let (element, ..) = tab.aim(&target, Needs::CHANGE, limits::FIND).await?;
    let watch = tab.watch_frame(&element.frame).await?;
    let put = element.choose(&[wanted], limits::FIND.min(call.left())).await?;
    let outcome = tab.outcome(&element.frame, &watch, call.left()).await?;
    let mut result = Map::new();
    result.insert(String::from("value"), put.value);
    result.insert(String::from("text"), json!(put.text));
    told::count_note(element.count, &mut result);
    if !(outcome.seen.is_nothing() && outcome.lines.is_empty()) {
        call.tell(&tab, &outcome, &mut result).await?;
    }
    Ok(Value::Object(result))
}
