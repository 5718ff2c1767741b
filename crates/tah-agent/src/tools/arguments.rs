//! A call's arguments as a typed value. The schema has been checked before (see `turn/check.rs`); this is where a
//! tool that is called without that check, or with a value its schema can't describe, says which argument is wrong.

use crate::message::Input;
use crate::tool::ToolError;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) fn read<T: DeserializeOwned>(tool: &str, input: &Input) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(Value::Object(input.clone())).map_err(|error| {
        let (path, cause) = (error.path().to_string(), error.inner().to_string());
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        ToolError::new(format!("invalid arguments for {tool}: {place}{cause}"))
    })
}

/// An argument as text, for summaries and rules, which must work on any input.
pub(crate) fn text<'a>(input: &'a Input, name: &str) -> &'a str {
    input.get(name).and_then(Value::as_str).unwrap_or_default()
}
