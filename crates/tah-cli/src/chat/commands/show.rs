//! Commands that only show something.

use super::super::state::Chat;
use super::super::style::{self, span};
use super::super::widgets::waiting;
use super::super::{editor, keys, wrap};
use super::COMMANDS;
use ratatui::text::Line;
use tah_agent::tool::ToolSet;
use tah_os::text::{Keep, sanitise};

/// Two columns under a title.
fn table(chat: &mut Chat, title: &str, rows: &[(String, String)]) {
    chat.gap();
    chat.print(style::line(title, style::BOLD));
    let wide = rows.iter().map(|(name, _)| wrap::width(name)).max().unwrap_or(0).min(chat.columns / 2);
    for (name, text) in rows {
        let pad = " ".repeat(wide.saturating_sub(wrap::width(name)) + 2);
        let first = Line::from(vec![
            span("  ", style::PLAIN),
            span(name.clone(), style::ACCENT),
            span(pad, style::PLAIN),
        ]);
        let rest = Line::from(" ".repeat(wide + 4));
        let lines = wrap::wrap(&style::line(text.clone(), style::DIM), chat.columns, &first, &rest);
        chat.out.extend(lines);
    }
}

fn clean(text: &str) -> String {
    wrap::expand_tabs(&sanitise(text, Keep::Text)).replace('\n', " ")
}

pub fn help(chat: &mut Chat, _: &str) {
    let commands: Vec<(String, String)> = COMMANDS
        .iter()
        .map(|row| (format!("/{} {}", row.name, row.argument).trim_end().to_owned(), row.help.to_owned()))
        .collect();
    table(chat, "Commands", &commands);
    let own = keys::KEYS.iter().map(|key| (key.name, key.does));
    let editing = editor::keys::KEYS.iter().map(|key| (key.name, key.does));
    let mut rows: Vec<(String, String)> = Vec::new();
    for (name, does) in own.chain(editing) {
        // Keys that do the same are one row.
        match rows.iter_mut().find(|(_, text)| text == does) {
            Some((names, _)) if !names.split(", ").any(|one| one == name) => {
                names.push_str(&format!(", {name}"))
            }
            Some(_) => {}
            None => rows.push((name.to_owned(), does.to_owned())),
        }
    }
    table(chat, "Keys", &rows);
    let more = [
        ("@name".to_owned(), "mention a file of this folder".to_owned()),
        (
            "!line".to_owned(),
            "run a shell line yourself; what it gives goes with your next message".to_owned(),
        ),
        ("line\\".to_owned(), "a backslash before Enter begins another line".to_owned()),
        (
            "y a n e".to_owned(),
            "at a card: yes, always (its scope is written there), no, no with a reason".to_owned(),
        ),
    ];
    table(chat, "More", &more);
}

pub fn tools(chat: &mut Chat, _: &str) {
    let set = ToolSet::collect(&chat.options.sources);
    if set.is_empty() {
        chat.note("the model has no tools");
        return;
    }
    let first_sentence = |text: &str| text.split_once(". ").map_or(text, |(first, _)| first).to_owned();
    let rows: Vec<(String, String)> =
        set.iter().map(|tool| (clean(tool.name()), clean(&first_sentence(tool.description())))).collect();
    table(chat, "Tools", &rows);
}

pub fn mcp(chat: &mut Chat, _: &str) {
    let servers = chat.options.facts.servers();
    if servers.is_empty() {
        chat.note("no MCP servers are configured");
        return;
    }
    let rows: Vec<(String, String)> = servers
        .iter()
        .map(|line| {
            line.split_once(' ')
                .map_or((clean(line), String::new()), |(name, rest)| (clean(name), clean(rest)))
        })
        .collect();
    table(chat, "MCP servers", &rows);
}

pub fn browser(chat: &mut Chat, _: &str) {
    match chat.options.facts.browser() {
        Some(state) => chat.note(&format!("browser: {state}")),
        None => chat.note("the browser is off (--browser turns it on)"),
    }
}

pub fn todo(chat: &mut Chat, _: &str) {
    if chat.todo.is_empty() {
        chat.note("the model has no plan");
        return;
    }
    chat.gap();
    let lines = waiting::plan(&chat.todo, chat.columns);
    chat.out.extend(lines);
}
