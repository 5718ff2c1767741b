//! What `tah run` does with its streams: quiet ends, no escapes, nothing of a model that reaches the terminal raw.

use serde_json::json;
use std::process::{Command, Stdio};
use tah_tests::model::{self, ModelServer};
use tah_tests::tah::{World, binary};

#[test]
fn a_broken_pipe_ends_quietly() {
    let world = World::new();
    world.file("README.md", "# Teapot\n");
    let shell = format!("'{}' run --mock --json 'describe this folder' | head -1", binary().display());
    let out = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {shell}")])
        .current_dir(world.work())
        .env("TAH_HOME", world.home())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(!stderr.contains("panicked") && !stderr.contains("roken pipe"), "{stderr}");
    assert!(String::from_utf8_lossy(&out.stdout).starts_with("{\"type\":\"session\""));
}

#[test]
fn u8_escapes_of_a_model_or_a_tool_reach_no_stream() {
    let world = World::new();
    world.file("evil.txt", "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2Jgotcha\u{202e}\n");
    let server = ModelServer::script(vec![
        model::call("read_file", json!({"path": "evil.txt\u{1b}[31m"})),
        model::call("read_file", json!({"path": "evil.txt"})),
        model::say("\u{1b}]0;title\u{7}plain\u{1b}[2J\u{202e}text"),
    ]);
    let ran = world.tah_with(&server, &["run", "look"]).run();
    ran.expect_code(0);
    for stream in [&ran.stdout, &ran.stderr] {
        assert!(!stream.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{stream:?}");
    }
    assert!(ran.stdout.contains("plain"), "{:?}", ran.stdout);
}

#[test]
fn quiet_says_nothing_but_the_answer() {
    let world = World::new();
    let server = ModelServer::script(vec![model::call("list_files", json!({})), model::say("here")]);
    let ran = world.tah_with(&server, &["run", "--quiet", "look"]).run();
    ran.expect_code(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("here\n", ""));
}
