//! What every call is checked for before it runs and every result before it is stored.

use crate::limits;
use crate::message::Input;
use crate::tool::{Tool, ToolError};
use serde_json::Value;

/// The input against the tool's schema, with an error that names the argument. A schema that can't be compiled
/// checks nothing: the tool itself is the judge then.
pub(super) fn input(tool: &dyn Tool, input: &Input) -> Result<(), ToolError> {
    let Ok(validator) = jsonschema::validator_for(tool.schema()) else { return Ok(()) };
    let value = Value::Object(input.clone());
    let faults: Vec<String> = validator
        .iter_errors(&value)
        .take(3)
        .map(|error| match error.instance_path().to_string() {
            path if path.is_empty() => error.to_string(),
            path => format!("{}: {error}", path.trim_start_matches('/')),
        })
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(ToolError::new(format!("invalid arguments for {}: {}", tool.name(), faults.join("; "))))
}

/// No result makes a request unbounded, whatever a tool forgot (invariant 4).
pub(super) fn bounded(text: String) -> String {
    match text.char_indices().nth(limits::RESULT_CHARS) {
        None => text,
        Some((at, _)) => {
            let more = text[at..].chars().count();
            format!("{}\n[truncated: {more} more chars]", &text[..at])
        }
    }
}
