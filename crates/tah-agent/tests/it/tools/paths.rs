//! Confinement, by case, through every file tool.

use super::{Bench, link};
use serde_json::{Value, json};
use std::fs;
use tah_agent::tools::PrivateHosts;
use tah_os::path::Roots;

/// Every file tool on a path.
fn on(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": path})),
        ("list_files", json!({"directory": path})),
        ("glob", json!({"pattern": "*", "directory": path})),
        ("grep", json!({"pattern": "secret", "directory": path})),
        ("write_file", json!({"path": path, "content": "stolen"})),
        ("edit_file", json!({"path": path, "edits": [{"old": "secret", "new": "stolen"}]})),
    ]
}

#[tokio::test]
async fn p1_a_link_to_a_folder_outside_leads_nowhere() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x"), "the secret\n").unwrap();
    link(outside.path(), bench.path("out"));
    for path in ["out", "out/x", "out/new"] {
        for (tool, input) in on(path) {
            let fault = bench.fault(tool, input).await;
            assert!(!fault.contains("the secret"), "{tool} {path}: {fault}");
        }
    }
    assert_eq!(fs::read_to_string(outside.path().join("x")).unwrap(), "the secret\n");
    assert!(!outside.path().join("new").exists());
    // Nor do walks go through it.
    assert!(bench.ok("grep", json!({"pattern": "secret"})).await.contains("no matches"));
    assert!(!bench.ok("list_files", json!({"depth": 9})).await.contains("out/x"));
    assert!(!bench.ok("glob", json!({"pattern": "**/x"})).await.contains("out/x"));
}

#[tokio::test]
async fn p2_a_link_as_the_last_name_is_not_written_through() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("victim"), "secret\n").unwrap();
    link(outside.path().join("victim"), bench.path("notes.md"));
    link(outside.path().join("new"), bench.path("d"));
    for path in ["notes.md", "d"] {
        for (tool, input) in on(path) {
            bench.fault(tool, input).await;
        }
    }
    assert_eq!(fs::read_to_string(outside.path().join("victim")).unwrap(), "secret\n");
    assert!(!outside.path().join("new").exists());
}

#[tokio::test]
async fn p3_a_root_that_is_a_link_works() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    link("real", folder.path().join("ws"));
    let roots = Roots::open(&folder.path().join("ws")).unwrap();
    let given = folder.path().join("ws/f");
    let bench = Bench::with(folder, roots, PrivateHosts::Ask);
    bench.ok("write_file", json!({"path": "f", "content": "here\n"})).await;
    assert!(bench.ok("read_file", json!({"path": given})).await.contains("here"));
    assert_eq!(bench.ok("glob", json!({"pattern": "*"})).await, "f\n");
    assert!(bench.ok("grep", json!({"pattern": "here"})).await.starts_with("f\n1: here\n"));
}

#[tokio::test]
async fn p4_strange_names_are_refused_and_twins_are_outside() {
    let parent = tempfile::tempdir().unwrap();
    fs::create_dir(parent.path().join("ws")).unwrap();
    fs::create_dir(parent.path().join("ws-evil")).unwrap();
    fs::write(parent.path().join("ws-evil/x"), "secret\n").unwrap();
    let roots = Roots::open(&parent.path().join("ws")).unwrap();
    let twin = parent.path().join("ws-evil/x").display().to_string();
    let bench = Bench::with(parent, roots, PrivateHosts::Ask);
    for path in
        ["../ws-evil/x", "a/../../x", "/etc/passwd", "~/x", "~", "a\0b", twin.as_str(), "/ws/../etc/passwd"]
    {
        for (tool, input) in on(path) {
            bench.fault(tool, input).await;
        }
    }
    for (tool, input) in [
        ("read_file", json!({"path": ""})),
        ("read_file", json!({"path": "."})),
        ("write_file", json!({"path": ".", "content": "x"})),
        ("write_file", json!({"path": "new/", "content": "x"})),
    ] {
        bench.fault(tool, input).await;
    }
    let fault = bench.fault("read_file", json!({"path": "/etc/passwd"})).await;
    assert!(fault.contains("--add-dir"), "{fault}");
}

#[tokio::test]
async fn p4_an_added_root_is_seen_by_its_absolute_path() {
    let folder = tempfile::tempdir().unwrap();
    let added = tempfile::tempdir().unwrap();
    fs::write(added.path().join("x"), "added\n").unwrap();
    let roots = Roots::open(folder.path()).unwrap().and(added.path()).unwrap();
    let bench = Bench::with(folder, roots, PrivateHosts::Ask);
    let path = added.path().canonicalize().unwrap().join("x").display().to_string();
    assert!(bench.ok("read_file", json!({"path": path})).await.contains("added"));
    let found = bench.ok("grep", json!({"pattern": "added", "directory": added.path()})).await;
    assert!(found.starts_with(&path), "{found}");
}

#[tokio::test]
async fn rules_see_where_a_link_leads() {
    let bench = Bench::new();
    bench.put(".env", "KEY=1\n");
    link(".env", bench.path("harmless"));
    let subjects = |path: &str| bench.tool("read_file").subjects(&super::object(json!({"path": path})));
    assert_eq!(subjects("./a/../.env"), [".env"]);
    assert_eq!(subjects("harmless"), ["harmless", ".env"]);
}
