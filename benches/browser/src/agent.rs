//! agent-browser: one program start a call, as agents use it.
#![allow(clippy::disallowed_methods, reason = "reads what the kernel says of processes")]

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use tah_os::process::{Launcher, Output, Spawn};
use tokio::io::AsyncReadExt;

use crate::task::{Driver, FIELDS};

pub struct Agent {
    program: PathBuf,
    session: String,
    profile: String,
}

pub async fn start(folder: &Path) -> Result<Driver> {
    let found = std::env::var_os("AGENT_BROWSER").map(PathBuf::from);
    let program = found
        .unwrap_or_else(|| crate::mcp::deps().join("node_modules/agent-browser/bin/agent-browser-linux-x64"));
    ensure!(program.exists(), "agent-browser is not installed; AGENT_BROWSER names its binary");
    let session = format!("bench{}", std::process::id());
    let agent = Agent { program, session, profile: folder.join("ab-profile").display().to_string() };
    agent.run(&["open", "about:blank"]).await?;
    Ok(Driver::Agent(agent))
}

impl Agent {
    async fn run(&self, args: &[&str]) -> Result<String> {
        let spawn = Spawn::new(&self.program, &Launcher::None)
            .args([
                "--session",
                &self.session,
                "--executable-path",
                "/usr/bin/chromium",
                "--profile",
                &self.profile,
            ])
            .args(["--args", "--no-sandbox"])
            .args(args.iter().copied());
        let mut child = spawn.stdout(Output::Pipe).stderr(Output::Null).spawn().await?;
        let mut said = String::new();
        let mut stdout = child.stdout.take().context("no stdout")?;
        stdout.read_to_string(&mut said).await?;
        ensure!(child.wait().await.succeeded(), "agent-browser {}: {said}", args.join(" "));
        Ok(said)
    }

    pub async fn open(&self, url: &str) -> Result<String> {
        self.run(&["open", url]).await?;
        self.look().await
    }

    pub async fn look(&self) -> Result<String> {
        self.run(&["snapshot", "-i"]).await
    }

    pub async fn click(&self, selector: &str) -> Result<()> {
        self.run(&["click", selector]).await.map(|_| ())
    }

    pub async fn fill_and_send(&self) -> Result<()> {
        for (name, value) in FIELDS {
            self.run(&["fill", &format!("#{name}"), value]).await?;
        }
        self.run(&["check", "#agree"]).await?;
        self.click("#go").await
    }

    pub async fn close(self) {
        let _ = self.run(&["close"]).await;
    }
}

/// Resident bytes of the process with `mark` in its command line that is no browser.
pub fn resident(mark: &str) -> Option<u64> {
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        if !line.contains(mark) || line.contains("chrom") && !line.contains("cli.js") {
            continue;
        }
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        return kilobytes
            .trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<u64>()
            .ok()
            .map(|kilobytes| kilobytes << 10);
    }
    None
}
