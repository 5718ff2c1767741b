//! How the program starts: the middle of many starts against `/bin/true`, the peak of memory, the binary's size.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it starts programs as a shell would, with nothing between"
)]

use super::{judge, median};
use anyhow::{Result, ensure};
use std::process::{Command, Stdio};
use std::time::Instant;
use tah_tests::processes;
use tah_tests::tah::{World, binary};

pub fn run(rounds: usize) -> Result<bool> {
    let world = World::new();
    let bare = one("/bin/true", rounds, || Command::new("/bin/true"))?;
    let version = one("tah --version", rounds, || world.tah(&["--version"]).command)?;
    let mock = one("tah run --mock", rounds, || {
        world.tah(&["run", "--mock", "--quiet", "--browser", "off", "hi"]).command
    })?;
    println!("times /bin/true: --version {:.1}, run --mock {:.1}", version / bare, mock / bare);
    let size = std::fs::metadata(binary())?.len() / 1024 / 1024;
    println!("binary: {size} MiB ({})", binary().display());
    Ok(judge("run --mock, ms", mock, 500.0))
}

/// The middle of the times in ms; prints it with the peak of memory.
fn one(what: &str, rounds: usize, command: impl Fn() -> Command) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let mut command = command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let status = command.status()?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        ensure!(status.success(), "{what}: {status}");
    }
    let mut peak = 0;
    for _ in 0..rounds.min(5) {
        let mut command = command();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let pid = i32::try_from(child.id())?;
        while child.try_wait()?.is_none() {
            peak = processes::peak_kib(pid).unwrap_or(0).max(peak);
        }
    }
    let time = median(times);
    println!(
        "{what}: {time:.1} ms (middle of {rounds}), peak {:.1} MiB",
        f64::from(u32::try_from(peak)?) / 1024.0
    );
    Ok(time)
}
