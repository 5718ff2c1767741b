//! `browser_content`: the page, or one element, as HTML, Markdown, text or data.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};
use crate::page::PageError;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    format: String,
    selector: Option<String>,
    max_chars: Option<usize>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Content {
    content: String,
    truncated: bool,
    total: usize,
    invalid: Option<String>,
}

/// Chars, unless `maxChars` says otherwise.
const DEFAULT: usize = 100_000;
const AGAIN: Duration = Duration::from_millis(80);

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let tab = call.tab().await?;
    let limit = args.max_chars.unwrap_or(DEFAULT);
    let end = Instant::now() + call.wait_of("timeoutMs", Duration::ZERO);
    loop {
        for frame in tab.frames() {
            if args.selector.is_none() && !frame.is_main() {
                break;
            }
            for closed in [false, true] {
                if closed && frame.open_closed_roots(call.left()).await.unwrap_or(0) == 0 {
                    break;
                }
                // Without a selector closed roots are opened beforehand, since nothing tells that they are missing.
                if !closed && args.selector.is_none() {
                    frame.open_closed_roots(call.left()).await?;
                }
                let found = frame.call::<Option<Content>>(
                    "content",
                    (&args.format, &args.selector, limit),
                    call.left(),
                );
                let found = match found.await {
                    Ok(found) => found,
                    Err(PageError::Gone) => break,
                    Err(PageError::Busy(_)) if !frame.is_main() => break,
                    Err(error) => return Err(error.into()),
                };
                let Some(found) = found else { continue };
                if let Some(why) = found.invalid {
                    return Err(BrowserError::new(Code::SelectorInvalid, why));
                }
                let mut result = json!({"content": found.content, "truncated": found.truncated});
                if found.truncated {
                    result["total"] = json!(found.total);
                    result["more"] = json!("maxChars takes more, selector a part");
                }
                return Ok(result);
            }
        }
        if Instant::now() + AGAIN > end {
            let selector = args.selector.unwrap_or_default();
            return Err(BrowserError::new(
                Code::TargetNotFound,
                format!("nothing matches {}", json!(selector)),
            )
            .hint("browser_snapshot shows what is there"));
        }
        tokio::time::sleep(AGAIN).await;
    }
}
