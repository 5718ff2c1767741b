//! `browser_clear`: empties a field, or unchecks.

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
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let target = Target::read(&args.target)?;
    let tab = call.tab().await?;
    let (element, ..) = tab.aim(&target, Needs::CHANGE, limits::FIND).await?;
    let field = element.field().await?;
    if field.checked.is_some() {
        element.check(&tab, Checked::No).await?;
    } else if field.tag == "select" && field.multiple {
        element.choose(&[], std::time::Duration::ZERO).await?;
    } else {
        element.ready(Needs::EDIT, call.left()).await?;
        element.put(&tab, &json!("")).await?;
    }
    let mut result = Map::new();
    result.insert(String::from("cleared"), json!(true));
    told::count_note(element.count, &mut result);
    Ok(Value::Object(result))
}
