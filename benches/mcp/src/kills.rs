//! Servers killed at random moments, with calls waiting: each waiter learns how it ended, and no zombie stays (M4).
#![allow(clippy::disallowed_methods, reason = "looks for zombies in /proc")]

use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tah_mcp::{CallError, HowEnded};

/// Waiters of each server.
const WAITERS: usize = 4;
/// A waiter must know within this.
const PATIENCE: Duration = Duration::from_secs(2);

pub async fn run(rounds: usize) -> Result<bool> {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        let waited = one(&mut random).await.with_context(|| format!("round {round}"))?;
        slowest = slowest.max(waited);
    }
    let zombies = zombies()?;
    println!(
        "{rounds} kills, {} waiters told, slowest {:.0} ms, {} zombies",
        rounds * WAITERS,
        slowest.as_secs_f64() * 1e3,
        zombies.len()
    );
    ensure!(zombies.is_empty(), "zombies: {zombies:?}");
    Ok(true)
}

/// One server, its waiters, its kill; how long the slowest waiter took to know.
async fn one(random: &mut fastrand::Rng) -> Result<Duration> {
    let client = Arc::new(crate::client().await?);
    let pid: i32 = client.info().version.parse()?;
    let waiters: Vec<_> = (0..WAITERS)
        .map(|number| {
            let client = client.clone();
            tokio::spawn(async move {
                // some hang, some keep calling until the end
                loop {
                    let tool = if number % 2 == 0 { "hang" } else { "echo" };
                    let result = client.call(tool, &json!({"text": "x"}), &Default::default()).await;
                    if let Err(error) = result {
                        return error;
                    }
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_micros(random.u64(0..20_000))).await;
    let pid = rustix::process::Pid::from_raw(pid).context("no pid")?;
    rustix::process::kill_process(pid, rustix::process::Signal::KILL)?;
    let begun = Instant::now();
    for waiter in waiters {
        let error = tokio::time::timeout(PATIENCE, waiter).await.context("a waiter was left waiting")??;
        let CallError::Ended { ending, .. } = &error else { anyhow::bail!("an unexpected error: {error}") };
        ensure!(ending.how == HowEnded::Killed { signal: 9 }, "the wrong ending: {ending}");
    }
    let waited = begun.elapsed();
    drop(client);
    Ok(waited)
}

/// Dead children nobody has reaped; a moment is given to those that are just being.
fn zombies() -> Result<Vec<String>> {
    let begun = Instant::now();
    loop {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            let Some((name, rest)) = stat.rsplit_once(") ") else { continue };
            let mut fields = rest.split(' ');
            let ours = |parent: &str| parent == std::process::id().to_string();
            if fields.next() == Some("Z") && fields.next().is_some_and(ours) {
                found.push(name.to_owned());
            }
        }
        if found.is_empty() || begun.elapsed() > PATIENCE {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
