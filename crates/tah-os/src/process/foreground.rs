//! A program the user works in (an editor): it has our terminal and our process group, and we wait for it.
#![allow(clippy::disallowed_types, reason = "the one program that is not put into a session of its own")]

use super::Ended;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Runs a program on the terminal and waits for its end.
///
/// The caller gives the terminal back to its usual modes before and takes it again after, and outlives a Ctrl+C
/// that is meant for the program.
pub async fn foreground(program: &Path, args: &[OsString], cwd: &Path) -> io::Result<Ended> {
    let mut command = tokio::process::Command::new(program);
    command.args(args).current_dir(cwd).kill_on_drop(true);
    Ok(command.status().await?.into())
}
