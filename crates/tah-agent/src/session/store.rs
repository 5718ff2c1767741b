//! Where sessions are kept: `<cwd>/.tah/sessions/<time>-<id>.jsonl`.
#![allow(
    clippy::disallowed_methods,
    reason = "the session store owns its folder; the model has no say in these paths"
)]

use super::Session;
use super::record::{Meta, Record, VERSION};
use crate::id::SessionId;
use crate::message::{Message, ReplyState};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("there is no session `{0}` here")]
    Unknown(String),
    #[error("`{0}` fits more than one session: {1}")]
    Ambiguous(String, String),
    #[error("{path} was written by a newer tah (format {version}); update tah to open it")]
    Newer { path: String, version: u32 },
    #[error("{path} is no session file: {reason}")]
    Corrupt { path: String, reason: String },
    #[error("{path} is open in another tah (pid {pid})")]
    InUse { path: String, pid: String },
    #[error("cannot use {path}: {source}")]
    Io { path: String, source: std::io::Error },
}

/// One line of the list of sessions.
#[derive(Clone, Debug)]
pub struct Listed {
    pub meta: Meta,
    pub path: PathBuf,
    /// The first prompt, cut.
    pub title: String,
    pub messages: usize,
}

/// The folder sessions are kept in.
#[derive(Clone, Debug)]
pub struct SessionStore {
    folder: Option<PathBuf>,
}

impl SessionStore {
    /// `state` is the folder's `.tah`.
    pub fn beneath(state: &Path) -> Self {
        SessionStore { folder: Some(state.join("sessions")) }
    }

    /// Keeps nothing.
    pub fn nowhere() -> Self {
        SessionStore { folder: None }
    }

    /// A new session; in memory, with the reason, where the folder can't be written.
    pub fn create(&self, model: &str, cwd: &Path, parent: Option<SessionId>) -> (Session, Option<String>) {
        let now = jiff::Timestamp::now();
        let meta = Meta {
            version: VERSION,
            id: SessionId::random(),
            parent,
            model: model.to_owned(),
            cwd: cwd.display().to_string(),
            created: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        };
        let Some(folder) = &self.folder else { return (Session::in_memory(meta), None) };
        let path = folder.join(format!("{}-{}.jsonl", now.strftime("%Y%m%d-%H%M%S"), meta.id));
        match create_file(folder, &path, &meta) {
            Ok(file) => (Session::on_disk(meta, path, file, Vec::new()), None),
            Err(error) => {
                let reason = format!("history is off: cannot write {}: {error}", path.display());
                (Session::in_memory(meta), Some(reason))
            }
        }
    }

    /// Opens a session by its id, the beginning of its id, or its number in the list (1 is the newest).
    pub fn open(&self, which: &str) -> Result<Session, SessionError> {
        let list = self.list();
        if let Ok(number) = which.parse::<usize>()
            && number >= 1
            && number <= list.len()
        {
            return self.load(&list[number - 1].path);
        }
        let found: Vec<&Listed> =
            list.iter().filter(|one| !which.is_empty() && one.meta.id.as_str().starts_with(which)).collect();
        match found.as_slice() {
            [] => Err(SessionError::Unknown(which.to_owned())),
            [one] => self.load(&one.path),
            many => {
                let ids: Vec<&str> = many.iter().map(|one| one.meta.id.as_str()).collect();
                Err(SessionError::Ambiguous(which.to_owned(), ids.join(", ")))
            }
        }
    }

    /// The sessions, newest first.
    pub fn list(&self) -> Vec<Listed> {
        let Some(entries) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .collect();
        paths.sort();
        paths.reverse();
        paths.into_iter().filter_map(|path| self.describe(path)).collect()
    }

    fn describe(&self, path: PathBuf) -> Option<Listed> {
        let (meta, messages) = read_file(&path).ok()?;
        let title = messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.lines().next().unwrap_or("").chars().take(80).collect()),
            _ => None,
        });
        Some(Listed { meta, path, title: title.unwrap_or_default(), messages: messages.len() })
    }

    fn load(&self, path: &Path) -> Result<Session, SessionError> {
        let (meta, messages) = read_file(path)?;
        let io = |source| SessionError::Io { path: path.display().to_string(), source };
        let file = fs::OpenOptions::new().append(true).open(path).map_err(io)?;
        let mut session = Session::on_disk(meta, path.to_owned(), file, messages);
        for missing in unanswered(session.messages()) {
            session.append(missing);
        }
        Ok(session)
    }
}

fn create_file(folder: &Path, path: &Path, meta: &Meta) -> std::io::Result<fs::File> {
    fs::create_dir_all(folder)?;
    let mut file = fs::OpenOptions::new().append(true).create_new(true).open(path)?;
    let mut line = serde_json::to_vec(&Record::Meta { meta: meta.clone() })?;
    line.push(b'\n');
    file.write_all(&line)?;
    Ok(file)
}

fn read_file(path: &Path) -> Result<(Meta, Vec<Message>), SessionError> {
    let name = path.display().to_string();
    let file = fs::File::open(path).map_err(|source| SessionError::Io { path: name.clone(), source })?;
    let corrupt = |reason: &str| SessionError::Corrupt { path: name.clone(), reason: reason.to_owned() };
    let mut lines = BufReader::new(file).split(b'\n');
    let first = lines.next().and_then(Result::ok).ok_or_else(|| corrupt("it is empty"))?;
    let Ok(Record::Meta { meta }) = serde_json::from_slice(&first) else {
        return Err(corrupt("its first line is not a session's head"));
    };
    if meta.version > VERSION {
        return Err(SessionError::Newer { path: name, version: meta.version });
    }
    let mut messages = Vec::new();
    let mut streamed = String::new();
    for line in lines.map_while(Result::ok) {
        match serde_json::from_slice(&line) {
            Ok(Record::Message { message }) => {
                if matches!(message, Message::Assistant { .. }) {
                    streamed.clear();
                }
                messages.push(message);
            }
            Ok(Record::Compacted { messages: kept }) => messages = kept,
            Ok(Record::Event { event: crate::event::Event::Text { text } }) => streamed.push_str(&text),
            Ok(Record::Event { event: crate::event::Event::Retract {} }) => streamed.clear(),
            _ => {}
        }
    }
    if !streamed.is_empty() {
        messages.push(Message::Assistant {
            text: streamed,
            reasoning: String::new(),
            calls: Vec::new(),
            state: ReplyState::Interrupted,
        });
    }
    Ok((meta, messages))
}

/// Results for the calls that never got one (D1): the process died while they ran.
fn unanswered(messages: &[Message]) -> Vec<Message> {
    let mut open = Vec::new();
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => {
                open.extend(calls.iter().map(|call| (call.id.clone(), call.name.clone())));
            }
            Message::Tool { call_id, .. } => open.retain(|(id, _)| id != call_id),
            Message::User { .. } => {}
        }
    }
    open.into_iter()
        .map(|(call_id, name)| Message::Tool {
            call_id,
            name,
            text: "error: interrupted; may have happened, check".to_owned(),
            ok: false,
        })
        .collect()
}
