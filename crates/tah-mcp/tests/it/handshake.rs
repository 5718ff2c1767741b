//! How a connection begins, and fails to.

use crate::fake::{Fake, connect, spec, start, tool};
use serde_json::json;
use std::time::Duration;
use tah_mcp::{CallError, HowEnded, Roots, StartError};

#[tokio::test]
async fn bp_m1_one_message_a_line_out_and_lines_of_any_kind_in() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let script = async move {
        use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
        let (input, mut output) = tokio::io::split(theirs);
        let mut input = tokio::io::BufReader::new(input);
        for (method, result) in [
            ("initialize", Some(json!({"protocolVersion": "2025-11-25"}))),
            ("notifications/initialized", None),
            ("tools/list", Some(json!({"tools": [crate::fake::tool("读取\n")]}))),
        ] {
            let mut line = String::new();
            input.read_line(&mut line).await.unwrap();
            // One value and one line end, whatever stands in it.
            assert!(
                line.ends_with("}\n") && line.matches('\n').count() == 1 && !line.contains('\r'),
                "{line:?}"
            );
            let message: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(
                (message["jsonrpc"].as_str(), message["method"].as_str()),
                (Some("2.0"), Some(method))
            );
            let Some(result) = result else { continue };
            let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            let noise = "\n\r\n  \nContent-Length: 123\r\n\r\n{\"jsonrpc\": tru\n";
            output.write_all(format!("{noise}{reply}\r\n").as_bytes()).await.unwrap();
        }
        input.read_to_end(&mut Vec::new()).await.unwrap();
    };
    tokio::spawn(script);
    let pipes = tokio::io::split(ours);
    let cancel = tokio_util::sync::CancellationToken::new();
    let client = tah_mcp::Client::over_pipes(&crate::fake::spec(), pipes, None, &cancel).await.unwrap();
    assert_eq!(client.tools()[0].name, "读取\n");
    // Counted and kept in the log: two lines of two kinds, twice. Blank ones are nothing at all.
    assert_eq!(client.ignored_lines(), 4);
    assert_eq!(client.log_lines()[0], "Content-Length: 123");
}

#[tokio::test]
async fn bp_m2_initialize_initialized_list() {
    let client = connect(async |mut fake: Fake| {
        fake.handshake(json!([tool("a"), tool("b")])).await;
        fake.drain().await;
    })
    .await;
    assert_eq!(client.tools().iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(client.info().name, "fake");
    assert_eq!(client.info().protocol, "2025-11-25");
}

#[tokio::test]
async fn m14_roots_are_declared_only_where_configured() {
    for roots in [Roots::Declared, Roots::Undeclared] {
        let mut spec = spec();
        spec.roots = roots;
        let client = start(&spec, async move |mut fake: Fake| {
            let hello = fake.expect("initialize").await;
            assert_eq!(hello["params"]["capabilities"].get("roots").is_some(), roots == Roots::Declared);
            fake.reply(&hello, json!({})).await;
            fake.expect("notifications/initialized").await;
            let list = fake.expect("tools/list").await;
            fake.reply(&list, json!({"tools": []})).await;
            fake.drain().await;
        });
        client.await.unwrap();
    }
}

#[tokio::test]
async fn bp_m2_an_empty_initialize_result_and_no_tools_method() {
    let client = connect(async |mut fake: Fake| {
        let hello = fake.expect("initialize").await;
        fake.reply(&hello, json!({})).await;
        fake.expect("notifications/initialized").await;
        let list = fake.expect("tools/list").await;
        fake.send(json!({"id": list["id"], "error": {"code": -32601, "message": "no"}})).await;
        fake.drain().await;
    })
    .await;
    assert!(client.tools().is_empty());
    assert_eq!(client.info().protocol, "2025-11-25");
}

#[tokio::test]
async fn bp_m2_an_older_version_is_taken_an_unknown_one_is_said() {
    for (version, good) in [("2024-11-05", true), ("2025-06-18", true), ("1999-01-01", false)] {
        let started = start(&spec(), async move |mut fake: Fake| {
            let hello = fake.expect("initialize").await;
            fake.reply(&hello, json!({"protocolVersion": version})).await;
            if good {
                fake.expect("notifications/initialized").await;
                let list = fake.expect("tools/list").await;
                fake.reply(&list, json!({"tools": []})).await;
            }
            fake.drain().await;
        })
        .await;
        match started {
            Ok(client) => assert_eq!((good, &*client.info().protocol), (true, version)),
            Err(error) => {
                assert!(!good && matches!(error, StartError::Version { .. }), "{error}");
                assert!(error.hint().is_some());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn m3_a_server_that_never_answers_is_given_up() {
    let mut spec = spec();
    spec.start_timeout = Duration::from_secs(30);
    let error = start(&spec, async |mut fake: Fake| {
        // frames with headers, as some do: a client of lines never sees a message
        fake.raw("Content-Length: 50\r\n\r\n").await;
        let sent = fake.drain().await;
        assert_eq!(sent.len(), 1, "only initialize, and it is never cancelled: {sent:?}");
    })
    .await
    .err()
    .unwrap();
    let StartError::Timeout { last_words, .. } = &error else { panic!("{error}") };
    assert_eq!(last_words, &["Content-Length: 50"]);
    assert!(error.to_string().starts_with("mcp server fake was not ready after 30 s"), "{error}");
}

#[tokio::test]
async fn m3_a_refused_handshake_names_the_step() {
    let error = start(&spec(), async |mut fake: Fake| {
        let hello = fake.expect("initialize").await;
        fake.send(json!({"id": hello["id"], "error": "go away"})).await;
        fake.drain().await;
    })
    .await
    .err()
    .unwrap();
    assert_eq!(error.to_string(), "mcp server fake failed at initialize: go away (code 0)");
}

#[tokio::test]
async fn m4_a_server_that_ends_during_the_handshake() {
    let error = start(&spec(), async |mut fake: Fake| {
        fake.expect("initialize").await;
        fake.raw("cannot open the database\n").await;
        fake.close().await;
    })
    .await
    .err()
    .unwrap();
    let StartError::Refused { error: CallError::Ended { ending, .. }, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(ending.how, HowEnded::ClosedItsPipe);
    assert_eq!(ending.last_words, ["cannot open the database"]);
}
