//! Sessions: one append-only JSONL file each, written before anything is shown, so that a kill loses nothing.
//! The files are found and opened by [`store`], read by [`reading`]; what a line holds is in [`record`].

pub mod export;
pub mod reading;
pub mod record;
pub mod store;

use crate::event::{Event, Journal};
use crate::id::SessionId;
use crate::message::Message;
use record::{Meta, Record};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tah_os::disk::{AppendFile, Lock};

/// The lines of one session's file, and the lock that makes us its one writer (D2).
struct Log {
    file: AppendFile,
    _lock: Lock,
    /// The first write that failed; nothing is written after it.
    trouble: Option<String>,
}

impl Log {
    fn write(&mut self, record: &Record) {
        if self.trouble.is_some() {
            return;
        }
        let outcome = match serde_json::to_vec(record) {
            Ok(mut line) => {
                line.push(b'\n');
                self.file.append(&line).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        self.trouble = outcome.err();
    }
}

/// A conversation and the file it is kept in.
pub struct Session {
    meta: Meta,
    path: Option<PathBuf>,
    log: Option<Arc<Mutex<Log>>>,
    messages: Vec<Message>,
    /// What was wrong with the file when it was opened.
    warning: Option<String>,
}

impl Session {
    /// A session that is kept nowhere (`--no-persist`, or a folder that can't be written).
    pub fn in_memory(meta: Meta) -> Self {
        Session { meta, path: None, log: None, messages: Vec::new(), warning: None }
    }

    fn on_disk(meta: Meta, path: PathBuf, file: AppendFile, lock: Lock, messages: Vec<Message>) -> Self {
        let log = Arc::new(Mutex::new(Log { file, _lock: lock, trouble: None }));
        Session { meta, path: Some(path), log: Some(log), messages, warning: None }
    }

    pub fn id(&self) -> &SessionId {
        &self.meta.id
    }

    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The conversation as the model is asked with it.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a message, written before it counts.
    pub fn append(&mut self, message: Message) {
        self.write(&Record::Message { message: message.clone() });
        self.messages.push(message);
    }

    /// From here on the model is asked with these messages; what was before stays in the file.
    pub fn replace_messages(&mut self, messages: Vec<Message>) {
        self.write(&Record::Replaced { messages: messages.clone() });
        self.messages = messages;
    }

    /// What events of this session are written to.
    pub fn journal(&self) -> Option<Box<dyn Journal>> {
        let log = self.log.clone()?;
        Some(Box::new(SessionJournal(log)))
    }

    /// Puts everything on the disk; called at the end of each turn.
    pub fn sync(&self) {
        if let Some(log) = &self.log {
            let mut log = lock(log);
            if let Err(error) = log.file.sync()
                && log.trouble.is_none()
            {
                log.trouble = Some(error.to_string());
            }
        }
    }

    /// The reason the file could not be written, told once; from then on the session is in memory only.
    pub fn take_trouble(&mut self) -> Option<String> {
        let trouble = lock(self.log.as_ref()?).trouble.clone()?;
        self.log = None;
        Some(trouble)
    }

    /// What was wrong with the file when it was opened, told once.
    pub fn take_warning(&mut self) -> Option<String> {
        self.warning.take()
    }

    fn write(&self, record: &Record) {
        if let Some(log) = &self.log {
            lock(log).write(record);
        }
    }
}

fn lock(log: &Arc<Mutex<Log>>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

struct SessionJournal(Arc<Mutex<Log>>);

impl Journal for SessionJournal {
    fn record(&mut self, event: &Event) {
        lock(&self.0).write(&Record::Event { event: event.clone() });
    }
}

#[cfg(test)]
mod tests;
