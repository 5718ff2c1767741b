//! `browser_restrict`: a soft rail that the model can lift again.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let names: Vec<String> = match call.args.get("allowed") {
        Some(Value::Array(names)) => {
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let unknown: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !call.browser.tools().any(|row| row.name == *name))
        .collect();
    if !unknown.is_empty() {
        return Err(BrowserError::argument(format!(
            "argument allowed names tools that don't exist: {}",
            unknown.join(", ")
        ))
        .hint("names are as in the tool list, like browser_click"));
    }
    let allowed: BTreeSet<String> = names.into_iter().collect();
    let result = json!({ "restrictedTo": &allowed });
    call.browser.restrict((!allowed.is_empty()).then_some(allowed));
    Ok(result)
}
