//! The part of an action's result that says what came of it.

use serde_json::{Map, Value, json};

use crate::browser::{Call, Caller};
use crate::chrome::Tab;
use crate::error::BrowserError;
use crate::navigate::Arrival;

use super::acting::Outcome;
use super::look::Form;

/// What a new page takes in the result of the action that led to it, in chars.
const ARRIVED: usize = 5_000;

impl Call {
    /// Entries as lines for a model, as objects for a program.
    pub(crate) fn form(&self) -> Form {
        match self.caller {
            Caller::Model => Form::Lines,
            Caller::Program => Form::Objects,
        }
    }

    /// Adds to a result what an action brought about: a new page with what is on it, a dialog, changes, or that nothing
    /// was seen to change (B7).
    pub(crate) async fn tell(
        &self,
        tab: &Tab,
        outcome: &Outcome,
        into: &mut Map<String, Value>,
    ) -> Result<(), BrowserError> {
        let seen = &outcome.seen;
        let mut put = |key: &str, value: Value| {
            into.insert(key.to_owned(), value);
        };
        if let Some(dialog) = &seen.dialog {
            put(
                "dialog",
                json!({
                    "type": dialog.kind.as_str(), "message": dialog.message, "hint": "answer it with browser_dialog",
                }),
            );
            return Ok(());
        }
        if seen.tab_closed {
            put("tabClosed", json!(true));
            return Ok(());
        }
        if let Some(url) = &seen.url_changed {
            put("url", json!(url));
        }
        match &seen.arrival {
            Some(Arrival::Document | Arrival::Unfinished) => {
                // The way on is where the model looks next: that saves it the call.
                if let Ok(look) = tab.look(Form::Lines, ARRIVED, self.left()).await {
                    let page = look.to_json(Form::Lines);
                    for key in ["url", "title", "elements", "truncated", "loading"] {
                        if let Some(value) = page.get(key) {
                            put(key, value.clone());
                        }
                    }
                }
                return Ok(());
            }
            Some(Arrival::Failed(why)) => put("failed", json!(why)),
            // Downloads are told with the notes of the call.
            Some(Arrival::Download(guid)) => {
                let _ = tab.landed(guid, self.left().min(crate::limits::NEW_DOCUMENT)).await?;
            }
            _ => {}
        }
        if !outcome.lines.is_empty() {
            let mut lines = outcome.lines.join("\n");
            if outcome.more > 0 {
                lines
                    .push_str(&format!("\n… {} more changes; browser_snapshot shows the page", outcome.more));
            }
            put("changed", json!(lines));
        } else if seen.is_nothing() {
            put("changed", json!("no change seen"));
        }
        if seen.requests > 0 && outcome.lines.is_empty() && seen.arrival.is_none() {
            put("requests", json!(seen.requests));
        }
        Ok(())
    }
}

/// What a result says of a target that matched more than once.
pub(crate) fn count_note(count: usize, into: &mut Map<String, Value>) {
    if count > 1 {
        into.insert(
            String::from("matches"),
            json!(format!("{count} match; this is the first visible one, or the one at index")),
        );
    }
}
