//! What must be so after a kill.

use super::{Seen, script};
use crate::tah::World;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tah_agent::message::Message;
use tah_agent::session::store::SessionStore;

/// The events of a session's file, as they stand there.
pub fn stored_events(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let records = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    records.filter(|record| record["record"] == "event").map(|record| record["event"].clone()).collect()
}

/// Everything that was printed is in the file, text in its order.
pub fn session_holds(path: &Path, before: usize, printed: &[Value]) -> Result<()> {
    let stored = stored_events(path).split_off(before);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in &stored {
        *counts.entry(event.to_string()).or_default() += 1;
    }
    for event in printed {
        let count = counts.get_mut(&event.to_string()).filter(|count| **count > 0);
        *count.with_context(|| format!("printed and not stored: {event}"))? -= 1;
    }
    for kind in ["text", "reasoning"] {
        let joined = |events: &[Value]| -> String {
            let pieces = events.iter().filter(|event| event["type"] == kind);
            pieces.filter_map(|event| event["text"].as_str()).collect()
        };
        ensure!(joined(&stored).starts_with(&joined(printed)), "{kind} is stored in another order");
    }
    Ok(())
}

/// It is readable as a whole, and what a provider that insists on reasoning wants back is there.
pub fn session_opens(world: &World, id: &str) -> Result<()> {
    let stored = SessionStore::beneath(&world.work().join(".tah")).read(id)?;
    ensure!(stored.contents.unreadable == 0, "{} unreadable lines", stored.contents.unreadable);
    for message in &stored.contents.messages {
        if let Message::Assistant { reasoning, calls, .. } = message {
            ensure!(calls.is_empty() || !reasoning.is_empty(), "calls without their reasoning");
        }
    }
    Ok(())
}

/// The conversation the next request was sent with holds what had been printed.
pub fn conversation_holds(messages: &[Value], printed: &[Value], seen: &mut Seen) -> Result<()> {
    let mut open: Vec<&str> = Vec::new();
    let mut said = String::new();
    for event in printed {
        match event["type"].as_str().unwrap_or_default() {
            "text" => said.push_str(event["text"].as_str().unwrap_or_default()),
            "reply.end" => {
                was_said(messages, &std::mem::take(&mut said))?;
            }
            "tool.start" => open.push(event["callId"].as_str().context("a call's id")?),
            "tool.end" => {
                let id = event["callId"].as_str().context("a call's id")?;
                open.retain(|one| *one != id);
                let result = result(messages, id)?;
                ensure!(!result.contains("interrupted"), "{id} had ended and reads {result:?}");
            }
            _ => {}
        }
    }
    for id in &open {
        result(messages, id)?;
    }
    seen.open_calls += open.len();
    seen.cut_replies += usize::from(!said.is_empty());
    was_said(messages, &said)
}

fn was_said(messages: &[Value], text: &str) -> Result<()> {
    let mut replies = messages.iter().filter(|message| message["role"] == "assistant");
    let there = replies.any(|reply| reply["content"].as_str().is_some_and(|said| said.starts_with(text)));
    ensure!(text.is_empty() || there, "was printed and is gone from the conversation: {text:?}");
    Ok(())
}

fn result<'a>(messages: &'a [Value], id: &str) -> Result<&'a str> {
    let found = messages.iter().find(|message| message["tool_call_id"] == id);
    found.and_then(|message| message["content"].as_str()).with_context(|| format!("no result of {id}"))
}

/// Files are whole, and calls that had ended well did what they say; whether something temporary stayed.
pub fn files_are_whole(world: &World, messages: &[Value], printed: &[Value]) -> Result<bool> {
    let mut litter = false;
    for entry in std::fs::read_dir(world.work())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if (0..script::FILES).any(|number| script::file(number) == name) {
            let text = std::fs::read_to_string(&path)?;
            ensure!(script::is_whole(&text), "{name} is not whole: {} bytes", text.len());
        } else if name != script::LOG && name != ".tah" {
            litter = true;
        }
    }
    let log = std::fs::read_to_string(world.work().join(script::LOG)).unwrap_or_default();
    let ended = printed.iter().filter(|event| event["type"] == "tool.end" && event["ok"] == true);
    for id in ended.filter_map(|event| event["callId"].as_str()) {
        let (name, input) = call(messages, id)?;
        match name {
            "write_file" => {
                let path = input["path"].as_str().context("a path")?;
                ensure!(world.work().join(path).exists(), "{path} was written and is not there");
            }
            "execute_command" => {
                let command = input["command"].as_str().context("a command")?;
                let mark = command.split_whitespace().nth(1).context("a mark")?;
                ensure!(log.lines().any(|line| line == mark), "{mark} ran and left nothing");
            }
            _ => {}
        }
    }
    Ok(litter)
}

fn call<'a>(messages: &'a [Value], id: &str) -> Result<(&'a str, Value)> {
    let mut calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let call = calls.find(|call| call["id"] == id).with_context(|| format!("no call {id}"))?;
    let function = &call["function"];
    let input = serde_json::from_str(function["arguments"].as_str().unwrap_or_default())?;
    Ok((function["name"].as_str().unwrap_or_default(), input))
}
