//! How the tools that go somewhere say where they came.

use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::navigate::Arrival;
use crate::page::PageError;
use crate::state::Happening;

/// Fields about the page that is there now.
pub async fn describe(call: &Call, tab: &Tab, arrival: Arrival) -> Result<Map<String, Value>, BrowserError> {
    let mut fields = Map::new();
    match arrival {
        Arrival::Download(guid) => {
            let landed = tab.landed(&guid, limits::FLOW_IDLE.min(call.left())).await?;
            let path = landed.map_err(|why| {
                BrowserError::new(Code::DownloadFailed, format!("the download failed: {why}"))
            })?;
            fields.insert(String::from("url"), json!(tab.url()));
            fields.insert(String::from("download"), json!({ "path": path }));
            return Ok(fields);
        }
        Arrival::Dialog(dialog) => {
            fields.insert(String::from("url"), json!(tab.url()));
            fields.insert(
                String::from("dialog"),
                json!({"type": dialog.kind.as_str(), "message": dialog.message, "next": "answer it with browser_dialog"}),
            );
            return Ok(fields);
        }
        Arrival::Failed(error) => return Err(failure(tab, &error)),
        Arrival::Unfinished => {
            fields.insert(
                String::from("loading"),
                json!(format!(
                    "still loading after {} s; browser_wait waits for more",
                    limits::NEW_DOCUMENT.as_secs()
                )),
            );
        }
        Arrival::Document | Arrival::Within | Arrival::Nothing => {}
    }
    let document: Result<Value, PageError> =
        tab.main_frame()?.call("document", (), call.left().min(limits::NEW_DOCUMENT)).await;
    match document {
        Ok(document) => {
            fields.insert(String::from("url"), document["url"].clone());
            fields.insert(String::from("title"), document["title"].clone());
            // Behaviour 57: an error page of the server is a page, but not what was asked for.
            if document["status"].as_u64().is_some_and(|status| status >= 400) {
                fields.insert(String::from("status"), document["status"].clone());
            }
        }
        Err(PageError::Dialog(dialog)) => {
            fields.insert(String::from("url"), json!(tab.url()));
            fields.insert(
                String::from("dialog"),
                json!({"type": dialog.kind.as_str(), "message": dialog.message, "next": "answer it with browser_dialog"}),
            );
        }
        // Replaced again meanwhile, or too busy to say: the address is known all the same.
        Err(PageError::Gone | PageError::Busy(_)) => {
            fields.insert(String::from("url"), json!(tab.url()));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(fields)
}

/// The browser's words for a failed navigation, in ours.
fn failure(tab: &Tab, error: &str) -> BrowserError {
    let name = error.trim_start_matches("net::");
    let failed = |message: &str| BrowserError::new(Code::NavigationFailed, format!("{message} ({name})"));
    match name {
        "ERR_BLOCKED_BY_CLIENT" => {
            let why = tab.chrome().world().read(|state| {
                state
                    .happened_since(0)
                    .filter_map(|h| match h {
                        Happening::RequestBlocked { url, why } => Some(format!("{url}: {why}")),
                        _ => None,
                    })
                    .last()
            });
            BrowserError::new(
                Code::NavigationBlocked,
                why.unwrap_or_else(|| String::from("the address is blocked")),
            )
            .hint("capabilities.browser.allowHosts and denyHosts decide this; the user can change them")
        }
        "ERR_NAME_NOT_RESOLVED" => failed("there is no such host").hint("check the spelling of the address"),
        "ERR_CONNECTION_REFUSED" => {
            failed("nothing listens there").hint("is the server running, and is the port right?")
        }
        "ERR_CONNECTION_TIMED_OUT" | "ERR_TIMED_OUT" => failed("the server did not answer"),
        "ERR_INTERNET_DISCONNECTED" | "ERR_NETWORK_CHANGED" => failed("the network is down"),
        "ERR_EMPTY_RESPONSE" | "ERR_CONNECTION_RESET" | "ERR_CONNECTION_CLOSED" => {
            failed("the server broke off the connection")
        }
        "ERR_TOO_MANY_REDIRECTS" => failed("the page redirects in a circle"),
        "ERR_ABORTED" => failed("the server sent no page (no content, or the page stopped the navigation)")
            .hint("the tab still shows what it showed before"),
        _ if name.starts_with("ERR_CERT") || name.starts_with("ERR_SSL") => {
            failed("the server's certificate is not trusted")
                .hint("the user can open it in the window and accept it")
        }
        _ => failed("the page could not be opened"),
    }
}
