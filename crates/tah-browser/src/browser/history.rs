//! What was done, newest last, with what must not be remembered masked.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use crate::error::BrowserError;
use crate::limits;
use crate::registry::Row;

use super::Call;

/// One call that ended.
pub struct Entry {
    pub seq: u64,
    pub row: &'static Row,
    /// As they were given; never shown.
    pub args: Map<String, Value>,
    /// As they are shown.
    params: Value,
    outcome: Result<Value, BrowserError>,
}

#[derive(Default)]
pub struct History {
    entries: VecDeque<Entry>,
    last: u64,
}

impl History {
    pub(super) fn record(&mut self, call: &Call, outcome: &Result<Value, BrowserError>) {
        // Looking at the history is no part of it.
        if call.row.name == "browser_history" {
            return;
        }
        self.last += 1;
        let hidden = call.hidden();
        let mut params = Value::Object(call.args.clone());
        mask_params("", &mut params, &hidden);
        let outcome = outcome.clone().map(|mut value| {
            mask_params("", &mut value, &hidden);
            shortened(value)
        });
        self.entries.push_back(Entry {
            seq: self.last,
            row: call.row,
            args: call.args.clone(),
            params,
            outcome,
        });
        if self.entries.len() > limits::HISTORY {
            self.entries.pop_front();
        }
    }

    pub fn entry(&self, seq: u64) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.seq == seq)
    }

    pub fn range(&self) -> Option<(u64, u64)> {
        Some((self.entries.front()?.seq, self.entries.back()?.seq))
    }

    /// `entries`, oldest first; where they are too much, the newest are kept.
    pub fn to_json(&self) -> Value {
        let (mut kept, mut size) = (VecDeque::new(), 0);
        for entry in self.entries.iter().rev() {
            let mut line = json!({
                "seq": entry.seq,
                "action": entry.row.name.trim_start_matches("browser_"),
                "ok": entry.outcome.is_ok(),
                "params": entry.params,
            });
            match &entry.outcome {
                Ok(value) => line["result"] = value.clone(),
                Err(error) => line["error"] = json!({"code": error.code.as_str(), "message": error.message}),
            }
            size += line.to_string().len();
            if size > limits::HISTORY_RESULT && !kept.is_empty() {
                break;
            }
            kept.push_front(line);
        }
        let omitted = self.entries.len() - kept.len();
        let mut result = json!({"entries": kept});
        if omitted > 0 {
            result["omitted"] = json!(omitted);
        }
        result
    }
}

/// Names of fields whose values are nobody's business.
fn is_private(name: &str) -> bool {
    let name = name.to_lowercase();
    ["password", "passwd", "passphrase", "pwd", "secret", "密码", "口令"]
        .iter()
        .any(|part| name.contains(part))
}

fn mask_params(key: &str, value: &mut Value, hidden: &[String]) {
    match value {
        Value::String(text) => {
            if hidden.iter().any(|hidden| text == hidden) {
                *text = String::from("•••");
            }
            for hidden in hidden.iter().filter(|hidden| hidden.len() >= 4) {
                if text.contains(hidden.as_str()) {
                    *text = text.replace(hidden.as_str(), "•••");
                }
            }
            if text.len() > limits::HISTORY_TEXT {
                let cut = text.floor_char_boundary(limits::HISTORY_TEXT);
                let rest = text[cut..].chars().count();
                text.truncate(cut);
                text.push_str(&format!("… [{rest} more chars]"));
            }
        }
        Value::Array(items) if key == "cookies" => *value = Value::from(format!("[{} cookies]", items.len())),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_params(key, item, hidden)),
        Value::Object(map) => {
            let private = ["selector", "name", "label", "placeholder", "target"]
                .iter()
                .any(|field| map.get(*field).is_some_and(|named| is_private(&named.to_string())));
            for (key, item) in map.iter_mut() {
                if private && matches!(key.as_str(), "value" | "text") {
                    *item = Value::from("•••");
                } else {
                    mask_params(key, item, hidden);
                }
            }
        }
        _ => {}
    }
}

/// A result as the history keeps it: long texts cut.
fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > 300 => {
            let cut = text.floor_char_boundary(300);
            Value::from(format!("{}… [{} more chars]", &text[..cut], text[cut..].chars().count()))
        }
        Value::Array(items) if items.len() > 10 => Value::from(format!("[{} entries]", items.len())),
        Value::Array(items) => Value::Array(items.into_iter().map(shortened).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, item)| (key, shortened(item))).collect())
        }
        other => other,
    }
}
