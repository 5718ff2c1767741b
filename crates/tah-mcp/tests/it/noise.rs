//! Everything a server writes that is no answer.

use crate::fake::{Fake, connect, spec, start, text_result, tool};
use serde_json::{Value, json};
use tah_mcp::CallError;

#[tokio::test]
async fn m1_log_lines_on_stdout() {
    let client = connect(async |mut fake: Fake| {
        fake.raw("\u{feff}starting up…\n\n").await;
        let hello = fake.expect("initialize").await;
        fake.raw("Content-Length: 123\r\n\r\n-1\n").await;
        fake.raw(b"\xff\xfe binary\n").await;
        fake.reply(&hello, json!({})).await;
        fake.expect("notifications/initialized").await;
        let list = fake.expect("tools/list").await;
        fake.raw("{\"foo\":1}\n[1,2]\n42\nnull\n{\"method\":\"$/progress\"}\n").await;
        fake.send(json!({"id": 4711, "result": "nobody asked"})).await;
        fake.reply(&list, json!({"tools": [tool("a")]})).await;
        fake.answer_call("good").await;
        assert_eq!(fake.drain().await, Vec::<Value>::new(), "nothing is written back for junk");
    })
    .await;
    assert_eq!(client.call("a", &Value::Null, &Default::default()).await.unwrap().text(), "good");
    assert_eq!(client.ignored_lines(), 8);
    assert_eq!(client.log_lines()[0], "starting up…");
    let notices = client.take_notices();
    assert_eq!(notices.iter().filter(|notice| notice.contains("no messages")).count(), 1, "{notices:?}");
    assert_eq!(notices.len(), 2, "junk and bad UTF-8, each once: {notices:?}");
}

#[tokio::test]
async fn m15_utf8_cut_between_reads() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([tool("a")])).await;
        let call = fake.expect("tools/call").await;
        let reply = format!("{}\r\n", json!({"id": call["id"], "result": text_result("读取🎉")}));
        for byte in reply.bytes() {
            fake.raw([byte]).await;
            tokio::task::yield_now().await;
        }
        let call = fake.expect("tools/call").await;
        fake.raw(json!({"id": call["id"], "result": text_result("last")}).to_string()).await;
        fake.close().await;
    })
    .await;
    assert_eq!(client.call("a", &json!({}), &Default::default()).await.unwrap().text(), "读取🎉");
    // the last line has no end, and then the server is gone
    assert_eq!(client.call("a", &json!({}), &Default::default()).await.unwrap().text(), "last");
    client.ended().await;
}

#[tokio::test]
async fn m12_a_line_over_the_limit_fails_its_call_at_once() {
    let mut spec = spec();
    spec.line_bytes = 100_000;
    for id_first in [true, false] {
        let client = start(&spec, async move |mut fake: Fake| {
            fake.handshake(json!([tool("a")])).await;
            let (big, small) = (fake.expect("tools/call").await, fake.expect("tools/call").await);
            let (id, text) = (&big["id"], "x".repeat(500_000));
            let content = format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
            match id_first {
                true => fake.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{content}}}\n")).await,
                false => fake.raw(format!("{{{content},\"jsonrpc\":\"2.0\",\"id\":{id}}}\n")).await,
            }
            fake.reply(&small, text_result("small")).await;
            fake.drain().await;
        })
        .await
        .unwrap();
        let (args, options) = (json!({}), Default::default());
        let (big, small) = tokio::join!(client.call("a", &args, &options), client.call("a", &args, &options));
        let error = big.unwrap_err();
        assert!(matches!(error, CallError::TooLong { bytes: 500_000.., limit: 100_000, .. }), "{error}");
        assert!(error.hint().is_some());
        assert_eq!(small.unwrap().text(), "small");
    }
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[tokio::test]
async fn m1_broken_messages_by_the_thousand() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([tool("a")])).await;
        let call = fake.expect("tools/call").await;
        let good = [
            r#"{"jsonrpc":"2.0","id":9001,"result":{"content":[{"type":"text","text":"\u8bfb\ud83c\udf89"}]}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9002,"progress":1}}"#,
            r#"{"jsonrpc":"2.0","id":9003,"error":{"code":-32600,"message":"no","data":{"a":[1,2]}}}"#,
            r#"[{"id":9004,"result":{}},{"method":"notifications/message","params":{"level":"info","data":"x"}}]"#,
        ];
        let mut dice = Dice(7);
        for _ in 0..3000 {
            let mut line = good[dice.below(good.len())].as_bytes().to_vec();
            for _ in 0..=dice.below(4) {
                let at = dice.below(line.len());
                match dice.below(3) {
                    0 => line[at] = b"{}[]\",:\\u\xff\x00-e"[dice.below(13)],
                    1 if line.len() > 1 => drop(line.remove(at)),
                    _ => line.truncate(at.max(1)),
                }
            }
            line.push(b'\n');
            fake.raw(line).await;
        }
        fake.reply(&call, text_result("still here")).await;
        fake.drain().await;
    })
    .await;
    assert_eq!(client.call("a", &json!({}), &Default::default()).await.unwrap().text(), "still here");
    assert!(client.ignored_lines() > 500, "{}", client.ignored_lines());
    assert!(client.log_lines().len() <= 40 && client.take_notices().len() <= 64);
}
