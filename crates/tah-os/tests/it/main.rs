//! tah-os from outside: real programs, a real launcher, a real file system.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests look at the system from outside"
)]

mod death;
mod process;
mod sandbox;

use std::time::{Duration, Instant};

use tah_os::process::Launcher;

fn launched() -> Launcher {
    Launcher::At(env!("CARGO_BIN_EXE_tah-os-launcher").into())
}

/// Waits for a state, at most 10 s.
fn until_now(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "never came: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    !matches!(state, Some("Z" | "X") | None)
}
