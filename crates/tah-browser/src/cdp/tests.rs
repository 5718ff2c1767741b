//! The client against a pretended browser on a pipe.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};

use super::*;

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Sink for Log {
    fn event(&self, _: &Connection, event: Event<'_>) {
        self.0.lock().unwrap().push(event.method.to_owned());
    }
    fn closed(&self, reason: &str) {
        self.0.lock().unwrap().push(format!("closed: {reason}"));
    }
}

fn connected() -> (Connection, DuplexStream, Arc<Log>) {
    let (ours, theirs) = duplex(1 << 16);
    let (reader, writer) = split(ours);
    let log = Arc::new(Log::default());
    (open_pipe(reader, writer, log.clone()), theirs, log)
}

async fn next_request(browser: &mut DuplexStream) -> serde_json::Value {
    let mut bytes = Vec::new();
    loop {
        match browser.read_u8().await.unwrap() {
            0 => return serde_json::from_slice(&bytes).unwrap(),
            byte => bytes.push(byte),
        }
    }
}

async fn say(browser: &mut DuplexStream, text: &str) {
    browser.write_all(text.as_bytes()).await.unwrap();
    browser.write_all(b"\0").await.unwrap();
}

#[tokio::test]
async fn a_reply_finds_its_command_and_events_come_before_it() {
    let (connection, mut browser, log) = connected();
    let session = connection.session("S");
    let call = tokio::spawn(async move { session.call(wire::Navigate { url: "x:y".into() }).await });
    let request = next_request(&mut browser).await;
    assert_eq!(request["method"], "Page.navigate");
    assert_eq!(request["sessionId"], "S");
    say(&mut browser, "not json").await;
    say(&mut browser, r#"{"method":"Some.unknownEvent","params":{"deep":[1,2]}}"#).await;
    say(&mut browser, &format!(r#"{{"id":{},"result":{{"frameId":"F","news":1}}}}"#, request["id"])).await;
    assert_eq!(call.await.unwrap().unwrap().frame_id, "F");
    assert_eq!(*log.0.lock().unwrap(), ["Some.unknownEvent"]);
}

#[tokio::test]
async fn b75_the_end_of_the_browser_fails_all_that_waits_and_all_that_comes() {
    let (connection, browser, log) = connected();
    let browser_session = connection.browser();
    let call = tokio::spawn(async move { browser_session.call(wire::BrowserVersion {}).await });
    tokio::task::yield_now().await;
    drop(browser);
    assert!(matches!(call.await.unwrap(), Err(CdpError::Gone(_))));
    assert!(matches!(connection.browser().call(wire::BrowserVersion {}).await, Err(CdpError::Gone(_))));
    assert_eq!(log.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_ended_session_fails_only_its_own_commands() {
    let (connection, mut browser, _log) = connected();
    let (one, two) = (connection.session("one"), connection.session("two"));
    let first = tokio::spawn(async move { one.call(wire::RuntimeEnable {}).await });
    next_request(&mut browser).await;
    let second = tokio::spawn(async move { two.call(wire::RuntimeEnable {}).await });
    let request = next_request(&mut browser).await;
    connection.end_session("one", TargetEnd::Crashed);
    assert!(matches!(first.await.unwrap(), Err(CdpError::TargetGone(TargetEnd::Crashed))));
    say(&mut browser, &format!(r#"{{"id":{},"result":{{}}}}"#, request["id"])).await;
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_silent_browser_costs_no_more_than_the_deadline_and_leaves_nothing_behind() {
    let (connection, _browser, _log) = connected();
    let late = connection.browser().call_within(Duration::from_secs(3), wire::BrowserVersion {}).await;
    assert!(matches!(late, Err(CdpError::Deadline { .. })));
    assert!(connection.pending().is_empty());
}

#[tokio::test]
async fn a_big_message_in_many_pieces_arrives_whole() {
    let (connection, mut browser, _log) = connected();
    let session = connection.browser();
    let call = tokio::spawn(async move { session.call(wire::CaptureScreenshot::default()).await });
    let request = next_request(&mut browser).await;
    let data = "x".repeat(3 << 20);
    say(&mut browser, &format!(r#"{{"id":{},"result":{{"data":"{data}"}}}}"#, request["id"])).await;
    assert_eq!(call.await.unwrap().unwrap().data.len(), data.len());
}
