//! `cargo build --release --bin tah && cargo run --release -p tah-bench-browser -- [ROUNDS] [--tah PATH]`
//!
//! The native engine through `tah mcp serve` beside Playwright MCP, agent-browser and a bare protocol client: the same
//! pages, the same machine, in turns within one run. Absolute times say little on a busy machine; the ratios to the bare
//! client are what counts. Exit status 1 means that a target was missed.
//!
//! `tah-bench-browser sites …` does the main jobs of real sites instead, see `sites`.
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
mod targets;
mod task;

use anyhow::Result;
use std::process::ExitCode;
use task::{Driver, Kind, Measured};

/// Rounds of each task, unless told otherwise.
const ROUNDS: usize = 20;
/// Starts from nothing.
const STARTS: usize = 9;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "sites") {
        return sites::run(&arguments[1..]).await.map(|()| ExitCode::SUCCESS);
    }
    let mut arguments = arguments.into_iter();
    let mut rounds = ROUNDS;
    let mut tah = std::path::absolute(mcp::target().join("release/tah"))?.display().to_string();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tah" => tah = arguments.next().unwrap_or(tah),
            number => rounds = number.parse()?,
        }
    }
    let site = site::start().await?;
    let folder = tempfile::tempdir()?;
    let mut measured: Vec<Measured> = Vec::new();
    let mut drivers: Vec<Driver> = Vec::new();
    for kind in [Kind::Bare, Kind::Tah(tah), Kind::Playwright, Kind::Agent] {
        match kind.start(folder.path()).await {
            Ok(driver) => {
                drivers.push(driver);
                measured.push(Measured::new(kind));
            }
            Err(error) => println!("left out: {error:#}"),
        }
    }
    // In turns, so that the machine's mood is the same for all.
    for _ in 0..rounds {
        for (driver, measured) in drivers.iter_mut().zip(&mut measured) {
            task::form(driver, &site, measured).await?;
        }
    }
    for _ in 0..rounds {
        for (driver, measured) in drivers.iter_mut().zip(&mut measured) {
            task::click(driver, &site, measured).await?;
        }
    }
    for _ in 0..rounds {
        for (driver, measured) in drivers.iter_mut().zip(&mut measured) {
            task::big(driver, &site, measured).await?;
        }
    }
    for (driver, measured) in drivers.iter_mut().zip(&mut measured) {
        task::table(driver, &site, measured).await?;
    }
    for driver in drivers {
        driver.close().await;
    }
    for _ in 0..STARTS {
        for measured in &mut measured {
            task::start(&site, folder.path(), measured).await?;
        }
    }
    task::print(&measured);
    let missed = targets::judge(&measured);
    Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
