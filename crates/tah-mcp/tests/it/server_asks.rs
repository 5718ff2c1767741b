//! Requests of the server to us.

use crate::fake::{Fake, connect, text_result};
use serde_json::json;

#[tokio::test]
async fn bp_m5_pings_and_roots_are_answered_and_the_rest_is_refused_politely() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([])).await;
        for (method, code) in [
            ("ping", None),
            ("roots/list", None),
            ("sampling/createMessage", Some(-1)),
            ("elicitation/create", Some(-1)),
            ("server/invented", Some(-32601)),
        ] {
            fake.send(json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": {}})).await;
            let answer = fake.next().await;
            assert_eq!((&answer["id"], answer["error"]["code"].as_i64()), (&json!("x"), code), "{answer}");
            assert_eq!(answer.get("result").is_some(), code.is_none(), "{answer}");
        }
        fake.answer_call("and goes on").await;
        fake.drain().await;
    })
    .await;
    assert_eq!(client.call("x", &json!({}), &Default::default()).await.unwrap().text(), "and goes on");
}

#[tokio::test]
async fn m14_the_server_asks_with_our_ids() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([])).await;
        let call = fake.expect("tools/call").await;
        // the same id as our pending call, then zero, then a text
        for id in [call["id"].clone(), json!(0), json!("abc")] {
            fake.send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).await;
            assert_eq!(fake.next().await, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
        }
        fake.send(json!({"id": 1, "method": "roots/list"})).await;
        let roots = fake.next().await;
        assert_eq!(roots["result"]["roots"][0]["uri"], "file:///some/folder");
        for method in ["sampling/createMessage", "elicitation/create"] {
            fake.send(json!({"id": 2, "method": method, "params": {}})).await;
            let refusal = fake.next().await;
            assert!(
                refusal["error"]["message"].as_str().unwrap().starts_with("tah does not let servers"),
                "{refusal}"
            );
        }
        fake.send(json!({"id": 3, "method": "tasks/dance"})).await;
        assert_eq!(fake.next().await["error"]["code"], -32601);
        fake.raw("[{\"id\":7,\"method\":\"ping\"},{\"method\":\"notifications/strange\"}]\n").await;
        assert_eq!(fake.next().await["id"], 7);
        fake.reply(&call, text_result("done")).await;
        fake.drain().await;
    })
    .await;
    assert_eq!(client.call("x", &json!({}), &Default::default()).await.unwrap().text(), "done");
}
