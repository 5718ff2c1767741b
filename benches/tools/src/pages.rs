//! A large text file read in pages: the time of a page at its end, and the peak of memory.

use super::{Tools, judge, median};
use anyhow::{Context, Result};
use serde_json::json;
use std::io::Write;
use std::time::Instant;

pub async fn run(megabytes: usize) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let mut file = std::io::BufWriter::new(std::fs::File::create(folder.path().join("big.txt"))?);
    let lines = megabytes * 10_000;
    for number in 0..lines {
        writeln!(file, "{number:>10} {}", "x ".repeat(44))?;
    }
    file.flush()?;
    drop(file);
    let tools = Tools::on(folder.path())?;
    let mut times = Vec::new();
    for offset in [1, lines / 4, lines / 2, lines * 3 / 4, lines - 10] {
        let began = Instant::now();
        let page = tools.call("read_file", json!({"path": "big.txt", "offset": offset.max(1)})).await?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        println!("from line {offset}: {} in {:.0} ms", page.brief, times.last().unwrap_or(&0.0));
    }
    println!("a page: {:.0} ms", median(times));
    let peak = peak()?;
    let began = Instant::now();
    let bytes = std::fs::read(folder.path().join("big.txt"))?.len();
    println!(
        "for comparison, a plain read of all {bytes} bytes: {:.0} ms",
        began.elapsed().as_secs_f64() * 1e3
    );
    Ok(judge("peak of memory, MiB", peak, 50.0))
}

/// The largest resident size so far, in MiB.
fn peak() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).context("no VmHWM")?;
    let kib: f64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
    Ok(kib / 1024.0)
}
