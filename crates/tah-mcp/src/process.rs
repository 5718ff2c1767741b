//! Starts a server's process and hands out its pipes; its stderr is always drained (M16).

use crate::error::{HowEnded, StartError};
use crate::limits;
use crate::stdio::ServerProcess;
use futures_util::future::{BoxFuture, FutureExt};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tah_os::process::{Child, Ended, Input, Launcher, Output, Ring, Spawn};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio_util::sync::CancellationToken;

/// A started server. Dropping it ends its tree.
struct Server {
    child: Child,
    stderr: Ring,
    /// Cancelled when stderr has ended.
    stderr_over: CancellationToken,
}

/// What to start.
pub(crate) struct Program<'a> {
    pub(crate) command: &'a Path,
    pub(crate) args: &'a [OsString],
    pub(crate) env: &'a [(OsString, OsString)],
    /// Names of variables it does not inherit.
    pub(crate) hidden_env: &'a [OsString],
    pub(crate) cwd: &'a Path,
}

/// Starts the process of a server.
pub(crate) async fn launch(
    server: &str,
    program: &Program<'_>,
    launcher: &Launcher,
) -> Result<((ChildStdout, ChildStdin), Arc<dyn ServerProcess>), StartError> {
    let failed = |why: String| StartError::Spawn { server: server.to_owned(), why };
    let mut spawn = Spawn::new(program.command, launcher)
        .args(program.args.iter().cloned())
        .cwd(program.cwd)
        .stdin(Input::Pipe)
        .stdout(Output::Pipe)
        .stderr(Output::Pipe);
    for name in program.hidden_env {
        spawn = spawn.env_remove(name);
    }
    spawn = spawn.envs(program.env.iter().cloned());
    let mut child = spawn.spawn().await.map_err(|error| failed(error.to_string()))?;
    let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
        return Err(failed("its pipes could not be opened".into()));
    };
    let (stderr, stderr_over) = (Ring::new(), CancellationToken::new());
    if let Some(stream) = child.stderr.take() {
        tokio::spawn(drain(stream, stderr.clone(), stderr_over.clone()));
    }
    Ok(((stdout, stdin), Arc::new(Server { child, stderr, stderr_over })))
}

async fn drain(mut stream: ChildStderr, ring: Ring, over: CancellationToken) {
    let _said = over.drop_guard();
    let mut chunk = vec![0; limits::READ_BYTES / 8];
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        ring.push(&chunk[..read]);
    }
}

impl ServerProcess for Server {
    fn wait(&self) -> BoxFuture<'_, HowEnded> {
        let how = self.child.wait().map(|ended| match ended {
            Ended::Code(code) => HowEnded::Exited { code },
            Ended::Signal(signal) => HowEnded::Killed { signal },
            Ended::Unknown => HowEnded::Gone,
        });
        how.boxed()
    }

    fn terminate(&self) {
        self.child.process().end(limits::CLOSE_GRACE);
    }

    fn kill(&self) {
        self.child.process().end(Duration::ZERO);
    }

    fn last_words(&self) -> BoxFuture<'_, Vec<String>> {
        async {
            if self.child.process().ended().is_some() {
                // what it wrote last may still be in the pipe; a grandchild may hold that open
                tokio::time::timeout(limits::EXIT_GRACE, self.stderr_over.cancelled()).await.ok();
            }
            self.stderr
                .text()
                .lines()
                .map(|line| line.chars().take(limits::LOG_LINE_CHARS).collect())
                .collect()
        }
        .boxed()
    }
}
