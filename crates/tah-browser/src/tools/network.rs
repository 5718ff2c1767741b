//! `browser_network`: which requests the tab made and how they ended; never what was in them.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;
use crate::state::RequestEnd;

const MOST: usize = 200;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let filter = call.text("filter").unwrap_or_default().to_lowercase();
    let tab = call.tab_now()?;
    Ok(tab.chrome().world().read(|state| {
        let all: Vec<Value> = state.tab(tab.id()).into_iter().flat_map(|tab| &tab.requests)
            .filter(|request| filter.is_empty() || request.url.to_lowercase().contains(&filter))
            .map(|request| {
                let mut line = json!({
                    "method": request.method, "url": request.url, "type": request.kind, "status": request.status, "bytes": request.bytes,
                });
                match &request.end {
                    RequestEnd::Open => line["state"] = json!("open"),
                    RequestEnd::Finished => {}
                    RequestEnd::Failed(why) => line["failed"] = json!(why),
                }
                line
            })
            .collect();
        let omitted = all.len().saturating_sub(MOST);
        let mut result = json!({"count": all.len(), "requests": all[omitted..]});
        if omitted > 0 {
            result["omitted"] = json!(omitted);
        }
        result
    }))
}
