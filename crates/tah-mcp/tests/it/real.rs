//! The public servers, as installed by the set-up into `target/test-deps`.

use crate::processes::{call, program, start};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tah_mcp::{CallOptions, Client, CloseOrder, Content, Reach, ServerSpec};
use tah_os::process::{Launcher, Spawn};

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

/// A server of the Python environment for tests.
fn python(script: &str, args: &[&str]) -> ServerSpec {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-deps/venv/bin").join(script);
    assert!(file.exists(), "{} is missing: run `cargo xtask setup`", file.display());
    program(file.to_str().unwrap(), args.iter().map(Into::into).collect())
}

#[tokio::test]
async fn bp_m7_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = node("@modelcontextprotocol/server-memory/dist/index.js", &[]);
    if let Reach::Stdio { env, .. } = &mut spec.reach {
        env.push(("MEMORY_FILE_PATH".into(), folder.path().join("memory.jsonl").into()));
    }
    let client = start(&spec).await.unwrap();
    let entity = json!({"name": "tah", "entityType": "program", "observations": ["读取"]});
    call(&client, "create_entities", json!({"entities": [entity]})).await.unwrap();
    let found = call(&client, "search_nodes", json!({"query": "tah"})).await.unwrap();
    assert!(found.contains("读取"), "{found}");
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m7_sequential_thinking() {
    let script = "@modelcontextprotocol/server-sequential-thinking/dist/index.js";
    let client = start(&node(script, &[])).await.unwrap();
    let thought =
        json!({"thought": "first", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    let answer = call(&client, &names(&client)[0], thought).await.unwrap();
    assert!(answer.contains("\"thoughtNumber\": 1"), "{answer}");
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m7_time() {
    let client = start(&python("mcp-server-time", &["--local-timezone", "UTC"])).await.unwrap();
    let now = call(&client, "get_current_time", json!({"timezone": "Asia/Shanghai"})).await.unwrap();
    assert!(now.contains("Asia/Shanghai"), "{now}");
    // an unknown tool is an error of the protocol or of the tool, never silence
    let unknown = client.call("no_such_tool", &json!({}), &CallOptions::default()).await;
    assert!(unknown.is_err() || unknown.is_ok_and(|result| result.is_error));
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m7_git() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let init = Spawn::new("git", &Launcher::None).args(["init", "-q", path]).spawn().await.unwrap();
    assert!(init.wait().await.succeeded());
    std::fs::write(folder.path().join("new.txt"), "x").unwrap();
    let client = start(&python("mcp-server-git", &["--repository", path])).await.unwrap();
    let status = call(&client, "git_status", json!({"repo_path": path})).await.unwrap();
    assert!(status.contains("new.txt"), "{status}");
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn bp_m7_fetch() {
    let page = axum::Router::new()
        .route("/", axum::routing::get(async || axum::response::Html("<h1>Hello 读取</h1>")));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, page).await });
    let client =
        start(&python("mcp-server-fetch", &["--ignore-robots-txt", "--allow-private-ips"])).await.unwrap();
    let text = call(&client, "fetch", json!({"url": url, "raw": true})).await.unwrap();
    assert!(text.contains("Hello 读取"), "{text}");
    client.close(CloseOrder::StdinFirst).await;
}
