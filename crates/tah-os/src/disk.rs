//! tah's own state on the disk: settings, sessions, logs. Never a model's path; those are [`crate::path`]'s.
//!
//! Folders are private (`0700`, no link, nobody else's), files are replaced atomically or appended to, reads
//! are bounded, and a [`Lock`] names the process that owns something.
#![allow(clippy::disallowed_methods, reason = "the module that owns tah's own files")]

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The user alone (`0600`).
    Private,
    /// What the umask leaves of `0666`.
    Shared,
}

impl Access {
    fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o666,
        }
    }
}

/// What went wrong with a file of ours.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// Nothing there.
    #[error("no such file: {}", path.display())]
    NotFound { path: PathBuf },
    /// Larger than what is read.
    #[error("{} has more than {limit} bytes", path.display())]
    TooBig { path: PathBuf, limit: u64 },
    /// A folder that should be the user's alone isn't.
    #[error("{} {why}", path.display())]
    NotPrivate { path: PathBuf, why: &'static str },
    /// Another process owns it.
    #[error("{} is open in {}", path.display(), owner(*pid))]
    Locked { path: PathBuf, pid: Option<u32> },
    /// What the system said.
    #[error("can't {action} {}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
}

fn owner(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

fn failed(path: &Path, action: &'static str) -> impl Fn(io::Error) -> DiskError {
    let path = path.to_owned();
    move |source| match source.kind() {
        io::ErrorKind::NotFound => DiskError::NotFound { path: path.clone() },
        _ => DiskError::Io { path: path.clone(), action, source },
    }
}

/// Reads a whole regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, DiskError> {
    let fail = failed(path, "read");
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(&fail)?;
    if !file.metadata().map_err(&fail)?.is_file() {
        return Err(fail(io::Error::other("it is not a file")));
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(&fail)?;
    if bytes.len() as u64 > limit {
        return Err(DiskError::TooBig { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// [`read`] as text; `None` if there is no such file.
pub fn read_text(path: &Path, limit: u64) -> Result<Option<String>, DiskError> {
    match read(path, limit) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| failed(path, "read")(io::Error::other("it is not UTF-8 text"))),
        Err(DiskError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces a file as a whole: at any time there is the old one or the new one. Its folder must be there.
pub fn write(path: &Path, bytes: &[u8], access: Access) -> Result<(), DiskError> {
    let fail = failed(path, "write");
    let folder = path.parent().unwrap_or(Path::new("."));
    let temp = folder.join(format!(".tah-{}-{:08x}.tmp", std::process::id(), fastrand::u32(..)));
    let filled = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(access.mode()).open(&temp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temp, path)?;
        // So that the name survives a power cut too.
        File::open(folder).and_then(|folder| folder.sync_all())
    };
    filled().map_err(|error| {
        let _ = fs::remove_file(&temp);
        fail(error)
    })
}

/// Makes a file that must not be there yet, to be written piece by piece.
pub fn create_new(path: &Path, access: Access) -> Result<File, DiskError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(access.mode());
    options.open(path).map_err(failed(path, "make"))
}

/// Removes a file; nothing there is fine.
pub fn remove(path: &Path) -> Result<(), DiskError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, "remove")(error)),
        _ => Ok(()),
    }
}

/// Removes a folder of ours with all that is in it, links not followed; nothing there is fine.
pub fn remove_folder(path: &Path) -> Result<(), DiskError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, "remove")(error)),
        _ => Ok(()),
    }
}

/// Renames a file of ours.
pub fn rename(from: &Path, to: &Path) -> Result<(), DiskError> {
    fs::rename(from, to).map_err(failed(from, "rename"))
}

/// When a file of ours was last written.
pub fn changed(path: &Path) -> Result<SystemTime, DiskError> {
    fs::metadata(path).and_then(|meta| meta.modified()).map_err(failed(path, "look at"))
}

/// The names in a folder of ours, sorted; nothing there is an empty list.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, DiskError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(folder, "list")(error)),
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Makes a folder and those above it, with the usual mode.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes sure that `path` is a folder of the user's alone: makes it (and those above, `0700`), takes the rights
/// of others away, and refuses a link or another user's folder, which could make us write where they want.
pub fn private_folder(path: &Path) -> Result<(), DiskError> {
    let fail = failed(path, "make the folder");
    if let Some(above) = path.parent()
        && !above.as_os_str().is_empty()
    {
        DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(&fail)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(error)),
        _ => {}
    }
    let meta = fs::symlink_metadata(path).map_err(&fail)?;
    let refuse = |why| Err(DiskError::NotPrivate { path: path.to_owned(), why });
    if meta.file_type().is_symlink() {
        return refuse("is a link, so it is not used");
    }
    if !meta.is_dir() {
        return refuse("is not a folder");
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return refuse("belongs to another user, so it is not used");
    }
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(fail)?;
    }
    Ok(())
}

/// A file that only grows. A record that could not be written whole is taken back.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl AppendFile {
    /// Opens or makes it. A link is refused.
    pub fn open(path: &Path, access: Access) -> Result<Self, DiskError> {
        let fail = failed(path, "open");
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(access.mode())
            .custom_flags(i32::try_from(flags.bits()).unwrap_or(0))
            .open(path)
            .map_err(&fail)?;
        let meta = file.metadata().map_err(&fail)?;
        if !meta.is_file() {
            return Err(fail(io::Error::other("it is not a file")));
        }
        Ok(Self { file, path: path.to_owned(), bytes: meta.len() })
    }

    /// Its size now.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds `record` in one write. After an error the file is as it was (a full disk leaves no torn line).
    pub fn append(&mut self, record: &[u8]) -> Result<(), DiskError> {
        match self.file.write_all(record) {
            Ok(()) => {
                self.bytes += record.len() as u64;
                Ok(())
            }
            Err(error) => {
                let _ = self.file.set_len(self.bytes);
                Err(failed(&self.path, "write")(error))
            }
        }
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), DiskError> {
        self.file.sync_data().map_err(failed(&self.path, "sync"))
    }

    /// Cuts it to `bytes`, like a torn last record off.
    pub fn truncate(&mut self, bytes: u64) -> Result<(), DiskError> {
        self.file.set_len(bytes).map_err(failed(&self.path, "cut"))?;
        self.bytes = self.bytes.min(bytes);
        Ok(())
    }
}

/// Says that this process owns something. Released when dropped, and by the system when the process ends.
#[derive(Debug)]
pub struct Lock {
    // Held open: the lock is the open file's.
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of the file `path` (made for it, with our pid inside) or says who has it (D2).
    pub fn take(path: &Path) -> Result<Self, DiskError> {
        let fail = failed(path, "lock");
        let flags = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
        loop {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .custom_flags(flags)
                .open(path)
                .map_err(&fail)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut text = String::new();
                    let _ = (&file).take(32).read_to_string(&mut text);
                    return Err(DiskError::Locked { path: path.to_owned(), pid: text.trim().parse().ok() });
                }
                Err(TryLockError::Error(error)) => return Err(fail(error)),
            }
            // The one before us may have removed the file between our opening and our locking.
            let ours = file.metadata().map_err(&fail)?;
            let there = fs::symlink_metadata(path);
            if !there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
                continue;
            }
            file.set_len(0)
                .and_then(|()| file.seek(SeekFrom::Start(0)))
                .and_then(|_| writeln!(file, "{}", std::process::id()))
                .map_err(&fail)?;
            return Ok(Self { _file: file, path: path.to_owned() });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so nobody else's file is removed.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests;
