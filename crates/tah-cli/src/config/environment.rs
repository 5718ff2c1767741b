//! The environment, read in one place, and the folder's `.env`, kept in a map of our own: the environment of this
//! process is never changed.
#![allow(clippy::disallowed_methods, reason = "the one module that reads the environment")]

use super::ConfigError;
use crate::limits;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tah_agent::model::resolve::KEY_VARIABLES;
use tah_os::disk;

/// Variables that are settings: name and the key's path; none for what has no key.
pub const SETTINGS: [(&str, Option<&str>); 3] =
    [("TAH_MODEL", Some("model")), ("TAH_BASE_URL", Some("baseUrl")), ("OPENAI_BASE_URL", None)];

/// A text variable that is set and not empty.
pub fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// A variable as the system has it.
pub fn raw(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Every variable tah reads from `.env`.
pub fn known() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|(name, _)| *name).chain(KEY_VARIABLES)
}

/// tah's own folder: `TAH_HOME`, or `.tah` in the user's home.
pub fn home() -> Result<PathBuf, ConfigError> {
    if let Some(home) = raw("TAH_HOME") {
        return std::path::absolute(home).map_err(|error| ConfigError::new(format!("TAH_HOME: {error}")));
    }
    match dirs::home_dir() {
        Some(home) => Ok(home.join(".tah")),
        None => {
            Err(ConfigError::new("there is no home folder")
                .hint("set TAH_HOME to a folder for tah's own files"))
        }
    }
}

/// Where the user's downloads go: the folder the desktop names, else `Downloads`.
pub fn downloads() -> Option<PathBuf> {
    dirs::download_dir().or_else(|| Some(dirs::home_dir()?.join("Downloads")))
}

/// The variables tah knows from the folder's `.env`; others are not tah's business.
pub fn dot_env(folder: &Path) -> Result<BTreeMap<&'static str, String>, ConfigError> {
    let path = folder.join(".env");
    let bytes = match disk::read(&path, limits::CONFIG_BYTES) {
        Ok(bytes) => bytes,
        Err(disk::DiskError::NotFound { .. }) => return Ok(BTreeMap::new()),
        // A `.env` that is a folder (a Python environment) or too big is somebody else's.
        Err(_) => return Ok(BTreeMap::new()),
    };
    let mut found = BTreeMap::new();
    // A line that is none of ours may be odd; one of ours that can't be read is told by its absence.
    for (name, value) in dotenvy::from_read_iter(bytes.as_slice()).flatten() {
        if let Some(known) = known().find(|known| *known == name)
            && !value.is_empty()
        {
            found.insert(known, value);
        }
    }
    Ok(found)
}
