//! `browser_set_value`: replaces the value of one field, and reads it back.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::{Call, Caller};
use crate::error::BrowserError;
use crate::limits;
use crate::page::fields::plain;
use crate::page::{Needs, Target, told};

#[derive(Deserialize)]
struct Args {
    target: Value,
    value: Value,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let target = Target::read(&args.target)?;
    let tab = call.tab().await?;
    let (element, ..) = tab.aim(&target, Needs::EDIT, limits::FIND).await?;
    let text = plain(&args.value);
    let filled = call.options().secrets.fill(&text, &element.frame.address())?;
    let password = element.field().await?.password;
    if password || filled != text {
        call.hide(&filled);
    }
    let put = element.put(&tab, &json!(filled)).await?;
    let mut result = Map::new();
    result.insert(String::from("method"), json!(put.method));
    let hidden = password && call.caller == Caller::Model;
    let value =
        if hidden { json!(format!("({} characters, hidden)", filled.chars().count())) } else { put.value };
    result.insert(String::from("value"), value);
    if !put.text.is_empty() {
        result.insert(String::from("text"), json!(put.text));
    }
    told::count_note(element.count, &mut result);
    Ok(Value::Object(result))
}
