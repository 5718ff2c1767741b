//! What no tool may hang on, crash on or be fooled by.

use super::{Bench, object};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;
use tokio::time::timeout;

const NAMES: [&str; 9] = [
    "list_files",
    "read_file",
    "glob",
    "grep",
    "edit_file",
    "write_file",
    "execute_command",
    "web_fetch",
    "todo",
];

#[tokio::test]
async fn wrong_arguments_are_named_and_never_panic() {
    let bench = Bench::new();
    let values = [json!(null), json!(7), json!(-1), json!(1.5), json!(true), json!([]), json!({}), json!("")];
    for name in NAMES {
        let tool = bench.tool(name);
        let properties: Vec<String> =
            tool.schema()["properties"].as_object().unwrap().keys().cloned().collect();
        for property in &properties {
            for value in &values {
                let mut input = object(json!({}));
                for other in &properties {
                    input.insert(other.clone(), json!("x"));
                }
                input.insert(property.clone(), value.clone());
                tool.summary(&input);
                tool.subjects(&input);
                tool.effect(&input);
                if let Err(error) = tool.approval(&input).await {
                    assert!(!error.message.contains("defect"), "{name}: {}", error.message);
                }
            }
        }
        assert!(bench.call(name, json!({})).await.is_err() || name == "list_files", "{name}");
    }
    let fault = bench.fault("read_file", json!({"path": "x", "offset": "five"})).await;
    assert!(fault.contains("offset"), "{fault}");
}

#[tokio::test]
async fn schemas_are_small_objects() {
    let bench = Bench::new();
    for name in NAMES {
        let tool = bench.tool(name);
        assert_eq!(tool.schema()["type"], "object");
        let size = tool.schema().to_string().len() + tool.description().len();
        assert!(size < 900, "{name}: {size}");
    }
}

#[tokio::test]
async fn pipes_devices_and_loops_neither_block_nor_recurse() {
    let bench = Bench::new();
    let made = bench.ok("execute_command", json!({"command": "mkfifo pipe && mkdir loop && ln -s ../loop loop/again && ln -s self self && ln -s /dev/zero zero"})).await;
    assert!(made.contains("code 0"), "{made}");
    bench.put("real", "needle\n");
    for name in ["pipe", "self", "zero", "/dev/zero", "/dev/stdin", "/proc/self/environ"] {
        for (tool, input) in [
            ("read_file", json!({"path": name})),
            ("grep", json!({"pattern": "x", "directory": name})),
            ("write_file", json!({"path": name, "content": "x"})),
            ("edit_file", json!({"path": name, "edits": [{"old": "a", "new": "b"}]})),
        ] {
            let outcome = timeout(Duration::from_secs(20), bench.call(tool, input)).await;
            assert!(outcome.unwrap_or_else(|_| panic!("{tool} {name} hangs")).is_err(), "{tool} {name}");
        }
    }
    for (tool, input) in [
        ("grep", json!({"pattern": "needle"})),
        ("list_files", json!({"depth": 50})),
        ("glob", json!({"pattern": "**/*"})),
    ] {
        let text = timeout(Duration::from_secs(20), bench.ok(tool, input)).await.unwrap();
        assert!(text.contains("real") && !text.contains("again/again"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn strange_names_and_contents_are_survived() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join(OsStr::from_bytes(b"bad\xFFname")), "needle\n").unwrap();
    fs::write(bench.path("line\nbreak\x1b[31m"), "needle\n").unwrap();
    fs::write(bench.path("-rf"), "needle\n").unwrap();
    bench.put("broken", b"\xC3\x28 needle \xF0\x28\x8C\x28\n");
    bench.put("nul-late", [vec![b'a'; 300_000], vec![0], b"needle\n".to_vec()].concat());
    bench.put("no-end", "needle".repeat(100_000));
    let text = bench.ok("list_files", json!({})).await;
    assert!(text.contains("line\\nbreak\\u{1b}[31m") && !text.contains('\x1b'), "{text}");
    let text = bench.ok("grep", json!({"pattern": "needle"})).await;
    assert!(text.contains("-rf") && !text.contains('\x1b'), "{text}");
    bench.ok("read_file", json!({"path": "broken"})).await;
    bench.ok("read_file", json!({"path": "nul-late"})).await;
    bench.ok("read_file", json!({"path": "line\nbreak\x1b[31m"})).await;
    assert_eq!(bench.ok("glob", json!({"pattern": "*break*"})).await.lines().count(), 1);
}

#[tokio::test]
async fn a_folder_that_is_gone_is_an_error_and_not_a_crash() {
    let bench = Bench::new();
    fs::remove_dir_all(bench.folder.path()).unwrap();
    let inputs: [(&str, Value); 7] = [
        ("list_files", json!({})),
        ("read_file", json!({"path": "x"})),
        ("glob", json!({"pattern": "*"})),
        ("grep", json!({"pattern": "x"})),
        ("edit_file", json!({"path": "x", "edits": [{"old": "a", "new": "b"}]})),
        ("write_file", json!({"path": "x", "content": "x"})),
        ("execute_command", json!({"command": "true"})),
    ];
    for (tool, input) in inputs {
        let outcome = bench.call(tool, input).await;
        if let Ok(output) = outcome {
            assert!(output.text.contains('['), "{tool}: {}", output.text);
        }
    }
}

#[tokio::test]
async fn the_plan_is_shown() {
    let mut bench = Bench::new();
    let items = json!([{"text": "look", "state": "done"}, {"text": "act", "state": "in_progress"}]);
    let output = bench.call("todo", json!({"items": items})).await.unwrap();
    assert_eq!(output.brief, "1 of 2 done");
    let event = serde_json::to_value(bench.events.recv().await.unwrap()).unwrap();
    assert_eq!(event, json!({"type": "todo", "items": items}));
    assert!(
        bench
            .fault("todo", json!({"items": [{"text": "x", "state": "later"}]}))
            .await
            .contains("items[0].state")
    );
}
