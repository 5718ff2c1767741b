//! Where a tool may put a file: inside named folders with all links followed, never over another file, and whole or not
//! at all.

use std::path::{Component, Path, PathBuf};

use crate::error::{BrowserError, Code};

/// The real path of `wanted`, if that lies in one of the folders; missing parents are made.
pub async fn inside(wanted: &Path, folders: &[&Path]) -> Result<PathBuf, BrowserError> {
    let refused = |why: String| BrowserError::new(Code::PathRefused, why);
    if wanted.components().any(|part| part == Component::ParentDir) {
        return Err(refused(format!("{} has .. in it", wanted.display())));
    }
    let Some(name) = wanted.file_name() else {
        return Err(refused(format!("{} names no file", wanted.display())));
    };
    let parent = wanted.parent().unwrap_or(Path::new("/"));
    let mut roots = Vec::new();
    for folder in folders {
        tokio::fs::create_dir_all(folder)
            .await
            .map_err(|error| refused(format!("{}: {error}", folder.display())))?;
        roots.push(
            tokio::fs::canonicalize(folder)
                .await
                .map_err(|error| refused(format!("{}: {error}", folder.display())))?,
        );
    }
    // What is there of the path decides, before anything is made.
    let mut known = parent;
    while tokio::fs::symlink_metadata(known).await.is_err() {
        match known.parent() {
            Some(above) => known = above,
            None => break,
        }
    }
    let real = tokio::fs::canonicalize(known)
        .await
        .map_err(|error| refused(format!("{}: {error}", known.display())))?;
    let rest = parent.strip_prefix(known).unwrap_or(Path::new(""));
    let whole = real.join(rest);
    if !roots.iter().any(|root| whole.starts_with(root)) {
        let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(refused(format!("{} is outside {}", wanted.display(), names.join(" and ")))
            .hint(format!("save it under {}", names.join(" or "))));
    }
    tokio::fs::create_dir_all(&whole)
        .await
        .map_err(|error| refused(format!("{}: {error}", whole.display())))?;
    let path = whole.join(name);
    if tokio::fs::symlink_metadata(&path).await.is_ok() {
        return Err(refused(format!("{} exists already, and nothing is overwritten", path.display()))
            .hint("choose another name"));
    }
    Ok(path)
}

/// A new empty file beside `path`, to be filled.
pub async fn partial(path: &Path) -> Result<PathBuf, BrowserError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{:08x}.part", fastrand::u32(..)));
    let partial = path.with_file_name(name);
    let made = tokio::fs::OpenOptions::new().write(true).create_new(true).open(&partial).await;
    made.map_err(|error| {
        BrowserError::new(Code::PathRefused, format!("can't write {}: {error}", partial.display()))
    })?;
    Ok(partial)
}

/// Gives the filled file its name, unless somebody took it meanwhile.
pub async fn settle(partial: &Path, path: &Path) -> Result<(), BrowserError> {
    // A link fails where something is there, a rename would replace it.
    let linked = match tokio::fs::hard_link(partial, path).await {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            // No links on this file system: look, then rename.
            if tokio::fs::symlink_metadata(path).await.is_ok() {
                Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists))
            } else {
                return tokio::fs::rename(partial, path).await.map_err(|error| {
                    BrowserError::new(Code::PathRefused, format!("can't write {}: {error}", path.display()))
                });
            }
        }
        other => other,
    };
    discard(partial).await;
    linked.map_err(|error| {
        BrowserError::new(Code::PathRefused, format!("can't write {}: {error}", path.display()))
    })
}

/// Removes a file that did not become whole.
pub async fn discard(partial: &Path) {
    if let Err(error) = tokio::fs::remove_file(partial).await {
        tracing::debug!(path = %partial.display(), %error, "partial file stays");
    }
}

/// Writes bytes to a new file that only its owner can read.
pub async fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use tokio::io::AsyncWriteExt;
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path).await?;
    file.write_all(bytes).await?;
    file.sync_all().await
}
