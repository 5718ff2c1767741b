//! The lock of a Chrome profile folder: `SingletonLock`, a link to `host-pid`. A lock whose owner is gone or is some
//! other program is removed, a living owner and another host are named (P8, P8a, B72).
//!
//! Chrome makes its lock some time after its start, and of two that start at once both may leave. So those that start a
//! browser take turns by a lock of ours, which is held until Chrome's own is there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tah_os::disk::{DiskError, Lock};

use crate::limits;

/// Why the profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    #[error("the browser profile {} is in use by another tah — close that tah (or its browser) and try again", .0.display())]
    InUse(PathBuf),
    #[error(
        "the browser profile {} is locked by a browser on the host {host}; if none runs there any more, remove {}",
        .folder.display(), .folder.join(LOCK).display()
    )]
    OtherHost { folder: PathBuf, host: String },
    #[error("the browser profile {} cannot be used: {error}", .folder.display())]
    Unusable { folder: PathBuf, error: String },
}

const LOCK: &str = "SingletonLock";
/// What Chrome puts beside its lock, removed with it.
const BESIDE: &[&str] = &["SingletonSocket", "SingletonCookie"];

/// The file whose lock those hold who start a browser in the folder.
const STARTING: &str = ".tah-starting";

/// How often it is looked whether another start is over.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What was found and done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleared {
    Nothing,
    StaleLock,
}

/// The right to start a browser in a profile folder; to be held until the browser answers.
#[derive(Debug)]
pub struct Claim {
    pub cleared: Cleared,
    // Held, not read.
    _starting: Lock,
}

/// Makes the folder, waits for others that start a browser in it, and clears a stale lock.
pub async fn claim(folder: &Path) -> Result<Claim, ProfileError> {
    let unusable = |error: String| ProfileError::Unusable { folder: folder.to_owned(), error };
    tokio::fs::create_dir_all(folder).await.map_err(|error| unusable(error.to_string()))?;
    let starting = folder.join(STARTING);
    let deadline = tokio::time::Instant::now() + limits::LAUNCH;
    let starting = loop {
        match Lock::take(&starting) {
            Ok(lock) => break lock,
            Err(DiskError::Locked { .. }) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            Err(DiskError::Locked { .. }) => return Err(ProfileError::InUse(folder.to_owned())),
            Err(error) => return Err(unusable(error.to_string())),
        }
    };
    Ok(Claim { cleared: clear(folder).await?, _starting: starting })
}

async fn clear(folder: &Path) -> Result<Cleared, ProfileError> {
    let unusable = |error: std::io::Error| ProfileError::Unusable {
        folder: folder.to_owned(),
        error: error.to_string(),
    };
    let lock = folder.join(LOCK);
    let Ok(owner) = tokio::fs::read_link(&lock).await else { return Ok(Cleared::Nothing) };
    let owner = owner.to_string_lossy().into_owned();
    let Some((host, pid)) =
        owner.rsplit_once('-').and_then(|(host, pid)| Some((host, pid.parse::<i32>().ok()?)))
    else {
        return remove(folder, &lock).await.map_err(unusable);
    };
    if host != host_name() {
        return Err(ProfileError::OtherHost { folder: folder.to_owned(), host: host.to_owned() });
    }
    if holds(pid, folder).await {
        return Err(ProfileError::InUse(folder.to_owned()));
    }
    remove(folder, &lock).await.map_err(unusable)
}

async fn remove(folder: &Path, lock: &Path) -> std::io::Result<Cleared> {
    tokio::fs::remove_file(lock).await?;
    for name in BESIDE {
        // Not there is as good as removed.
        let _ = tokio::fs::remove_file(folder.join(name)).await;
    }
    Ok(Cleared::StaleLock)
}

fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether `pid` is a living browser that uses this folder; a pid that the system gave to another program is not.
async fn holds(pid: i32, folder: &Path) -> bool {
    let Some(process) = rustix::process::Pid::from_raw(pid) else { return false };
    match rustix::process::test_kill_process(process) {
        Ok(()) | Err(rustix::io::Errno::PERM) => {}
        Err(_) => return false,
    }
    // A zombie holds nothing; its command line reads empty.
    match tokio::fs::read(format!("/proc/{pid}/cmdline")).await {
        Ok(bytes) => {
            let line = String::from_utf8_lossy(&bytes).into_owned();
            let named = |path: &Path| line.contains(&format!("--user-data-dir={}", path.display()));
            named(folder) || tokio::fs::canonicalize(folder).await.is_ok_and(|real| named(&real))
        }
        // No /proc (macOS), or not ours to read: alive is all we know.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests;
