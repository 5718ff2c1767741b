//! `browser_open`: goes to an address and looks at what is there.

use serde_json::{Value, json};

use crate::address;
use crate::browser::Call;
use crate::cdp::wire;
use crate::chrome::{Broken, Tab};
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::navigate::Arrival;
use crate::page::PageError;

use super::{arrival, snapshot};

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let url = match call.text("url") {
        Some(text) => Some(address::complete(text)?),
        None => None,
    };
    if let Some(url) = &url {
        let options = call.options();
        address::check(url, &options.launch.rules, &options.work_dir).await?;
    }
    let new_tab = call.args.get("newTab") == Some(&Value::Bool(true));
    let tab = if new_tab { call.chrome()?.open_tab().await? } else { call.tab_now()? };
    let arrived = match &url {
        Some(url) => go(&call, &tab, url.as_str()).await?,
        None => {
            call.tab().await?;
            Arrival::Within
        }
    };
    let whole_page = matches!(arrived, Arrival::Document | Arrival::Unfinished | Arrival::Within);
    let mut result = arrival::describe(&call, &tab, arrived).await?;
    if new_tab {
        result.insert(String::from("tab"), json!(tab.id()));
    }
    if whole_page && !result.contains_key("dialog") {
        match snapshot::take(&call, &tab, call.left()).await {
            Ok(Value::Object(taken)) => {
                let mut merged = taken;
                for (key, value) in result {
                    merged.entry(key).or_insert(value);
                }
                return Ok(Value::Object(merged));
            }
            Ok(_) => {}
            // It arrived; that it can't be read right now is worth saying, not an error.
            Err(error) => {
                result.insert(String::from("snapshot"), json!(error.message));
            }
        }
    }
    Ok(Value::Object(result))
}

async fn go(call: &Call, tab: &Tab, url: &str) -> Result<Arrival, BrowserError> {
    let within = limits::LOOK.min(call.left());
    // A dialog that waits would keep the new page out; whoever opens another page does not want it answered.
    let open = tab.chrome().world().read(|state| {
        state.tab(tab.id()).and_then(|tab| tab.dialog.clone()).filter(|dialog| !dialog.answered)
    });
    if let Some(dialog) = open {
        return Err(PageError::Dialog(Box::new(dialog)).into());
    }
    match tab.navigate(url, within).await {
        Err(PageError::Busy(_)) => {
            tab.session().post(wire::StopLoading {});
            let silent = format!("{url} did not answer within {} s", within.as_secs());
            let answers = match tab.main_frame() {
                Ok(frame) => frame.call::<bool>("tick", (), limits::AFTER_TERMINATE).await.map(drop),
                Err(error) => Err(error),
            };
            let message = match answers {
                // The old page loops and can't be stopped any more.
                Err(PageError::Busy(_)) if tab.break_loop().await == Broken::Closed => {
                    format!("{silent}; the page before it looped, so the tab was closed")
                }
                _ => silent,
            };
            Err(BrowserError::new(Code::NavigationFailed, message))
        }
        other => Ok(other?),
    }
}
