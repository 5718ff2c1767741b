//! The way through the door and back, on a real form in a real Chromium.

use crate::{MOUNTED, browser_tools, open};
use serde_json::{Value, json};
use tah_tests::model::{self, ModelServer, Reply};
use tah_tests::site::Site;
use tah_tests::tah::World;

/// The ref of the element whose line in the last snapshot holds `what`.
pub fn reference(body: &Value, what: &str) -> String {
    let snapshot = model::last_result(body);
    let line = snapshot
        .lines()
        .find(|line| line.contains(what) && line.contains("[ref="))
        .unwrap_or_else(|| panic!("{what} is not in the snapshot:\n{snapshot}"));
    line.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).expect("a ref").to_owned()
}

/// Fills the form of [`Site::with_form`] the way a model would.
pub fn form_script(url: String) -> impl FnMut(&Value, usize) -> Reply + Send {
    let mut send = String::new();
    move |body, number| match number {
        0 => open(&url),
        1 => {
            // The door's result ends with the snapshot, so its refs can be used at once (P8b).
            send = reference(body, "Send order");
            model::call(
                "browser_fill_form",
                json!({"fields": [
                    {"target": reference(body, "textbox \"Name\""), "name": "Name", "type": "textbox", "value": "Ada 你好"},
                    {"target": reference(body, "combobox"), "name": "Colour", "type": "combobox", "value": "green"},
                    {"target": reference(body, "checkbox"), "name": "I agree", "type": "checkbox", "value": "true"},
                ]}),
            )
        }
        2 => model::call("browser_click", json!({"element": "Send order", "target": send})),
        3 => model::call("browser_snapshot", json!({})),
        4 => {
            let seen = model::last_result(body);
            assert!(seen.contains("Order received"), "{seen}");
            model::say("The order was received.")
        }
        _ => model::say("out of script"),
    }
}

#[test]
fn bp_o1_a_form_is_filled_and_submitted_for_real() {
    for json_lines in [false, true] {
        let (world, site) = (World::new(), Site::with_form());
        world.config_playwright(json!({}));
        let server = ModelServer::start(form_script(site.url("/")));
        let mut args = vec!["run", "--yes", "order something green"];
        if json_lines {
            args.insert(1, "--json");
        }
        let ran = world.tah_with(&server, &args).run();
        ran.expect_code(0);
        if json_lines {
            assert_eq!(ran.events().last().unwrap()["reason"], "finished");
        } else {
            assert_eq!(ran.stdout, "The order was received.\n");
        }
        let visits = site.visits();
        let sent = visits.iter().find(|visit| visit.path == "/done").expect("the form was submitted");
        assert_eq!(sent.method, "POST");
        for part in ["name=Ada+%E4%BD%A0%E5%A5%BD", "colour=green", "agree=on"] {
            assert!(sent.body.contains(part), "{}", sent.body);
        }
        world.nothing_lives();
        let profile = world.home().join("browser-profile");
        for lock in ["SingletonLock", "SingletonCookie", "SingletonSocket"] {
            assert!(
                !profile.join(lock).exists() && profile.join(lock).read_link().is_err(),
                "{lock} is left"
            );
        }
        assert_eq!(server.faults(), Vec::<String>::new());
    }
}

#[test]
fn bp_s3_o4_p5_the_tool_list_follows_the_door() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let server = ModelServer::script(vec![
        open(&site.url("/")),
        model::call("browser_close", json!({})),
        model::say("closed"),
    ]);
    world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
    let bodies = server.bodies();
    assert_eq!(browser_tools(&bodies[0]), ["browser_open"]);
    let mut opened = vec!["browser_open"];
    opened.extend(MOUNTED);
    assert_eq!(browser_tools(&bodies[1]), opened);
    assert_eq!(browser_tools(&bodies[2]), ["browser_open"]);
    let door = |body: &Value| {
        let tools = body["tools"].as_array().unwrap().clone();
        tools.into_iter().find(|tool| tool["function"]["name"] == "browser_open").unwrap()
    };
    let closed = door(&bodies[0]);
    assert!(closed.to_string().chars().count() < 600, "{} characters: {closed}", closed.to_string().len());
    assert_eq!(closed, door(&bodies[1]), "one schema, the same before and after opening");
    // Everything before the browser's tools stays as it was, so that the provider's cache is hit.
    let plain = |body: &Value| {
        let names = model::tool_names(body);
        names.into_iter().filter(|name| !name.starts_with("browser_")).collect::<Vec<_>>()
    };
    assert_eq!(plain(&bodies[0]), plain(&bodies[1]));
    let result = model::last_result(&bodies[1]);
    assert!(result.contains("opened"), "{result}");
    assert!(result.contains("Order form"), "the door's result ends with the page: {result}");
}

#[test]
fn bp_o1_a_failed_navigation_leaves_the_browser_open() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let server = ModelServer::script(vec![
        open("http://127.0.0.1:9/"),
        model::call("browser_navigate", json!({"url": site.url("/")})),
        model::call("browser_snapshot", json!({})),
        model::say("there"),
    ]);
    world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
    let bodies = server.bodies();
    let result = model::last_result(&bodies[1]);
    assert!(result.contains("opened") && result.contains("ERR_"), "{result}");
    assert!(!result.contains('\u{1b}'), "{result:?}");
    assert!(browser_tools(&bodies[1]).contains(&"browser_click".to_owned()));
    // A good navigation right after a failed one works (P8a).
    assert!(model::last_result(&bodies[3]).contains("Send order"), "{}", model::last_result(&bodies[3]));
}

#[test]
fn bp_o2_o3_open_again_and_without_a_url() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let server = ModelServer::script(vec![
        model::call("browser_open", json!({})),
        open(&site.url("/").replace("http://", "")),
        model::call("browser_open", json!({})),
        model::say("there"),
    ]);
    world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
    let results: Vec<String> = server.bodies().iter().skip(1).map(model::last_result).collect();
    assert!(results[0].contains("about:blank"), "{}", results[0]);
    assert!(results[1].contains("already open") && results[1].contains("Order form"), "{}", results[1]);
    assert!(results[2].contains("already open"), "{}", results[2]);
}
