//! Runs the programs a task is made of, with their output shown as it comes.
#![allow(
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a task is its programs; this module starts them"
)]

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

pub fn say(text: &str) {
    eprintln!("{text}");
}

/// The workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

pub fn cargo(what: &str, args: &[&str]) -> Result<()> {
    run(what, "cargo", args, &root())
}

/// Runs a program in a folder; anything but success is an error that names the step.
pub fn run(what: &str, program: &str, args: &[&str], folder: &Path) -> Result<()> {
    say(&format!("── {what}: {program} {}", args.join(" ")));
    let began = Instant::now();
    let status = Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .with_context(|| format!("{what}: cannot start {program}"))?;
    if !status.success() {
        bail!("{what} failed: {program} {} ({status})", args.join(" "));
    }
    say(&format!("── {what}: {:.0} s", began.elapsed().as_secs_f64()));
    Ok(())
}
