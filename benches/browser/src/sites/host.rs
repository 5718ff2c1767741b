//! The sites' own servers, each at a port of its own on this machine.

use anyhow::{Context, Result};
use std::path::Path;
use std::time::Duration;
use tah_os::process::{Child, Launcher, Output, Spawn};

/// How long a server may take to answer, on a busy machine.
const START: Duration = Duration::from_secs(120);

pub struct Host {
    child: Child,
}

/// A port that was free a moment ago.
pub fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Host {
    /// Starts it and waits until it takes connections. Its home is `folder`, so that nothing of the user's is read.
    pub async fn start(program: &str, args: &[&str], port: u16, folder: &Path) -> Result<Host> {
        let spawn = Spawn::new(program, &Launcher::None)
            .args(args.iter().copied())
            .env("HOME", folder)
            .cwd(folder)
            .stdout(Output::Null)
            .stderr(Output::Null);
        let child = spawn.spawn().await.with_context(|| format!("cannot start {program}"))?;
        let answering = async {
            while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(START, answering).await.with_context(|| format!("{program} did not start"))?;
        Ok(Host { child })
    }

    pub async fn stop(self) {
        self.child.terminate(Duration::from_secs(1)).await;
    }
}
