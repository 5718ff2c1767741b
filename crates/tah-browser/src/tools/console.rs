//! `browser_console`: what the page wrote since it was opened.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::error::BrowserError;

/// All lines together, in chars; the newest are kept.
const MOST: usize = 20_000;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let level = call.text("level").unwrap_or("all").to_owned();
    let tab = call.tab_now()?;
    Ok(tab.chrome().world().read(|state| {
        let Some(known) = state.tab(tab.id()) else { return json!({"errors": 0, "lines": []}) };
        let current = || known.console.iter().filter(|line| line.generation == known.generation);
        let is_error = |level: &str| matches!(level, "error" | "assert");
        let errors = current().filter(|line| is_error(&line.level)).count();
        let wanted = |line: &&crate::state::ConsoleLine| match level.as_str() {
            "error" => is_error(&line.level),
            "warning" => is_error(&line.level) || line.level == "warning",
            _ => true,
        };
        let (mut lines, mut size, mut omitted) = (Vec::new(), 0, 0);
        for line in current().filter(wanted).rev() {
            size += line.text.chars().count() + 40;
            if size > MOST {
                omitted += 1;
                continue;
            }
            let mut out = json!({"level": line.level, "text": line.text});
            if let Some(source) = &line.source {
                out["source"] = json!(source);
            }
            lines.push(out);
        }
        lines.reverse();
        let mut result = json!({"errors": errors, "lines": lines});
        if omitted > 0 {
            result["omitted"] = json!(omitted);
        }
        result
    }))
}
