//! Playwright MCP is not there yet: the card says that yes installs it, and it is; without npm the advice is given (P1).

use crate::open;
use serde_json::json;
use std::path::PathBuf;
use tah_tests::model::{self, ModelServer};
use tah_tests::pty::Pty;
use tah_tests::site::Site;
use tah_tests::tah::World;

/// npm's cache, which the set-up has filled with the very packages: nothing is fetched here.
fn npm_cache() -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from).expect("HOME");
    home.join(".npm").display().to_string()
}

#[test]
fn bp_p1_yes_also_installs_it() {
    let (world, site) = (World::new(), Site::with_form());
    world.config(&json!({"capabilities": {"browser": {"engine": "playwright"}}}));
    let server = ModelServer::script(vec![open(&site.url("/")), model::say("the form is open")]);
    let cache = npm_cache();
    let url = server.url();
    let variables = [
        ("TAH_BASE_URL", url.as_str()),
        ("TAH_MODEL", "scripted"),
        ("npm_config_cache", cache.as_str()),
        ("npm_config_offline", "true"),
    ];
    let mut pty = Pty::start(&world, &["run", "open the form"], &variables, 40, 160);
    let screen = pty.wait_for("Open browser");
    assert!(screen.contains("install") && screen.contains("npm"), "{screen}");
    pty.send("y\n");
    let screen = pty.wait_for("the form is open");
    assert_eq!(pty.finish(), 0, "{screen}");
    assert!(world.home().join("playwright/node_modules/@playwright/mcp/cli.js").is_file());
    assert!(model::last_result(&server.bodies()[1]).contains("Order form"));
    world.nothing_lives();
}

#[test]
fn bp_p1_without_npm_the_advice_is_given() {
    let world = World::new();
    world.config(&json!({"capabilities": {"browser": {"engine": "playwright"}}}));
    let server = ModelServer::script(vec![open("http://127.0.0.1/"), model::say("no")]);
    let ran = world.tah_with(&server, &["run", "--yes", "look"]).env("PATH", "/nowhere").run();
    ran.expect_code(0);
    let result = model::last_result(&server.bodies()[1]);
    assert!(result.contains("tah browser install"), "{result}");
    let ran = world.tah(&["browser", "install"]).env("PATH", "/nowhere").run();
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("npm"), "{}", ran.stderr);
}
