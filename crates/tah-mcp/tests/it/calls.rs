//! Calls: results, errors, limits of time, cancelling, the server's end.

use crate::fake::{Fake, connect, text_result, tool};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tah_mcp::{CallError, CallOptions, Progress, Sent};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn bp_m3_a_call_and_its_result() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([tool("a.b")])).await;
        let call = fake.expect("tools/call").await;
        assert_eq!(call["params"]["name"], "a.b");
        assert_eq!(call["params"]["arguments"], json!({"x": "读\n"}));
        let content = json!([{"type": "text", "text": "one"}, {"type": "image", "data": "QQ==", "mimeType": "image/png"}]);
        fake.reply(&call, json!({"content": content, "isError": true})).await;
        let call = fake.expect("tools/call").await;
        assert_eq!(call["params"]["arguments"], json!({}));
        // the id as a text, an error of null beside the result
        fake.send(json!({"id": call["id"].to_string(), "result": text_result("two"), "error": null})).await;
        fake.drain().await;
    })
    .await;
    let result = client.call("a.b", &json!({"x": "读\n"}), &Default::default()).await.unwrap();
    assert!(result.is_error);
    assert_eq!(result.text(), "one\n[image omitted]");
    assert_eq!(client.call("a.b", &Value::Null, &Default::default()).await.unwrap().text(), "two");
}

#[tokio::test]
async fn m3_errors_of_every_shape_are_answers() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([])).await;
        for reply in [
            json!({"error": "text"}),
            json!({"error": {"message": "no code"}}),
            json!({"error": {"code": -32602, "message": "bad"}, "result": {}}),
            json!({"result": null}),
            json!({}),
        ] {
            let call = fake.expect("tools/call").await;
            let mut reply = reply;
            reply["id"] = call["id"].clone();
            fake.send(reply).await;
        }
        fake.drain().await;
    })
    .await;
    let mut errors = Vec::new();
    for _ in 0..5 {
        errors.push(client.call("x", &json!({}), &Default::default()).await.unwrap_err().to_string());
    }
    assert_eq!(errors[..3], ["text (code 0)", "no code (code 0)", "bad (code -32602)"]);
    assert!(errors[3..].iter().all(|error| error.contains("can't be read")), "{errors:?}");
}

#[tokio::test(start_paused = true)]
async fn bp_m5_a_call_past_its_time_is_cancelled_at_the_server() {
    let (sent, seen) = oneshot::channel();
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([])).await;
        let call = fake.expect("tools/call").await;
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], call["id"]);
        // too late: nobody waits, and nothing breaks
        fake.reply(&call, text_result("late")).await;
        fake.answer_call("next").await;
        sent.send(()).unwrap();
        fake.drain().await;
    })
    .await;
    let options = CallOptions { timeout: Some(Duration::from_millis(300)), ..CallOptions::default() };
    let error = client.call("x", &json!({}), &options).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    assert_eq!(error.sent(), Sent::Maybe);
    assert_eq!(client.call("x", &json!({}), &Default::default()).await.unwrap().text(), "next");
    seen.await.unwrap();
}

#[tokio::test]
async fn bp_m5_a_cancelled_or_dropped_call_is_told_to_the_server() {
    let (sent, mut calls) = mpsc::channel(4);
    let client = connect(async move |mut fake: Fake| {
        fake.handshake(json!([])).await;
        while let Some(message) = fake.next_or_end().await {
            sent.send(message).await.unwrap();
        }
    })
    .await;
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
    let args = json!({});
    let ((), result) = tokio::join!(
        async {
            let call = calls.recv().await.unwrap();
            cancel.cancel();
            let cancelled = calls.recv().await.unwrap();
            assert_eq!(cancelled["params"]["requestId"], call["id"]);
        },
        client.call("x", &args, &options)
    );
    assert!(matches!(result, Err(CallError::Cancelled)));
    // dropped
    let options = CallOptions::default();
    let mut call = Box::pin(client.call("x", &args, &options));
    let message = tokio::select! {
        message = calls.recv() => message.unwrap(),
        _ = &mut call => unreachable!(),
    };
    drop(call);
    let cancelled = calls.recv().await.unwrap();
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &message["id"])
    );
}

#[tokio::test(start_paused = true)]
async fn bp_m5_progress_is_surfaced_and_keeps_a_call_alive() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([])).await;
        let call = fake.expect("tools/call").await;
        let token = &call["params"]["_meta"]["progressToken"];
        for done in 1..=4 {
            tokio::time::sleep(Duration::from_millis(800)).await;
            let params = json!({"progressToken": token, "progress": done, "total": 4, "message": "m"});
            fake.send(json!({"method": "notifications/progress", "params": params})).await;
        }
        fake.reply(&call, text_result("slow")).await;
        fake.drain().await;
    })
    .await;
    let (progress, mut seen) = mpsc::channel(10);
    let timeout = Some(Duration::from_secs(1));
    let options = CallOptions { timeout, progress: Some(progress), ..CallOptions::default() };
    assert_eq!(client.call("x", &json!({}), &options).await.unwrap().text(), "slow");
    let first = Progress { done: 1.0, total: Some(4.0), message: Some("m".into()) };
    assert_eq!(seen.recv().await, Some(first));
    assert_eq!(seen.len(), 3);
}

#[tokio::test]
async fn m4_the_end_fails_every_call_at_once() {
    let client = Arc::new(
        connect(async |mut fake: Fake| {
            fake.handshake(json!([])).await;
            for _ in 0..3 {
                fake.expect("tools/call").await;
            }
            fake.raw("panic: out of cheese\n").await;
            fake.close().await;
        })
        .await,
    );
    let calls: Vec<_> = (0..3)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("x", &json!({}), &Default::default()).await.unwrap_err() })
        })
        .collect();
    for call in calls {
        let error = call.await.unwrap();
        assert_eq!(error.to_string(), "mcp server fake closed its pipe\npanic: out of cheese");
        assert_eq!(error.sent(), Sent::Maybe);
    }
    let after = client.call("x", &json!({}), &Default::default()).await.unwrap_err();
    assert_eq!(after.sent(), Sent::No);
    assert!(client.ending().is_some());
}
