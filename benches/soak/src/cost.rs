//! The peak of memory of a whole run: a command that floods, and a large file that is paged.
#![allow(clippy::disallowed_methods, reason = "it makes the file it measures with")]

use super::judge;
use anyhow::{Result, ensure};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};
use tah_tests::model::{self, ModelServer, Reply};
use tah_tests::processes;
use tah_tests::tah::{Ran, World};

/// What tah and its launcher may take together, in MiB.
const LIMIT_MIB: f64 = 60.0;

/// A command that prints so many MiB.
pub fn flood(megabytes: u64) -> Result<bool> {
    let world = World::new();
    let command = format!("yes | head -c {megabytes}M");
    let script = vec![
        model::call("execute_command", json!({"command": command, "timeoutMs": 600_000})),
        model::say("done"),
    ];
    let ran = measured(&world, script, &format!("{megabytes} MiB of output"))?;
    Ok(ran.1)
}

/// A file of so many MiB, read at its beginning, in the middle and at its end.
pub fn pages(megabytes: u64) -> Result<bool> {
    let world = World::new();
    let mut file = std::io::BufWriter::new(std::fs::File::create(world.work().join("big.txt"))?);
    let lines = megabytes * 10_000;
    for number in 0..lines {
        writeln!(file, "{number:>10} {}", "x ".repeat(46))?;
    }
    file.flush()?;
    drop(file);
    let mut script: Vec<Reply> = [1, lines / 2, lines - 10]
        .iter()
        .map(|offset| model::call("read_file", json!({"path": "big.txt", "offset": offset})))
        .collect();
    script.push(model::say("done"));
    let (ran, good) = measured(&world, script, &format!("a file of {megabytes} MiB, 3 pages"))?;
    ensure!(ran.stdout.matches("\"tool.end\"").count() == 3, "{}", ran.stdout);
    Ok(good)
}

/// Runs a script and prints what it took; false where it took too much.
fn measured(world: &World, script: Vec<Reply>, what: &str) -> Result<(Ran, bool)> {
    let server = ModelServer::script(script);
    let args = ["run", "--yes", "--json", "--browser", "off", "go"];
    let began = Instant::now();
    let mut running = world.tah_with(&server, &args).spawn();
    let mut peaks: HashMap<i32, u64> = HashMap::new();
    let mut launcher = None;
    while !running.has_ended() {
        let tah = running.pid();
        // Of its children only the launcher is tah; the command's own programs are not.
        if launcher.is_none() {
            launcher = processes::descendants(tah)
                .into_iter()
                .find(|one| one.command.contains("__child"))
                .map(|one| one.pid);
        }
        for pid in [Some(tah), launcher].into_iter().flatten() {
            if let Some(peak) = processes::peak_kib(pid) {
                let known = peaks.entry(pid).or_default();
                *known = peak.max(*known);
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let tah = running.pid();
    let ran = running.finish();
    let seconds = began.elapsed().as_secs_f64();
    ensure!(ran.code == 0, "exit {}: {}", ran.code, ran.stderr);
    let mib = |pid: i32| {
        peaks.get(&pid).map_or(0.0, |kib| f64::from(u32::try_from(*kib).unwrap_or(u32::MAX)) / 1024.0)
    };
    let beside = launcher.map_or(0.0, mib);
    println!("{what}: {seconds:.1} s, peak of tah {:.1} MiB, of its launcher {beside:.1} MiB", mib(tah));
    let good = judge("peak of memory, MiB", mib(tah) + beside, LIMIT_MIB);
    Ok((ran, good))
}
