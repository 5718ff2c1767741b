//! The server role over a pipe in memory.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader, duplex, split};

use super::*;

struct Sample;

#[async_trait]
impl Served for Sample {
    fn name(&self) -> (String, String) {
        (String::from("sample"), String::from("1"))
    }
    fn instructions(&self) -> String {
        String::from("try it")
    }
    fn tools(&self) -> Vec<ServedTool> {
        let schema = json!({"type": "object"});
        vec![ServedTool {
            name: "echo".into(),
            description: "Echo.".into(),
            schema,
            effect: ServedEffect::Read,
        }]
    }
    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        cancel: CancellationToken,
    ) -> Option<ServedResult> {
        match name {
            "echo" => Some(ServedResult::Done(vec![
                ServedPart::Text(Value::Object(arguments).to_string()),
                ServedPart::Image { data: "AA==".into(), media_type: "image/png".into() },
            ])),
            "hang" => {
                cancel.cancelled().await;
                Some(ServedResult::Failed(vec![]))
            }
            _ => None,
        }
    }
}

/// Sends all lines and closes; gives back what came, in order.
async fn talk(lines: &[&str]) -> Vec<Value> {
    let (ours, theirs) = duplex(1 << 16);
    let (input, output) = split(theirs);
    let server = tokio::spawn(serve(Arc::new(Sample), input, output));
    let (read, mut write) = split(ours);
    for line in lines {
        write.write_all(line.as_bytes()).await.unwrap();
        write.write_all(b"\n").await.unwrap();
    }
    write.shutdown().await.unwrap();
    drop(write);
    let mut answers = Vec::new();
    let mut read = BufReader::new(read).lines();
    while let Some(line) = read.next_line().await.unwrap() {
        answers.push(serde_json::from_str(&line).unwrap());
    }
    tokio::time::timeout(Duration::from_secs(5), server)
        .await
        .expect("the server ends with its input")
        .unwrap();
    answers
}

#[tokio::test]
async fn the_handshake_keeps_a_known_version_and_offers_ours_for_another() {
    let answers = talk(&[
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"b","method":"initialize","params":{"protocolVersion":"1999-01-01"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    ])
    .await;
    assert_eq!(answers.len(), 3);
    assert_eq!(
        (&answers[0]["id"], &answers[0]["result"]["protocolVersion"]),
        (&json!(0), &json!("2024-11-05"))
    );
    assert_eq!(
        (&answers[1]["id"], &answers[1]["result"]["protocolVersion"]),
        (&json!("b"), &json!("2025-11-25"))
    );
    assert_eq!(answers[2]["result"]["tools"][0]["inputSchema"]["type"], "object");
}

#[tokio::test]
async fn m1_noise_is_answered_or_ignored_and_never_fatal() {
    let answers = talk(&[
        "",
        "not json",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}",
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":[1]}}"#,
        r#"[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"ping"}]"#,
        "\r",
        r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#,
    ])
    .await;
    let codes: Vec<i64> = answers.iter().map(|a| a["error"]["code"].as_i64().unwrap_or(0)).collect();
    assert_eq!(codes, [-32700, -32601, -32602, 0, 0, 0], "{answers:?}");
}

#[tokio::test]
async fn calls_run_side_by_side_and_a_cancelled_one_gets_no_answer() {
    let answers = talk(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"none"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    ])
    .await;
    let find = |id: u64| answers.iter().find(|answer| answer["id"] == id);
    assert!(find(1).is_none(), "{answers:?}");
    let echo = find(2).unwrap();
    assert_eq!(echo["result"]["content"][0]["text"], "{\"a\":1}");
    assert_eq!(echo["result"]["content"][1]["mimeType"], "image/png");
    assert_eq!(find(3).unwrap()["error"]["code"], -32602);
}

#[tokio::test]
async fn b74_the_end_of_the_input_ends_calls_that_hang() {
    let answers = talk(&[r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#]).await;
    assert!(answers.is_empty());
}
