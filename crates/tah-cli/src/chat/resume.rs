//! An entered session's earlier messages, printed as they would have been (the last ones; the rest is counted).

use super::limits;
use super::markdown::render;
use super::state::Chat;
use super::widgets::tool_line;
use super::wrap;
use std::time::Instant;
use tah_agent::id::CallId;
use tah_agent::message::{Message, Origin};
use tah_os::text::{Keep, sanitise};

/// Reads the messages of the session that was entered and prints the end of them.
pub fn recall(chat: &mut Chat, id: &str) {
    match chat.options.store.read(id) {
        Ok(stored) => print(chat, &stored.contents.messages),
        Err(error) => chat.warn(&format!("the earlier messages can't be shown: {error}")),
    }
}

/// Prints the end of a conversation.
pub fn print(chat: &mut Chat, messages: &[Message]) {
    let said_since = std::mem::take(&mut chat.prompts);
    chat.prompts = messages.iter().filter_map(prompt_of).chain(said_since).collect();
    if let Some(last) = messages.iter().rev().find_map(answer_of) {
        chat.last_reply = last.to_owned();
    }
    let id = chat.status.session.clone();
    chat.gap();
    chat.note(&format!("session {id}: {} messages", messages.len()));
    let skip = messages.len().saturating_sub(limits::RESUMED_MESSAGES);
    if skip > 0 {
        chat.note(&format!("{skip} earlier ones are not shown; /export writes all"));
    }
    for message in &messages[skip..] {
        print_message(chat, message);
    }
}

fn prompt_of(message: &Message) -> Option<String> {
    match message {
        Message::User { text, origin: Origin::Person, .. } => Some(text.clone()),
        _ => None,
    }
}

fn answer_of(message: &Message) -> Option<&str> {
    match message {
        Message::Assistant { text, .. } if !text.trim().is_empty() => Some(text.trim()),
        _ => None,
    }
}

fn print_message(chat: &mut Chat, message: &Message) {
    match message {
        Message::User { text, images, origin: Origin::Person } => chat.print_prompt(text, images.len()),
        Message::User { text, .. } => chat.note(text.lines().next().unwrap_or("")),
        Message::Assistant { text, .. } => {
            if !text.trim().is_empty() {
                chat.gap();
                let text = sanitise(text, Keep::Text);
                let lines = render::render(&text, chat.columns);
                chat.out.extend(lines);
            }
        }
        Message::Tool { name, text, ok, .. } => {
            let call = tool_line::Call::new(CallId::new(""), name, "", Instant::now());
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
            let line = tool_line::recalled(&call, *ok, &wrap::fit(first, chat.columns), chat.columns);
            chat.print(line);
        }
    }
}

#[cfg(test)]
mod tests;
