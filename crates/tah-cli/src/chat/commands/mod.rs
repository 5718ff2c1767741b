//! The slash commands: one table, from which the menu, the help and the documentation are made. Small ones are
//! here, the others have a file.

mod conversation;
mod show;
mod write;

use super::state::Chat;
use super::widgets::menu::{Item, Kind, best};
use tah_agent::tool::nearest;

/// One command.
pub struct Row {
    pub name: &'static str,
    /// What may follow: `[id]` can be left out, `<name>` can't.
    pub argument: &'static str,
    pub help: &'static str,
    run: fn(&mut Chat, &str),
}

impl Row {
    /// Whether it does nothing without its argument.
    pub fn needs_argument(&self) -> bool {
        self.argument.starts_with('<')
    }
}

macro_rules! commands {
    ($($name:literal $argument:literal, $help:literal, $run:expr;)*) => {
        &[$(Row { name: $name, argument: $argument, help: $help, run: $run }),*]
    };
}

/// Every command, in the order help shows them.
pub const COMMANDS: &[Row] = commands! {
    "help" "", "commands and keys", show::help;
    "model" "[name]", "ask another model from here on", conversation::model;
    "sessions" "", "the sessions of this folder", conversation::sessions;
    "resume" "[id]", "go on with another session", conversation::resume;
    "fork" "", "go on in a copy of this session", conversation::fork;
    "rewind" "", "go back to before an earlier message (files stay as they are)", conversation::rewind;
    "compact" "", "replace what is behind by a summary", conversation::compact;
    "reset" "", "begin a new session", conversation::reset;
    "tools" "", "the tools the model has", show::tools;
    "mcp" "", "the MCP servers and their states", show::mcp;
    "browser" "", "the browser's state", show::browser;
    "approve" "[ask|yes|deny]", "who approves calls from here on", conversation::approve;
    "copy" "", "copy the last answer", write::copy;
    "export" "[file]", "write this conversation to a Markdown file", write::export;
    "todo" "", "the model's plan", show::todo;
    "exit" "", "end tah", conversation::exit;
};

/// The command of a name.
pub fn find(name: &str) -> Option<&'static Row> {
    COMMANDS.iter().find(|row| row.name == name)
}

/// The lines of the menu.
pub fn items() -> Vec<Item> {
    let label = |row: &Row| format!("{} {}", row.name, row.argument).trim_end().to_owned();
    COMMANDS.iter().map(|row| Item::new(&label(row), row.help, row.name)).collect()
}

/// What follows the slash, if the text is meant as a command: `/word …` and no path.
pub fn as_command(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('/')?;
    let word = rest.split_whitespace().next().unwrap_or("");
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    is_word.then_some(rest)
}

/// Runs a command line, without its slash.
pub fn run(chat: &mut Chat, line: &str) {
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match find(name) {
        Some(row) => (row.run)(chat, argument.trim()),
        None => unknown(chat, name),
    }
}

fn unknown(chat: &mut Chat, name: &str) {
    let names = || COMMANDS.iter().map(|row| row.name);
    let near =
        nearest(name, names()).or_else(|| best(names(), name, 1).first().map(|&index| COMMANDS[index].name));
    chat.warn(&match near {
        Some(near) => format!("there is no command /{name}; did you mean /{near}?"),
        None => format!("there is no command /{name}; /help lists them"),
    });
}

/// A choice from a picker a command opened.
pub fn chosen(chat: &mut Chat, kind: Kind, value: &str) {
    match kind {
        Kind::Sessions => conversation::resume(chat, value),
        Kind::Models => conversation::model(chat, value),
        Kind::Approve => conversation::approve(chat, value),
        Kind::Rewind => conversation::rewind_to(chat, value),
        Kind::Slash | Kind::Mention(_) | Kind::History => {}
    }
}

#[cfg(test)]
mod tests;
