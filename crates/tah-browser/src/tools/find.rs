//! `browser_find`: searches elements and text of all frames.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::page::{Loan, PageError};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    text: Option<String>,
    regex: Option<String>,
    max_matches: Option<usize>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Hits {
    count: usize,
    matches: Vec<String>,
    invalid: Option<String>,
    used: u64,
}

/// Matches shown, unless `maxMatches` says otherwise.
const SHOWN: usize = 30;
/// All of them, in chars.
const SIZE: usize = 8_000;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let what = match (&args.text, &args.regex) {
        (Some(text), None) if !text.trim().is_empty() => json!({ "text": text }),
        (None, Some(regex)) if !regex.is_empty() => {
            // `/…/flags` says its flags itself.
            match regex.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
                Some((inner, flags)) if flags.chars().all(|flag| "imsu".contains(flag)) => {
                    json!({ "regex": inner, "flags": flags })
                }
                _ => json!({ "regex": regex }),
            }
        }
        _ => return Err(BrowserError::argument("browser_find takes one of text and regex")),
    };
    let limit = args.max_matches.unwrap_or(SHOWN);
    let tab = call.tab().await?;
    let (mut count, mut lines, mut size, mut cut) = (0, Vec::new(), 0, false);
    for frame in tab.frames() {
        if let Err(PageError::Dialog(dialog)) = frame.open_closed_roots(call.left()).await {
            return Err(PageError::Dialog(dialog).into());
        }
        let (loan, document) = (Loan::take(), frame.document());
        let left = limit.saturating_sub(lines.len());
        let hits: Hits =
            match frame.call("search", (&what, left, loan.start(), loan.end()), call.left()).await {
                Ok(hits) => hits,
                Err(PageError::Gone | PageError::Busy(_)) if !frame.is_main() => continue,
                Err(error) => return Err(error.into()),
            };
        frame.record(loan, hits.used, document);
        if let Some(why) = hits.invalid {
            return Err(BrowserError::argument(format!("the regex is not valid: {why}")));
        }
        count += hits.count;
        for line in hits.matches {
            size += line.len();
            if size > SIZE {
                cut = true;
                break;
            }
            let at = if frame.is_main() { String::new() } else { format!(" (frame {})", frame.address()) };
            lines.push(format!("{line}{at}"));
        }
    }
    let truncated = cut || lines.len() < count;
    let mut result = json!({"count": count, "matches": lines, "truncated": truncated});
    if count == 0 {
        result["note"] = json!("no matches; text is compared without regard to case, in what is visible");
    }
    Ok(result)
}
