//! A running program: its pipes, its end, and how to end it.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};

use super::{Relative, Ring, tree};
use crate::limits::{DROP_GRACE, KILL_WAIT};
use crate::sandbox::Level;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It is gone, but how is not known (its launcher was killed).
    Unknown,
}

impl Ended {
    /// Whether it ended with code 0.
    pub fn succeeded(self) -> bool {
        self == Self::Code(0)
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(number) => match nix::sys::signal::Signal::try_from(*number) {
                Ok(signal) => write!(f, "was killed by signal {number} ({})", signal.as_str()),
                Err(_) => write!(f, "was killed by signal {number}"),
            },
            Self::Unknown => f.write_str("ended in an unknown way"),
        }
    }
}

/// What the keeper knows of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub ended: Option<Ended>,
    /// Nothing of its tree is left, as far as can be seen.
    pub gone: bool,
}

/// To the keeper: end the tree, TERM first, KILL after the grace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndTree {
    pub grace: Duration,
}

/// A started program. Dropping it ends its tree; see [`Child::leave`].
#[derive(Debug)]
pub struct Child {
    /// Its standard input, where a pipe was asked for.
    pub stdin: Option<ChildStdin>,
    /// Its standard output, where a pipe was asked for.
    pub stdout: Option<ChildStdout>,
    /// Its standard error, where a pipe was asked for.
    pub stderr: Option<ChildStderr>,
    process: Process,
    ends_on_drop: bool,
}

impl Child {
    pub(crate) fn new(
        pipes: (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>),
        process: Process,
    ) -> Self {
        let (stdin, stdout, stderr) = pipes;
        Self { stdin, stdout, stderr, process, ends_on_drop: true }
    }

    /// A handle that can be cloned and kept: it neither holds pipes nor ends anything when dropped.
    pub fn process(&self) -> Process {
        self.process.clone()
    }

    /// The program's process id.
    pub fn pid(&self) -> u32 {
        self.process.pid
    }

    /// Waits for the program's end. Cancel safe, and any number of tasks may wait.
    pub async fn wait(&self) -> Ended {
        self.process.wait().await
    }

    /// Ends the whole tree; see [`Process::terminate`].
    pub async fn terminate(&self, grace: Duration) -> Ended {
        self.process.terminate(grace).await
    }

    /// Reads stderr to its end in a task and keeps the last lines. Empty where no pipe was asked for.
    pub fn drain_stderr(&mut self) -> Ring {
        self.stderr.take().map(Ring::drain).unwrap_or_default()
    }

    /// Leaves the tree running after this value is gone (X1: a background child of a command lives on).
    /// With a launcher it still ends when this process does.
    pub fn leave(mut self) -> Process {
        self.ends_on_drop = false;
        self.process.clone()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.ends_on_drop {
            self.process.end(DROP_GRACE);
        }
    }
}

/// A handle to a started program.
#[derive(Clone, Debug)]
pub struct Process {
    pub(crate) pid: u32,
    /// Below whom its tree is found: the launcher, or the program itself.
    pub(crate) root: TreeRoot,
    pub(crate) orders: mpsc::UnboundedSender<EndTree>,
    pub(crate) state: watch::Receiver<State>,
    pub(crate) sandbox: Option<Arc<Level>>,
}

/// Where the walk to a program's tree begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeRoot {
    /// A subreaper: everything below it, and nothing escapes.
    Launcher(u32),
    /// The program: what is below it and what is in its session.
    Session(u32),
}

impl Process {
    /// The program's process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// How the program ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.state.borrow().ended
    }

    /// Whether the program has ended and nothing of its tree is left.
    pub fn is_gone(&self) -> bool {
        self.state.borrow().gone || self.state.has_changed().is_err()
    }

    /// How much of the sandbox is in force; `None` if none was asked for.
    pub fn sandbox(&self) -> Option<&Level> {
        self.sandbox.as_deref()
    }

    /// Waits for the program's end. Cancel safe, and any number of tasks may wait.
    pub async fn wait(&self) -> Ended {
        let mut state = self.state.clone();
        match state.wait_for(|state| state.ended.is_some()).await {
            Ok(state) => state.ended.unwrap_or(Ended::Unknown),
            // The runtime is going down and took the keeper with it.
            Err(_) => Ended::Unknown,
        }
    }

    /// Waits until nothing of the tree is left.
    pub async fn wait_gone(&self) {
        let mut state = self.state.clone();
        let _ = state.wait_for(|state| state.gone).await;
    }

    /// Starts the ending of the whole tree and returns at once: TERM, after `grace` KILL to all that is left.
    pub fn end(&self, grace: Duration) {
        let _ = self.orders.send(EndTree { grace });
    }

    /// Ends the whole tree and waits until it is gone, at most `grace` and [`KILL_WAIT`]. Dropping the future
    /// does not stop the ending.
    pub async fn terminate(&self, grace: Duration) -> Ended {
        self.end(grace);
        let _ = tokio::time::timeout(grace + KILL_WAIT, self.wait_gone()).await;
        self.ended().unwrap_or(Ended::Unknown)
    }

    /// The living processes of its tree: the program itself, its children, and what they left behind. Reads
    /// `/proc`; empty where there is none.
    pub fn tree(&self) -> Vec<Relative> {
        if self.is_gone() {
            return Vec::new();
        }
        match self.root {
            TreeRoot::Launcher(pid) => tree::descendants(pid),
            TreeRoot::Session(pid) => {
                let mut found = tree::session_members(pid);
                for process in tree::descendants(pid) {
                    if !found.iter().any(|known| known.pid == process.pid) {
                        found.push(process);
                    }
                }
                found
            }
        }
    }
}
