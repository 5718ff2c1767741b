//! Sessions: one append-only JSONL file each, written before anything is shown, so that a kill loses nothing.
//! The files are found and opened by [`store`]; what a line holds is in [`record`].

pub mod record;
pub mod store;

use crate::event::{Event, Journal};
use crate::id::SessionId;
use crate::message::Message;
use record::{Meta, Record};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The lines of one session's file.
struct Log {
    file: std::fs::File,
    /// The first write that failed; nothing is written after it.
    trouble: Option<String>,
}

impl Log {
    fn write(&mut self, record: &Record) {
        use std::io::Write;
        if self.trouble.is_some() {
            return;
        }
        let outcome = serde_json::to_vec(record).map_err(std::io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        if let Err(error) = outcome {
            self.trouble = Some(error.to_string());
        }
    }
}

/// A conversation and the file it is kept in.
pub struct Session {
    meta: Meta,
    path: Option<PathBuf>,
    log: Option<Arc<Mutex<Log>>>,
    messages: Vec<Message>,
}

impl Session {
    /// A session that is kept nowhere (`--no-persist`, or a folder that can't be written).
    pub fn in_memory(meta: Meta) -> Self {
        Session { meta, path: None, log: None, messages: Vec::new() }
    }

    fn on_disk(meta: Meta, path: PathBuf, file: std::fs::File, messages: Vec<Message>) -> Self {
        let log = Arc::new(Mutex::new(Log { file, trouble: None }));
        Session { meta, path: Some(path), log: Some(log), messages }
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
        if let Some(log) = &self.log {
            log.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .write(&Record::Message { message: message.clone() });
        }
        self.messages.push(message);
    }

    /// What events of this session are written to.
    pub fn journal(&self) -> Option<Box<dyn Journal>> {
        let log = self.log.clone()?;
        Some(Box::new(SessionJournal(log)))
    }

    /// Puts everything on the disk; called at the end of each turn.
    pub fn sync(&self) {
        if let Some(log) = &self.log {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = log.file.sync_data()
                && log.trouble.is_none()
            {
                log.trouble = Some(error.to_string());
            }
        }
    }

    /// The reason the file could not be written, told once; from then on the session is in memory only.
    pub fn take_trouble(&mut self) -> Option<String> {
        let trouble = {
            let log = self.log.as_ref()?;
            log.lock().unwrap_or_else(PoisonError::into_inner).trouble.clone()
        }?;
        self.log = None;
        Some(trouble)
    }
}

struct SessionJournal(Arc<Mutex<Log>>);

impl Journal for SessionJournal {
    fn record(&mut self, event: &Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(&Record::Event { event: event.clone() });
    }
}
