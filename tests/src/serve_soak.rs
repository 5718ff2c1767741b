//! `tah mcp serve` over a long time and through bad times: a browser, a page or tah itself killed at random moments of
//! calls, and a great many calls of all kinds. The tests run some rounds, the measuring program some hundred.

mod calls;
mod kills;
mod pages;

pub use calls::{Mixed, mixed};
pub use kills::{Killed, kills};

use crate::processes;
use crate::tah::World;
use anyhow::{Result, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after an end processes may still be ending.
const ENDING: Duration = Duration::from_secs(6);

/// Nothing that was started in this world lives.
fn nothing_lives(world: &World) -> Result<()> {
    let (mark, end) = (world.mark(), Instant::now() + ENDING);
    loop {
        let left: Vec<_> =
            processes::holding(&mark).into_iter().filter(|process| process.state != 'Z').collect();
        if left.is_empty() {
            return Ok(());
        }
        ensure!(Instant::now() < end, "still alive after {ENDING:?}: {left:#?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// All files below a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => drop(found.insert(entry.path())),
            }
        }
    }
    found
}
