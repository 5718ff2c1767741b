//! Commands that change the conversation: its model, its session, where it stands, who approves.

use super::super::state::{Chat, Turn, Wish};
use super::super::widgets::menu::{Item, Kind, Menu};
use super::super::widgets::status;
use tah_agent::approval::ApproveMode;
use tah_agent::host::Command;

/// Whether the conversation can change now; if not, the user is told.
fn is_free(chat: &mut Chat) -> bool {
    if chat.is_busy() {
        chat.note("something runs; stop it first (Esc)");
        return false;
    }
    true
}

pub fn model(chat: &mut Chat, name: &str) {
    if !name.is_empty() {
        chat.commands.push_back(Command::SetModel { name: name.to_owned() });
        return;
    }
    let models = chat.options.facts.models();
    if models.is_empty() {
        chat.note(&format!("the model is {}; /model NAME asks another", chat.status.model));
        return;
    }
    let items = models
        .iter()
        .map(|name| Item::new(name, if *name == chat.status.model { "in use" } else { "" }, name.clone()))
        .collect();
    chat.menu = Some(Menu::new(Kind::Models, items));
}

pub fn sessions(chat: &mut Chat, _: &str) {
    let now = chat.status.session.clone();
    let listed = chat.options.store.list();
    let items: Vec<Item> = listed
        .iter()
        .filter(|one| one.messages > 0 || one.meta.id.as_str() == now)
        .map(|one| {
            let id = one.meta.id.as_str();
            let title = if one.title.is_empty() { "(no message yet)" } else { &one.title };
            let here = if id == now { " · this one" } else { "" };
            let when = one.meta.created.replace('T', " ").trim_end_matches('Z').to_owned();
            Item::new(&format!("{id}  {title}"), &format!("{} messages · {when}{here}", one.messages), id)
        })
        .collect();
    if items.is_empty() {
        chat.note("there are no sessions in this folder yet");
        return;
    }
    chat.menu = Some(Menu::new(Kind::Sessions, items));
}

pub fn resume(chat: &mut Chat, which: &str) {
    if which.is_empty() {
        sessions(chat, which);
        return;
    }
    if which == chat.status.session {
        chat.note("this is that session");
    } else if is_free(chat) {
        chat.commands.push_back(Command::Resume { which: which.to_owned() });
    }
}

pub fn fork(chat: &mut Chat, _: &str) {
    if is_free(chat) {
        chat.commands.push_back(Command::Fork);
    }
}

pub fn reset(chat: &mut Chat, _: &str) {
    if is_free(chat) {
        chat.commands.push_back(Command::Reset);
    }
}

pub fn compact(chat: &mut Chat, _: &str) {
    if is_free(chat) {
        chat.turn = Turn::Summarising(chat.now);
        chat.commands.push_back(Command::Compact);
    }
}

pub fn rewind(chat: &mut Chat, _: &str) {
    if !is_free(chat) {
        return;
    }
    if chat.prompts.is_empty() {
        chat.note("there is no message to go back to");
        return;
    }
    let items = chat
        .prompts
        .iter()
        .enumerate()
        .rev()
        .map(|(index, prompt)| Item::new(prompt, "", index.to_string()))
        .collect();
    chat.menu = Some(Menu::new(Kind::Rewind, items));
}

/// Goes back to before the prompt of this number; its text comes back into the editor.
pub fn rewind_to(chat: &mut Chat, value: &str) {
    let Some((index, prompt)) =
        value.parse().ok().and_then(|index: usize| Some((index, chat.prompts.get(index)?.clone())))
    else {
        return;
    };
    chat.prompts.truncate(index);
    chat.commands.push_back(Command::Rewind { prompt: index });
    chat.editor.set(&prompt);
    chat.note("files stay as they are");
}

pub fn approve(chat: &mut Chat, word: &str) {
    let modes = [
        (ApproveMode::Ask, "ask", "ask before what writes or runs"),
        (ApproveMode::Yes, "yes", "yes to all in this session; deny rules still hold"),
        (ApproveMode::Unattended, "deny", "deny what would ask"),
    ];
    if word.is_empty() {
        let items = modes.iter().map(|(_, name, help)| Item::new(name, help, *name)).collect();
        chat.menu = Some(Menu::new(Kind::Approve, items));
        return;
    }
    match modes.iter().find(|(_, name, _)| *name == word) {
        Some((mode, _, help)) => {
            chat.mode = *mode;
            chat.commands.push_back(Command::SetMode { mode: *mode });
            chat.note(&format!("approve: {} ({help})", status::mode(*mode)));
        }
        None => chat.warn("say /approve ask, /approve yes or /approve deny"),
    }
}

pub fn exit(chat: &mut Chat, _: &str) {
    chat.wish(Wish::Exit);
}
