//! `kill -9` at random moments of turns that write: after each, nothing runs any more, the session holds everything
//! that had been printed, no file is half written, and a strict model server takes the next request. The test runs
//! some rounds, the measuring program some hundred.

mod after;
mod script;

use crate::model::ModelServer;
use crate::tah::{Ran, World};
use crate::wait;
use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use rustix::process::Signal;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// A session is killed so many times before the next begins, so that repairs meet repairs.
const KILLS_OF_A_SESSION: usize = 8;
/// Lines of events a turn prints, about.
const LINES: usize = 70;
/// The kill comes at most so long after the line it waited for, in µs.
const JITTER_US: u64 = 4_000;
/// The same where it waits for no line: the start of a process.
const START_US: u64 = 120_000;

/// What was seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub kills: usize,
    /// Turns that ended before their kill; they don't count.
    pub too_late: usize,
    /// Kills before anything was printed.
    pub silent: usize,
    pub events: usize,
    /// Calls that were under way when the kill came.
    pub open_calls: usize,
    /// Replies that had been printed in part.
    pub cut_replies: usize,
    /// Kills after which a temporary file stayed in the folder.
    pub litter: usize,
}

/// Kills `kills` turns; an error names the seed and keeps the folder.
pub fn run(kills: usize, seed: u64) -> Result<Seen> {
    let mut random = Rng::with_seed(seed);
    let mut seen = Seen::default();
    while seen.kills < kills {
        let mut world = World::new();
        world.config(&serde_json::json!({"capabilities": {"browser": {"enabled": false}}}));
        let server = script::server(random.u64(..));
        let most = KILLS_OF_A_SESSION.min(kills - seen.kills);
        let done = one_session(&world, &server, &mut random, &mut seen, most);
        done.with_context(|| {
            format!("seed {seed}, after {} kills, kept in {}", seen.kills, world.keep().display())
        })?;
    }
    Ok(seen)
}

fn one_session(
    world: &World,
    server: &ModelServer,
    random: &mut Rng,
    seen: &mut Seen,
    most: usize,
) -> Result<()> {
    let mut known: Option<(String, PathBuf)> = None;
    let end = seen.kills + most;
    while seen.kills < end {
        let before = known.as_ref().map_or(0, |(_, path)| after::stored_events(path).len());
        let mut args = vec!["run", "--yes", "--json"];
        if let Some((id, _)) = &known {
            args.extend(["--session", id]);
        }
        args.push(script::WORK);
        let Some(ran) = killed(world, server, &args, random) else {
            seen.too_late += 1;
            continue;
        };
        ensure!(ran.code == 137, "killed, it ended with {}: {}", ran.code, ran.stderr);
        seen.kills += 1;
        world.nothing_lives();
        let printed = whole_lines(&ran)?;
        seen.events += printed.len();
        let Some(first) = printed.first() else {
            seen.silent += 1;
            continue;
        };
        let id = first["id"].as_str().context("the first line is the session")?.to_owned();
        let path = PathBuf::from(first["path"].as_str().context("it is stored")?);
        after::session_holds(&path, before, &printed)?;
        after::session_opens(world, &id)?;
        let answered = go_on(world, server, &id)?;
        after::conversation_holds(&answered, &printed, seen)?;
        seen.litter += usize::from(after::files_are_whole(world, &answered, &printed)?);
        known = Some((id, path));
    }
    Ok(())
}

/// Starts a turn and kills it; nothing where it ended by itself before.
fn killed(world: &World, server: &ModelServer, args: &[&str], random: &mut Rng) -> Option<Ran> {
    let line = random.usize(0..LINES);
    let jitter = random.u64(0..if line == 0 { START_US } else { JITTER_US });
    let mut running = world.tah_with(server, args).spawn();
    let mut ended = false;
    wait::until("the turn comes so far, or ends", Duration::from_secs(60), || {
        ended = running.has_ended();
        ended || running.stdout().matches('\n').count() >= line
    });
    // not to wait for something, but to hit any moment
    std::thread::sleep(Duration::from_micros(jitter));
    if ended || running.has_ended() {
        running.finish();
        return None;
    }
    running.signal(Signal::KILL);
    Some(running.finish())
}

/// The printed events; a line that the kill cut was not printed.
fn whole_lines(ran: &Ran) -> Result<Vec<Value>> {
    let whole = ran.stdout.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

/// The next prompt of the session; the conversation the server was asked with.
fn go_on(world: &World, server: &ModelServer, id: &str) -> Result<Vec<Value>> {
    let ran = world.tah_with(server, &["run", "--session", id, script::GO_ON]).run();
    ensure!(ran.code == 0, "going on ended with {}: {}", ran.code, ran.stderr);
    ensure!(ran.stdout == script::WENT_ON, "the answer was {:?}", ran.stdout);
    let faults = server.faults();
    ensure!(faults.is_empty(), "the strict server refused: {faults:?}");
    let body = server.bodies().pop().context("a request")?;
    Ok(body["messages"].as_array().cloned().unwrap_or_default())
}
