//! Writing a file so that at any time there is the old one or the new one (E6).

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{Dir, MetadataExt, OpenOptions, OpenOptionsExt};
use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};

use super::PathError;
use super::work::{Kind, Meta, Stamp, WorkPath, nonblocking};

/// What must be there for a write to go ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Anything or nothing.
    Any,
    /// Nothing.
    Absent,
    /// The file in this state.
    Same(Stamp),
}

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// There was nothing before.
    Created(Stamp),
    /// It replaced a file.
    Replaced(Stamp),
}

impl WorkPath {
    /// Writes the whole file: to a temporary one beside it, synced, then renamed over it. Mode and owner stay,
    /// and a link inside the roots stays a link (its target is written). The folder must be there.
    pub fn write(&self, bytes: &[u8], expect: &Expect) -> Result<Written, PathError> {
        let spot = self.follow()?;
        let (root, rel) = self.place_of(&spot)?;
        let (Some(name), false) = (rel.file_name(), self.names_a_folder()) else {
            return Err(self.not_a_file(Kind::Folder));
        };
        let fail = |error| self.io("write", error);
        let dir = root.open_dir(parent_of(&rel)).map_err(fail)?;
        let old = match dir.symlink_metadata(name) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        self.check(old.as_ref().map(Meta::from).as_ref(), expect)?;
        let Some(old) = old else {
            let temp = Temp::create(&dir, 0o666).map_err(fail)?;
            let stamp = temp.fill(bytes).map_err(fail)?;
            match expect {
                Expect::Absent => temp.link_to(name).map_err(fail)?,
                Expect::Any | Expect::Same(_) => temp.rename_to(name).map_err(fail)?,
            }
            return self.stamp_now(&dir, name, stamp).map(Written::Created);
        };
        // A file that may not be written must not be replaced either.
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(nonblocking());
        let current = dir.open_with(name, &options).map_err(fail)?;
        let temp = Temp::create(&dir, 0o600).map_err(fail)?;
        if temp.adopt(&old).is_err() {
            // Only its owner could keep the owner: write into the file itself.
            drop(temp);
            let mut current = current.into_std();
            current
                .set_len(0)
                .and_then(|()| current.write_all(bytes))
                .and_then(|()| current.sync_all())
                .map_err(fail)?;
            let meta = dir.symlink_metadata(name).map_err(fail)?;
            return Ok(Written::Replaced(Meta::from(&meta).stamp));
        }
        let stamp = temp.fill(bytes).map_err(fail)?;
        if let Expect::Same(_) = expect {
            // Once more, as late as can be.
            let now = dir.symlink_metadata(name).map_err(fail)?;
            self.check(Some(&Meta::from(&now)), expect)?;
        }
        temp.rename_to(name).map_err(fail)?;
        self.stamp_now(&dir, name, stamp).map(Written::Replaced)
    }

    fn check(&self, there: Option<&Meta>, expect: &Expect) -> Result<(), PathError> {
        let path = || self.to_string();
        if let Some(meta) = there
            && meta.kind != Kind::File
        {
            return Err(self.not_a_file(meta.kind));
        }
        match (expect, there) {
            (Expect::Absent, Some(_)) => Err(PathError::AlreadyThere { path: path() }),
            (Expect::Same(_), None) => Err(PathError::Changed { path: path() }),
            (Expect::Same(seen), Some(meta)) if meta.stamp != *seen => {
                Err(PathError::Changed { path: path() })
            }
            _ => Ok(()),
        }
    }

    /// The stamp after the rename, which changes the inode's times.
    fn stamp_now(&self, dir: &Dir, name: &OsStr, filled: Stamp) -> Result<Stamp, PathError> {
        Ok(dir.symlink_metadata(name).map_or(filled, |meta| Meta::from(&meta).stamp))
    }
}

/// The folder part of a relative path, `.` for a single name.
pub(super) fn parent_of(rel: &Path) -> &Path {
    match rel.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A new file in a folder, removed again unless it gets its name.
#[derive(Debug)]
pub(super) struct Temp {
    dir: Dir,
    name: OsString,
    pub(super) file: std::fs::File,
    kept: bool,
}

impl Temp {
    pub(super) fn create(dir: &Dir, mode: u32) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        loop {
            let name = OsString::from(format!(".tah-{}-{:08x}.tmp", std::process::id(), fastrand::u32(..)));
            match dir.open_with(&name, &options) {
                Ok(file) => {
                    return Ok(Self { dir: dir.try_clone()?, name, file: file.into_std(), kept: false });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes owner and mode of the file it will replace. Fails if the owner can't be kept.
    fn adopt(&self, old: &cap_std::fs::Metadata) -> io::Result<()> {
        let own = self.file.metadata()?;
        let own = (std::os::unix::fs::MetadataExt::uid(&own), std::os::unix::fs::MetadataExt::gid(&own));
        if own.0 != old.uid() {
            fchown(&self.file, Some(Uid::from_raw(old.uid())), None)?;
        }
        if own.1 != old.gid() {
            // A group one isn't in can't be kept; the mode then must not open it to the wrong one.
            let _ = fchown(&self.file, None, Some(Gid::from_raw(old.gid())));
        }
        // After the owner: changing that clears bits.
        fchmod(&self.file, Mode::from_raw_mode(old.mode() & 0o7777))?;
        Ok(())
    }

    fn fill(&self, bytes: &[u8]) -> io::Result<Stamp> {
        (&self.file).write_all(bytes)?;
        self.file.sync_all()?;
        Ok(Meta::from(&cap_std::fs::Metadata::from_file(&self.file)?).stamp)
    }

    pub(super) fn rename_to(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(&self.name, &self.dir, name)?;
        self.kept = true;
        self.sync_folder();
        Ok(())
    }

    /// Gives it a name that must not be taken.
    pub(super) fn link_to(self, name: &OsStr) -> io::Result<()> {
        match self.dir.hard_link(&self.name, &self.dir, name) {
            Ok(()) => {
                self.sync_folder();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links: look, then rename.
            Err(_) => match self.dir.symlink_metadata(name) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => self.rename_to(name),
            },
        }
    }

    /// So that the name survives a power cut too. A folder that can't be synced is no failure.
    fn sync_folder(&self) {
        let _ = self.dir.try_clone().map(|dir| dir.into_std_file().sync_all());
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if !self.kept {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}
