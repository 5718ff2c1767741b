//! `@` mentions: where one begins, the files it chooses from, what is written.

use super::limits;
use super::state::{Chat, Wish};
use super::widgets::menu::{Item, Kind, Menu, best};
use std::path::Path;

/// The files of the folder, relative to it.
#[derive(Default)]
pub struct Files {
    pub paths: Vec<String>,
    pub state: Walk,
}

/// Whether they were walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Walk {
    #[default]
    Never,
    Under,
    Done,
}

/// The byte of the `@` the caret is in: at the beginning or after a space, with no space since.
pub fn start(before: &str) -> Option<usize> {
    let at = before.rfind('@')?;
    let is_start = before[..at].chars().next_back().is_none_or(char::is_whitespace);
    (is_start && !before[at..].contains(char::is_whitespace)).then_some(at)
}

/// Opens or filters the menu for the `@` at `from`.
pub fn follow(chat: &mut Chat, from: usize) {
    let is_new = !matches!(&chat.menu, Some(menu) if menu.kind == Kind::Mention(from));
    if is_new && chat.files.state != Walk::Under {
        chat.files.state = Walk::Under;
        chat.wish(Wish::Walk);
    }
    let (before, _) = chat.editor.buffer.around();
    let pattern = before[from + 1..].to_owned();
    let paths = &chat.files.paths;
    let found = best(paths.iter().map(String::as_str), &pattern, limits::MENU_ROWS * 4);
    let items: Vec<Item> =
        found.iter().map(|&index| Item::new(&paths[index], "", paths[index].clone())).collect();
    // What fits is chosen here, from all files; the menu itself filters no more.
    chat.menu = (!items.is_empty()).then(|| Menu::new(Kind::Mention(from), items));
}

/// Writes the chosen file in place of what was typed.
pub fn insert(chat: &mut Chat, from: usize, item: &Item) {
    let path = if item.value.contains(char::is_whitespace) {
        format!("\"{}\"", item.value)
    } else {
        item.value.clone()
    };
    chat.editor.buffer.replace_before(from, &format!("@{path} "));
}

/// The files came.
pub fn walked(chat: &mut Chat, paths: Vec<String>) {
    chat.files = Files { paths, state: Walk::Done };
    chat.follow_editor();
}

/// Walks a folder as git sees it: ignored and hidden files are left out.
pub fn walk(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    for entry in ignore::WalkBuilder::new(root).require_git(false).build().flatten() {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && let Ok(path) = entry.path().strip_prefix(root) {
            paths.push(path.to_string_lossy().into_owned());
            if paths.len() >= limits::MENTION_FILES {
                break;
            }
        }
    }
    paths.sort_by(|a, b| a.matches('/').count().cmp(&b.matches('/').count()).then_with(|| a.cmp(b)));
    paths
}

#[cfg(test)]
mod tests;
