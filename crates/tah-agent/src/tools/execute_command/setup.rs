//! How commands run: where, with what environment, in which sandbox.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tah_os::path::Roots;
use tah_os::process::Launcher;
use tah_os::sandbox::{self, Level, Missing, Sandbox};

/// How commands run.
#[derive(Clone, Debug)]
pub struct ShellSetup {
    /// The folders commands are about; they run in the first.
    pub roots: Roots,
    pub launcher: Launcher,
    /// Where they may write; `None` is anywhere.
    pub sandbox: Option<Sandbox>,
    /// Variables they don't get, beside all that end in `_API_KEY`: the names of the providers' keys.
    pub secrets: Vec<String>,
    /// The folder's `.tah`, for the logs of long outputs; `None` keeps none.
    pub state: Option<PathBuf>,
    pub(super) shell: PathBuf,
}

impl ShellSetup {
    /// Sandboxed to the roots and temporary folders, logs in the working folder's `.tah`.
    pub fn new(roots: Roots, launcher: Launcher) -> Self {
        let folders = roots.paths().fold(Sandbox::new(), Sandbox::writable);
        let state = Some(roots.working_folder().join(".tah"));
        let bash = Path::new("/bin/bash");
        let shell = if bash.exists() { bash } else { Path::new("/bin/sh") }.to_owned();
        ShellSetup { roots, launcher, sandbox: Some(folders.temporary()), secrets: Vec::new(), state, shell }
    }

    /// Without the sandbox (`--no-sandbox-commands`).
    pub fn without_sandbox(mut self) -> Self {
        self.sandbox = None;
        self
    }

    /// Names of variables that commands don't get.
    pub fn secrets<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.secrets.extend(names.into_iter().map(Into::into));
        self
    }

    /// How much of the sandbox this machine holds up; `None` if none is wanted. The start-up line says it where it
    /// is not [`Level::Full`].
    pub fn sandbox_level(&self) -> Option<Level> {
        self.sandbox.as_ref()?;
        Some(match self.launcher {
            Launcher::None => Level::Missing(Missing::NoLauncher),
            Launcher::At(_) => sandbox::level(),
        })
    }

    /// Whether commands are held back at all.
    pub(super) fn confines(&self) -> bool {
        matches!(self.sandbox_level(), Some(Level::Full | Level::Partial))
    }

    /// X6: keys of providers are not the command's business.
    pub(super) fn is_secret(&self, name: &OsStr) -> bool {
        let name = name.to_string_lossy();
        name.to_ascii_uppercase().ends_with("_API_KEY") || self.secrets.iter().any(|secret| *secret == name)
    }
}

/// X2: nobody is there to answer a question, to leave a pager or to close an editor.
pub(super) const QUIET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];
