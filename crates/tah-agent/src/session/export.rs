//! A session for people and programs: Markdown to read, one JSON value to work with.

use super::store::Stored;
use crate::message::{Message, Origin};
use serde_json::{Value, json};

/// The conversation as Markdown.
pub fn markdown(stored: &Stored) -> String {
    let meta = &stored.meta;
    let mut text = format!("# Session {}\n\n{} · {} · `{}`\n", meta.id, meta.created, meta.model, meta.cwd);
    if let Some(parent) = &meta.parent {
        text.push_str(&format!("Forked from {parent}.\n"));
    }
    for message in &stored.contents.messages {
        match message {
            Message::User { text: prompt, images, origin } => {
                let title = match origin {
                    Origin::Person => "User",
                    Origin::ToolImages => "Pictures",
                    Origin::Summary => "Summary of what was before",
                };
                text.push_str(&format!("\n## {title}\n\n{prompt}\n"));
                for image in images {
                    text.push_str(&format!("\n[picture: {}]\n", image.label));
                }
            }
            Message::Assistant { text: answer, reasoning, calls, .. } => {
                text.push_str("\n## Assistant\n");
                if !reasoning.is_empty() {
                    let quoted = reasoning.trim_end().replace('\n', "\n> ");
                    text.push_str(&format!("\n> {quoted}\n"));
                }
                if !answer.is_empty() {
                    text.push_str(&format!("\n{answer}\n"));
                }
                for call in calls {
                    let input = Value::Object(call.input.clone());
                    text.push_str(&format!("\n- `{}` {}\n", call.name, inline_code(&input.to_string())));
                }
            }
            Message::Tool { name, text: result, ok, .. } => {
                let mark = if *ok { "" } else { " (failed)" };
                text.push_str(&format!("\n### Result of {name}{mark}\n\n{}\n", fenced(result)));
            }
        }
    }
    text
}

/// The conversation, and what was shown, as one value.
pub fn json(stored: &Stored) -> Value {
    json!({
        "meta": stored.meta,
        "messages": stored.contents.messages,
        "events": stored.contents.events,
    })
}

/// A fence longer than any inside, so that a result can't end it.
fn fenced(text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn inline_code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    format!("{ticks} {text} {ticks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
