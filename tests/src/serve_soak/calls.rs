//! A great many calls of all kinds over fifty pages: every one is answered, memory stays flat, and no file is left that no
//! answer named.

use super::{files, nothing_lives, pages};
use crate::processes;
use crate::served::{Result as Answer, Served, object};
use crate::site::Site;
use crate::tah::World;
use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer than anything here should take on a slow machine; the longest budget is 60 s.
const SLOW: Duration = Duration::from_secs(40);

/// Calls that took longer are told with those before them.
const TOLD: Duration = Duration::from_secs(12);

/// What was seen.
#[derive(Debug, Default)]
pub struct Mixed {
    pub calls: usize,
    /// Refusals, by code.
    pub errors: BTreeMap<String, usize>,
    /// Calls, by tool, and the longest of each in ms.
    pub tools: BTreeMap<String, (usize, u128)>,
    /// Resident memory of tah in KiB, every twenty calls.
    pub memory: Vec<u64>,
    /// Files that answers named and that are there.
    pub named: usize,
    /// The slowest calls, each with the calls before it and its answer.
    pub slow: Vec<String>,
}

impl Mixed {
    /// The middle of the memory in each tenth of the calls, in MiB.
    pub fn memory_by_tenths(&self) -> Vec<f64> {
        let middle = |values: &[u64]| {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            sorted.get(sorted.len() / 2).copied().unwrap_or_default() as f64 / 1024.0
        };
        self.memory.chunks(self.memory.len().div_ceil(10).max(1)).map(middle).collect()
    }
}

/// Makes the calls; an error names the seed and keeps the folder.
pub fn mixed(count: usize, seed: u64) -> Result<Mixed> {
    let (mut world, site) = (World::new(), pages::start());
    let outcome = run(&world, &site, count, seed);
    outcome.with_context(|| format!("seed {seed}, kept in {}", world.keep().display()))
}

struct Run<'a> {
    served: Served,
    site: &'a Site,
    downloads: PathBuf,
    random: Rng,
    /// Refs that the last snapshot showed.
    refs: Vec<String>,
    tabs: Vec<String>,
    files: usize,
    /// A page with a form was opened, so that the next call fills it: fields that are not there are waited for.
    form: bool,
}

fn run(world: &World, site: &Site, count: usize, seed: u64) -> Result<Mixed> {
    let downloads = world.home().join("Downloads");
    let served = Served::start(world, &["--download-dir", &downloads.display().to_string()]);
    let random = Rng::with_seed(seed);
    let mut run =
        Run { served, site, downloads, random, refs: Vec::new(), tabs: Vec::new(), files: 0, form: false };
    let (mut seen, mut named, mut recent) = (Mixed::default(), BTreeSet::new(), VecDeque::new());
    while seen.calls < count {
        let (tool, arguments) = run.choose();
        let began = Instant::now();
        let id = run.served.begin(&format!("browser_{tool}"), arguments.clone());
        let answer = run.served.answer_within(id, SLOW);
        let shown = format!("call {}, {tool} {arguments}", seen.calls);
        let answer =
            Answer::of(&answer.with_context(|| format!("{shown}: no answer; {}", run.served.stderr()))?);
        let took = began.elapsed().as_millis();
        let known = seen.tools.entry(tool.to_owned()).or_default();
        *known = (known.0 + 1, known.1.max(took));
        seen.calls += 1;
        if answer.is_error {
            let code = object(&answer.text)["error"]["code"].as_str().unwrap_or("none").to_owned();
            ensure!(
                !["none", "BROWSER_UNAVAILABLE", "BROWSER_CRASHED"].contains(&code.as_str()),
                "{shown}: {}",
                answer.text
            );
            *seen.errors.entry(code).or_default() += 1;
        }
        recent
            .push_back(format!("{shown} ({took} ms): {}", answer.text.chars().take(300).collect::<String>()));
        if recent.len() > 6 {
            recent.pop_front();
        }
        if took > TOLD.as_millis() {
            seen.slow.push(recent.iter().cloned().collect::<Vec<_>>().join("\n"));
        }
        run.learn(tool, &answer.text);
        paths(&answer.text, &mut named);
        if seen.calls.is_multiple_of(20) {
            seen.memory.push(processes::resident_kib(run.served.pid()).context("tah lives")?);
        }
    }
    run.served.close();
    nothing_lives(world)?;
    let mut left = BTreeSet::new();
    for folder in [world.work(), world.home(), world.temporary()] {
        left.extend(files(&folder));
    }
    seen.named = named.iter().filter(|path| path.exists()).count();
    let unnamed: Vec<&PathBuf> =
        left.iter().filter(|path| !named.contains(*path) && !is_known(world, path)).collect();
    ensure!(unnamed.is_empty(), "files that no answer named: {unnamed:#?}");
    Ok(seen)
}

/// What says of a folder that it is no part of a repository, and caches of the desktop's libraries, which are everybody's.
fn is_known(world: &World, path: &Path) -> bool {
    path == world.work().join(".tah/.gitignore") || path.starts_with(world.home().join(".cache"))
}

/// Adds every path a result names.
fn paths(text: &str, into: &mut BTreeSet<PathBuf>) {
    for part in text.split("\"path\":\"").skip(1) {
        into.extend(part.split('"').next().map(PathBuf::from));
    }
}

impl Run<'_> {
    fn page(&mut self) -> String {
        let number = self.random.usize(0..pages::PAGES);
        self.site.url(&format!("/p/{number}"))
    }

    fn reference(&mut self) -> Value {
        match self.refs.is_empty() {
            true => json!("text=Next"),
            false => json!(self.refs[self.random.usize(0..self.refs.len())]),
        }
    }

    fn new_file(&mut self, extension: &str) -> String {
        self.files += 1;
        format!("made-{}.{extension}", self.files)
    }

    fn choose(&mut self) -> (&'static str, Value) {
        let none = json!({});
        if std::mem::take(&mut self.form) {
            let fields = json!([{"name": "name", "value": "Ann 张"}, {"name": "colour", "value": "green"},
                {"name": "agree", "value": true}, {"name": "pw", "value": "s3cret"}]);
            return ("fill", json!({"fields": fields, "submit": self.random.bool()}));
        }
        match self.random.u32(0..100) {
            0..=15 => ("open", json!({"url": self.page()})),
            16 => ("open", json!({"url": self.page(), "newTab": true})),
            17..=26 => ("snapshot", none),
            27..=40 => ("click", json!({"target": self.reference()})),
            41..=46 => {
                self.form = true;
                ("open", json!({"url": self.site.url("/p/0")}))
            }
            47..=49 => {
                let format = ["html", "markdown", "txt", "json"][self.random.usize(0..4)];
                ("content", json!({"format": format}))
            }
            50..=52 => ("a11y", json!({"maxNodes": 200})),
            53..=54 => ("find", json!({"text": "e"})),
            55..=57 => ("type", json!({"target": self.reference(), "text": "typed 你好"})),
            58..=60 => {
                let key = ["Tab", "Escape", "PageDown", "End"][self.random.usize(0..4)];
                ("key", json!({ "key": key }))
            }
            61..=62 => ("scroll", json!({"deltaY": 300})),
            63..=64 => ("back", none),
            65 => ("forward", none),
            66..=67 => ("refresh", none),
            68..=70 => ("execute", json!({"script": "return [document.title, document.links.length]"})),
            71..=72 => ("screenshot", json!({"maxWidth": 400})),
            73 => ("screenshot", json!({"savePath": self.new_file("png"), "fullPage": true})),
            74..=75 => ("list_tabs", none),
            76 => ("switch_tab", json!({"tabId": self.tab()})),
            77..=78 => ("close_tab", json!({"tabId": self.tab()})),
            79..=82 => ("dialog", json!({"accept": self.random.bool()})),
            83 => {
                let path = self.new_file("bin");
                let path = self.downloads.join(path);
                ("download", json!({"url": self.site.url("/file"), "savePath": path}))
            }
            84..=85 => ("scrape", json!({"item": ".row, li", "fields": {"text": "*"}, "timeoutMs": 300})),
            86 => ("get_value", json!({"target": self.reference()})),
            87 => ("set_value", json!({"target": self.reference(), "value": "set"})),
            88 => ("hover", json!({"target": self.reference()})),
            89..=90 => ("console", none),
            91 => ("history", none),
            92 => ("wait", json!({"selector": "h1", "timeoutMs": 500})),
            93 => ("session", none),
            94 => ("auth", json!({"action": "flush"})),
            95 => ("challenge", none),
            96 => ("check", json!({"target": self.reference()})),
            97 => ("clear", json!({"target": self.reference()})),
            98 => ("reset", none),
            _ => ("reset_session", none),
        }
    }

    fn tab(&mut self) -> String {
        match self.tabs.is_empty() {
            true => String::from("t1"),
            false => self.tabs[self.random.usize(0..self.tabs.len())].clone(),
        }
    }

    /// Remembers what can be named in later calls.
    fn learn(&mut self, tool: &str, text: &str) {
        if matches!(tool, "open" | "snapshot") {
            let words = text.split("\\n").flat_map(|line| line.trim().split([' ', '"']).take(4));
            let is_ref = |word: &&str| {
                word.strip_prefix('e')
                    .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
            };
            self.refs = words.filter(is_ref).take(60).map(str::to_owned).collect();
        }
        if tool == "list_tabs" {
            let tabs = object(text)["tabs"].as_array().cloned().unwrap_or_default();
            self.tabs = tabs.iter().filter_map(|tab| Some(tab["id"].as_str()?.to_owned())).collect();
        }
    }
}
