//! A line-framed fake in place of Playwright: what the door, the lists and the cuts do, whatever the server says.

use crate::{browser_tools, open};
use serde_json::{Value, json};
use tah_tests::model::{self, ModelServer};
use tah_tests::tah::World;

/// Speaks just enough of the protocol; `browser_snapshot` is 40,000 characters long.
const FAKE: &str = include_str!("../../fixtures/fake_playwright.py");

fn faked(world: &World) {
    let server = world.home().join("fake.py");
    std::fs::write(&server, FAKE).unwrap();
    world.config(&json!({"capabilities": {"browser": {
        "engine": "playwright",
        "playwright": {"command": ["python3", server.display().to_string()]},
    }}}));
}

fn results(server: &ModelServer) -> Vec<String> {
    server.bodies().iter().skip(1).map(model::last_result).collect()
}

#[test]
fn bp_o1_o2_p3_p4_p5_p8a_widen_with_a_fake_in_its_place() {
    let world = World::new();
    faked(&world);
    let server = ModelServer::script(vec![
        open("http://one.test/"),
        open("http://two.test/"),
        model::call("browser_snapshot", json!({})),
        model::call("browser_take_screenshot", json!({})),
        model::call("browser_click", json!({"target": "e1"})),
        model::call("browser_evaluate", json!({"function": "() => 1"})),
        model::call("browser_close", json!({})),
        model::say("done"),
    ]);
    let ran = world.tah_with(&server, &["run", "--yes", "--json", "go"]).run();
    ran.expect_code(0);
    assert!(ran.stderr.contains("browser=on"), "{}", ran.stderr);
    let bodies = server.bodies();
    assert_eq!(browser_tools(&bodies[0]), ["browser_open"]);
    let mounted = [
        "browser_open",
        "browser_navigate",
        "browser_snapshot",
        "browser_click",
        "browser_take_screenshot",
        "browser_close",
    ];
    assert_eq!(browser_tools(&bodies[1]), mounted, "only what is on the list, in its order");
    for body in &bodies[1..7] {
        assert_eq!(browser_tools(body), mounted, "what it lists later (`list_changed`) widens nothing");
    }
    assert_eq!(browser_tools(bodies.last().unwrap()), ["browser_open"]);
    let results = results(&server);
    assert!(results[0].contains("opened"), "{}", results[0]);
    assert!(results[1].contains("already open") && results[1].contains("two.test"), "{}", results[1]);
    let suffix = "[truncated: 10000 more chars — use browser_find to search the page]";
    assert!(results[2].contains(suffix), "{}", &results[2][results[2].len() - 200..]);
    assert_eq!(results[2].matches('é').count(), 30_000);
    assert!(results[3].contains("saved\n[image omitted]"), "{}", results[3]);
    assert!(!results[3].contains("AAAA"));
    assert!(results[4].contains("### Error\nno such thing"), "unchanged: {}", results[4]);
    assert!(results[5].contains("no tool `browser_evaluate`"), "{}", results[5]);
    let ends: Vec<Value> = ran.events().into_iter().filter(|event| event["type"] == "tool.end").collect();
    assert_eq!(ends[0]["result"], "opened");
    assert_eq!(ends[1]["result"], "already open");
    assert_eq!(ends[4]["ok"], false, "isError is a failed call");
    world.nothing_lives();
}

#[test]
fn bp_s1_s2_switched_off() {
    for (args, config) in [
        (&["run", "--yes", "hi"][..], json!({"capabilities": {"browser": false}})),
        (&["run", "--yes", "hi"][..], json!({"capabilities": {"web": false}})),
        (&["run", "--yes", "hi"][..], json!({"capabilities": {"coding": false}})),
        (&["run", "--yes", "--browser", "off", "hi"][..], json!({})),
    ] {
        let world = World::new();
        world.config(&config);
        let server = ModelServer::script(vec![model::say("hi")]);
        let ran = world.tah_with(&server, args).run();
        ran.expect_code(0);
        assert_eq!(browser_tools(&server.bodies()[0]), Vec::<String>::new(), "{config}");
        assert!(!ran.stderr.contains("browser=on"), "{}", ran.stderr);
    }
    for config in [
        json!({"capabilities": {"browser": "sometimes"}}),
        json!({"capabilities": {"browser": {"engin": "native"}}}),
        json!({"capabilities": {"brwoser": true}}),
    ] {
        let world = World::new();
        world.config(&config);
        let ran = world.tah(&["run", "--mock", "hi"]).run();
        assert_eq!(ran.code, 2, "{config}: {}", ran.stderr);
        assert!(ran.stderr.contains("browser") || ran.stderr.contains("engin"), "{}", ran.stderr);
    }
}

#[test]
fn bp_o5_no_chrome_on_the_machine() {
    let world = World::new();
    world.config_playwright(json!({"capabilities": {"browser": {"executablePath": "/no/such/chrome"}}}));
    // A PATH with node and the shell's tools, and no browser on it.
    let bin = world.home().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let node =
        std::env::split_paths(&path).map(|folder| folder.join("node")).find(|file| file.is_file()).unwrap();
    std::os::unix::fs::symlink(node, bin.join("node")).unwrap();
    let server = ModelServer::script(vec![open("http://127.0.0.1:9/"), model::say("no browser here")]);
    let ran = world.tah_with(&server, &["run", "--yes", "look"]).env("PATH", bin.display().to_string()).run();
    ran.expect_code(0);
    let result = model::last_result(&server.bodies()[1]);
    assert!(result.contains("/no/such/chrome") || result.contains("is not found at"), "{result}");
    assert_eq!(browser_tools(&server.bodies()[1]), ["browser_open"]);
    world.nothing_lives();
}
