//! Where a path leads when every link on it is followed, as long as it stays in the roots.
//!
//! This decides which place an operation is about; that the operation stays there is the handle's business.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::PathError;
use super::roots::{Roots, Spot};
use crate::limits::PATH_LINKS;

/// The last link of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    /// The operation is about what it points to.
    Follow,
    /// The operation is about the link.
    Keep,
}

/// Follows links, one component after the other. What is missing at the end stays as it is named.
pub(super) fn follow(roots: &Roots, from: &Spot, last: LastLink) -> Result<Spot, PathError> {
    let shown = || roots.show(from);
    let mut at = Spot { root: from.root, rel: PathBuf::new() };
    let mut todo: VecDeque<OsString> = names(&from.rel);
    let mut links = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            // Only from a link's text; above a root is outside (P1).
            if !at.rel.pop() {
                return Err(PathError::LinkLeaves { path: shown() });
            }
            continue;
        }
        let next = at.rel.join(&name);
        let Some(root) = roots.all.get(at.root) else { return Err(PathError::NotFound { path: shown() }) };
        let is_link = match root.dir.symlink_metadata(&next) {
            Ok(meta) => meta.file_type().is_symlink(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                at.rel = next;
                for name in todo {
                    if name == ".." {
                        return Err(PathError::NotFound { path: shown() });
                    }
                    at.rel.push(name);
                }
                return Ok(at);
            }
            Err(error) => return Err(PathError::io(&shown(), "look up", error)),
        };
        if !is_link || (todo.is_empty() && last == LastLink::Keep) {
            at.rel = next;
            continue;
        }
        links += 1;
        if links > PATH_LINKS {
            return Err(PathError::Loop { path: shown() });
        }
        let target =
            root.dir.read_link_contents(&next).map_err(|error| PathError::io(&shown(), "follow", error))?;
        if target.is_absolute() {
            let Some(spot) = roots.find(&target) else { return Err(PathError::LinkLeaves { path: shown() }) };
            at = Spot { root: spot.root, rel: PathBuf::new() };
            prepend(&mut todo, &spot.rel);
        } else {
            prepend(&mut todo, &target);
        }
    }
    Ok(at)
}

fn prepend(todo: &mut VecDeque<OsString>, path: &Path) {
    for name in names(path).into_iter().rev() {
        todo.push_front(name);
    }
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect()
}
