//! Where sessions are kept: `<cwd>/.tah/sessions/<time>-<id>.jsonl`. One process owns a file at a time; another
//! can read and fork it.

use super::reading::{self, Contents, HeadFault};
use super::record::{Meta, Record, VERSION};
use super::{Session, lock};
use crate::id::SessionId;
use crate::limits;
use crate::message::Message;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tah_os::disk::{self, Access, AppendFile, DiskError, Lock};

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("there is no session `{0}` here (`tah sessions` lists them)")]
    Unknown(String),
    #[error("`{0}` fits more than one session: {1}")]
    Ambiguous(String, String),
    #[error("{} was written by a newer tah (format {version}); update tah to open it", path.display())]
    Newer { path: PathBuf, version: u32 },
    #[error("{} is no session file: {reason}{}", path.display(), kept(kept_as))]
    Corrupt { path: PathBuf, reason: String, kept_as: Option<PathBuf> },
    #[error("{} is open in another tah{}; close it there, or fork the session", path.display(), owner(*pid))]
    InUse { path: PathBuf, pid: Option<u32> },
    #[error(transparent)]
    Disk(#[from] DiskError),
}

fn kept(kept_as: &Option<PathBuf>) -> String {
    kept_as.as_ref().map(|path| format!("; it was kept as {}", path.display())).unwrap_or_default()
}

fn owner(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

/// One line of the list of sessions.
#[derive(Clone, Debug)]
pub struct Listed {
    pub meta: Meta,
    pub path: PathBuf,
    /// The first prompt's first line, cut.
    pub title: String,
    pub messages: usize,
    pub changed: SystemTime,
}

/// A session as it is stored, opened by nobody.
#[derive(Debug)]
pub struct Stored {
    pub meta: Meta,
    pub path: PathBuf,
    pub contents: Contents,
}

/// The folder sessions are kept in.
#[derive(Clone, Debug)]
pub struct SessionStore {
    state: Option<PathBuf>,
}

impl SessionStore {
    /// `state` is the folder's `.tah`; made when the first session is.
    pub fn beneath(state: &Path) -> Self {
        SessionStore { state: Some(state.to_owned()) }
    }

    /// Keeps nothing.
    pub fn nowhere() -> Self {
        SessionStore { state: None }
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
        let Some(state) = &self.state else { return (Session::in_memory(meta), None) };
        let name = format!("{}-{}.jsonl", now.strftime("%Y%m%d-%H%M%S"), meta.id);
        match create_file(state, &name, &meta) {
            Ok(session) => (session, None),
            Err(error) => (Session::in_memory(meta), Some(format!("history is off: {error}"))),
        }
    }

    /// Opens a session as its one writer: by its id, the beginning of its id, or its number in the list (1 is the
    /// newest). Calls that never got a result get one, written down (D1).
    pub fn open(&self, which: &str) -> Result<Session, SessionError> {
        let path = self.find(which)?;
        let lock = take_lock(&path)?;
        let stored = read(&path).map_err(|error| set_aside(error, &path))?;
        let warning = match stored.contents.unreadable {
            0 => None,
            count => Some(format!("{count} unreadable lines of {} were passed over", path.display())),
        };
        let mut file = AppendFile::open(&path, Access::Private)?;
        // What a kill left of a last line would swallow the next one.
        file.truncate(stored.contents.whole_bytes)?;
        let Contents { messages, added, rewrite, .. } = stored.contents;
        let mut session = Session::on_disk(stored.meta, path, file, lock, messages);
        session.warning = warning;
        if rewrite {
            session.write(&Record::Replaced { messages: session.messages.clone() });
        } else {
            for message in &session.messages[session.messages.len() - added..] {
                session.write(&Record::Message { message: message.clone() });
            }
        }
        Ok(session)
    }

    /// The newest session, opened as [`SessionStore::open`] does.
    pub fn open_newest(&self) -> Result<Session, SessionError> {
        match self.list().first() {
            Some(listed) => self.open(listed.meta.id.as_str()),
            None => Err(SessionError::Unknown("the newest".to_owned())),
        }
    }

    /// The id a name stands for.
    pub fn id_of(&self, which: &str) -> Result<SessionId, SessionError> {
        Ok(read_head(&self.find(which)?)?.0.id)
    }

    /// Reads a session without owning it.
    pub fn read(&self, which: &str) -> Result<Stored, SessionError> {
        read(&self.find(which)?)
    }

    /// A new session that begins as a copy of another, which may be open elsewhere meanwhile.
    pub fn fork(
        &self,
        which: &str,
        model: &str,
        cwd: &Path,
    ) -> Result<(Session, Option<String>), SessionError> {
        let stored = self.read(which)?;
        let (mut session, notice) = self.create(model, cwd, Some(stored.meta.id));
        for event in stored.contents.events {
            session.write(&Record::Event { event });
        }
        session.replace_messages(stored.contents.messages);
        Ok((session, notice))
    }

    /// Removes a session that nobody has open.
    pub fn delete(&self, which: &str) -> Result<PathBuf, SessionError> {
        let path = self.find(which)?;
        let _lock = take_lock(&path)?;
        disk::remove(&path)?;
        Ok(path)
    }

    /// The sessions, the one used last first.
    pub fn list(&self) -> Vec<Listed> {
        let mut list: Vec<Listed> = self.paths().into_iter().filter_map(describe).collect();
        list.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| b.path.cmp(&a.path)));
        list
    }

    fn paths(&self) -> Vec<PathBuf> {
        let Some(state) = &self.state else { return Vec::new() };
        let names = disk::list(&state.join("sessions")).unwrap_or_default();
        names
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .collect()
    }

    fn find(&self, which: &str) -> Result<PathBuf, SessionError> {
        let id_of = |path: &Path| -> Option<String> {
            path.file_stem()?.to_str()?.rsplit('-').next().map(str::to_owned)
        };
        let found: Vec<PathBuf> = self
            .paths()
            .into_iter()
            .filter(|path| !which.is_empty() && id_of(path).is_some_and(|id| id.starts_with(which)))
            .collect();
        let exact = found.iter().find(|path| id_of(path).as_deref() == Some(which));
        if let Some(path) = exact {
            return Ok(path.clone());
        }
        if let Ok(number @ 1..=9_999) = which.parse::<usize>()
            && let Some(listed) = self.list().get(number - 1)
        {
            return Ok(listed.path.clone());
        }
        match found.as_slice() {
            [] => Err(SessionError::Unknown(which.to_owned())),
            [one] => Ok(one.clone()),
            many => {
                let ids: Vec<String> = many.iter().filter_map(|path| id_of(path)).collect();
                Err(SessionError::Ambiguous(which.to_owned(), ids.join(", ")))
            }
        }
    }
}

fn create_file(state: &Path, name: &str, meta: &Meta) -> Result<Session, DiskError> {
    own_state_folder(state)?;
    let folder = state.join("sessions");
    disk::private_folder(&folder)?;
    let path = folder.join(name);
    let lock = Lock::take(&lock_path(&path))?;
    let file = AppendFile::open(&path, Access::Private)?;
    let session = Session::on_disk(meta.clone(), path, file, lock, Vec::new());
    session.write(&Record::Meta { meta: meta.clone() });
    Ok(session)
}

/// Makes the folder's `.tah`, which ignores itself so that no commit ever holds a conversation.
pub fn own_state_folder(state: &Path) -> Result<(), DiskError> {
    disk::private_folder(state)?;
    let ignore = state.join(".gitignore");
    if disk::read_text(&ignore, limits::SMALL_FILE_BYTES)?.is_none() {
        disk::write(&ignore, b"*\n", Access::Private)?;
    }
    Ok(())
}

fn lock_path(path: &Path) -> PathBuf {
    path.with_extension("lock")
}

fn take_lock(path: &Path) -> Result<Lock, SessionError> {
    Lock::take(&lock_path(path)).map_err(|error| match error {
        DiskError::Locked { pid, .. } => SessionError::InUse { path: path.to_owned(), pid },
        other => SessionError::Disk(other),
    })
}

fn read(path: &Path) -> Result<Stored, SessionError> {
    let (meta, bytes) = read_head(path)?;
    Ok(Stored { meta, path: path.to_owned(), contents: reading::contents(&bytes) })
}

fn read_head(path: &Path) -> Result<(Meta, Vec<u8>), SessionError> {
    let bytes = disk::read(path, limits::SESSION_BYTES)?;
    let meta = reading::head(&bytes).map_err(|fault| match fault {
        HeadFault::Newer(version) => SessionError::Newer { path: path.to_owned(), version },
        HeadFault::Unreadable(reason) => {
            SessionError::Corrupt { path: path.to_owned(), reason, kept_as: None }
        }
    })?;
    Ok((meta, bytes))
}

/// A file that is no session is kept under another name, so that nothing is lost and it is not met again (D3).
fn set_aside(error: SessionError, path: &Path) -> SessionError {
    let SessionError::Corrupt { path: name, reason, .. } = error else { return error };
    let aside = path.with_extension("jsonl.bak");
    let kept_as = disk::rename(path, &aside).is_ok().then_some(aside);
    SessionError::Corrupt { path: name, reason, kept_as }
}

fn describe(path: PathBuf) -> Option<Listed> {
    let bytes = disk::read(&path, limits::SESSION_BYTES).ok()?;
    let meta = reading::head(&bytes).ok()?;
    // A cheap look: only the lines of messages, and only the first prompt is parsed.
    let mut title = None;
    let mut messages = 0;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| line.starts_with(br#"{"record":"message""#))
    {
        messages += 1;
        if title.is_none()
            && let Ok(Record::Message { message: Message::User { text, .. } }) = serde_json::from_slice(line)
        {
            title = Some(text.lines().next().unwrap_or_default().chars().take(limits::TITLE_CHARS).collect());
        }
    }
    let changed = disk::changed(&path).unwrap_or(SystemTime::UNIX_EPOCH);
    Some(Listed { meta, path, title: title.unwrap_or_default(), messages, changed })
}

impl Session {
    /// The file and the lock are let go before another tah may want them.
    pub fn close(self) {
        if let Some(log) = &self.log {
            let _ = lock(log).file.sync();
        }
    }
}
