//! Tool lists: pages, bad tools, changes.

use crate::fake::{Fake, connect, tool};
use serde_json::{Value, json};
use tah_mcp::Client;

fn names(client: &Client) -> Vec<String> {
    client.tools().iter().map(|tool| tool.name.clone()).collect()
}

/// Connects to a server that answers each `tools/list` with what `page` says for its cursor.
async fn paged(page: impl Fn(&Value) -> Value + Send + 'static) -> Client {
    connect(async move |mut fake: Fake| {
        let hello = fake.expect("initialize").await;
        fake.reply(&hello, json!({"protocolVersion": "2025-06-18"})).await;
        fake.expect("notifications/initialized").await;
        while let Some(message) = fake.next_or_end().await {
            assert_eq!(message["method"], "tools/list");
            let result = page(&message["params"]["cursor"]);
            fake.reply(&message, result).await;
        }
    })
    .await
}

#[tokio::test]
async fn bp_m2_every_page_is_followed_and_an_empty_cursor_ends() {
    let client = paged(|cursor| match cursor.as_str() {
        None => json!({"tools": [tool("a")], "nextCursor": "2"}),
        Some("2") => json!({"tools": [tool("b")], "nextCursor": "3"}),
        _ => json!({"tools": [tool("c")], "nextCursor": ""}),
    })
    .await;
    assert_eq!(names(&client), ["a", "b", "c"]);
    assert!(client.take_notices().is_empty());
}

#[tokio::test]
async fn bp_m2_a_cursor_without_end_stops() {
    let circle = paged(|_| json!({"tools": [tool("a")], "nextCursor": "x"})).await;
    assert_eq!(names(&circle), ["a"]);
    assert!(circle.take_notices().iter().any(|notice| notice.contains("circle")));
    let count = std::sync::atomic::AtomicU32::new(0);
    let endless = paged(move |_| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        json!({"tools": [tool(&format!("t{n}"))], "nextCursor": n.to_string()})
    })
    .await;
    assert_eq!(names(&endless).len(), tah_mcp::limits::LIST_PAGES);
    assert!(endless.take_notices().iter().any(|notice| notice.contains("pages")));
}

#[tokio::test]
async fn m8_one_bad_tool_does_not_take_the_others() {
    let client = paged(|_| {
        json!({"tools": [
            {"name": "none"}, {"name": "boolean", "inputSchema": true}, {"inputSchema": {}}, "text", null,
            {"name": "twice", "inputSchema": {"type": "object"}}, {"name": "twice"},
            {"name": "output", "inputSchema": {"type": "object"}, "outputSchema": {"properties": {}}},
        ]})
    })
    .await;
    assert_eq!(names(&client), ["none", "boolean", "twice", "output"]);
    let notices = client.take_notices();
    assert_eq!(notices.iter().filter(|notice| notice.contains("left out")).count(), 2, "{notices:?}");
    assert!(notices.iter().any(|notice| notice.contains("tool boolean")), "{notices:?}");
    assert!(notices.iter().any(|notice| notice.contains("twice")), "{notices:?}");
}

#[tokio::test]
async fn bp_m2_list_changed_reads_the_list_again_once_a_burst() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([tool("a")])).await;
        for _ in 0..4 {
            fake.send(json!({"method": "notifications/tools/list_changed"})).await;
        }
        let list = fake.expect("tools/list").await;
        fake.reply(&list, json!({"tools": [tool("a"), tool("b")]})).await;
        // a call, not a second list: the burst was one
        fake.answer_call("done").await;
        fake.drain().await;
    })
    .await;
    let mut watch = client.watch_tools();
    while watch.borrow_and_update().len() != 2 {
        watch.changed().await.unwrap();
    }
    let result = client.call("a", &json!({}), &Default::default()).await.unwrap();
    assert_eq!(result.text(), "done");
}
