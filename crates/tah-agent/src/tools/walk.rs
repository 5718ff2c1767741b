//! Walking a folder the way ripgrep does: what `.gitignore` and `.ignore` name is left out, links are shown and
//! not followed (so no walk leaves its folder, P1), `.git` and tah's own `.tah` are left out.

use super::files::refused;
use crate::tool::ToolError;
use ignore::{WalkBuilder, WalkParallel};
use std::path::{Path, PathBuf};
use tah_os::path::{Kind, WorkPath};

/// A folder to walk, or a single file.
pub(crate) struct Base {
    pub place: WorkPath,
    /// With links resolved.
    pub real: PathBuf,
    pub kind: Kind,
}

impl Base {
    pub(crate) fn of(place: WorkPath) -> Result<Self, ToolError> {
        let kind = place.metadata().map_err(refused)?.kind;
        let real = place.real().map_err(refused)?;
        Ok(Base { place, real, kind })
    }

    /// Like [`Base::of`], for what must be a folder.
    pub(crate) fn folder(place: WorkPath) -> Result<Self, ToolError> {
        // Says itself what is wrong with anything but a folder.
        place.list(0).map_err(refused)?;
        Base::of(place)
    }

    pub(crate) fn builder(&self) -> WalkBuilder {
        let mut builder = WalkBuilder::new(&self.real);
        builder
            .hidden(false)
            .require_git(false)
            .follow_links(false)
            .filter_entry(|entry| entry.depth() == 0 || !is_internal(entry.file_name().as_encoded_bytes()));
        builder
    }

    pub(crate) fn parallel(&self) -> WalkParallel {
        self.builder().threads(threads()).build_parallel()
    }

    /// The part of a walked path below the base.
    pub(crate) fn below<'a>(&self, walked: &'a Path) -> &'a Path {
        walked.strip_prefix(&self.real).unwrap_or(walked)
    }

    /// How a path below the base is shown: from the working folder on.
    pub(crate) fn shown(&self, below: &Path) -> String {
        let base = self.place.to_string();
        let path = if below.as_os_str().is_empty() {
            base
        } else if base == "." {
            below.display().to_string()
        } else {
            Path::new(&base).join(below).display().to_string()
        };
        super::files::one_line(&path)
    }
}

fn is_internal(name: &[u8]) -> bool {
    name == b".git" || name == b".tah"
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |count| count.get().min(12))
}
