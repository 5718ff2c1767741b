//! The native engine through the same door: a Chrome and nothing else.

use crate::{browser_tools, open};
use serde_json::{Value, json};
use std::time::Duration;
use tah_tests::model::{self, ModelServer};
use tah_tests::site::{Site, html};
use tah_tests::tah::World;
use tah_tests::{processes, wait};

const PATIENCE: Duration = Duration::from_secs(60);

/// The ref of the element whose line in the last result holds `what`.
fn reference(body: &Value, what: &str) -> String {
    let result = model::last_result(body).replace("\\\"", "\"").replace("\\n", "\n");
    let line = result.lines().find(|line| line.contains(what) && line.trim_start().starts_with('e'));
    let line = line.unwrap_or_else(|| panic!("{what} is not listed:\n{result}"));
    line.trim_start().split(' ').next().expect("a ref").to_owned()
}

#[test]
fn a_form_is_filled_and_submitted_with_a_chrome_and_nothing_else() {
    let (world, site) = (World::new(), Site::with_form());
    let url = site.url("/");
    let server = ModelServer::start(move |body, number| match number {
        0 => open(&url),
        1 => model::call(
            "browser_fill",
            json!({"fields": [
                {"label": "Name", "value": "Ada 你好"},
                {"name": "colour", "value": "green"},
                {"label": "I agree", "value": true},
            ]}),
        ),
        2 => model::call("browser_click", json!({"target": "text=Send order"})),
        3 => model::call("browser_snapshot", json!({})),
        _ => {
            assert!(body["messages"].as_array().unwrap().len() > 8);
            model::say("The order was received.")
        }
    });
    // No Node on the PATH: auto is native.
    let ran = world
        .tah_with(&server, &["run", "--yes", "--json", "order something green"])
        .env("PATH", "/usr/bin:/bin")
        .run();
    ran.expect_code(0);
    assert!(ran.stderr.contains("engine=native"), "{}", ran.stderr);
    let results: Vec<String> = server.bodies().iter().skip(1).map(model::last_result).collect();
    let visits = site.visits();
    let sent =
        visits.iter().find(|visit| visit.path == "/done").unwrap_or_else(|| panic!("not sent: {results:#?}"));
    for part in ["name=Ada+%E4%BD%A0%E5%A5%BD", "colour=green", "agree=on"] {
        assert!(sent.body.contains(part), "{}", sent.body);
    }
    assert!(results[3].contains("Thank you"), "{}", results[3]);
    let bodies = server.bodies();
    assert_eq!(browser_tools(&bodies[0]), ["browser_open"]);
    assert!(browser_tools(&bodies[1]).len() > 33, "{:?}", browser_tools(&bodies[1]));
    world.nothing_lives();
}

#[test]
fn bp_p8a_logins_are_kept_and_the_profile_is_shared_by_both_engines() {
    let world = World::new();
    let site = Site::builder()
        .on("/login", |_| {
            html("<title>in</title>welcome").header("set-cookie", "who=ada; Max-Age=86400; Path=/")
        })
        .on("/me", |visit| {
            let cookie =
                visit.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or("nobody");
            html(format!("<title>{cookie}</title><button>{cookie}</button>"))
        })
        .start();
    let server = ModelServer::script(vec![open(&site.url("/login")), model::say("in")]);
    world.tah_with(&server, &["run", "--yes", "--browser", "native", "log in"]).run().expect_code(0);
    let server = ModelServer::script(vec![open(&site.url("/me")), model::say("me")]);
    world.tah_with(&server, &["run", "--yes", "--browser", "native", "who am I"]).run().expect_code(0);
    assert!(
        model::last_result(&server.bodies()[1]).contains("who=ada"),
        "{}",
        model::last_result(&server.bodies()[1])
    );
    world.config_playwright(json!({}));
    let server = ModelServer::script(vec![open(&site.url("/me")), model::say("me")]);
    world.tah_with(&server, &["run", "--yes", "--browser", "playwright", "who am I"]).run().expect_code(0);
    assert!(
        model::last_result(&server.bodies()[1]).contains("who=ada"),
        "{}",
        model::last_result(&server.bodies()[1])
    );
}

#[test]
fn bp_a3_what_leaves_the_browser_asks_and_the_rest_does_not() {
    let (world, site) = (World::new(), Site::with_form());
    let server = ModelServer::script(vec![
        open(&site.url("/")),
        model::call("browser_execute", json!({"script": "return 6 * 7"})),
        model::call("browser_get_value", json!({"target": "css=input[name=name]"})),
        model::say("done"),
    ]);
    // Everything is allowed by a rule but the door and uploads, which no rule silences: so the door is refused, and
    // with it all that follows.
    let ran = world.tah_with(&server, &["run", "--browser", "native", "--allow", "*", "look"]).run();
    ran.expect_code(4);
    assert_eq!(site.visits().len(), 0);
    let server = ModelServer::script(vec![
        open(&site.url("/")),
        model::call("browser_execute", json!({"script": "return 6 * 7"})),
        model::say("done"),
    ]);
    let ran = world
        .tah_with(&server, &["run", "--browser", "native", "--yes", "--deny", "browser_execute", "look"])
        .run();
    ran.expect_code(4);
    assert!(model::last_result(&server.bodies()[2]).contains("denied by the rule"));
}

#[test]
fn b75_a_killed_browser_is_started_again_and_it_is_said() {
    let (world, site) = (World::new(), Site::with_form());
    let url = site.url("/");
    let mark = world.mark();
    let server = ModelServer::start(move |_, number| match number {
        0 => open(&url),
        1 => {
            let is_browser = |process: &processes::Process| {
                process.command.contains("--remote-debugging-pipe")
                    && !process.command.contains("--type=")
                    && !process.command.contains("__child")
            };
            let chrome = processes::holding(&mark).into_iter().find(is_browser).expect("Chromium runs");
            processes::signal(chrome.pid, rustix::process::Signal::KILL);
            wait::until("Chromium is gone", PATIENCE, || {
                processes::holding(&mark)
                    .iter()
                    .all(|process| process.pid != chrome.pid || process.state == 'Z')
            });
            model::call("browser_snapshot", json!({}))
        }
        _ => model::say("seen"),
    });
    world.tah_with(&server, &["run", "--yes", "--browser", "native", "look"]).run().expect_code(0);
    let result = model::last_result(&server.bodies()[2]);
    // Said by the new browser, or by the call that met the old one's end.
    assert!(result.contains("the page is lost"), "{result}");
    world.nothing_lives();
}

#[test]
fn bp_p7_every_end_of_tah_ends_the_native_browser() {
    use rustix::process::Signal;
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::KILL, 137)] {
        let (world, site) = (World::new(), Site::with_form());
        let url = site.url("/");
        let server = ModelServer::start(move |_, number| match number {
            0 => open(&url),
            1 => model::call("browser_wait", json!({"selector": "#never", "timeoutMs": 25000})),
            _ => model::say("went on"),
        });
        let running =
            world.tah_with(&server, &["run", "--yes", "--json", "--browser", "native", "wait"]).spawn();
        wait::until("the call runs", PATIENCE, || running.stdout().contains("\"tool\":\"browser_wait\""));
        running.signal(signal);
        running.finish().expect_code(code);
        let mark = world.mark();
        wait::until("all its processes are gone", Duration::from_secs(3), || {
            processes::holding(&mark).iter().all(|process| process.state == 'Z')
        });
        let ran = world.tah_with(&server, &["run", "--continue", "go on"]).run();
        ran.expect_code(0);
        assert_eq!(server.faults(), Vec::<String>::new());
    }
}

#[test]
fn a_ref_of_the_snapshot_can_be_pressed() {
    let (world, site) = (World::new(), Site::with_form());
    let url = site.url("/");
    let server = ModelServer::start(move |body, number| match number {
        0 => open(&url),
        1 => model::call("browser_click", json!({"target": reference(body, "Send order")})),
        _ => model::say("sent"),
    });
    world.tah_with(&server, &["run", "--yes", "--browser", "native", "send"]).run().expect_code(0);
    assert!(site.visits().iter().any(|visit| visit.path == "/done"));
}
