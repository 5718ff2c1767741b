//! Files that come from the web: below the download folder, and never over another one.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::PathError;
use super::roots::Roots;
use super::walk::{LastLink, follow};
use super::work::{Kind, WorkPath};
use super::write::{Temp, parent_of};

/// The folder of downloads, which the user's configuration names.
#[derive(Clone, Debug)]
pub struct DownloadFolder {
    roots: Roots,
}

impl DownloadFolder {
    /// Opens it, and makes it if it isn't there.
    pub fn open(folder: &Path) -> Result<Self, PathError> {
        crate::disk::create_folders(folder)
            .map_err(|error| PathError::io(&folder.display().to_string(), "make the folder", error))?;
        Ok(Self { roots: Roots::open(folder)? })
    }

    /// Its real path.
    pub fn path(&self) -> &Path {
        self.roots.working_folder()
    }

    /// A place for a new file: an absolute path whose real place is below the folder (B62).
    pub fn resolve(&self, text: &str) -> Result<DownloadPath, PathError> {
        let outside =
            || PathError::OutsideDownloads { path: text.to_owned(), folder: self.path().to_owned() };
        if !text.is_empty() && !text.starts_with('~') && !Path::new(text).is_absolute() {
            return Err(outside());
        }
        let place = self.roots.resolve(text).map_err(|error| match error {
            PathError::Outside { .. } => outside(),
            other => other,
        })?;
        if place.name().is_none() || place.names_a_folder() {
            return Err(outside());
        }
        Ok(DownloadPath { place })
    }
}

/// A place for a new file below the download folder.
#[derive(Clone, Debug)]
pub struct DownloadPath {
    place: WorkPath,
}

impl DownloadPath {
    /// The absolute path by its names.
    pub fn absolute(&self) -> PathBuf {
        self.place.absolute()
    }

    /// Begins the file, with the folders above it. Refused if there is anything of that name, a link included.
    pub fn create(&self) -> Result<Download, PathError> {
        let place = &self.place;
        let shown = place.absolute().display().to_string();
        let fail = |error| PathError::io(&shown, "write", error);
        let spot = follow(&place.roots, &place.spot, LastLink::Keep)?;
        let (root, rel) = place.place_of(&spot)?;
        let Some(name) = rel.file_name() else { return Err(place.not_a_file(Kind::Folder)) };
        let parent = parent_of(&rel);
        if parent != Path::new(".") {
            root.create_dir_all(parent).map_err(fail)?;
        }
        let dir = root.open_dir(parent).map_err(fail)?;
        if dir.symlink_metadata(name).is_ok() {
            return Err(PathError::AlreadyThere { path: shown });
        }
        let temp = Temp::create(&dir, 0o666).map_err(fail)?;
        Ok(Download { temp, name: name.to_owned(), path: place.roots.absolute(&spot), shown })
    }
}

/// A file that is being downloaded. Dropped before [`Download::finish`], nothing of it stays.
#[derive(Debug)]
pub struct Download {
    temp: Temp,
    name: std::ffi::OsString,
    path: PathBuf,
    shown: String,
}

impl Download {
    /// The file to write to.
    pub fn file(&self) -> &File {
        &self.temp.file
    }

    /// Gives the file its name and returns its real path. Refused if the name was taken meanwhile.
    pub fn finish(self) -> Result<PathBuf, PathError> {
        let fail = |error| PathError::io(&self.shown, "write", error);
        self.temp.file.sync_all().map_err(fail)?;
        self.temp.link_to(&self.name).map_err(fail)?;
        Ok(self.path)
    }
}
