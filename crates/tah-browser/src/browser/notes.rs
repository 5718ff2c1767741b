//! What happened besides, told with the result of the call during which it happened (or the next one).

use std::sync::atomic::Ordering;

use serde_json::{Map, Value, json};

use crate::error::BrowserError;
use crate::registry::Needs;
use crate::state::{DownloadPhase, Happening, State};

use super::{Browser, Call, lock};

impl Browser {
    /// Adds dialogs, new and closed tabs, downloads, blocked requests and notices to a result.
    pub(super) fn annotate(
        &self,
        call: &Call,
        outcome: Result<Value, BrowserError>,
    ) -> Result<Value, BrowserError> {
        if call.row.needs == Needs::Nothing && call.row.name != "browser_reset_session" {
            return outcome;
        }
        let mut notes = Map::new();
        if let Some(chrome) = self.current() {
            chrome.world().read(|state| {
                let from = self.inner.told.fetch_max(state.happening_mark(), Ordering::Relaxed);
                collect(state, from, &mut notes);
            });
        }
        let notices: Vec<String> = std::mem::take(&mut *lock(&self.inner.notices));
        if !notices.is_empty() {
            notes.insert(String::from("notice"), Value::from(notices.join("; ")));
        }
        if notes.is_empty() {
            return outcome;
        }
        match outcome {
            Ok(Value::Object(mut result)) => {
                for (key, note) in notes {
                    result.entry(key).or_insert(note);
                }
                Ok(Value::Object(result))
            }
            Ok(other) => Ok(other),
            Err(mut error) => {
                error.message = format!("{} (meanwhile: {})", error.message, Value::Object(notes));
                Err(error)
            }
        }
    }
}

fn collect(state: &State, from: u64, notes: &mut Map<String, Value>) {
    let (mut dialogs, mut closed, mut downloads, mut blocked) = (vec![], vec![], vec![], vec![]);
    for happening in state.happened_since(from) {
        match happening {
            Happening::TabOpened { tab, .. } => {
                // One that is gone already is told as closed.
                if state.tab(tab).is_some() {
                    notes.insert(String::from("newTab"), json!(tab));
                }
            }
            Happening::TabClosed { tab, url } => closed.push(json!({"tab": tab, "url": url})),
            Happening::TabCrashed { tab, url } => {
                notes.insert(String::from("crashed"), json!({"tab": tab, "url": url}));
            }
            Happening::Dialog { tab, kind, message, answer } => dialogs.push(json!({
                "type": kind.as_str(), "message": clipped(message), "answer": answer, "tab": tab,
            })),
            Happening::DownloadStarted { guid } => {
                let Some(download) = state.downloads.iter().find(|download| download.guid == *guid) else {
                    continue;
                };
                let mut line = json!({"file": download.file_name, "url": clipped(&download.url)});
                match &download.phase {
                    DownloadPhase::Running => line["state"] = json!("downloading"),
                    DownloadPhase::Done(path) => line["path"] = json!(path),
                    DownloadPhase::Failed(why) => line["failed"] = json!(why),
                }
                downloads.push(line);
            }
            Happening::RequestBlocked { url, why } => {
                if blocked.len() < 5 {
                    blocked.push(json!(format!("{}: {why}", clipped(url))));
                }
            }
        }
    }
    for (key, list) in
        [("dialogs", dialogs), ("closedTabs", closed), ("downloads", downloads), ("blocked", blocked)]
    {
        if !list.is_empty() {
            notes.insert(key.to_owned(), Value::Array(list));
        }
    }
}

fn clipped(text: &str) -> String {
    let mut out: String = text.chars().take(500).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}
