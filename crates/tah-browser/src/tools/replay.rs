//! `browser_replay`: an earlier action once more, through the same guard, queue and budget as the first time.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};

const REPLAYABLE: &[&str] =
    &["browser_open", "browser_execute", "browser_click", "browser_type", "browser_scroll", "browser_key"];

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let seq = call.args.get("seq").and_then(Value::as_u64).unwrap_or_default();
    let Some((name, args)) = call.browser.replayed(seq) else {
        let range = call.browser.history().range();
        let known = match range {
            Some((first, last)) => format!("it holds {first} to {last}"),
            None => String::from("it is empty"),
        };
        return Err(BrowserError::new(
            Code::HistoryUnknown,
            format!("there is no entry {seq} in the history; {known}"),
        ));
    };
    if !REPLAYABLE.contains(&name) {
        return Err(BrowserError::new(
            Code::NotReplayable,
            format!("{name} (entry {seq}) can't be replayed"),
        )
        .hint(format!("these can: {}", REPLAYABLE.join(", "))));
    }
    let result = call.browser.call(name, Value::Object(args), call.caller, call.cancel.clone()).await?;
    Ok(json!({"replayed": name.trim_start_matches("browser_"), "seq": seq, "result": result}))
}
