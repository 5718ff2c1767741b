//! `browser_scrape`: rows of a page by static CSS.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::page::PageError;

#[derive(Deserialize)]
struct Args {
    item: String,
    fields: Map<String, Value>,
}

#[derive(Deserialize)]
struct Rows {
    #[serde(default)]
    count: usize,
    #[serde(default)]
    items: Vec<Value>,
    invalid: Option<String>,
}

const AGAIN: Duration = Duration::from_millis(80);

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let within = call.wait_of("timeoutMs", limits::FIND);
    let end = Instant::now() + within;
    let tab = call.tab().await?;
    loop {
        for frame in tab.frames() {
            for closed in [false, true] {
                if closed && frame.open_closed_roots(call.left()).await.unwrap_or(0) == 0 {
                    break;
                }
                let rows: Rows = match frame.call("scrape", (&args.item, &args.fields), call.left()).await {
                    Ok(rows) => rows,
                    Err(PageError::Gone) => break,
                    Err(PageError::Busy(_)) if !frame.is_main() => break,
                    Err(error) => return Err(error.into()),
                };
                if let Some(why) = rows.invalid {
                    return Err(BrowserError::new(Code::SelectorInvalid, why));
                }
                if rows.count > 0 {
                    return Ok(json!({"count": rows.count, "items": rows.items}));
                }
            }
        }
        if Instant::now() + AGAIN > end {
            let message = format!("nothing matches {} within {} ms", json!(args.item), within.as_millis());
            return Err(BrowserError::new(Code::TargetNotFound, message)
                .hint("browser_content with format html shows what is there"));
        }
        tokio::time::sleep(AGAIN).await;
    }
}
