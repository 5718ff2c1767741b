//! A command that runs: its process, and its output read to the end by a task of its own, so that neither a slow
//! front end nor a timeout ever waits for the other (X4).

use super::setup::QUIET;
use super::{Confinement, ShellSetup, Stop, cut_of};
use crate::limits;
use crate::session::store::own_state_folder;
use crate::tool::{Cut, ToolError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tah_os::capture::{Capture, Limits};
use tah_os::disk;
use tah_os::process::{Output as Pipe, Process, Spawn};
use tah_os::text::{Keep, sanitise};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A started command.
pub(crate) struct Running {
    process: Process,
    heard: Heard,
    /// True when the output has ended.
    quiet: watch::Receiver<bool>,
    log: Option<Log>,
    reader: tokio::task::AbortHandle,
}

/// What a command has printed; clones share it.
#[derive(Clone)]
pub(super) struct Heard(Arc<Mutex<Inner>>);

struct Inner {
    capture: Capture,
    /// Bytes that were not shown live yet.
    fresh: Vec<u8>,
    skipped: u64,
}

/// Where the whole output goes if it is long.
struct Log {
    /// For the model: relative to the working folder.
    name: String,
}

/// Starts a command line.
pub(super) async fn start(
    setup: &ShellSetup,
    command: &str,
    confinement: Confinement,
) -> Result<Running, ToolError> {
    let mut spawn = Spawn::new(&setup.shell, &setup.launcher)
        .arg("-c")
        .arg(command)
        .cwd(setup.roots.working_folder())
        .stdout(Pipe::Pipe)
        .stderr(Pipe::WithStdout)
        .env_remove_where(|name| setup.is_secret(name))
        .env_remove("SSH_ASKPASS")
        .envs(QUIET.iter().copied());
    if let (Some(sandbox), Confinement::On) = (&setup.sandbox, confinement) {
        spawn = spawn.sandbox(sandbox.clone());
    }
    let mut child = spawn.spawn().await.map_err(|error| ToolError::new(error.to_string()))?;
    let (capture, log) = capture(setup.state.as_deref());
    let heard = Heard(Arc::new(Mutex::new(Inner { capture, fresh: Vec::new(), skipped: 0 })));
    let (tell, quiet) = watch::channel(false);
    let pipe = child.stdout.take();
    let into = heard.clone();
    let reader = tokio::spawn(async move {
        if let Some(pipe) = pipe {
            into.read(pipe).await;
        }
        let _ = tell.send(true);
    })
    .abort_handle();
    // From here on the end of `Running` ends it.
    Ok(Running { process: child.leave(), heard, quiet, log, reader })
}

fn capture(state: Option<&Path>) -> (Capture, Option<Log>) {
    let Some(state) = state else { return (Capture::new(Limits::default()), None) };
    let file = format!("command-{:08x}.log", fastrand::u32(..));
    let name = format!(".tah/out/{file}");
    let state: PathBuf = state.to_owned();
    let open = move || {
        own_state_folder(&state).map_err(std::io::Error::other)?;
        let folder = state.join("out");
        disk::private_folder(&folder).map_err(std::io::Error::other)?;
        disk::create_new(&folder.join(file), disk::Access::Private).map_err(std::io::Error::other)
    };
    (Capture::with_file(Limits::default(), open), Some(Log { name }))
}

impl Running {
    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    pub(super) fn heard(&self) -> Heard {
        self.heard.clone()
    }

    /// Waits for the command's end, the limit or the cancel, whichever is first.
    pub(super) async fn until(&self, limit: Duration, cancel: &CancellationToken) -> Stop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Stop::Cancelled,
            ended = self.process.wait() => Stop::Ended(ended),
            () = tokio::time::sleep(limit) => Stop::TimedOut,
        }
    }

    /// Waits for the end of the output, `at_most` so long.
    pub(super) async fn drain(&self, at_most: Duration) {
        let mut quiet = self.quiet.clone();
        let _ = tokio::time::timeout(at_most, quiet.wait_for(|quiet| *quiet)).await;
    }

    /// What it has printed, safe to show, and how much of it was left out.
    pub(crate) fn text(&self) -> (String, Option<Cut>) {
        let seen = self.heard.lock().capture.seen();
        let log = self.log.as_ref().filter(|_| seen.in_file > 0);
        let text = seen.text(|bytes| match log {
            Some(log) if seen.in_file == seen.total => {
                format!("[{bytes} bytes left out here; all of it: {}]", log.name)
            }
            Some(log) => {
                let kept = seen.in_file;
                format!("[{bytes} bytes left out here; the first {kept} bytes of it: {}]", log.name)
            }
            None => format!("[{bytes} bytes left out here]"),
        });
        let cut = cut_of(seen.left_out, log.map(|log| log.name.as_str()));
        (sanitise(&text, Keep::Text).into_owned(), cut)
    }

    /// Bytes printed so far.
    pub(crate) fn printed(&self) -> u64 {
        self.heard.lock().capture.total()
    }
}

impl Drop for Running {
    /// Given up in whatever way (a cancelled call, tah's end): the tree ends and nobody reads on. A job is kept.
    fn drop(&mut self) {
        if !self.process.is_gone() {
            self.process.end(limits::COMMAND_GRACE);
        }
        self.reader.abort();
    }
}

impl Heard {
    async fn read(&self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(bytes @ 1..) = pipe.read(&mut chunk).await {
            let mut inner = self.lock();
            inner.capture.push(&chunk[..bytes]);
            inner.fresh.extend_from_slice(&chunk[..bytes]);
            // Live output is for people: of a flood they see the last of each interval.
            let flood = inner.fresh.len().saturating_sub(limits::LIVE_BYTES);
            inner.fresh.drain(..flood);
            inner.skipped += flood as u64;
        }
    }

    /// What is new since the last call, and how many bytes before it are not shown.
    pub(super) fn fresh(&self) -> (Vec<u8>, u64) {
        let mut inner = self.lock();
        (std::mem::take(&mut inner.fresh), std::mem::take(&mut inner.skipped))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
