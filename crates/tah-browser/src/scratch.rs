//! The folder that lives as long as one browser: a profile nobody named, unfinished downloads, Chrome's own temporary
//! files. Whatever way tah ends, none of it stays for long: what a killed tah left is removed by the next one.
#![allow(clippy::disallowed_methods, reason = "owns the temporary folder of a browser")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use tempfile::TempDir;

#[cfg(test)]
mod tests;

const PREFIX: &str = "tah-browser-";
/// Locked as long as the folder is in use; the system lets go of the lock however its owner ends.
const IN_USE: &str = "in-use";
/// The same before it is locked: what has no lock yet must not look abandoned.
const NEW: &str = "in-use.new";
/// Chrome makes a socket below its temporary folder, and a socket's path holds 107 bytes; these are left for us.
const SHORT_ENOUGH: usize = 60;

/// The folder. Dropped, it is removed.
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    pub fn new() -> io::Result<Scratch> {
        Scratch::inside(&std::env::temp_dir())
    }

    fn inside(parent: &Path) -> io::Result<Scratch> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = OpenOptions::new().write(true).create_new(true).open(folder.path().join(NEW))?;
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        std::fs::rename(folder.path().join(NEW), folder.path().join(IN_USE))?;
        let scratch = Scratch { folder, _lock: lock };
        for made in [scratch.downloads(), scratch.profile(), scratch.temporary()] {
            DirBuilder::new().mode(0o700).create(made)?;
        }
        Ok(scratch)
    }

    /// Where Chrome writes a download while its bytes come.
    pub fn downloads(&self) -> PathBuf {
        self.folder.path().join("downloads")
    }

    /// The profile where none is named.
    pub fn profile(&self) -> PathBuf {
        self.folder.path().join("profile")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("t")
    }

    /// Chrome's `TMPDIR`, unless its sockets would not fit below it.
    pub fn temporary_for_chrome(&self) -> Option<PathBuf> {
        let path = self.temporary();
        (cfg!(target_os = "linux") && path.as_os_str().as_bytes().len() <= SHORT_ENOUGH).then_some(path)
    }
}

/// Removes the folders of those that were killed. What can't be removed stays for the next.
pub fn sweep() {
    sweep_inside(&std::env::temp_dir());
}

fn sweep_inside(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let folder = entry.path();
        let ours = std::fs::symlink_metadata(&folder)
            .is_ok_and(|meta| meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw());
        let Some(lock) = ours.then(|| File::open(folder.join(IN_USE)).ok()).flatten() else { continue };
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let removed = std::fs::remove_dir_all(&folder);
            tracing::debug!(folder = %folder.display(), ?removed, "left by a tah that was killed");
        }
    }
}
