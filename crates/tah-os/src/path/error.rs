//! Why a path was refused, and what to do about it.

use std::io;
use std::path::PathBuf;

use super::Kind;

/// A refused path or a failed operation on one. `hint` is the next step, for the model and the user.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// `""`.
    #[error("the path is empty")]
    Empty,
    /// A NUL byte would end the name early.
    #[error("the path has a NUL byte")]
    Nul,
    /// Longer than [`crate::limits::PATH_BYTES`].
    #[error("the path has {bytes} bytes, more than {}", crate::limits::PATH_BYTES)]
    TooLong { bytes: usize },
    /// `~`, which only a shell expands.
    #[error("{path}: ~ is not expanded here")]
    Home { path: String },
    /// Not below any root.
    #[error("{path} is outside the working folder {}", root.display())]
    Outside { path: String, root: PathBuf },
    /// Not below the download folder.
    #[error("{path} is not a file below the download folder {}", folder.display())]
    OutsideDownloads { path: String, folder: PathBuf },
    /// A link on the way leads out of every root (P1, P2).
    #[error("{path} leads through a link out of the working folder")]
    LinkLeaves { path: String },
    /// Links that go round in circles.
    #[error("{path} has too many links")]
    Loop { path: String },
    /// Nothing there.
    #[error("no such file or folder: {path}")]
    NotFound { path: String },
    /// A download would overwrite it, or it should not have been there.
    #[error("{path} is already there")]
    AlreadyThere { path: String },
    /// It is no longer what it was (E6).
    #[error("{path} has changed since it was read")]
    Changed { path: String },
    /// A file was wanted.
    #[error("{path} is {kind}, not a file")]
    NotAFile { path: String, kind: Kind },
    /// A folder was wanted.
    #[error("{path} is {kind}, not a folder")]
    NotAFolder { path: String, kind: Kind },
    /// Larger than the caller reads at once.
    #[error("{path} has {bytes} bytes, more than {limit}")]
    TooBig { path: String, bytes: u64, limit: u64 },
    /// A name that is a device on Windows.
    #[error("{path} is the name of a device")]
    Device { path: String },
    /// What the system said.
    #[error("can't {action} {path}: {source}")]
    Io { path: String, action: &'static str, source: io::Error },
}

impl PathError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Empty => "name a file or folder; . is the working folder".to_owned(),
            Self::Home { .. } => "write the path out, relative to the working folder".to_owned(),
            Self::Outside { root, .. } => format!(
                "use a path below {}; the user can open another folder with --add-dir DIR",
                root.display()
            ),
            Self::OutsideDownloads { folder, .. } => {
                format!("give an absolute path of a new file below {}", folder.display())
            }
            Self::LinkLeaves { .. } => {
                "the user can open the folder it leads to with --add-dir DIR".to_owned()
            }
            Self::Changed { .. } => "re-read the file, then edit again".to_owned(),
            Self::AlreadyThere { .. } => "choose another name".to_owned(),
            Self::NotAFile { kind: Kind::Folder, .. } => "list it, or name a file in it".to_owned(),
            _ => return None,
        })
    }

    pub(super) fn io(path: &str, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        // What cap-std says when a path would leave its handle has no number of the system.
        if source.kind() == io::ErrorKind::PermissionDenied && source.raw_os_error().is_none() {
            return Self::LinkLeaves { path };
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::AlreadyExists => Self::AlreadyThere { path },
            _ if source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Self::Loop { path },
            _ => Self::Io { path, action, source },
        }
    }
}
