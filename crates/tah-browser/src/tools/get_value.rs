//! `browser_get_value`: what a field holds now.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::{Call, Caller};
use crate::error::BrowserError;
use crate::limits;
use crate::page::fields::plain;
use crate::page::{Target, told};

#[derive(Deserialize)]
struct Args {
    target: Value,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let target = Target::read(&args.target)?;
    let tab = call.tab().await?;
    let element = tab.locate(&target, limits::FIND).await?;
    let field = element.field().await?;
    let mut result = Map::new();
    if let Some(checked) = field.checked {
        result.insert(String::from("checked"), if field.mixed { json!("mixed") } else { json!(checked) });
    } else if let Some(selected) = &field.selected_text {
        result.insert(String::from("value"), field.value.clone());
        result.insert(String::from("selectedText"), json!(selected));
    } else if field.password && call.caller == Caller::Model {
        let length = plain(&field.value).chars().count();
        result.insert(String::from("value"), json!("•••"));
        result.insert(String::from("length"), json!(length));
    } else if field.value.is_null() {
        return Err(BrowserError::argument(format!("{} holds no value", field.what))
            .hint("browser_content with a selector reads its text"));
    } else {
        result.insert(String::from("value"), field.value.clone());
    }
    told::count_note(element.count, &mut result);
    Ok(Value::Object(result))
}
