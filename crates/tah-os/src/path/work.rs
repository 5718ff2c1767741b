//! A place in the roots, and what can be done there.

use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::{Dir, FileType, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};

use super::PathError;
use super::roots::{Roots, Spot};
use super::walk::{LastLink, follow};

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A link, where links are not followed: in a [`Listing`].
    Link,
    /// A pipe, a socket or a device: never opened, since that can block for ever or act.
    Special,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Special => "a pipe, socket or device",
        })
    }
}

/// Which state of a file one has seen (E6). Two equal stamps are the same content, but for a clock that was
/// turned back on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: (u64, u64),
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// What is known of a place without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    pub kind: Kind,
    pub bytes: u64,
    pub modified: Option<SystemTime>,
    /// The permission bits.
    pub mode: u32,
    pub stamp: Stamp,
}

impl From<&Metadata> for Meta {
    fn from(meta: &Metadata) -> Self {
        Self {
            kind: meta.file_type().into(),
            bytes: meta.len(),
            modified: meta.modified().ok().map(cap_std::time::SystemTime::into_std),
            mode: meta.mode() & 0o7777,
            stamp: Stamp {
                inode: (meta.dev(), meta.ino()),
                bytes: meta.len(),
                modified: (meta.mtime(), meta.mtime_nsec()),
                changed: (meta.ctime(), meta.ctime_nsec()),
            },
        }
    }
}

/// One name in a folder. Links are not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: Kind,
    /// Bytes, of a file.
    pub bytes: u64,
}

/// The names in a folder, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// How many more there are.
    pub left_out: usize,
}

/// A place in the roots. Whether there is anything is not known before it is used.
#[derive(Clone, Debug)]
pub struct WorkPath {
    pub(super) roots: Roots,
    pub(super) spot: Spot,
    wants_folder: bool,
}

impl fmt::Display for WorkPath {
    /// Relative to the working folder, else absolute.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.roots.show(&self.spot))
    }
}

impl PartialEq for WorkPath {
    fn eq(&self, other: &Self) -> bool {
        self.absolute() == other.absolute()
    }
}

impl WorkPath {
    pub(super) fn new(roots: Roots, spot: Spot, wants_folder: bool) -> Self {
        Self { roots, spot, wants_folder }
    }

    /// The absolute path by its names, links not followed.
    pub fn absolute(&self) -> PathBuf {
        self.roots.absolute(&self.spot)
    }

    /// The absolute path with every link followed; what is missing at its end is kept. Two names of one file
    /// have one real path. For walkers and for display: going through the handle is what confines.
    pub fn real(&self) -> Result<PathBuf, PathError> {
        Ok(self.roots.absolute(&self.follow()?))
    }

    /// A place below this one; `rel` is a name or several, never absolute and never above.
    pub fn join(&self, rel: impl AsRef<Path>) -> Result<Self, PathError> {
        let rel = rel.as_ref();
        let below = super::roots::normalise(rel)
            .ok_or_else(|| PathError::Outside { path: rel.display().to_string(), root: self.absolute() })?;
        let spot = Spot { root: self.spot.root, rel: self.spot.rel.join(below) };
        Ok(Self { roots: self.roots.clone(), spot, wants_folder: false })
    }

    /// The folder it is in; `None` for a root.
    pub fn parent(&self) -> Option<Self> {
        let rel = self.spot.rel.parent()?.to_owned();
        let spot = Spot { root: self.spot.root, rel };
        Some(Self { roots: self.roots.clone(), spot, wants_folder: true })
    }

    /// Its last name; `None` for a root.
    pub fn name(&self) -> Option<&std::ffi::OsStr> {
        self.spot.rel.file_name()
    }

    /// What is there, links followed.
    pub fn metadata(&self) -> Result<Meta, PathError> {
        let (dir, rel) = self.place()?;
        let meta = Meta::from(&dir.metadata(rel).map_err(|error| self.io("look up", error))?);
        if self.wants_folder && meta.kind != Kind::Folder {
            return Err(PathError::NotAFolder { path: self.to_string(), kind: meta.kind });
        }
        Ok(meta)
    }

    /// Like [`WorkPath::metadata`], with nothing there as `None`.
    pub fn look(&self) -> Result<Option<Meta>, PathError> {
        match self.metadata() {
            Ok(meta) => Ok(Some(meta)),
            Err(PathError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a regular file for reading. A pipe or device is refused and never blocks.
    pub fn open(&self) -> Result<std::fs::File, PathError> {
        let (dir, rel) = self.place()?;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(nonblocking());
        let file = match dir.open_with(rel, &options) {
            Ok(file) => file,
            Err(error) => {
                // A socket can't even be opened; say what it is rather than what failed.
                return Err(match self.metadata() {
                    Ok(meta) if meta.kind != Kind::File => self.not_a_file(meta.kind),
                    _ => self.io("read", error),
                });
            }
        };
        let kind = Kind::from(file.metadata().map_err(|error| self.io("read", error))?.file_type());
        if kind != Kind::File || self.wants_folder {
            return Err(match kind {
                Kind::File => PathError::NotAFolder { path: self.to_string(), kind },
                _ => self.not_a_file(kind),
            });
        }
        Ok(file.into_std())
    }

    /// Reads a whole file of at most `limit` bytes, and its stamp from the same handle.
    pub fn read(&self, limit: u64) -> Result<(Vec<u8>, Stamp), PathError> {
        let file = cap_std::fs::File::from_std(self.open()?);
        let meta = Meta::from(&file.metadata().map_err(|error| self.io("read", error))?);
        let too_big = |bytes| PathError::TooBig { path: self.to_string(), bytes, limit };
        if meta.bytes > limit {
            return Err(too_big(meta.bytes));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(meta.bytes).unwrap_or(0));
        // Files of /proc have no size, and others grow.
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| self.io("read", error))?;
        if bytes.len() as u64 > limit {
            return Err(too_big(bytes.len() as u64));
        }
        Ok((bytes, meta.stamp))
    }

    /// The names in a folder, sorted, `most` at most.
    pub fn list(&self, most: usize) -> Result<Listing, PathError> {
        let (dir, rel) = self.place()?;
        let names = dir.read_dir(rel).map_err(|error| match self.metadata() {
            Ok(meta) if meta.kind != Kind::Folder => {
                PathError::NotAFolder { path: self.to_string(), kind: meta.kind }
            }
            _ => self.io("list", error),
        })?;
        let mut entries = Vec::new();
        for entry in names {
            let entry = entry.map_err(|error| self.io("list", error))?;
            // Deleted in the meantime.
            let Ok(kind) = entry.file_type() else { continue };
            entries.push((entry.file_name(), kind.into(), entry));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let left_out = entries.len().saturating_sub(most);
        entries.truncate(most);
        let with_size = |(name, kind, entry): (OsString, Kind, cap_std::fs::DirEntry)| {
            let bytes = if kind == Kind::File { entry.metadata().map_or(0, |meta| meta.len()) } else { 0 };
            Entry { name, kind, bytes }
        };
        Ok(Listing { entries: entries.into_iter().map(with_size).collect(), left_out })
    }

    /// Makes the folder and those above it.
    pub fn create_folder(&self) -> Result<(), PathError> {
        let (dir, rel) = self.place()?;
        if rel == Path::new(".") {
            return Ok(());
        }
        dir.create_dir_all(rel).map_err(|error| self.io("make the folder", error))
    }

    /// Makes the folders above it.
    pub fn create_parents(&self) -> Result<(), PathError> {
        let real = self.follow()?;
        match real.rel.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => {
                let (dir, _) = self.place_of(&real)?;
                dir.create_dir_all(parent).map_err(|error| self.io("make the folders above", error))
            }
            _ => Ok(()),
        }
    }

    /// Removes a file, a link (not what it points to) or an empty folder. A root is refused.
    pub fn remove(&self) -> Result<(), PathError> {
        let spot = follow(&self.roots, &self.spot, LastLink::Keep)?;
        if spot.rel.as_os_str().is_empty() {
            return Err(self.not_a_file(Kind::Folder));
        }
        let (dir, rel) = self.place_of(&spot)?;
        let meta = dir.symlink_metadata(&rel).map_err(|error| self.io("remove", error))?;
        let removed = if meta.is_dir() { dir.remove_dir(&rel) } else { dir.remove_file(&rel) };
        removed.map_err(|error| self.io("remove", error))
    }

    pub(super) fn follow(&self) -> Result<Spot, PathError> {
        follow(&self.roots, &self.spot, LastLink::Follow)
    }

    /// The root's handle and the path beneath it that the operation is about.
    pub(super) fn place(&self) -> Result<(&Dir, PathBuf), PathError> {
        let spot = self.follow()?;
        self.place_of(&spot)
    }

    pub(super) fn place_of(&self, spot: &Spot) -> Result<(&Dir, PathBuf), PathError> {
        let root = self.roots.all.get(spot.root);
        let root = root.ok_or_else(|| PathError::NotFound { path: self.to_string() })?;
        let rel = if spot.rel.as_os_str().is_empty() { PathBuf::from(".") } else { spot.rel.clone() };
        Ok((&root.dir, rel))
    }

    pub(super) fn names_a_folder(&self) -> bool {
        self.wants_folder
    }

    pub(super) fn not_a_file(&self, kind: Kind) -> PathError {
        PathError::NotAFile { path: self.to_string(), kind }
    }

    pub(super) fn io(&self, action: &'static str, error: std::io::Error) -> PathError {
        PathError::io(&self.to_string(), action, error)
    }
}

/// Opening a pipe must not wait for its other side.
pub(super) fn nonblocking() -> i32 {
    i32::try_from((rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits()).unwrap_or(0)
}
