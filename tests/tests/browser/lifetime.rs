//! tah ends, however it does: its browser ends too, and the session goes on.

use crate::open;
use rustix::process::Signal;
use serde_json::json;
use std::time::{Duration, Instant};
use tah_tests::model::{self, ModelServer};
use tah_tests::site::Site;
use tah_tests::tah::World;
use tah_tests::{processes, wait};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn bp_p7_every_end_of_tah_in_a_browser_call_ends_the_browser() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::KILL, 137)] {
        let (world, site) = (World::new(), Site::with_form());
        world.config_playwright(json!({}));
        let url = site.url("/");
        let server = ModelServer::start(move |_, number| match number {
            0 => open(&url),
            1 => model::call("browser_wait_for", json!({"time": 25})),
            _ => model::say("went on"),
        });
        let running = world.tah_with(&server, &["run", "--yes", "--json", "wait there"]).spawn();
        wait::until("the browser call runs", PATIENCE, || {
            running.stdout().contains("\"tool\":\"browser_wait_for\"")
        });
        assert!(processes::holding(&world.mark()).len() > 3, "node and Chromium run");
        let began = Instant::now();
        running.signal(signal);
        let ran = running.finish();
        ran.expect_code(code);
        let mark = world.mark();
        wait::until("all its processes are gone", Duration::from_secs(3), || {
            processes::holding(&mark).iter().all(|process| process.state == 'Z')
        });
        assert!(began.elapsed() < Duration::from_secs(4), "{signal:?}: {:?}", began.elapsed());
        let path = world.sessions().pop().expect("a session");
        let id = path.file_stem().unwrap().to_str().unwrap().rsplit('-').next().unwrap().to_owned();
        let ran = world.tah_with(&server, &["run", "--session", &id, "go on"]).run();
        ran.expect_code(0);
        assert_eq!(ran.stdout, "went on\n", "{signal:?}");
        assert!(model::last_result(&server.bodies()[2]).contains("may have happened"));
        assert_eq!(server.faults(), Vec::<String>::new());
    }
}

#[test]
fn bp_p5_a_playwright_that_dies_unmounts_its_tools() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let url = site.url("/");
    let mark = world.mark();
    let server = ModelServer::start(move |_, number| match number {
        0 => open(&url),
        1 => {
            let node = processes::holding(&mark)
                .into_iter()
                .find(|process| process.command.starts_with("node ") && process.command.contains("cli.js"))
                .expect("the server runs");
            processes::signal(node.pid, Signal::KILL);
            model::call("browser_snapshot", json!({}))
        }
        _ => model::say("gone"),
    });
    world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
    let bodies = server.bodies();
    let result = model::last_result(&bodies[2]);
    assert!(result.contains("SIGKILL") || result.contains("signal 9"), "it says how it ended: {result}");
    assert_eq!(crate::browser_tools(&bodies[2]), ["browser_open"]);
    world.nothing_lives();
}

#[test]
fn bp_p8a_restart_is_said() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let url = site.url("/");
    let mark = world.mark();
    let server = ModelServer::start(move |_, number| match number {
        0 => open(&url),
        1 => {
            let chrome = processes::holding(&mark)
                .into_iter()
                .find(|process| {
                    process.command.contains("--remote-debugging-pipe")
                        && !process.command.contains("--type=")
                })
                .expect("Chromium runs");
            processes::signal(chrome.pid, Signal::KILL);
            wait::until("Chromium is gone", PATIENCE, || {
                processes::holding(&mark)
                    .iter()
                    .all(|process| process.pid != chrome.pid || process.state == 'Z')
            });
            model::call("browser_snapshot", json!({}))
        }
        _ => model::say("seen"),
    });
    world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
    let result = model::last_result(&server.bodies()[2]);
    assert!(result.contains("the browser was restarted, the page is lost"), "{result}");
}

#[test]
fn bp_p8a_loops_a_page_that_never_rests_does_not_hang_the_call() {
    let world = World::new();
    let site =
        Site::builder().page("/", "<title>loops</title><button onclick='for(;;);'>forever</button>").start();
    world.config_playwright(json!({"capabilities": {"browser": {"callTimeoutMs": 4000}}}));
    let url = site.url("/");
    let server = ModelServer::start(move |body, number| match number {
        0 => open(&url),
        1 => model::call(
            "browser_click",
            json!({"element": "x", "target": crate::door::reference(body, "forever")}),
        ),
        2 => open(&url),
        _ => model::say("free again"),
    });
    let began = Instant::now();
    let ran = world.tah_with(&server, &["run", "--yes", "click"]).run();
    ran.expect_code(0);
    let bodies = server.bodies();
    let result = model::last_result(&bodies[2]);
    assert!(result.contains("tab"), "it says that the tab was closed: {result}");
    assert!(model::last_result(&bodies[3]).contains("loops"), "{}", model::last_result(&bodies[3]));
    assert!(began.elapsed() < Duration::from_secs(45), "{:?}", began.elapsed());
    world.nothing_lives();
}
