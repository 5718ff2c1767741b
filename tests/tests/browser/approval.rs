//! Who is asked about the browser, and when.

use crate::{browser_tools, open};
use serde_json::json;
use tah_tests::model::{self, ModelServer};
use tah_tests::pty::Pty;
use tah_tests::site::Site;
use tah_tests::tah::World;

#[test]
fn bp_a4_nobody_there_to_ask_is_a_refusal() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let server = ModelServer::script(vec![open(&site.url("/")), model::say("I could not look.")]);
    let ran = world.tah_with(&server, &["run", "look"]).run();
    ran.expect_code(4);
    assert!(ran.stderr.contains("browser_open"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "I could not look.\n");
    assert_eq!(browser_tools(&server.bodies()[1]), ["browser_open"]);
    assert_eq!(site.visits().len(), 0);
    world.nothing_lives();
}

#[test]
fn bp_a1_no_rule_silences_the_door() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let server = ModelServer::script(vec![open(&site.url("/")), model::say("no")]);
    let ran = world.tah_with(&server, &["run", "--allow", "browser_open", "--allow", "*", "look"]).run();
    ran.expect_code(4);
    assert_eq!(site.visits().len(), 0);
}

#[test]
fn bp_a1_a2_at_a_terminal_the_door_asks_once_and_an_upload_every_time() {
    const PAGE: &str = "<!doctype html><title>Upload</title><input type=file multiple>";
    let world = World::new();
    let site = Site::builder().page("/", PAGE).start();
    let file = world.file("letter.txt", "dear sir");
    let path = file.display().to_string();
    world.config_playwright(json!({}));
    let url = site.url("/");
    let again = url.clone();
    let server = ModelServer::start(move |body, number| match number {
        0 => open(&url),
        1 => open(&again),
        2 => {
            let input = crate::door::reference(body, "button");
            model::call("browser_click", json!({"element": "file", "target": input}))
        }
        3 => model::call("browser_file_upload", json!({"paths": [path]})),
        4 => model::call("browser_snapshot", json!({})),
        5 => {
            let input = crate::door::reference(body, "button");
            model::call("browser_click", json!({"element": "file", "target": input}))
        }
        6 => model::call("browser_file_upload", json!({"paths": [path]})),
        _ => model::say("uploaded twice, asked each time"),
    });
    let variables = [("TAH_BASE_URL", server.url()), ("TAH_MODEL", "scripted".to_owned())];
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut pty = Pty::start(&world, &["run", "upload the letter"], &variables, 40, 160);
    let screen = pty.wait_for("Open browser");
    assert!(screen.contains(&site.url("/")), "{screen}");
    pty.send("y\n");
    let card = format!("{}", file.display());
    pty.wait_for(&card);
    pty.send("y\n");
    tah_tests::wait::until("the second upload asks too", std::time::Duration::from_secs(30), || {
        pty.screen().matches("Upload files").count() == 2 && pty.screen().trim_end().ends_with(':')
    });
    pty.send("n\n");
    pty.wait_for("uploaded twice");
    assert_eq!(pty.finish(), 4, "the second upload was denied");
    let screen = pty.screen();
    assert_eq!(screen.matches("Open browser").count(), 1, "a second open does not ask:\n{screen}");
    world.nothing_lives();
}
