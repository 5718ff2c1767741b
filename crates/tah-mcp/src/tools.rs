//! The list of a server's tools: every page, every tool read by itself, repaired or left out with a notice.

use crate::error::CallError;
use crate::limits;
use crate::peer::{CallOptions, Peer};
use crate::wire::{self, ToolsPage};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The server's own name for it; calls use this.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// Empty where the server gives none.
    pub description: String,
    /// A JSON schema; an object in any case.
    pub input_schema: Map<String, Value>,
    /// What the server says about the tool's effects. Hints, never a reason to trust.
    pub annotations: Option<Value>,
}

/// Reads all pages. A server without tools has an empty list.
pub(crate) async fn list(
    peer: &Arc<Peer>,
    timeout: Duration,
    options: &CallOptions,
) -> Result<Vec<Tool>, CallError> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    let mut cursors: HashSet<String> = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..limits::LIST_PAGES {
        let params = cursor.as_ref().map(|cursor| json!({ "cursor": cursor }));
        let reply = match peer.request("tools/list", |_| params, timeout, options).await {
            Ok(reply) => reply,
            Err(CallError::Rpc(error)) if error.code == wire::METHOD_NOT_FOUND && tools.is_empty() => break,
            // the pages before stay good
            Err(CallError::Rpc(error)) if !tools.is_empty() => {
                peer.log.notice(format!("a page of its tool list failed: {error}; its other tools stay"));
                break;
            }
            Err(error) => return Err(error),
        };
        let page: ToolsPage = serde_json::from_str(reply.raw())
            .map_err(|error| CallError::BadReply { server: peer.server.clone(), why: error.to_string() })?;
        for raw in page.tools {
            match read_tool(raw.get()) {
                Ok((tool, repair)) => {
                    if let Some(repair) = repair {
                        peer.log.notice(format!("tool {}: {repair}", tool.name));
                    }
                    if !names.insert(tool.name.clone()) {
                        peer.log.notice(format!("tool {} is listed twice; the first counts", tool.name));
                    } else if tools.len() < limits::LIST_TOOLS {
                        tools.push(tool);
                    } else {
                        peer.log
                            .notice(format!("lists over {} tools; the rest is left out", limits::LIST_TOOLS));
                    }
                }
                Err(why) => peer.log.notice(format!("a tool was left out: {why}")),
            }
        }
        cursor = page.next.as_str().filter(|next| !next.is_empty()).map(str::to_owned);
        match &cursor {
            None => return Ok(tools),
            // the same page again would never end
            Some(next) if !cursors.insert(next.clone()) => {
                peer.log.notice("its tool list goes in a circle; what came so far counts".into());
                return Ok(tools);
            }
            Some(_) => {}
        }
    }
    if cursor.is_some() {
        peer.log.notice(format!("its tool list has over {} pages; the rest is left out", limits::LIST_PAGES));
    }
    Ok(tools)
}

/// One tool, and what had to be repaired. Without a usable name it is no tool.
fn read_tool(raw: &str) -> Result<(Tool, Option<&'static str>), String> {
    let value: Value = serde_json::from_str(raw).map_err(|error| error.to_string())?;
    let Value::Object(mut fields) = value else { return Err("it is no object".into()) };
    let text = |value: Option<Value>| match value {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let name = text(fields.remove("name")).filter(|name| !name.is_empty()).ok_or("it has no name")?;
    let (input_schema, repair) = match fields.remove("inputSchema") {
        Some(Value::Object(schema)) => (schema, None),
        _ => (Map::new(), Some("has no usable input schema; any arguments are let through")),
    };
    let tool = Tool {
        name,
        title: text(fields.remove("title")),
        description: text(fields.remove("description")).unwrap_or_default(),
        input_schema,
        annotations: fields.remove("annotations").filter(Value::is_object),
    };
    Ok((tool, repair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m8_a_bad_field_costs_only_itself() {
        let (tool, repair) =
            read_tool(r#"{"name":"a","description":5,"inputSchema":true,"outputSchema":{}}"#).unwrap();
        assert_eq!((&*tool.name, &*tool.description, tool.input_schema.len()), ("a", "", 0));
        assert!(repair.is_some());
        assert!(read_tool(r#"{"name":"","inputSchema":{}}"#).is_err());
        assert!(read_tool(r#"{"inputSchema":{}}"#).is_err());
        assert!(read_tool("true").is_err());
    }
}
