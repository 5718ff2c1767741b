//! The real binary, in an empty folder with an empty home, with nothing of the machine's settings.

use crate::{model::ModelServer, processes, wait, workspace};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A run takes no longer than this, whatever it does.
const LIMIT: Duration = Duration::from_secs(90);

/// An empty folder to work in and an empty `TAH_HOME`, both gone with it.
pub struct World {
    root: TempDir,
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("tah-e2e-").tempdir().expect("a temporary folder");
        for name in ["work", "home"] {
            std::fs::create_dir(root.path().join(name)).expect("a folder");
        }
        World { root }
    }

    /// Leaves the folder where it is, to be looked at.
    pub fn keep(&mut self) -> PathBuf {
        self.root.disable_cleanup(true);
        self.root.path().to_owned()
    }

    /// The working folder.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// `TAH_HOME`.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// A folder for temporary files; whoever uses it as `TMPDIR` can be held to leaving nothing there.
    pub fn temporary(&self) -> PathBuf {
        let path = self.root.path().join("tmp");
        std::fs::create_dir_all(&path).expect("a folder");
        path
    }

    /// What every process started from here mentions.
    pub fn mark(&self) -> String {
        self.root.path().display().to_string()
    }

    /// Writes a file of the working folder.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Writes the user's own configuration.
    pub fn config(&self, json: &serde_json::Value) {
        std::fs::write(self.home().join("config.json"), json.to_string()).expect("the configuration");
    }

    /// Tells tah to start Playwright MCP from the tests' own packages.
    pub fn config_playwright(&self, more: serde_json::Value) {
        let cli = crate::node_module("@playwright/mcp/cli.js");
        let mut config = more;
        config["capabilities"]["browser"]["engine"] = "playwright".into();
        config["capabilities"]["browser"]["playwright"]["command"] =
            serde_json::json!(["node", cli.display().to_string()]);
        self.config(&config);
    }

    /// A command line of tah in this world.
    pub fn tah(&self, args: &[&str]) -> Tah {
        let mut command = Command::new(binary());
        command.args(args).current_dir(self.work());
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy().into_owned();
            let foreign = ["KEY", "TAH_", "BASE_URL", "_proxy", "_PROXY", "NO_COLOR", "DISPLAY"];
            if foreign.iter().any(|part| name_text.contains(part)) {
                command.env_remove(name);
            }
        }
        command.env("TAH_HOME", self.home()).env("HOME", self.home()).env("LC_ALL", "C.UTF-8");
        Tah { command, input: Input::Nothing }
    }

    /// The same, asking a scripted model server.
    pub fn tah_with(&self, server: &ModelServer, args: &[&str]) -> Tah {
        let mut tah = self.tah(args);
        tah.command.env("TAH_BASE_URL", server.url()).env("TAH_MODEL", "scripted");
        tah
    }

    /// Waits until nothing that was started from here lives.
    pub fn nothing_lives(&self) {
        let mark = self.mark();
        wait::until("every process of this run is gone", Duration::from_secs(5), || {
            processes::holding(&mark).iter().all(|process| process.state == 'Z')
        });
    }

    /// The session files of the working folder.
    pub fn sessions(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.work().join(".tah/sessions")) else { return Vec::new() };
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .collect();
        found.sort();
        found
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// The binary under test: `TAH_BINARY`, or what `cargo build` made with the same profile.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("TAH_BINARY") {
        return PathBuf::from(path);
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    let path = target.join(if cfg!(debug_assertions) { "debug/tah" } else { "release/tah" });
    assert!(path.exists(), "{} is missing: build it first", path.display());
    path
}

enum Input {
    /// stdin is closed.
    Nothing,
    Bytes(Vec<u8>),
    /// stdin is a pipe that nobody closes.
    Open,
}

/// A command line that has not run yet.
pub struct Tah {
    pub command: Command,
    input: Input,
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// The exit code; `128 + n` for death by signal `n`.
    pub code: i32,
}

impl Tah {
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    pub fn cwd(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Input::Bytes(bytes.into());
        self
    }

    pub fn stdin_left_open(mut self) -> Self {
        self.input = Input::Open;
        self
    }

    /// Starts it; its output is collected meanwhile.
    pub fn spawn(mut self) -> Running {
        let stdin = if matches!(self.input, Input::Nothing) { Stdio::null() } else { Stdio::piped() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("tah starts");
        let mut held = None;
        if let Some(mut pipe) = child.stdin.take() {
            match self.input {
                Input::Bytes(bytes) => {
                    std::thread::spawn(move || pipe.write_all(&bytes));
                }
                Input::Open | Input::Nothing => held = Some(pipe),
            }
        }
        let stdout = collect(child.stdout.take().expect("piped"));
        let stderr = collect(child.stderr.take().expect("piped"));
        Running { child, stdout, stderr, _stdin: held }
    }

    /// Runs it to its end.
    pub fn run(self) -> Ran {
        self.spawn().finish()
    }
}

type Collected = std::sync::Arc<std::sync::Mutex<(Vec<u8>, bool)>>;

fn collect(mut from: impl Read + Send + 'static) -> Collected {
    let into = Collected::default();
    let shared = into.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            shared.lock().unwrap().0.extend_from_slice(&buffer[..count]);
        }
        shared.lock().unwrap().1 = true;
    });
    into
}

fn text(collected: &Collected) -> String {
    String::from_utf8_lossy(&collected.lock().unwrap().0).into_owned()
}

/// A tah that runs. Dropped while it does, it is killed.
pub struct Running {
    child: Child,
    stdout: Collected,
    stderr: Collected,
    _stdin: Option<std::process::ChildStdin>,
}

impl Running {
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a pid is small")
    }

    pub fn stdout(&self) -> String {
        text(&self.stdout)
    }

    pub fn stderr(&self) -> String {
        text(&self.stderr)
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        processes::signal(self.pid(), signal);
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// Waits for its end and the ends of its streams.
    pub fn finish(mut self) -> Ran {
        use std::os::unix::process::ExitStatusExt;
        let (out, err) = (self.stdout.clone(), self.stderr.clone());
        let began = std::time::Instant::now();
        while !self.has_ended() {
            assert!(began.elapsed() < LIMIT, "tah did not end; stderr:\n{}", text(&err));
            std::thread::sleep(Duration::from_millis(5));
        }
        let status = self.child.wait().expect("a child");
        wait::until("tah's streams are closed at its end", Duration::from_secs(5), || {
            out.lock().unwrap().1 && err.lock().unwrap().1
        });
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        Ran { stdout: text(&out), stderr: text(&err), code }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ran {
    /// The lines of `--json`, each parsed.
    pub fn events(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")))
            .collect()
    }

    /// Fails with both streams in view.
    pub fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}
