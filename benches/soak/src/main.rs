//! `cargo build && cargo run -p tah-bench-soak -- kills [N] [SEED] | flood [MB] | pages [MB] | start [N] |
//! browser-kills [N] [SEED] | browser-calls [N] [SEED]`
//!
//! What the whole program survives and costs, measured on the `tah` beside it (`target/debug`, with `--release`
//! `target/release`) or on the binary in `TAH_BINARY`: `kill -9` at random moments, a flood of a command's output, a
//! large file paged, how it starts, and `tah mcp serve` under kills and over a great many calls. Exit status 1 means
//! that a limit was missed.
#![allow(clippy::print_stdout, reason = "a measuring program prints")]

mod cost;
mod start;

use anyhow::{Context, Result, bail, ensure};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| -> Result<u64> {
        words.get(at).map_or(Ok(default), |word| word.parse().with_context(|| format!("{word} is no number")))
    };
    let good = match words.first().map(String::as_str) {
        Some("kills") => kills(usize::try_from(number(1, 200)?)?, number(2, fastrand::u64(..))?)?,
        Some("flood") => cost::flood(number(1, 1024)?)?,
        Some("pages") => cost::pages(number(1, 200)?)?,
        Some("start") => start::run(usize::try_from(number(1, 50)?)?)?,
        Some("browser-kills") => {
            browser_kills(usize::try_from(number(1, 500)?)?, number(2, fastrand::u64(..))?)?
        }
        Some("browser-calls") => {
            browser_calls(usize::try_from(number(1, 2_000)?)?, number(2, fastrand::u64(..))?)?
        }
        _ => bail!(
            "say kills [N] [SEED], flood [MB], pages [MB], start [N], browser-kills [N] [SEED] or browser-calls [N] [SEED]"
        ),
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn kills(count: usize, seed: u64) -> Result<bool> {
    let began = Instant::now();
    let seen = tah_tests::soak::run(count, seed)?;
    println!("{seen:?}, seed {seed}, {:.0} s", began.elapsed().as_secs_f64());
    ensure!(seen.kills == count, "too few kills");
    Ok(true)
}

/// Kills of a browser, its pages and its tah during calls.
fn browser_kills(count: usize, seed: u64) -> Result<bool> {
    println!("browser-kills {count}, seed {seed}");
    let began = Instant::now();
    let seen = tah_tests::serve_soak::kills(count, seed)?;
    println!("{seen:?}, seed {seed}, {:.0} s", began.elapsed().as_secs_f64());
    ensure!(seen.kills == count, "too few kills");
    Ok(true)
}

/// What tah may have more of at the end of many calls than early in them, in MiB.
const GROWTH_MIB: f64 = 4.0;

fn browser_calls(count: usize, seed: u64) -> Result<bool> {
    println!("browser-calls {count}, seed {seed}");
    let began = Instant::now();
    let seen = tah_tests::serve_soak::mixed(count, seed)?;
    println!("{} calls, seed {seed}, {:.0} s", seen.calls, began.elapsed().as_secs_f64());
    for (tool, (times, slowest)) in &seen.tools {
        println!("  {tool}: {times}, the longest {slowest} ms");
    }
    println!("refused: {:?}; files named and there: {}", seen.errors, seen.named);
    for slow in &seen.slow {
        println!("slow:\n{slow}");
    }
    let memory = seen.memory_by_tenths();
    println!("memory of tah by tenths, MiB: {memory:.1?}");
    // What is remembered of calls and pages has its full size after the first third.
    let (early, late) =
        (memory.get(3).copied().unwrap_or_default(), memory.last().copied().unwrap_or_default());
    Ok(judge("growth, MiB", late - early, GROWTH_MIB))
}

/// Prints a measured value with its limit; says whether it is within.
fn judge(what: &str, value: f64, limit: f64) -> bool {
    let good = value <= limit;
    println!("{what}: {value:.1} (limit {limit}) {}", if good { "ok" } else { "MISSED" });
    good
}

/// The middle of some measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
