//! The folders that file tools see, and which string means which place in them.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::{PathError, WorkPath};
use crate::limits::PATH_BYTES;

/// The roots, in order. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Roots {
    pub(super) all: Arc<[Root]>,
}

#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) dir: Arc<Dir>,
    /// With every link resolved, once at the start (P3).
    pub(super) real: PathBuf,
    /// As it was named, made absolute.
    given: PathBuf,
}

impl Root {
    fn open(path: &Path) -> Result<Self, PathError> {
        let shown = path.display().to_string();
        let fail = |source| PathError::io(&shown, "open", source);
        let real = path.canonicalize().map_err(fail)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority()).map_err(fail)?;
        let given = std::path::absolute(path).map_err(fail)?;
        Ok(Self { dir: Arc::new(dir), real, given })
    }
}

/// A place in one of the roots: `rel` is relative to it and has no `.` or `..`; empty is the root itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub root: usize,
    pub rel: PathBuf,
}

impl Roots {
    /// The working folder, to which relative paths belong.
    pub fn open(working_folder: &Path) -> Result<Self, PathError> {
        Ok(Self { all: Arc::new([Root::open(working_folder)?]) })
    }

    /// With another folder, seen by its absolute paths.
    pub fn and(&self, folder: &Path) -> Result<Self, PathError> {
        let added = Root::open(folder)?;
        Ok(Self { all: self.all.iter().cloned().chain([added]).collect() })
    }

    /// The working folder's real path.
    pub fn working_folder(&self) -> &Path {
        self.all.first().map_or(Path::new(""), |root| &root.real)
    }

    /// The real paths of all roots, the working folder first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|root| root.real.as_path())
    }

    /// The place a string means. `..` is taken by its name and may not lead above a root; whether there is
    /// anything, and where links lead, shows only when something is done with it.
    pub fn resolve(&self, text: &str) -> Result<WorkPath, PathError> {
        check(text)?;
        let path = Path::new(text);
        let spot = if path.is_absolute() {
            self.find(path).or_else(|| self.find_real(path))
        } else {
            normalise(path).map(|rel| Spot { root: 0, rel })
        };
        let spot = spot.ok_or_else(|| PathError::Outside {
            path: text.to_owned(),
            root: self.working_folder().to_owned(),
        })?;
        let wants_folder = text.ends_with(std::path::MAIN_SEPARATOR) || text.ends_with("/.");
        Ok(WorkPath::new(self.clone(), spot, wants_folder))
    }

    /// An absolute path, by its names alone. The innermost root wins.
    pub(super) fn find(&self, path: &Path) -> Option<Spot> {
        let path = Path::new("/").join(normalise(path.strip_prefix("/").ok()?)?);
        let mut best: Option<(usize, Spot)> = None;
        for (root, known) in self.all.iter().enumerate() {
            for prefix in [&known.real, &known.given] {
                // By whole components, so that `/ws` is no prefix of `/ws-evil` (P4).
                if let Ok(rel) = path.strip_prefix(prefix) {
                    let depth = prefix.components().count();
                    if best.as_ref().is_none_or(|(deepest, _)| depth > *deepest) {
                        best = Some((depth, Spot { root, rel: rel.to_owned() }));
                    }
                }
            }
        }
        best.map(|(_, spot)| spot)
    }

    /// An absolute path that reaches a root by other names, like `/tmp` where it is `/private/tmp` (P3).
    fn find_real(&self, path: &Path) -> Option<Spot> {
        let path = Path::new("/").join(normalise(path.strip_prefix("/").ok()?)?);
        path.ancestors().find_map(|above| {
            let real = above.canonicalize().ok()?;
            let rest = path.strip_prefix(above).ok()?;
            Some(self.find(&real.join(rest)))
        })?
    }

    /// How a place is shown: relative to the working folder, else absolute.
    pub(super) fn show(&self, spot: &Spot) -> String {
        match (spot.root, self.all.get(spot.root)) {
            (0, _) if spot.rel.as_os_str().is_empty() => ".".to_owned(),
            (0, _) | (_, None) => spot.rel.display().to_string(),
            (_, Some(root)) => joined(&root.real, &spot.rel).display().to_string(),
        }
    }

    pub(super) fn absolute(&self, spot: &Spot) -> PathBuf {
        self.all.get(spot.root).map_or_else(PathBuf::new, |root| joined(&root.real, &spot.rel))
    }
}

fn joined(root: &Path, rel: &Path) -> PathBuf {
    // `join("")` would add a slash.
    if rel.as_os_str().is_empty() { root.to_owned() } else { root.join(rel) }
}

fn check(text: &str) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.contains('\0') {
        return Err(PathError::Nul);
    }
    if text.len() > PATH_BYTES {
        return Err(PathError::TooLong { bytes: text.len() });
    }
    if text == "~" || text.starts_with("~/") {
        return Err(PathError::Home { path: text.to_owned() });
    }
    if cfg!(windows) && Path::new(text).iter().any(is_device_name) {
        return Err(PathError::Device { path: text.to_owned() });
    }
    Ok(())
}

/// A relative path without `.` and `..`; `None` if it leads above its beginning.
pub(super) fn normalise(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

/// Whether Windows takes a file of that name for a device, whatever its extension.
pub(super) fn is_device_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        other => {
            let digit = other.strip_prefix("COM").or_else(|| other.strip_prefix("LPT"));
            digit.is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
        }
    }
}
