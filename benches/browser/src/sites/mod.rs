//! The main jobs of real sites, done as an agent does them: tool calls through an MCP server, aimed by what its
//! results show, and judged by what the site itself has stored.
//!
//! `tah-bench-browser sites [NAME…] [--times N] [--load THREADS] [--playwright] [--tah PATH] [--verbose]`

mod desk;
mod host;
mod todomvc;

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::mcp::{Server, target};
use desk::Desk;

/// Runs of each site in a row, unless told otherwise.
const TIMES: usize = 5;

/// The sites by their names.
const SITES: [&str; 2] = ["todomvc-react", "todomvc-vue"];

/// What a run has to work with: a folder of its own and what the set-up installed.
pub struct Place {
    folder: PathBuf,
    deps: PathBuf,
}

impl Place {
    /// A file of an npm package.
    fn module(&self, path: &str) -> String {
        self.deps.join("node_modules").join(path).display().to_string()
    }
}

struct Wanted {
    names: Vec<String>,
    times: usize,
    load: usize,
    playwright: bool,
    verbose: bool,
    tah: String,
}

pub async fn run(arguments: &[String]) -> Result<()> {
    let wanted = read(arguments)?;
    let deps = target().join("test-deps/sites");
    ensure!(deps.join("venv").exists(), "the sites are not installed: run cargo xtask setup --full");
    let busy = Busy::start(wanted.load);
    let mut failed = 0;
    println!("{:<14} {:>6} {:>6} {:>7} {:>7}", "site", "done", "calls", "chars", "s");
    for name in &wanted.names {
        let mut done = 0;
        let (mut calls, mut chars, mut seconds) = (0, 0, Vec::new());
        for _ in 0..wanted.times {
            let begun = Instant::now();
            let ran = once(name, &wanted, &deps).await;
            seconds.push(begun.elapsed().as_secs_f64());
            match ran {
                Ok(count) => {
                    done += 1;
                    (calls, chars) = count;
                }
                Err(error) => println!("{name}: FAILED: {error:#}"),
            }
        }
        seconds.sort_by(f64::total_cmp);
        let median = seconds[seconds.len() / 2];
        println!("{name:<14} {done:>4}/{} {calls:>6} {chars:>7} {median:>7.1}", wanted.times);
        failed += wanted.times - done;
    }
    drop(busy);
    ensure!(failed == 0, "{failed} runs failed");
    Ok(())
}

fn read(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted {
        names: Vec::new(),
        times: TIMES,
        load: 0,
        playwright: false,
        verbose: false,
        tah: std::path::absolute(target().join("release/tah"))?.display().to_string(),
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--times" => wanted.times = value()?.parse()?,
            "--load" => wanted.load = value()?.parse()?,
            "--tah" => wanted.tah = std::path::absolute(value()?)?.display().to_string(),
            "--playwright" => wanted.playwright = true,
            "--verbose" => wanted.verbose = true,
            name if SITES.contains(&name) => wanted.names.push(name.to_owned()),
            other => bail!("no site is called {other:?}; there are {}", SITES.join(", ")),
        }
    }
    ensure!(wanted.times > 0, "--times 0 shows nothing");
    if wanted.names.is_empty() {
        wanted.names = SITES.iter().map(|&name| name.to_owned()).collect();
    }
    Ok(wanted)
}

/// One run from nothing: a new server of the site, a new browser. Its calls and the characters of their results.
async fn once(name: &str, wanted: &Wanted, deps: &Path) -> Result<(usize, usize)> {
    let folder = tempfile::tempdir()?;
    let place = Place { folder: folder.path().to_owned(), deps: deps.to_owned() };
    let server = match wanted.playwright {
        false => Server::tah(&wanted.tah, folder.path()).await?,
        true => Server::playwright(folder.path()).await?,
    };
    let mut desk = Desk::new(server, wanted.verbose);
    let ran = match name {
        "todomvc-react" => todomvc::run(&mut desk, &place, "react").await,
        "todomvc-vue" => todomvc::run(&mut desk, &place, "vue").await,
        _ => bail!("no site is called {name}"),
    };
    let count = desk.close().await;
    ran.map(|()| count)
}

/// Threads that keep the processors busy until it is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn start(threads: usize) -> Busy {
        let over = Arc::new(AtomicBool::new(false));
        for _ in 0..threads {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Busy(over)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
