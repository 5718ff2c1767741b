//! The one owner of the terminal's modes (U6). They are given back when the guard is dropped, when tah panics, is
//! told to end or is suspended; nothing is written if they were never taken. After a SIGKILL a watcher does it.
#![allow(clippy::print_stdout, reason = "mode sequences go to the terminal whatever else is broken")]

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::ThreadId;
use tah_os::process::TerminalKeeper;

static TAKEN: AtomicBool = AtomicBool::new(false);
static BELOW: AtomicU16 = AtomicU16::new(0);
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);
static KEEPER: Mutex<Option<TerminalKeeper>> = Mutex::new(None);
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Bracketed paste, focus reports, and keys told apart (Shift+Enter, Esc) where the terminal can.
const TAKE: &str = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
/// The reverse, in the reverse order, with what a torn frame may have left.
const GIVE_BACK: &str = "\x1b[?2026l\x1b[0m\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[?25h";

/// Holds the terminal's modes.
pub struct Guard(());

impl Guard {
    /// Takes the terminal: keys come one by one and unechoed.
    pub fn take() -> std::io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(hook);
        *OWNER.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current().id());
        // Before the modes change: it has to know what they were. Without it a SIGKILL leaves the terminal raw.
        let keeper = TerminalKeeper::start(&GIVE_BACK.replace('\x1b', "\\033")).ok();
        *KEEPER.lock().unwrap_or_else(PoisonError::into_inner) = keeper;
        crossterm::terminal::enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        write(TAKE);
        Ok(Guard(()))
    }

    /// Rows of the live area below the cursor's, plus one for the cursor's own; 0 while nothing is drawn. They are
    /// stepped over before the terminal is given back.
    pub fn drawn(&self, rows: u16) {
        BELOW.store(rows, Ordering::SeqCst);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back. Does nothing the second time.
pub fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // U6: the modes go before the line discipline changes, so that no answer of the terminal is echoed.
    write(GIVE_BACK);
    match BELOW.swap(0, Ordering::SeqCst) {
        0 => {}
        1 => write("\r\n"),
        rows => write(&format!("\r\x1b[{}B\r\n", rows - 1)),
    }
    let _ = crossterm::terminal::disable_raw_mode();
    let keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(keeper) = keeper {
        keeper.dismiss();
    }
}

/// What panicked elsewhere since the last call, for a notice: a tool's panic is a failed call and not our end.
pub fn take_panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

fn write(bytes: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(bytes.as_bytes());
    let _ = out.flush();
}

fn hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let owner = *OWNER.lock().unwrap_or_else(PoisonError::into_inner);
        if TAKEN.load(Ordering::SeqCst) && owner != Some(std::thread::current().id()) {
            // The chat goes on, and a message in the middle of its screen would help nobody.
            PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
            return;
        }
        give_back();
        before(info);
    }));
}
