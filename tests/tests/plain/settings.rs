//! Layers, strict keys and trust: what a folder may say, and who says where a value came from.

use serde_json::json;
use tah_tests::model::{ModelServer, say};
use tah_tests::tah::World;

#[test]
fn bp_s1_a_wrong_key_ends_the_start_and_is_named() {
    let world = World::new();
    world.config(&json!({"capabilities": {"browsr": true}}));
    let ran = world.tah(&["run", "hi", "--mock"]).run();
    ran.expect_code(2);
    assert!(ran.stderr.contains("unknown key capabilities.browsr"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: did you mean `capabilities.browser`?"), "{}", ran.stderr);
}

#[test]
fn an_untrusted_folder_can_not_send_the_key_elsewhere() {
    let world = World::new();
    let server = ModelServer::script(vec![say("hello")]);
    world.file("tah.config.json", json!({"baseUrl": server.url(), "model": "m"}).to_string());
    let ran = world.tah(&["run", "hi"]).run();
    ran.expect_code(2);
    assert!(ran.stderr.contains("baseUrl") && ran.stderr.contains("--trust"), "{}", ran.stderr);
    world.tah(&["run", "hi", "--yes"]).run().expect_code(2);
    assert!(server.bodies().is_empty());
    assert_eq!(world.tah(&["run", "hi", "--trust"]).run().expect_code(0).stdout, "hello\n");
    world.tah(&["run", "hi"]).run().expect_code(2);
    world.tah(&["trust"]).run().expect_code(0);
    world.tah(&["run", "hi"]).run().expect_code(0);
    world.tah(&["trust", "--revoke"]).run().expect_code(0);
    world.tah(&["run", "hi"]).run().expect_code(2);
}

#[test]
fn an_untrusted_env_file_is_not_used_and_a_tightening_config_is() {
    let world = World::new();
    world.file(".env", "OPENAI_API_KEY=sk-of-the-folder\nOTHER=1\n");
    world
        .file("tah.config.json", r#"{"capabilities": {"coding": false}, "permissions": {"deny": ["todo"]}}"#);
    let ran = world.tah(&["run", "hi"]).run();
    ran.expect_code(2);
    assert!(ran.stderr.contains("no API key"), "{}", ran.stderr);
    let printed = world.tah(&["config"]).run();
    assert!(printed.stderr.contains("OPENAI_API_KEY (.env)"), "{}", printed.stderr);
    let line = |name: &str| {
        printed.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned()
    };
    assert!(line("capabilities.coding").contains("false"), "{}", printed.stdout);
    assert!(line("capabilities.coding").ends_with("tah.config.json"), "{}", printed.stdout);
    assert!(line("capabilities.browser.enabled").contains("false"), "it follows: {}", printed.stdout);
    assert!(!printed.stdout.contains("sk-of-the-folder"));
}

#[test]
fn flags_win_over_the_environment_which_wins_over_files() {
    let world = World::new();
    let server = ModelServer::start(|body, _| say(body["model"].as_str().unwrap_or_default()));
    world.config(&json!({"baseUrl": server.url(), "model": "of-the-file"}));
    let model = |args: &[&str], variable: Option<&str>| {
        let mut tah = world.tah(args);
        if let Some(value) = variable {
            tah = tah.env("TAH_MODEL", value);
        }
        tah.run().expect_code(0).stdout.trim().to_owned()
    };
    assert_eq!(model(&["run", "hi"], None), "of-the-file");
    assert_eq!(model(&["run", "hi"], Some("of-the-environment")), "of-the-environment");
    assert_eq!(model(&["run", "hi", "--model", "of-the-flag"], Some("of-the-environment")), "of-the-flag");
}

#[test]
fn agents_md_is_told_from_the_repository_down() {
    let world = World::new();
    world.file(".git/HEAD", "ref: refs/heads/main\n");
    world.file("AGENTS.md", "outer rule\n");
    world.file("sub/AGENTS.md", "inner rule\n");
    let server = ModelServer::script(vec![say("ok")]);
    world.tah_with(&server, &["run", "hi"]).cwd(&world.work().join("sub")).run().expect_code(0);
    let system = server.bodies()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    let (outer, inner) = (system.find("outer rule").unwrap(), system.find("inner rule").unwrap());
    assert!(outer < inner, "{system}");
}
