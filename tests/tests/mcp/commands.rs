//! `tah mcp list | test | call`.

use crate::servers;
use serde_json::json;
use tah_tests::site::Site;
use tah_tests::tah::World;

fn git_folder(world: &World) {
    let made = std::process::Command::new("git").args(["init", "-q"]).arg(world.work()).status().unwrap();
    assert!(made.success());
}

#[test]
fn bp_m7_every_public_server_lists_and_answers() {
    let world = World::new();
    git_folder(&world);
    world.config(&servers::public(&world.work()));
    world.file("a.txt", "inside");
    let ran = world.tah(&["mcp", "list"]).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in ["everything", "files", "memory", "thinking", "fetch", "git", "time"] {
        let line =
            ran.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{ran:?}"));
        assert!(line.contains("ok") && line.contains(" ms") && line.contains("tools"), "{line}");
    }
    let site = Site::builder().page("/", "<h1>Hello 读取</h1>").start();
    let path = world.work().display().to_string();
    let calls = [
        ("everything", "echo", json!({"message": "读取"}), "Echo: 读取"),
        ("files", "read_text_file", json!({"path": format!("{path}/a.txt")}), "inside"),
        ("memory", "read_graph", json!({}), "entities"),
        (
            "thinking",
            "sequentialthinking",
            json!({"thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}),
            "thoughtNumber",
        ),
        ("fetch", "fetch", json!({"url": site.url("/"), "raw": true}), "Hello 读取"),
        ("git", "git_status", json!({"repo_path": path}), "a.txt"),
        ("time", "get_current_time", json!({"timezone": "Asia/Shanghai"}), "Asia/Shanghai"),
    ];
    for (server, tool, arguments, words) in calls {
        let ran = world.tah(&["mcp", "call", server, tool, &arguments.to_string()]).run();
        assert!(ran.code == 0 && ran.stdout.contains(words), "{server}: {ran:?}");
    }
    world.nothing_lives();
}

#[test]
fn m3_a_failing_server_is_named_with_its_words() {
    let world = World::new();
    world.config(&json!({"extensions": {"mcp": {
        "good": servers::faulty(&[]),
        "dies": servers::faulty(&["dies-at-start"]),
        "missing": {"command": "no-such-program-anywhere"},
    }}}));
    let ran = world.tah(&["mcp", "list"]).run();
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.lines().any(|line| line.starts_with("good") && line.contains("ok")), "{ran:?}");
    assert!(ran.stdout.lines().any(|line| line.starts_with("dies") && line.contains("failed")), "{ran:?}");
    assert!(ran.stderr.contains("no module named sqlite") && ran.stderr.contains("status 3"), "{ran:?}");
    assert!(ran.stderr.contains("no-such-program-anywhere"), "{ran:?}");
    let ran = world.tah(&["mcp", "test", "dies"]).run();
    assert!(ran.code == 1 && ran.stderr.contains("no module named sqlite"), "{ran:?}");
    let ran = world.tah(&["mcp", "test", "good"]).run();
    assert!(
        ran.code == 0 && ran.stdout.contains("ping answered in") && ran.stdout.contains("say.it"),
        "{ran:?}"
    );
    world.nothing_lives();
}

#[test]
fn m3_a_public_server_that_dies_at_start_says_why() {
    // It was made for the first generation of its library and meets the second.
    let world = World::new();
    let database = world.work().join("a.db").display().to_string();
    let server = servers::python("mcp-server-sqlite", &["--db-path", &database]);
    world.config(&json!({"extensions": {"mcp": {"sqlite": server}}}));
    let ran = world.tah(&["mcp", "test", "sqlite"]).run();
    assert!(ran.code == 1 && ran.stdout.is_empty(), "{ran:?}");
    assert!(ran.stderr.contains("exited with status 1") && ran.stderr.contains("AttributeError"), "{ran:?}");
    world.nothing_lives();
}

#[test]
fn mistakes_are_usage_errors() {
    let world = World::new();
    world.config(&json!({"extensions": {"mcp": {"good": servers::faulty(&[])}}}));
    for args in [
        &["mcp", "test", "goood"][..],
        &["mcp", "call", "good", "echo", "no json"],
        &["mcp", "call", "good", "echo", "[1]"],
    ] {
        let ran = world.tah(args).run();
        assert!(ran.code == 2 && ran.stderr.contains("hint: "), "{ran:?}");
    }
    // a failed call is a failure, and says so on stderr
    let ran = world.tah(&["mcp", "call", "good", "exit"]).run();
    assert!(ran.code == 1 && ran.stdout.is_empty() && ran.stderr.contains("out of memory"), "{ran:?}");
    world.nothing_lives();
}

#[test]
fn variables_are_put_in_and_missing_ones_named() {
    let world = World::new();
    let mut server = servers::faulty(&[]);
    server["env"] = json!({"TOKEN": "${MY_TOKEN}", "OPENAI_API_KEY": "its own"});
    world.config(&json!({"extensions": {"mcp": server}}));
    let ran = world
        .tah(&["mcp", "call", "mcp", "environment"])
        .env("MY_TOKEN", "t1")
        .env("DEEPSEEK_API_KEY", "k")
        .run();
    assert!(ran.code == 0 && ran.stdout.contains(r#""TOKEN": "t1""#), "{ran:?}");
    // X6: keys of model providers stay with tah, unless they are given to the server
    assert!(
        !ran.stdout.contains("DEEPSEEK_API_KEY") && ran.stdout.contains(r#""OPENAI_API_KEY": "its own""#),
        "{ran:?}"
    );
    let ran = world.tah(&["mcp", "list"]).run();
    assert!(ran.code == 2 && ran.stderr.contains("MY_TOKEN is not set"), "{ran:?}");
}
