//! Gives a terminal its modes back when this process is killed and can't do it itself (U6).
#![allow(
    clippy::disallowed_types,
    reason = "a watcher that has to outlive us, and keeps our terminal as its own"
)]

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};

/// Remembers the modes, says so, and waits: for a word, when all is well, or for the end of its input, when we are
/// gone. Modes somebody else has set meanwhile (a shell with a line editor) are left alone: theirs process output,
/// ours do not.
const SCRIPT: &str = r#"trap '' TTOU HUP INT QUIT TERM TSTP
was=$(stty -g </dev/tty 2>/dev/null) || exit 0
echo ready
IFS= read -r word && exit 0
sleep 0.05
{ printf '%b' "$1"; case $(stty -a) in *-opost*) stty "$was";; esac; } </dev/tty >/dev/tty 2>/dev/null
"#;

/// A watcher of this process's terminal.
#[derive(Debug)]
pub struct TerminalKeeper {
    word: ChildStdin,
}

impl TerminalKeeper {
    /// Starts it and waits until it knows the modes, which takes some ms. `sequences` is what it writes to the
    /// terminal, with `\033` for ESC.
    pub fn start(sequences: &str) -> io::Result<Self> {
        let mut child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "tah-terminal", sequences])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A Ctrl+C on the terminal, or the end of our group, is not its end.
            .process_group(0)
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let word = child.stdin.take().ok_or_else(|| io::Error::other("no pipe"))?;
        // It is reaped when it ends, which is after us or when it is dismissed.
        std::thread::spawn(move || child.wait());
        if line.trim() == "ready" { Ok(Self { word }) } else { Err(io::Error::other("no terminal")) }
    }

    /// The terminal was given back; there is nothing left to do.
    pub fn dismiss(mut self) {
        let _ = self.word.write_all(b"well\n");
    }
}
