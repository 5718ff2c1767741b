//! One very long result: time against the plain parse of the same line, memory against its size.
#![allow(clippy::disallowed_methods, reason = "reads its own memory from /proc")]

use crate::{judge, median, serve};
use anyhow::{Context, Result};
use serde_json::json;
use std::time::Instant;
use tah_os::process::{Input, Launcher, Output, Spawn};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const ROUNDS: usize = 11;

/// CPU seconds this process has used.
fn cpu() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit_once(')').context("no stat")?.1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / rustix::param::clock_ticks_per_second() as f64)
}

/// A line of `/proc/self/status` in bytes.
fn memory(field: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(field)).context("no such field")?;
    Ok(line.split_whitespace().nth(1).context("no value")?.parse::<f64>()? * 1024.0)
}

pub async fn run(bytes: usize) -> Result<bool> {
    let client = crate::client().await?;
    let args = json!({ "bytes": bytes });
    client.call("echo", &json!({"text": "warm"}), &Default::default()).await?;
    client.call("big", &json!({"bytes": 1000}), &Default::default()).await?;
    // memory first, before the allocator has kept anything of our size
    let before = memory("VmRSS")?;
    std::fs::write("/proc/self/clear_refs", "5").context("the peak can't be reset")?;
    let text = client.call("big", &args, &Default::default()).await?.into_text();
    let peak = memory("VmHWM")? - before;
    anyhow::ensure!(text == serve::text(bytes), "the text is not what was sent");
    drop(text);

    // the bare way: the line over a pipe, then its parse
    let spawn =
        Spawn::new(std::env::current_exe()?, &Launcher::None).args(["serve-line", &bytes.to_string()]);
    let mut child = spawn.stdin(Input::Pipe).stdout(Output::Pipe).spawn().await?;
    let mut stdin = child.stdin.take().context("no stdin")?;
    let mut stdout = BufReader::with_capacity(64 * 1024, child.stdout.take().context("no stdout")?);
    let (mut reads, mut parses, mut parse_cpus) = (Vec::new(), Vec::new(), Vec::new());
    let (mut calls, mut call_cpus) = (Vec::new(), Vec::new());
    let mut size = 0;
    // both in turns, so that the machine's mood is the same for both; the first round warms up
    for round in 0..=ROUNDS {
        let begun = Instant::now();
        stdin.write_all(b"\n").await?;
        let mut line = Vec::new();
        stdout.read_until(b'\n', &mut line).await?;
        let read = begun.elapsed().as_secs_f64();
        let (begun, used) = (Instant::now(), cpu()?);
        let value: serde_json::Value = serde_json::from_slice(&line)?;
        let (parse, parse_cpu) = (begun.elapsed().as_secs_f64(), cpu()? - used);
        size = line.len();
        drop((value, line));
        let (begun, used) = (Instant::now(), cpu()?);
        let text = client.call("big", &args, &Default::default()).await?.into_text();
        let (call, call_cpu) = (begun.elapsed().as_secs_f64(), cpu()? - used);
        drop(text);
        if round > 0 {
            reads.push(read);
            parses.push(parse);
            parse_cpus.push(parse_cpu);
            calls.push(call);
            call_cpus.push(call_cpu);
        }
    }
    drop(stdin);
    client.close(tah_mcp::CloseOrder::StdinFirst).await;

    let (read, parse, call) = (median(reads), median(parses), median(calls));
    println!("line of {size} bytes; medians of {ROUNDS}, in ms");
    println!(
        "  bare pipe read {:.1}, plain parse {:.1}, through the client {:.1}",
        read * 1e3,
        parse * 1e3,
        call * 1e3
    );
    println!(
        "  cpu of the parse {:.1}, of the call {:.1}",
        median(parse_cpus) * 1e3,
        median(call_cpus) * 1e3
    );
    println!("  call / (read + parse): {:.2}", call / (read + parse));
    let time = judge("cost beyond the bare read / plain parse", (call - read) / parse, 1.5);
    let space = judge("peak memory / size", peak / size as f64, 3.0);
    Ok(time && space)
}
