//! The browser's window, on a display without a screen: when it shows, when there is none, and what comes of it when
//! a person closes it.

use crate::{MOUNTED, browser_tools, open};
use rustix::process::Signal;
use serde_json::json;
use std::time::{Duration, Instant};
use tah_tests::display::Display;
use tah_tests::model::{self, ModelServer};
use tah_tests::processes::{self, Process};
use tah_tests::pty::Pty;
use tah_tests::site::Site;
use tah_tests::tah::World;
use tah_tests::wait;

const PATIENCE: Duration = Duration::from_secs(30);

/// The processes of this world that are Chromium's first.
fn chromium(mark: &str) -> Vec<Process> {
    processes::holding(mark)
        .into_iter()
        .filter(|process| {
            process.command.contains("--remote-debugging-pipe")
                && !process.command.contains("--type=")
                && !process.command.contains("__child")
                && process.state != 'Z'
        })
        .collect()
}

/// Playwright's server.
fn node(mark: &str) -> Option<Process> {
    let is_node = |process: &Process| {
        let program = process.command.split(' ').next().unwrap_or_default();
        process.command.contains("cli.js") && program.ends_with("node")
    };
    processes::holding(mark).into_iter().find(is_node)
}

/// A chat by lines at a terminal, on a display.
struct Chat<'a> {
    pty: Pty,
    display: &'a Display,
    world: &'a World,
    server: ModelServer,
}

impl<'a> Chat<'a> {
    fn start(world: &'a World, display: &'a Display, script: Vec<model::Reply>) -> Self {
        let server = ModelServer::script(script);
        let (url, name) = (server.url(), display.name());
        let variables =
            [("TAH_BASE_URL", url.as_str()), ("TAH_MODEL", "scripted"), ("DISPLAY", name.as_str())];
        let pty = Pty::start(world, &["chat", "--plain"], &variables, 60, 160);
        pty.wait_for("> ");
        Chat { pty, display, world, server }
    }

    /// Sends a line and waits until the model has been asked so often and has said this.
    fn says(&mut self, line: &str, answer: &str) {
        self.pty.send(&format!("{line}\n"));
        self.pty.wait_for(answer);
    }

    fn result(&self, request: usize) -> String {
        model::last_result(&self.server.bodies()[request])
    }

    fn tools(&self, request: usize) -> Vec<String> {
        browser_tools(&self.server.bodies()[request])
    }

    fn cards(&self) -> usize {
        self.pty.screen().matches("Open browser").count()
    }

    /// Says yes to the card that comes next.
    fn yes_to_card(&mut self, number: usize) {
        wait::until("a card for the browser", PATIENCE, || self.cards() == number);
        self.pty.send("y\n");
    }

    fn window(&self) -> tah_tests::display::Shown {
        wait::some("a window of the browser", PATIENCE, || self.display.windows().into_iter().next())
    }

    fn no_window(&self) {
        wait::until("the window is gone", PATIENCE, || self.display.windows().is_empty());
        let mark = self.world.mark();
        wait::until("Chromium is gone", PATIENCE, || chromium(&mark).is_empty());
    }
}

fn opened() -> Vec<String> {
    let mut names = vec!["browser_open".to_owned()];
    names.extend(MOUNTED.map(str::to_owned));
    names
}

#[test]
fn bp_o3_p2_p5_p6_p7_a1_r1_a_window_from_its_first_moment_to_the_end_of_tah() {
    let (world, site, display) = (World::new(), Site::with_form(), Display::start());
    world.config_playwright(json!({}));
    let mut chat = Chat::start(
        &world,
        &display,
        vec![
            // 0: opened without a page; 1
            model::call("browser_open", json!({})),
            model::say("window-is-there"),
            // 2: looked at after the person has closed the window; 3
            model::call("browser_snapshot", json!({})),
            model::say("looked-again"),
            // 4: in a fresh session; 5
            model::call("browser_navigate", json!({"url": site.url("/")})),
            model::say("gone-there"),
            // 6: in a forked one; 7
            model::call("browser_find", json!({"text": "Send order"})),
            model::say("still-there"),
            // 8: in a resumed one; 9: closed; 10
            model::call("browser_close", json!({})),
            open(&site.url("/")),
            model::say("open-once-more"),
        ],
    );
    assert!(chat.pty.screen().contains("engine=playwright"), "{}", chat.pty.screen());
    assert!(display.windows().is_empty() && node(&world.mark()).is_none(), "idle costs nothing (S3)");
    chat.pty.send("open it\n");
    chat.yes_to_card(1);
    // O3: the window is there before the model is asked again, so it can't be the model's doing.
    chat.pty.wait_for("window-is-there");
    let window = chat.window();
    assert!(window.size.0 > 600 && window.size.1 > 400, "{window:?}");
    assert!(chat.pty.screen().contains("about:blank"), "the card names it (A1): {}", chat.pty.screen());
    let command = chromium(&world.mark()).pop().expect("Chromium runs").command;
    assert!(!command.contains("--headless"), "{command}");
    assert_eq!(chat.tools(1), opened());
    let rules = chat.server.bodies()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(rules.contains("stop and tell the user to do it in the browser window"), "{rules}");

    // P6: the person closes the window; the next result comes as it is, behind a line that says what is lost.
    display.close(&window);
    chat.no_window();
    chat.says("look", "looked-again");
    let result = chat.result(3);
    assert!(result.contains("the browser was restarted, the page is lost"), "{result}");
    assert!(result.contains("- Page URL: about:blank"), "{result}");
    chat.window();

    // P5: another session keeps the browser and its tools, and nobody is asked.
    for (switch, line, answer, request) in [
        ("/reset", "go there", "gone-there", 4),
        ("/fork", "find it", "still-there", 6),
        ("/resume 2", "close it", "Open browser", 8),
    ] {
        chat.pty.send(&format!("{switch}\n"));
        let cards = chat.cards();
        if request < 8 {
            chat.says(line, answer);
            assert_eq!(chat.cards(), cards, "{}", chat.pty.screen());
        } else {
            chat.pty.send(&format!("{line}\n"));
        }
        wait::until("the model is asked", PATIENCE, || chat.server.bodies().len() > request);
        assert_eq!(chat.tools(request), opened(), "after {switch}");
    }
    assert!(chat.result(7).contains("Send order"), "the page is the same: {}", chat.result(7));
    // Closed by the model: the window and the tools go, and opening asks again.
    chat.yes_to_card(2);
    chat.pty.wait_for("open-once-more");
    assert_eq!(chat.tools(9), ["browser_open"]);
    assert_eq!(chat.tools(10), opened());
    assert!(chat.result(10).contains("Order form"), "{}", chat.result(10));
    let again = chat.window();
    assert!(again.title.contains("Order form"), "{again:?}");

    // P7: the end of tah is the window's.
    chat.pty.send("/exit\n");
    assert_eq!(chat.pty.finish(), 0);
    chat.no_window();
    world.nothing_lives();
}

#[test]
fn bp_p5_p7_a_dead_engine_asks_again_and_a_killed_tah_leaves_no_window() {
    let (world, site, display) = (World::new(), Site::with_form(), Display::start());
    world.config_playwright(json!({}));
    let mut chat = Chat::start(
        &world,
        &display,
        vec![
            open(&site.url("/")),
            model::say("open-now"),
            model::call("browser_snapshot", json!({})),
            open(&site.url("/")),
            model::say("open-anew"),
        ],
    );
    chat.pty.send("open it\n");
    chat.yes_to_card(1);
    chat.pty.wait_for("open-now");
    processes::signal(node(&world.mark()).expect("the server runs").pid, Signal::KILL);
    chat.no_window();
    // Not started behind the user's back: the tools are gone, and the next open asks.
    chat.pty.send("look\n");
    chat.yes_to_card(2);
    chat.pty.wait_for("open-anew");
    assert_eq!(chat.tools(2), ["browser_open"]);
    assert!(chat.result(3).contains("browser_snapshot"), "there is no such tool now: {}", chat.result(3));
    chat.window();
    let began = Instant::now();
    processes::signal(chat.pty.pid(), Signal::KILL);
    chat.no_window();
    world.nothing_lives();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn bp_p2_p8b_settle_without_a_display_there_is_no_window_and_it_is_said() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({"capabilities": {"browser": {"playwright": {"settleMs": 7}}}}));
    let (mark, url) = (world.mark(), site.url("/"));
    let server = ModelServer::start(move |_, number| match number {
        0 => open(&url),
        _ => {
            let command = chromium(&mark).pop().expect("Chromium runs").command;
            assert!(command.contains("--headless"), "{command}");
            let server = node(&mark).expect("the server runs").command;
            assert!(server.contains("--timeout-settle 7"), "the wait after an action is an option: {server}");
            model::say("seen")
        }
    });
    let ran = world.tah_with(&server, &["chat", "--plain", "--yes"]).stdin("look\n").run();
    ran.expect_code(0);
    assert!(ran.stderr.contains("there is no display, so the browser has no window"), "{}", ran.stderr);
    assert!(model::last_result(&server.bodies()[1]).contains("Order form"));
    world.nothing_lives();
}

#[test]
fn bp_p1_p2_p3_s3_what_is_started_and_how() {
    let (world, site, display) = (World::new(), Site::with_form(), Display::start());
    // Installed, and another one in the working folder, which a cloned repository may have brought along.
    let modules = world.home().join("playwright/node_modules");
    std::fs::create_dir_all(modules.parent().unwrap()).unwrap();
    let installed = tah_tests::node_module("@playwright/mcp/cli.js");
    std::os::unix::fs::symlink(installed.ancestors().nth(3).unwrap(), &modules).unwrap();
    let trap = "require('fs').writeFileSync('/dev/stderr', 'trapped'); process.exit(9)";
    world.file("node_modules/@playwright/mcp/cli.js", trap);
    world.file("node_modules/.bin/playwright-mcp", trap);
    let (mark, url) = (world.mark(), site.url("/"));
    let work = world.work();
    let server = ModelServer::start(move |_, number| match number {
        0 => {
            let started = |process: &Process| {
                process.command.contains("playwright") || process.command.contains("chrom")
            };
            assert!(!processes::holding(&mark).iter().any(started), "idle costs nothing");
            open(&url)
        }
        1 => {
            let node = node(&mark).expect("the server runs");
            assert_eq!(std::fs::read_link(format!("/proc/{}/cwd", node.pid)).unwrap(), work, "P2");
            model::call("browser_evaluate", json!({"function": "() => 1"}))
        }
        2 => model::say(node(&mark).expect("the server runs").command),
        _ => model::say("out of script"),
    });
    // P2: a run shows no window, also where there is a display. And npx, if anything, would be found here (P1).
    let ran = world.tah_with(&server, &["run", "--yes", "look"]).env("DISPLAY", display.name()).run();
    ran.expect_code(0);
    assert!(
        ran.stderr.contains("browser=on engine=playwright"),
        "auto takes what is installed: {}",
        ran.stderr
    );
    assert!(display.windows().is_empty());
    let (home, work) = (world.home(), world.work());
    let chrome = std::path::Path::new("/opt/google/chrome/chrome").exists();
    let root = rustix::process::geteuid().is_root();
    let mut wanted = vec![
        "node".to_owned(),
        home.join("playwright/node_modules/@playwright/mcp/cli.js").display().to_string(),
        "--browser chrome --user-data-dir".to_owned(),
        home.join("browser-profile").display().to_string(),
        "--output-dir".to_owned(),
        work.join(".tah/browser").display().to_string(),
        "--image-responses omit --headless".to_owned(),
    ];
    if !chrome {
        wanted.push("--executable-path /usr/bin/chromium".to_owned());
    }
    if root {
        wanted.push("--no-sandbox".to_owned());
        assert!(
            ran.stderr.contains("running as root") && ran.stderr.contains("--no-sandbox"),
            "{}",
            ran.stderr
        );
    }
    wanted.push("--no-webmcp --timeout-settle 100".to_owned());
    let command = ran.stdout.trim().to_owned();
    let command = command.replacen(&command[..command.find(' ').unwrap()], "node", 1);
    assert_eq!(command, wanted.join(" "));
    assert_eq!(browser_tools(&server.bodies()[1]), opened(), "P3: the door first, then the eighteen");
    let refused = model::last_result(&server.bodies()[2]);
    assert!(refused.contains("no tool `browser_evaluate`"), "{refused}");
    world.nothing_lives();
}
