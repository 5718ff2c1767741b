//! The sandbox of a command: it reads everywhere and writes only below given folders.
//!
//! Held by Landlock, applied in the launcher before the program starts, so that it covers the whole tree.
//! Best effort: an older kernel enforces less, one without Landlock nothing; [`Level`] says which.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a sandboxed command may write to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    writable: Vec<PathBuf>,
}

impl Sandbox {
    /// Writes nowhere but in devices like `/dev/null`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also below `path` (a folder, or one file). A path that doesn't exist is skipped.
    pub fn writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }

    /// Also in the temporary folders of this system.
    pub fn temporary(mut self) -> Self {
        self.writable.extend(temporary_folders());
        self
    }

    /// Whether writing to `path` is what the sandbox stands in the way of: it is outside all writable places, and
    /// this process itself could write there. A relative path is one of `folder`.
    pub fn refuses(&self, path: &Path, folder: &Path) -> bool {
        let path = folder.join(path);
        // What is missing is made in the nearest folder that is there.
        let Some(there) = path.ancestors().find(|above| above.symlink_metadata().is_ok()) else {
            return false;
        };
        let Ok(real) = there.canonicalize() else { return false };
        let inside =
            |writable: &PathBuf| writable.canonicalize().is_ok_and(|writable| real.starts_with(writable));
        if self.writable.iter().any(inside) || DEVICES.iter().any(|device| real.starts_with(device)) {
            return false;
        }
        rustix::fs::access(&real, rustix::fs::Access::WRITE_OK).is_ok()
    }

    /// The folders and files, in the order given.
    pub fn paths(&self) -> &[PathBuf] {
        &self.writable
    }
}

/// How much of a [`Sandbox`] the kernel holds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Every kind of write outside is refused.
    Full,
    /// An older kernel: creating and deleting are refused, but not all of truncating and linking.
    Partial,
    /// Nothing is refused, and why.
    Missing(Missing),
}

/// Why there is no sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The kernel has no Landlock.
    NotBuilt,
    /// Landlock is there but switched off at boot.
    SwitchedOff,
    /// Not Linux, or no launcher that could apply it.
    NoLauncher,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "commands write only in the working folders and temporary folders",
            Self::Partial => "this kernel holds commands back only in part (its Landlock is old)",
            Self::Missing(Missing::NotBuilt) => "no sandbox for commands: this kernel has no Landlock",
            Self::Missing(Missing::SwitchedOff) => {
                "no sandbox for commands: Landlock is switched off at boot"
            }
            Self::Missing(Missing::NoLauncher) => "no sandbox for commands on this system",
        })
    }
}

impl Level {
    /// The word the launcher reports it with.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::Missing(Missing::NotBuilt) => "not-built",
            Self::Missing(Missing::SwitchedOff) => "off",
            Self::Missing(Missing::NoLauncher) => "none",
        }
    }

    /// The other way round; an unknown word is the safe reading.
    pub(crate) fn from_word(word: &str) -> Self {
        match word {
            "full" => Self::Full,
            "partial" => Self::Partial,
            "not-built" => Self::Missing(Missing::NotBuilt),
            "off" => Self::Missing(Missing::SwitchedOff),
            _ => Self::Missing(Missing::NoLauncher),
        }
    }
}

/// The temporary folders that exist here, real paths.
pub fn temporary_folders() -> Vec<PathBuf> {
    let named = std::env::temp_dir();
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in [named.as_path(), Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")] {
        if let Ok(real) = folder.canonicalize()
            // TMPDIR=/ must not open the whole disk
            && real.parent().is_some()
            && real.is_dir()
            && !found.contains(&real)
        {
            found.push(real);
        }
    }
    found
}

/// Device files a command may always write to. None of them keeps what is written.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// The sandbox as arguments of the launcher.
pub(crate) fn to_args(sandbox: &Sandbox) -> Vec<OsString> {
    let mut args = vec![OsString::from("--sandbox")];
    for path in &sandbox.writable {
        args.push(OsString::from("--write"));
        args.push(path.clone().into_os_string());
    }
    args
}

/// What this machine would give a sandboxed command, without starting one.
#[cfg(target_os = "linux")]
pub fn level() -> Level {
    use landlock::{ABI, AccessFs, CompatLevel, Compatible, Errno, Ruleset, RulesetAttr};
    let asks = |abi: ABI| {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(abi))
            .and_then(Ruleset::create)
            .map(drop)
    };
    if asks(ABI::V3).is_ok() {
        return Level::Full;
    }
    match asks(ABI::V1) {
        Ok(()) => Level::Partial,
        Err(error) => Level::Missing(match *Errno::from(error) {
            number if number == rustix::io::Errno::OPNOTSUPP.raw_os_error() => Missing::SwitchedOff,
            _ => Missing::NotBuilt,
        }),
    }
}

/// What this machine would give a sandboxed command, without starting one.
#[cfg(not(target_os = "linux"))]
pub fn level() -> Level {
    Level::Missing(Missing::NoLauncher)
}

/// Puts this process, and all that it starts from now on, into the sandbox.
#[cfg(target_os = "linux")]
pub(crate) fn enter(sandbox: &Sandbox) -> Result<Level, String> {
    use landlock::{
        ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
        RulesetStatus,
    };

    let missing = level();
    if matches!(missing, Level::Missing(_)) {
        return Ok(missing);
    }
    // V3 has every right that writes; what came later guards devices and sockets, which stay free.
    let write = AccessFs::from_write(ABI::V3);
    let fail = |error: landlock::RulesetError| error.to_string();
    let mut ruleset: RulesetCreated =
        Ruleset::default().handle_access(write).map_err(fail)?.create().map_err(fail)?;
    let wanted = sandbox.writable.iter().map(PathBuf::as_path).chain(DEVICES.iter().map(Path::new));
    for path in wanted {
        let Ok(fd) = PathFd::new(path) else { continue };
        // A file takes only the rights that mean something on a file; the kernel refuses others.
        let rights = if path.is_dir() { write } else { write & AccessFs::from_file(ABI::V3) };
        ruleset = ruleset.add_rule(PathBeneath::new(fd, rights)).map_err(fail)?;
    }
    let status = ruleset.restrict_self().map_err(fail)?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Level::Full,
        RulesetStatus::PartiallyEnforced => Level::Partial,
        RulesetStatus::NotEnforced => level(),
    })
}
