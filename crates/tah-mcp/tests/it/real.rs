//! The public servers, as installed by the set-up into `target/test-deps`.

use crate::processes::{call, program, start};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tah_mcp::{CallOptions, Client, CloseOrder, Content, ServerSpec};

/// A file of the node packages for tests.
pub fn package(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-deps/node_modules");
    let file = root.join(path);
    assert!(file.exists(), "{} is missing: run `cargo xtask setup`", file.display());
    file
}

fn node(script: &str, args: &[&str]) -> ServerSpec {
    let mut all = vec![package(script).into_os_string()];
    all.extend(args.iter().map(Into::into));
    program("node", all)
}

fn names(client: &Client) -> Vec<String> {
    client.tools().iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn bp_m7_everything() {
    let client =
        start(&node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"])).await.unwrap();
    assert!(names(&client).contains(&"echo".to_owned()), "{:?}", names(&client));
    assert_eq!(call(&client, "echo", json!({"message": "读取"})).await.unwrap(), "Echo: 读取");
    assert_eq!(call(&client, "get-sum", json!({"a": 2, "b": 3})).await.unwrap(), "The sum of 2 and 3 is 5.");
    let result = client.call("get-tiny-image", &Value::Null, &Default::default()).await.unwrap();
    assert!(result.text().contains("[image omitted]"), "{}", result.text());
    assert_eq!(result.images().count(), 1);
    let args = json!({"location": "New York"});
    let result = client.call("get-structured-content", &args, &Default::default()).await.unwrap();
    assert!(result.structured.is_some());
    let links = client.call("get-resource-links", &json!({"count": 2}), &Default::default()).await.unwrap();
    assert_eq!(links.content.iter().filter(|block| matches!(block, Content::Link { .. })).count(), 2);
    // progress arrives while it runs
    let (progress, mut seen) = tokio::sync::mpsc::channel(20);
    let options = CallOptions { progress: Some(progress), ..CallOptions::default() };
    let args = json!({"duration": 0.4, "steps": 2});
    client.call("trigger-long-running-operation", &args, &options).await.unwrap();
    assert_eq!(seen.recv().await.unwrap().total, Some(2.0));
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m5_everything_does_not_answer_a_cancelled_call() {
    let client =
        start(&node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"])).await.unwrap();
    let timeout = Some(std::time::Duration::from_millis(100));
    let options = CallOptions { timeout, ..CallOptions::default() };
    // without a progress token of its own this tool says nothing until its end
    let args = json!({"duration": 30, "steps": 1});
    let error = client.call("trigger-long-running-operation", &args, &options).await.unwrap_err();
    assert!(error.to_string().contains("no answer"), "{error}");
    assert_eq!(call(&client, "echo", json!({"message": "on"})).await.unwrap(), "Echo: on");
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m7_filesystem() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a.txt"), "inside").unwrap();
    let script = "@modelcontextprotocol/server-filesystem/dist/index.js";
    let client = start(&node(script, &[root.to_str().unwrap()])).await.unwrap();
    assert!(names(&client).contains(&"read_text_file".to_owned()), "{:?}", names(&client));
    let read = call(&client, "read_text_file", json!({"path": root.join("a.txt")})).await.unwrap();
    assert_eq!(read, "inside");
    let args = json!({"path": "/etc/hostname"});
    let denied = client.call("read_text_file", &args, &Default::default()).await.unwrap();
    assert!(denied.is_error && denied.text().contains("denied"), "{}", denied.text());
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m7_playwright_lists_without_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = node("@playwright/mcp/cli.js", &["--browser", "chrome", "--headless"]);
    spec.folder = folder.path().to_owned();
    let client = start(&spec).await.unwrap();
    let names = names(&client);
    assert!(names.len() >= 25 && names.contains(&"browser_navigate".to_owned()), "{names:?}");
    assert!(client.tools().iter().all(|tool| tool.input_schema["type"] == "object"));
    client.close(CloseOrder::SigtermFirst).await;
}
