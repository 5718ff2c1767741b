//! The native engine beside Playwright MCP, agent-browser and a bare protocol client: the same pages, the same machine,
//! in turns within one run. Absolute times say little on a busy machine; the ratios to the bare client are what counts.
//!
//! `tah-bench-browser sites …` does the main jobs of real sites instead.
//! `tah-bench-browser [ROUNDS] [--tah PATH]`: with a path tah is measured through `tah mcp serve`, else as a library.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_macros,
    reason = "a measuring program prints what it measured"
)]

mod agent;
mod bare;
mod mcp;
mod site;
mod sites;
mod tah;
mod task;

use anyhow::Result;
use task::{Driver, Measured};

/// Rounds of the form task, unless told otherwise.
const ROUNDS: usize = 20;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "sites") {
        return sites::run(&arguments).await;
    }
    let mut arguments = arguments.into_iter();
    let (mut rounds, mut tah_path) = (ROUNDS, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tah" => tah_path = arguments.next(),
            number => rounds = number.parse()?,
        }
    }
    let site = site::start().await?;
    let folder = tempfile::tempdir()?;
    let mut drivers: Vec<Driver> = vec![bare::start(folder.path()).await?];
    drivers.push(match &tah_path {
        Some(path) => mcp::tah(path, folder.path()).await?,
        None => tah::start(folder.path()).await?,
    });
    for other in [mcp::playwright(folder.path()).await, agent::start(folder.path()).await] {
        match other {
            Ok(driver) => drivers.push(driver),
            Err(error) => println!("left out: {error:#}"),
        }
    }
    let mut all: Vec<Measured> = drivers.iter().map(|_| Measured::default()).collect();
    // In turns, so that the machine's mood is the same for all.
    for _ in 0..rounds {
        for (driver, measured) in drivers.iter_mut().zip(&mut all) {
            task::form(driver, &site, measured).await?;
        }
    }
    for _ in 0..rounds {
        for (driver, measured) in drivers.iter_mut().zip(&mut all) {
            task::click(driver, &site, measured).await?;
        }
    }
    for _ in 0..rounds.min(10) {
        for (driver, measured) in drivers.iter_mut().zip(&mut all) {
            task::big(driver, &site, measured).await?;
        }
    }
    for (driver, measured) in drivers.iter_mut().zip(&mut all) {
        task::table(driver, &site, measured).await?;
    }
    task::print(&drivers, &all);
    for driver in drivers {
        driver.close().await;
    }
    Ok(())
}
