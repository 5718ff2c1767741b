//! Commands that give the conversation away: to the clipboard, to a file.

use super::super::state::{Chat, Wish};
use tah_agent::session::export::markdown;
use tah_os::disk::{self, Access};

pub fn copy(chat: &mut Chat, _: &str) {
    if chat.last_reply.is_empty() {
        chat.note("there is no answer to copy yet");
        return;
    }
    let text = chat.last_reply.clone();
    chat.note(&format!("copied {} characters, if the terminal lets tah", text.chars().count()));
    chat.wish(Wish::Copy(text));
}

pub fn export(chat: &mut Chat, name: &str) {
    let stored = match chat.options.store.read(&chat.status.session) {
        Ok(stored) => stored,
        Err(error) => {
            chat.warn(&format!("nothing was exported: {error}"));
            return;
        }
    };
    let name = if name.is_empty() { format!("tah-{}.md", chat.status.session) } else { name.to_owned() };
    // The user's own word names the file, as in a shell.
    let path = chat.options.cwd.join(&name);
    match disk::write(&path, markdown(&stored).as_bytes(), Access::Shared) {
        Ok(()) => {
            let count = stored.contents.messages.len();
            chat.note(&format!("{count} messages written to {}", path.display()));
        }
        Err(error) => chat.warn(&format!("nothing was exported: {error}")),
    }
}
