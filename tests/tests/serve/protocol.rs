//! The protocol as clients of all ages and manners speak it.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tah_tests::served::{Served, hello};
use tah_tests::site::Site;
use tah_tests::tah::World;
use tah_tests::wait;

#[test]
fn older_protocol_versions_are_spoken_and_unknown_ones_answered_with_ours() {
    let world = World::new();
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let mut served = Served::silent(&world, &["--headless"]);
        let answer = served.ask("initialize", hello(asked));
        assert_eq!(answer["result"]["protocolVersion"], given, "{answer}");
        assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
        assert!(answer["result"]["instructions"].as_str().unwrap().contains("browser_open"), "{answer}");
        served.close();
    }
}

#[test]
fn what_is_no_message_gets_an_error_and_the_next_one_its_answer() {
    let world = World::new();
    let mut served = Served::start(&world, &[]);
    for (line, code) in [
        ("{ this is no JSON", -32700),
        ("[1, 2]", -32600),
        ("42", -32600),
        (r#"{"id": 1, "method": 7}"#, -32600),
    ] {
        served.send_text(line);
        let answer = served.answer(Value::Null);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        if line.starts_with("[1") {
            served.answer(Value::Null);
        }
    }
    served.send_text("");
    served.send(&json!({"jsonrpc": "2.0", "method": "notifications/unheard_of", "params": {"a": 1}}));
    assert_eq!(served.ask("ping", json!({}))["result"], json!({}));
    assert_eq!(served.ask("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(served.ask("tools/call", json!({"arguments": {}}))["error"]["code"], -32602);
    let wrong = json!({"name": "browser_open", "arguments": "about:blank"});
    assert_eq!(served.ask("tools/call", wrong)["error"]["code"], -32602);
    // Wrong arguments are for the model to correct: a result, not an error of the protocol.
    let result = served.ask("tools/call", json!({"name": "browser_key", "arguments": {"kye": "Enter"}}));
    assert_eq!(result["result"]["isError"], true, "{result}");
    let words = result["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("BROWSER_ARGUMENT_INVALID") && words.contains("key"), "{words}");
    served.close();
}

#[test]
fn requests_before_initialize_and_ids_of_every_kind_are_answered() {
    let world = World::new();
    let mut served = Served::silent(&world, &["--headless"]);
    served.send(&json!({"jsonrpc": "2.0", "id": "früh", "method": "tools/list"}));
    let answer = served.answer("früh");
    assert!(answer["result"]["tools"].as_array().is_some_and(|tools| tools.len() == 40), "{answer}");
    served.send(&json!({"jsonrpc": "2.0", "id": -7, "method": "initialize", "params": hello("2025-06-18")}));
    assert_eq!(served.answer(-7)["result"]["protocolVersion"], "2025-06-18");
    // A batch, as clients of 2025-03-26 may send it.
    served.send_text(
        r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"tools/list"}]"#,
    );
    assert!(served.answer("a")["result"].is_object());
    assert!(served.answer("b")["result"]["tools"].is_array());
    served.close();
}

#[test]
fn calls_side_by_side_all_get_their_own_answers() {
    let (world, site) = (World::new(), Site::with_form());
    let mut served = Served::start(&world, &[]);
    served.text("browser_open", json!({"url": site.url("/")}));
    let mut asked = Vec::new();
    for number in 0..40 {
        let id = match number % 4 {
            0 => served.begin("browser_execute", json!({"script": format!("return {number}")})),
            1 => served.begin(
                "browser_set_value",
                json!({"target": "input[name=name]", "value": format!("v{number}")}),
            ),
            2 => served.begin("browser_snapshot", json!({})),
            _ => served.request("ping", json!({})),
        };
        asked.push((number, id));
    }
    // Answers may come in any order: read here from the last to the first.
    for (number, id) in asked.into_iter().rev() {
        let text = served.answer(id).to_string();
        match number % 4 {
            0 => assert!(text.contains(&format!("\\\"value\\\":{number}")), "{number}: {text}"),
            1 => assert!(text.contains(&format!("v{number}")), "{number}: {text}"),
            2 => assert!(text.contains("Send order"), "{number}: {text}"),
            _ => assert!(text.contains("\"result\":{}"), "{number}: {text}"),
        }
    }
    served.close();
}

#[test]
fn a_cancelled_call_gets_no_answer_and_the_next_one_works() {
    let (world, site) = (World::new(), Site::with_form());
    let mut served = Served::start(&world, &[]);
    served.text("browser_open", json!({"url": site.url("/")}));
    let id = served.begin("browser_wait", json!({"selector": "#never", "timeoutMs": 30000}));
    let begun = Instant::now();
    served.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let text = served.text("browser_snapshot", json!({}));
    assert!(text.contains("Send order"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(10), "it waited for the cancelled one");
    assert_eq!(served.answer_within(id, Duration::from_millis(300)), None);
    // Cancelling what is not there, or was answered, does nothing.
    served
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4711}}));
    served.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
    served.text("browser_snapshot", json!({}));
    served.close();
}

#[test]
fn requests_that_were_piped_in_are_answered_before_the_end() {
    let (world, site) = (World::new(), Site::with_form());
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-11-25")}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "browser_session", "arguments": {}}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}),
    ];
    let mut served = Served::silent(&world, &["--headless"]);
    for line in &lines {
        served.send(line);
    }
    served.end_input();
    assert!(served.answer(1)["result"].is_object());
    assert!(served.answer(3)["result"].is_object());
    assert!(served.ended().success());
    wait::until("all is gone", Duration::from_secs(5), || {
        tah_tests::processes::holding(&world.mark()).iter().all(|process| process.state == 'Z')
    });
    drop(site);
}
