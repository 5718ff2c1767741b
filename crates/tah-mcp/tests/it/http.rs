//! Streamable HTTP against the public "everything" server.

use crate::processes::call;
use crate::real::package;
use serde_json::json;
use std::time::{Duration, Instant};
use tah_mcp::{CallOptions, Client, CloseOrder, Reach, ServerSpec, StartError, configure_http};
use tah_os::process::{Child, Launcher, Output, Spawn};
use tokio_util::sync::CancellationToken;

pub fn spec(url: &str, headers: &[(&str, &str)]) -> ServerSpec {
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = configure_http(reqwest::Client::builder(), url).build().unwrap();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    ServerSpec::new("remote", Reach::Http { url: url.to_owned(), headers, client }, "/some/folder")
}

pub async fn start(spec: &ServerSpec) -> Result<Client, StartError> {
    Client::start(spec, &Launcher::None, &CancellationToken::new()).await
}

/// A port nobody listens on.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn everything(port: u16) -> Child {
    let script = package("@modelcontextprotocol/server-everything/dist/index.js");
    let spawn = Spawn::new("node", &Launcher::None).arg(script).arg("streamableHttp");
    let child =
        spawn.env("PORT", port.to_string()).stdout(Output::Null).stderr(Output::Null).spawn().await.unwrap();
    let begun = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(begun.elapsed() < Duration::from_secs(30), "the server does not listen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child
}

#[tokio::test]
async fn bp_m7_everything_over_http() {
    let port = free_port();
    let server = everything(port).await;
    let client = start(&spec(&format!("http://127.0.0.1:{port}/mcp"), &[])).await.unwrap();
    assert!(client.tools().iter().any(|tool| tool.name == "echo"));
    assert_eq!(call(&client, "echo", json!({"message": "读取"})).await.unwrap(), "Echo: 读取");
    let (progress, mut seen) = tokio::sync::mpsc::channel(20);
    let options = CallOptions { progress: Some(progress), ..CallOptions::default() };
    let args = json!({"duration": 0.4, "steps": 2});
    client.call("trigger-long-running-operation", &args, &options).await.unwrap();
    assert_eq!(seen.recv().await.unwrap().total, Some(2.0));
    client.close(CloseOrder::StdinFirst).await;
    server.terminate(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn m4_an_http_server_that_was_restarted_is_greeted_again() {
    let port = free_port();
    let server = everything(port).await;
    let client = start(&spec(&format!("http://127.0.0.1:{port}/mcp"), &[])).await.unwrap();
    assert_eq!(call(&client, "echo", json!({"message": "1"})).await.unwrap(), "Echo: 1");
    server.terminate(Duration::from_secs(1)).await;
    let error = call(&client, "echo", json!({"message": "2"})).await.unwrap_err();
    assert!(error.to_string().contains("can't be reached"), "{error}");
    assert_eq!(error.sent(), tah_mcp::Sent::No);
    let server = everything(port).await;
    // its session is unknown there; two callers share one new session
    let (a, b) = tokio::join!(
        call(&client, "echo", json!({"message": "3"})),
        call(&client, "echo", json!({"message": "4"}))
    );
    assert_eq!((a.unwrap(), b.unwrap()), ("Echo: 3".into(), "Echo: 4".into()));
    client.close(CloseOrder::StdinFirst).await;
    server.terminate(Duration::from_secs(1)).await;
}
