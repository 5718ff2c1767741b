//! agent-browser: one program start a call, which its daemon carries out, as agents use it.
#![allow(
    clippy::disallowed_methods,
    reason = "installs what it measures, and reads what the kernel says of processes"
)]

use anyhow::{Context, Result, ensure};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tah_os::process::{Launcher, Output, Spawn};
use tokio::io::AsyncReadExt;

use crate::task::{Driver, FIELDS, Memory};

const VERSION: &str = "0.41.2";

pub struct Agent {
    program: PathBuf,
    session: String,
    profile: String,
}

/// Its native binary, installed with npm where it isn't yet.
async fn program() -> Result<PathBuf> {
    let folder = crate::mcp::target().join("bench-deps");
    let program = folder.join("node_modules/agent-browser/bin/agent-browser-linux-x64");
    if !program.exists() {
        std::fs::create_dir_all(&folder)?;
        let package = format!("agent-browser@{VERSION}");
        let args = [
            "install",
            "--no-save",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefix",
            ".",
            &package,
        ];
        let spawn = Spawn::new("npm", &Launcher::None).args(args).cwd(&folder);
        let child = spawn.stdout(Output::Null).stderr(Output::Null).spawn().await?;
        ensure!(child.wait().await.succeeded() && program.exists(), "npm install {package} failed");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(program)
}

pub async fn start(folder: &Path) -> Result<Driver> {
    let name = format!("bench{:08x}", fastrand::u32(..));
    let profile = folder.join(&name).display().to_string();
    let agent = Agent { program: program().await?, session: name, profile };
    Ok(Driver::Agent(agent))
}

impl Agent {
    async fn run(&self, args: &[&str]) -> Result<String> {
        let spawn = Spawn::new(&self.program, &Launcher::None)
            .args(["--session", &self.session, "--executable-path", "/usr/bin/chromium"])
            .args(["--profile", &self.profile, "--args", "--no-sandbox"])
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

    /// Its daemon.
    pub fn memory(&self) -> Memory {
        let daemon =
            resident(|line, environ, _| line.contains(&self.session) || environ.contains(&self.session));
        Memory { driver: daemon.map(|one| one.bytes), beside: None }
    }

    pub async fn close(self) {
        let _ = self.run(&["close"]).await;
    }
}

/// A process and its resident bytes.
pub struct Resident {
    pub pid: String,
    pub bytes: u64,
}

/// The first process, no browser, whose command line, environment and parent are those wanted.
pub fn resident(wanted: impl Fn(&str, &str, &str) -> bool) -> Option<Resident> {
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let read = |name: &str| {
            let bytes = std::fs::read(entry.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (line, environ, status) = (read("cmdline"), read("environ"), read("status"));
        let field = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(value.trim().trim_end_matches("kB").trim().to_owned())
        };
        let program = std::fs::read_link(entry.path().join("exe")).unwrap_or_default();
        let parent = field("PPid:").unwrap_or_default();
        if program.to_string_lossy().contains("chrom") || line.is_empty() || !wanted(&line, &environ, &parent)
        {
            continue;
        }
        let kilobytes: u64 = field("VmRSS:")?.parse().ok()?;
        let pid = entry.file_name().to_string_lossy().into_owned();
        return Some(Resident { pid, bytes: kilobytes << 10 });
    }
    None
}
