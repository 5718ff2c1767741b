//! All that is printed: the answer on stdout, everything else on stderr, each made safe first (U8).
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the one module that prints")]

use std::io::{self, IsTerminal, Write};
use tah_os::text::{Keep, sanitise};

/// How much is told beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    Normal,
    /// Warnings and errors only.
    Quiet,
}

/// Nobody reads stdout any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// Prints a line on stderr. Nobody reading it is no error.
pub fn tell(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "{}", sanitise(text, Keep::Text));
    let _ = stderr.flush();
}

/// Prints a piece on stderr.
pub fn tell_piece(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "{}", sanitise(text, Keep::Text));
    let _ = stderr.flush();
}

/// An error, with what to do about it on a line of its own.
pub fn fail(message: &str, hint: Option<&str>) {
    tell(&format!("error: {message}"));
    if let Some(hint) = hint {
        tell(&format!("hint: {hint}"));
    }
}

/// Prints on stdout, ending with a line end.
pub fn answer(text: &str) -> Result<(), Gone> {
    let safe = sanitise(text, Keep::Text);
    let end = if safe.ends_with('\n') || safe.is_empty() { "" } else { "\n" };
    write_out(&format!("{safe}{end}"))
}

/// Prints a line of JSON. Controls beyond ASCII and characters that turn text around are escaped, which JSON
/// itself does not ask for but a terminal does.
pub fn json(line: &str) -> Result<(), Gone> {
    let mut safe = String::with_capacity(line.len() + 1);
    for c in line.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{61c}'
            | '\u{feff}' => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe.push('\n');
    write_out(&safe)
}

/// Prints text of our own making (help, tables, scripts) as it is.
pub fn write_out(text: &str) -> Result<(), Gone> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|_| Gone)
}

pub fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}
