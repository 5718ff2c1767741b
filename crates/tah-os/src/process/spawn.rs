//! The description of a program to start, and its start.
#![allow(clippy::disallowed_types, reason = "the one place that starts programs")]

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use command_fds::{CommandFdExt, FdMapping};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, watch};

use super::child::{Child, Process, State, TreeRoot};
use super::keeper::{Control, GroupGuard, KeeperEnds, keep_launched, keep_plain};
use super::raw::{OnParentEnd, unblock_signals_and_lead};
use super::wire::{LauncherArgs, Report};
use crate::limits::START_WAIT;
use crate::sandbox::{Level, Missing, Sandbox};

/// What stands between this process and its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Launcher {
    /// Nothing: a process group, the kernel's death signal, and no sandbox. For library tests.
    #[default]
    None,
    /// A program whose `main` calls [`crate::launcher::child_main`] first. Used on Linux; elsewhere as `None`.
    At(PathBuf),
}

impl Launcher {
    /// This very program, also after its file was replaced by a newer one. Only for a program that calls
    /// [`crate::launcher::child_main`].
    pub fn this_program() -> Self {
        if cfg!(target_os = "linux") { Self::At("/proc/self/exe".into()) } else { Self::None }
    }
}

/// Where a program reads from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing: an immediate end of file.
    #[default]
    Null,
    /// A pipe in [`Child::stdin`].
    Pipe,
}

/// Where a program writes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Nowhere.
    #[default]
    Null,
    /// A pipe of its own in the [`Child`].
    Pipe,
    /// For stderr: the pipe of stdout, so that the order of lines is kept.
    WithStdout,
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no such program.
    #[error("program not found: {}", program.display())]
    NotFound { program: PathBuf },
    /// It may not be executed, or isn't a program.
    #[error("can't execute {}: {source}", program.display())]
    NotExecutable { program: PathBuf, source: io::Error },
    /// The folder to start it in is no folder.
    #[error("no such folder to start in: {}", cwd.display())]
    NoFolder { cwd: PathBuf },
    /// A name, an argument or a variable has a NUL byte, or two descriptors got one number.
    #[error("{program} can't be started: {why}", program = program.display())]
    Invalid { program: PathBuf, why: String },
    /// The launcher failed.
    #[error("the launcher {} failed: {why}", launcher.display())]
    Launcher { launcher: PathBuf, why: String },
    /// Anything else the system says, like too many processes.
    #[error("can't start {}: {source}", program.display())]
    Io { program: PathBuf, source: io::Error },
}

/// A program to start. Its standard streams are null and its environment is ours unless said otherwise; it
/// always leads a session of its own.
#[derive(Debug)]
pub struct Spawn {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<EnvChange>,
    cwd: Option<PathBuf>,
    stdin: Input,
    stdout: Output,
    stderr: Output,
    fds: Vec<(RawFd, OwnedFd)>,
    sandbox: Option<Sandbox>,
    launcher: Launcher,
}

#[derive(Debug)]
enum EnvChange {
    Clear,
    Set(OsString, OsString),
    Remove(OsString),
}

impl Spawn {
    /// `program` is a path, or a name looked for in the `PATH` the program will have.
    pub fn new(program: impl Into<PathBuf>, launcher: &Launcher) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            stdin: Input::Null,
            stdout: Output::Null,
            stderr: Output::Null,
            fds: Vec::new(),
            sandbox: None,
            launcher: launcher.clone(),
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push(EnvChange::Set(name.into(), value.into()));
        self
    }

    /// Sets variables.
    pub fn envs<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        all: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.env.extend(all.into_iter().map(|(name, value)| EnvChange::Set(name.into(), value.into())));
        self
    }

    /// Removes a variable.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push(EnvChange::Remove(name.into()));
        self
    }

    /// Removes every variable of this process whose name is one of those (X6: keys).
    pub fn env_remove_where(mut self, unwanted: impl Fn(&OsStr) -> bool) -> Self {
        let names = std::env::vars_os().map(|(name, _)| name).filter(|name| unwanted(name));
        self.env.extend(names.map(EnvChange::Remove));
        self
    }

    /// Starts from an empty environment; what was set before is dropped too.
    pub fn env_clear(mut self) -> Self {
        self.env.push(EnvChange::Clear);
        self
    }

    /// The folder it starts in.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// Its standard input.
    pub fn stdin(mut self, input: Input) -> Self {
        self.stdin = input;
        self
    }

    /// Its standard output.
    pub fn stdout(mut self, output: Output) -> Self {
        self.stdout = output;
        self
    }

    /// Its standard error.
    pub fn stderr(mut self, output: Output) -> Self {
        self.stderr = output;
        self
    }

    /// Gives it `fd` under `number` (3 or more), like Chrome's pipe on 3 and 4.
    pub fn fd(mut self, number: RawFd, fd: impl Into<OwnedFd>) -> Self {
        self.fds.push((number, fd.into()));
        self
    }

    /// Runs it in a sandbox; [`Process::sandbox`] tells how much of it is in force.
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Starts it. Returns when the program runs (its `exec` succeeded), within a few ms.
    ///
    /// Needs a tokio runtime. If this future is dropped, what was started is ended.
    pub async fn spawn(self) -> Result<Child, SpawnError> {
        self.check()?;
        #[cfg(target_os = "linux")]
        if let Launcher::At(path) = &self.launcher {
            let path = path.clone();
            return self.spawn_below(&path).await;
        }
        self.spawn_plain().await
    }

    fn check(&self) -> Result<(), SpawnError> {
        if let Some(cwd) = &self.cwd
            && !cwd.is_dir()
        {
            return Err(SpawnError::NoFolder { cwd: cwd.clone() });
        }
        let mut numbers: Vec<RawFd> = self.fds.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() != self.fds.len() || numbers.first().is_some_and(|least| *least < 3) {
            return Err(self.invalid("two descriptors have one number, or one is below 3"));
        }
        Ok(())
    }

    fn invalid(&self, why: &str) -> SpawnError {
        SpawnError::Invalid { program: self.program.clone(), why: why.to_owned() }
    }

    fn failed(&self, source: io::Error) -> SpawnError {
        let program = self.program.clone();
        match source.kind() {
            io::ErrorKind::NotFound => SpawnError::NotFound { program },
            io::ErrorKind::PermissionDenied => SpawnError::NotExecutable { program, source },
            io::ErrorKind::InvalidInput => self.invalid("a NUL byte in its name, arguments or variables"),
            _ if source.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                SpawnError::NotExecutable { program, source }
            }
            _ => SpawnError::Io { program, source },
        }
    }

    fn command(&self, program: &Path, args: &[OsString]) -> io::Result<Command> {
        let mut command = Command::new(program);
        command.args(args);
        for change in &self.env {
            match change {
                EnvChange::Clear => command.env_clear(),
                EnvChange::Set(name, value) => command.env(name, value),
                EnvChange::Remove(name) => command.env_remove(name),
            };
        }
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command.stdin(match self.stdin {
            Input::Null => Stdio::null(),
            Input::Pipe => Stdio::piped(),
        });
        let piped = |output| if output == Output::Null { Stdio::null() } else { Stdio::piped() };
        command.stdout(piped(self.stdout)).stderr(piped(self.stderr));
        Ok(command)
    }

    /// Both standard outputs on one pipe; the read end, if that was asked for.
    fn join_outputs(&self, command: &mut Command) -> io::Result<Option<OwnedFd>> {
        if self.stderr != Output::WithStdout {
            return Ok(None);
        }
        if self.stdout != Output::Pipe {
            command.stderr(Stdio::null());
            return Ok(None);
        }
        let (read, write) = io::pipe()?;
        command.stdout(write.try_clone()?).stderr(write);
        Ok(Some(read.into()))
    }

    #[cfg(target_os = "linux")]
    async fn spawn_below(mut self, launcher: &Path) -> Result<Child, SpawnError> {
        let broken = |why: &dyn std::fmt::Display| SpawnError::Launcher {
            launcher: launcher.into(),
            why: why.to_string(),
        };
        let (ours, theirs) = StdUnixStream::pair().map_err(|error| broken(&error))?;
        ours.set_nonblocking(true).map_err(|error| broken(&error))?;
        let passed: Vec<RawFd> = self.fds.iter().map(|(number, _)| *number).collect();
        let control = passed.iter().max().map_or(3, |highest| highest + 1);
        let wire = LauncherArgs {
            control,
            passed,
            sandbox: self.sandbox.clone(),
            program: self.program.clone().into_os_string(),
            args: std::mem::take(&mut self.args),
        };
        self.fds.push((control, theirs.into()));
        let mut command = self.command(launcher, &wire.encode()).map_err(|error| broken(&error))?;
        unblock_signals_and_lead(&mut command, OnParentEnd::Live);
        let joined = self.join_outputs(&mut command).map_err(|error| self.failed(error))?;
        let spares = self.map_fds(&mut command)?;
        let mut command = tokio::process::Command::from(command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => self.failed(error),
            _ => broken(&error),
        })?;
        // Both hold descriptors of the child; kept open here, no pipe of it would ever end.
        drop((command, spares));

        let (read, orders) = UnixStream::from_std(ours).map_err(|error| broken(&error))?.into_split();
        let mut reports = BufReader::new(read).lines();
        let mut level = None;
        let start = async {
            while let Some(line) = reports.next_line().await? {
                match Report::parse(&line) {
                    Some(Report::Sandbox(reached)) => level = Some(Arc::new(reached)),
                    Some(Report::Started(pid)) => return Ok(Ok(pid)),
                    Some(Report::Failed(errno)) => return Ok(Err(io::Error::from_raw_os_error(errno))),
                    Some(Report::Ended(_)) | None => {}
                }
            }
            Err(io::Error::other("it ended before it started the program"))
        };
        let pid = match tokio::time::timeout(START_WAIT, start).await {
            Ok(Ok(Ok(pid))) => pid,
            Ok(Ok(Err(error))) => return Err(self.failed(error)),
            Ok(Err(error)) => return Err(broken(&error)),
            Err(_) => return Err(broken(&"it did not answer")),
        };
        let root = TreeRoot::Launcher(child.id().unwrap_or(pid));
        let pipes = take_pipes(&mut child, joined).map_err(|error| self.failed(error))?;
        let (process, lines) = process(pid, root, level);
        tokio::spawn(keep_launched(child, Control { reports, orders }, lines, pid));
        Ok(Child::new(pipes, process))
    }

    async fn spawn_plain(mut self) -> Result<Child, SpawnError> {
        let mut command = self.command(&self.program, &self.args).map_err(|error| self.failed(error))?;
        unblock_signals_and_lead(&mut command, OnParentEnd::Die);
        let joined = self.join_outputs(&mut command).map_err(|error| self.failed(error))?;
        let spares = self.map_fds(&mut command)?;
        let mut command = tokio::process::Command::from(command);
        command.kill_on_drop(true);
        let runtime = tokio::runtime::Handle::current();
        // The death signal comes when the *thread* that forked ends, so a lasting one has to do it.
        let spawned = super::forker::run(move || {
            let _inside = runtime.enter();
            let spawned = command.spawn();
            drop((command, spares));
            spawned
        })
        .await;
        let mut child = spawned.map_err(|error| self.failed(error))?;
        let pid = child.id().unwrap_or_default();
        let pipes = take_pipes(&mut child, joined).map_err(|error| self.failed(error))?;
        let level = self.sandbox.as_ref().map(|_| Arc::new(Level::Missing(Missing::NoLauncher)));
        let (process, lines) = process(pid, TreeRoot::Session(pid), level);
        tokio::spawn(keep_plain(child, lines, GroupGuard::new(pid)));
        Ok(Child::new(pipes, process))
    }

    /// Maps the extra descriptors. Keep what comes back until the program is started: std's own pipe for a
    /// failed exec must not get a number that the mapping then overwrites.
    fn map_fds(&mut self, command: &mut Command) -> Result<Vec<OwnedFd>, SpawnError> {
        let fds = std::mem::take(&mut self.fds);
        let Some(highest) = fds.iter().map(|(number, _)| *number).max() else { return Ok(Vec::new()) };
        let mut spares: Vec<OwnedFd> = Vec::new();
        for (_, fd) in &fds {
            loop {
                let spare = fd.try_clone().map_err(|error| self.failed(error))?;
                let enough = std::os::fd::AsRawFd::as_raw_fd(&spare) > highest;
                spares.push(spare);
                if enough {
                    break;
                }
            }
        }
        let mapped = fds.into_iter().map(|(child_fd, parent_fd)| FdMapping { parent_fd, child_fd }).collect();
        command.fd_mappings(mapped).map_err(|_| self.invalid("two descriptors have one number"))?;
        Ok(spares)
    }
}

type Pipes = (
    Option<tokio::process::ChildStdin>,
    Option<tokio::process::ChildStdout>,
    Option<tokio::process::ChildStderr>,
);

fn take_pipes(child: &mut tokio::process::Child, joined: Option<OwnedFd>) -> io::Result<Pipes> {
    let stdout = match joined {
        Some(read) => Some(tokio::process::ChildStdout::from_std(read.into())?),
        None => child.stdout.take(),
    };
    Ok((child.stdin.take(), stdout, child.stderr.take()))
}

fn process(pid: u32, root: TreeRoot, sandbox: Option<Arc<Level>>) -> (Process, KeeperEnds) {
    let (orders, orders_in) = mpsc::unbounded_channel();
    let (state_out, state) = watch::channel(State::default());
    (Process { pid, root, orders, state, sandbox }, KeeperEnds { orders: orders_in, state: state_out })
}
