//! `kill -9` of the browser, of a page's process or of tah, at random moments of calls and of starts: no call hangs, nothing
//! stays behind, the next start works, and the profile's login is still there.

use super::{files, nothing_lives, pages};
use crate::processes;
use crate::served::{Result as Answer, Served};
use crate::site::Site;
use crate::tah::World;
use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What was under way when its browser died is answered within this: the budget of a call and its recovery, for where
/// another page's process died than that of the page that loops.
const ANSWER: Duration = Duration::from_secs(60);
/// The next call, which starts a browser, is done within this.
const NEXT: Duration = Duration::from_secs(40);

/// What was seen.
#[derive(Debug, Default)]
pub struct Killed {
    pub kills: usize,
    pub browsers: usize,
    pub renderers: usize,
    pub tahs: usize,
    /// Of tah, before its browser had opened the first page.
    pub at_start: usize,
    /// Calls that were under way and said what happened.
    pub told: usize,
    /// Calls that were done before their kill.
    pub done: usize,
    /// The longest that a killed call took to be answered, in ms, and which it was.
    pub slowest_answer: (u128, String),
    /// The longest that the call after a kill took, in ms.
    pub slowest_next: u128,
}

/// Makes the kills; an error names the seed and keeps the folder.
pub fn kills(count: usize, seed: u64) -> Result<Killed> {
    let (mut world, site) = (World::new(), pages::start());
    let outcome = run(&world, &site, count, seed);
    outcome.with_context(|| format!("seed {seed}, kept in {}", world.keep().display()))
}

fn run(world: &World, site: &Site, count: usize, seed: u64) -> Result<Killed> {
    let profile = world.home().join("profile").display().to_string();
    let downloads = world.home().join("Downloads").display().to_string();
    let args = ["--profile", &profile, "--download-dir", &downloads];
    let mut served = Served::start(world, &args);
    served.text("browser_open", json!({"url": site.url("/login")}));
    served.close();
    let mut random = Rng::with_seed(seed);
    let mut seen = Killed::default();
    let mut served = Served::start(world, &args);
    while seen.kills < count {
        let kill = seen.kills;
        let one = one(&mut served, site, &mut random, &mut seen);
        let killed_tah = one.with_context(|| format!("kill {kill}"))?;
        if killed_tah {
            nothing_lives(world).with_context(|| format!("kill {kill}, of tah"))?;
            served = Served::start(world, &args);
        }
    }
    logged_in(&mut served, site, &mut seen)?;
    served.close();
    nothing_lives(world)?;
    let left = files(&world.temporary());
    ensure!(left.is_empty(), "temporary files are left: {left:#?}");
    Ok(seen)
}

#[derive(Clone, Copy, Debug)]
enum Victim {
    Browser,
    Renderer,
    Tah,
}

/// One kill and what follows; whether tah was killed.
fn one(served: &mut Served, site: &Site, random: &mut Rng, seen: &mut Killed) -> Result<bool> {
    let victim = [Victim::Browser, Victim::Renderer, Victim::Tah][random.usize(0..3)];
    // Some of the kills of tah come while its browser starts.
    let early = matches!(victim, Victim::Tah) && served.browser().is_none() && random.u32(0..3) == 0;
    if !early {
        logged_in(served, site, seen)?;
    }
    let (tool, arguments) = choose(site, random);
    let shown = format!("{tool} {arguments}, kill of the {victim:?}");
    let (tool, arguments) = if early { ("open", json!({"url": site.url("/me")})) } else { (tool, arguments) };
    let id = served.begin(&format!("browser_{tool}"), arguments);
    // Not to wait for something, but to hit any moment.
    std::thread::sleep(Duration::from_micros(random.u64(0..if early { 1_200_000 } else { 80_000 })));
    let pid = match victim {
        Victim::Browser => served.browser(),
        Victim::Renderer => {
            let all = served.renderers();
            (!all.is_empty()).then(|| all[random.usize(0..all.len())])
        }
        Victim::Tah => Some(served.pid()),
    };
    let Some(pid) = pid.filter(|pid| processes::lives(*pid)) else { return Ok(false) };
    let began = Instant::now();
    processes::try_signal(pid, Signal::KILL);
    seen.kills += 1;
    match victim {
        Victim::Browser => seen.browsers += 1,
        Victim::Renderer => seen.renderers += 1,
        Victim::Tah => {
            seen.tahs += 1;
            seen.at_start += usize::from(early);
            served.ended();
            return Ok(true);
        }
    }
    let answer = served.answer_within(id, ANSWER);
    let answer = Answer::of(&answer.with_context(|| format!("{tool} was not answered within {ANSWER:?}"))?);
    let took = began.elapsed().as_millis();
    if took > seen.slowest_answer.0 {
        seen.slowest_answer =
            (took, format!("{shown}: {}", answer.text.chars().take(300).collect::<String>()));
    }
    if answer.is_error {
        seen.told += 1;
        ensure!(answer.text.contains("BROWSER_"), "{tool}: {}", answer.text);
    } else {
        seen.done += 1;
    }
    logged_in(served, site, seen)?;
    Ok(false)
}

/// The next call works, and the profile still knows who is logged in.
fn logged_in(served: &mut Served, site: &Site, seen: &mut Killed) -> Result<()> {
    let began = Instant::now();
    let id = served.begin("browser_open", json!({"url": site.url("/me")}));
    let answer = served.answer_within(id, NEXT);
    let answer =
        Answer::of(&answer.with_context(|| format!("no answer within {NEXT:?}: {}", served.stderr()))?);
    seen.slowest_next = seen.slowest_next.max(began.elapsed().as_millis());
    ensure!(!answer.is_error && answer.text.contains("who=ada"), "the call after: {}", answer.text);
    Ok(())
}

fn choose(site: &Site, random: &mut Rng) -> (&'static str, Value) {
    let page = site.url(&format!("/p/{}", random.usize(0..pages::PAGES)));
    match random.u32(0..10) {
        0..=2 => ("open", json!({"url": page})),
        3 => ("snapshot", json!({})),
        4 => ("click", json!({"target": "button"})),
        5 => ("wait", json!({"selector": "#never", "timeoutMs": 3000})),
        6 if random.u32(0..8) == 0 => ("execute", json!({"script": "for (;;) {}"})),
        6 => ("execute", json!({"script": "return new Promise((done) => setTimeout(done, 2000))"})),
        7 => ("content", json!({"format": "markdown"})),
        8 => ("screenshot", json!({})),
        _ => ("refresh", json!({})),
    }
}
