//! `tah sessions`: list, show, export, delete.

use crate::args::{ExportFormat, SessionsArgs, SessionsCommand};
use crate::config::ConfigError;
use crate::exit::Exit;
use crate::ui;
use anyhow::bail;
use std::path::Path;
use tah_agent::session::export;
use tah_agent::session::store::{Listed, SessionStore};

pub fn sessions(args: SessionsArgs) -> anyhow::Result<Exit> {
    let wanted = args.folder.cwd.as_deref().unwrap_or(Path::new("."));
    let folder = wanted
        .canonicalize()
        .map_err(|error| ConfigError::new(format!("the folder {}: {error}", wanted.display())))?;
    let store = SessionStore::beneath(&folder.join(".tah"));
    match args.command.unwrap_or(SessionsCommand::List) {
        SessionsCommand::List => {
            let list = store.list();
            if list.is_empty() {
                ui::tell("no sessions in this folder");
            }
            let text: String = list.iter().enumerate().map(|(at, one)| line(at + 1, one) + "\n").collect();
            let _ = ui::answer(&text);
        }
        SessionsCommand::Show { session } => {
            let _ = ui::answer(&export::markdown(&store.read(&session)?));
        }
        SessionsCommand::Export { session, format } => {
            let stored = store.read(&session)?;
            let _ = match format {
                ExportFormat::Md => ui::answer(&export::markdown(&stored)),
                ExportFormat::Json => ui::json(&export::json(&stored).to_string()),
            };
        }
        SessionsCommand::Delete { sessions } => {
            if sessions.is_empty() {
                bail!(ConfigError::new("no session named").hint("`tah sessions` lists them"));
            }
            // Numbers stand for the list as it was before anything is deleted.
            let ids = sessions.iter().map(|which| store.id_of(which)).collect::<Result<Vec<_>, _>>()?;
            for id in ids {
                let path = store.delete(id.as_str())?;
                ui::tell(&format!("deleted {}", path.display()));
            }
        }
    }
    Ok(Exit::Finished)
}

/// One line of the list.
pub fn line(number: usize, listed: &Listed) -> String {
    let meta = &listed.meta;
    let when: String = meta.created.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect();
    let plural = if listed.messages == 1 { "message" } else { "messages" };
    format!("{number:>3}  {}  {when}  {:>4} {plural:8}  {}", meta.id, listed.messages, listed.title)
}
