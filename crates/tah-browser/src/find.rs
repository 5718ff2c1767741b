//! Finds a Chrome-family browser on this machine: the configured one first, then PATH, then the usual places.

use std::path::{Path, PathBuf};

/// Names on PATH, best first.
const NAMES: &[&str] = &[
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
    "brave",
];

#[cfg(target_os = "macos")]
const PLACES: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
];
#[cfg(not(target_os = "macos"))]
const PLACES: &[&str] = &[
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/snap/bin/chromium",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
    "/var/lib/flatpak/exports/bin/com.google.Chrome",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
];

/// No browser was found; says everything that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    #[error("the configured browser {} is not an executable file", .0.display())]
    Configured(PathBuf),
    #[error("no Chrome, Chromium, Edge or Brave found: looked for {} on PATH and for {}", NAMES.join(", "), PLACES.join(", "))]
    Nowhere,
}

/// The browser to start. `path` is the value of the PATH variable.
pub fn find(configured: Option<&Path>, path: Option<&std::ffi::OsStr>) -> Result<PathBuf, FindError> {
    if let Some(configured) = configured {
        return if is_executable(configured) {
            Ok(configured.to_owned())
        } else {
            Err(FindError::Configured(configured.to_owned()))
        };
    }
    let folders: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    let on_path = NAMES.iter().flat_map(|name| {
        // A relative or empty entry would let the working folder choose the program.
        folders.iter().filter(|folder| folder.is_absolute()).map(move |folder| folder.join(name))
    });
    on_path.chain(PLACES.iter().map(PathBuf::from)).find(|path| is_executable(path)).ok_or(FindError::Nowhere)
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
