//! Servers that are processes: how they fail, end and are ended.

use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tah_mcp::{CallError, Client, CloseOrder, HowEnded, Reach, Sent, ServerSpec, StartError};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

/// A server that fails in `way`.
pub fn faulty(way: &[&str]) -> ServerSpec {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults.py");
    let mut args = vec![script.into_os_string()];
    args.extend(way.iter().map(Into::into));
    program("python3", args)
}

pub fn program(command: &str, args: Vec<std::ffi::OsString>) -> ServerSpec {
    let reach = Reach::Stdio { command: command.into(), args, env: vec![], hidden_env: vec![], cwd: None };
    ServerSpec::new("faulty", reach, std::env::temp_dir())
}

pub async fn start(spec: &ServerSpec) -> Result<Client, StartError> {
    Client::start(spec, &Launcher::None, &CancellationToken::new()).await
}

pub async fn call(client: &Client, tool: &str, args: Value) -> Result<String, CallError> {
    client.call(tool, &args, &Default::default()).await.map(|result| result.into_text())
}

/// The process behind a faulty server, which tells its pid as its version.
fn pid(client: &Client) -> i32 {
    client.info().version.parse().unwrap()
}

fn lives(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

pub fn send_kill(pid: i32) {
    assert!(
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid).unwrap(),
            rustix::process::Signal::KILL
        )
        .is_ok()
    );
}

async fn until_gone(pid: i32) {
    let begun = Instant::now();
    while lives(pid) {
        assert!(begun.elapsed() < Duration::from_secs(10), "process {pid} is still there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn m3_a_command_that_does_not_exist() {
    let error = start(&program("no-such-program-anywhere", vec![])).await.err().unwrap();
    assert!(matches!(error, StartError::Spawn { .. }), "{error}");
    assert!(error.to_string().contains("no-such-program-anywhere"), "{error}");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn m3_a_server_that_dies_at_start_says_why() {
    let error = start(&faulty(&["dies-at-start"])).await.err().unwrap();
    let text = error.to_string();
    assert!(text.contains("exited with status 3") && text.contains("no module named sqlite"), "{text}");
}

#[tokio::test]
async fn m3_a_server_that_never_writes_is_ended() {
    let mut spec = faulty(&["silent"]);
    spec.start_timeout = Duration::from_millis(300);
    let error = start(&spec).await.err().unwrap();
    assert!(matches!(error, StartError::Timeout { .. }), "{error}");
}

#[tokio::test]
async fn m2_b76_a_slow_start_is_waited_for() {
    let client = start(&faulty(&["slow-start", "1"])).await.unwrap();
    assert_eq!(call(&client, "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn m2_a_start_can_be_cancelled() {
    let cancel = CancellationToken::new();
    let spec = faulty(&["silent"]);
    let start = Client::start(&spec, &Launcher::None, &cancel);
    let (started, ()) = tokio::join!(start, async { cancel.cancel() });
    assert!(matches!(started.err().unwrap(), StartError::Cancelled { .. }));
}

#[tokio::test]
async fn m16_a_megabyte_on_stderr_blocks_nothing() {
    let client = start(&faulty(&["chatty-stderr"])).await.unwrap();
    assert_eq!(call(&client, "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    while client.last_words().await.last().is_none_or(|line| line != "the last line") {
        tokio::task::yield_now().await;
    }
    assert!(client.last_words().await.len() <= 40);
    client.close(CloseOrder::StdinFirst).await;
}

#[tokio::test]
async fn m4_a_killed_server_fails_its_calls_at_once() {
    let client = Arc::new(start(&faulty(&["banner"])).await.unwrap());
    let calls: Vec<_> = (0..2)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { call(&client, "hang", json!({})).await.unwrap_err() })
        })
        .collect();
    // answered, so the two before it are on their way
    call(&client, "echo", json!({})).await.unwrap();
    let begun = Instant::now();
    send_kill(pid(&client));
    for call in calls {
        let CallError::Ended { ending, sent: Sent::Maybe } = call.await.unwrap() else { panic!() };
        assert_eq!(ending.how, HowEnded::Killed { signal: 9 });
        assert_eq!(ending.last_words, ["starting up…"], "nothing on stderr: what it said on stdout");
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    until_gone(pid(&client)).await;
}

#[tokio::test]
async fn bp_m4_the_exit_status_and_the_last_words_are_told() {
    let client = start(&faulty(&[])).await.unwrap();
    let error = call(&client, "exit", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "mcp server faulty exited with status 7\nout of memory");
}

#[tokio::test]
async fn m4_a_grandchild_that_holds_the_pipes() {
    let client = start(&faulty(&["grandchild"])).await.unwrap();
    let begun = Instant::now();
    // its last reply has no line end, and the pipe stays open: only the exit tells
    let error = call(&client, "exit", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "mcp server faulty exited with status 7\nout of memory");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn m15_a_last_line_without_end_before_the_exit() {
    let client = start(&faulty(&[])).await.unwrap();
    assert_eq!(call(&client, "exit", json!({"answer": true})).await.unwrap(), "last words");
    assert_eq!(client.ended().await.how, HowEnded::Exited { code: 7 });
}

#[tokio::test]
async fn m4_a_server_that_only_closes_its_stdout_is_ended() {
    let client = start(&faulty(&[])).await.unwrap();
    let error = call(&client, "close", json!({})).await.unwrap_err();
    let CallError::Ended { ending, .. } = error else { panic!("{error}") };
    assert_eq!(ending.how, HowEnded::ClosedItsPipe);
    until_gone(pid(&client)).await;
}

#[tokio::test]
async fn bp_p7_closing_and_dropping_leave_no_process() {
    for way in ["plain", "ignores-term"] {
        let client = start(&faulty(&[way])).await.unwrap();
        let pid = pid(&client);
        match way {
            "plain" => client.close(CloseOrder::StdinFirst).await,
            _ => drop(client),
        }
        until_gone(pid).await;
    }
}

#[tokio::test]
async fn bp_p8a_logins_the_order_of_closing() {
    let folder = tempfile::tempdir().unwrap();
    for (order, said) in [(CloseOrder::StdinFirst, "stdin closed\n"), (CloseOrder::SigtermFirst, "")] {
        let file = folder.path().join(format!("{order:?}"));
        let client = start(&faulty(&["says-goodbye", file.to_str().unwrap()])).await.unwrap();
        let pid = pid(&client);
        client.close(order).await;
        assert!(!lives(pid), "close waits for the end");
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), said);
        let error = call(&client, "echo", json!({})).await.unwrap_err();
        assert_eq!(error.to_string(), "mcp server faulty was closed");
    }
}

#[tokio::test]
async fn x6_hidden_variables_and_set_ones() {
    let mut spec = faulty(&[]);
    let Reach::Stdio { env, hidden_env, .. } = &mut spec.reach else { panic!() };
    env.push(("SET_FOR_IT".into(), "yes".into()));
    hidden_env.push("CARGO_MANIFEST_DIR".into());
    let client = start(&spec).await.unwrap();
    let environment: Value =
        serde_json::from_str(&call(&client, "environment", json!({})).await.unwrap()).unwrap();
    assert_eq!(environment["SET_FOR_IT"], "yes");
    assert!(environment.get("CARGO_MANIFEST_DIR").is_none());
    assert!(environment.get("PATH").is_some());
}

#[tokio::test]
async fn m12_twenty_megabytes_in_one_line() {
    let client = start(&faulty(&[])).await.unwrap();
    let text = call(&client, "big", json!({"chars": 20_000_000})).await.unwrap();
    assert_eq!(text.len(), 20_000_000);
    client.close(CloseOrder::StdinFirst).await;
}
