//! Commands: output, end, time, and what is left running.

use super::Bench;
use serde_json::json;
use std::time::{Duration, Instant};
use tah_agent::card::{CardLine, Scope};

#[tokio::test]
async fn x6_output_and_end_are_reported() {
    let bench = Bench::new();
    let text = bench.ok("execute_command", json!({"command": "echo out; echo err >&2; pwd; exit 3"})).await;
    assert!(text.starts_with("out\nerr\n") && text.contains("exited with code 3"), "{text}");
    assert!(text.contains(&bench.folder.path().canonicalize().unwrap().display().to_string()), "{text}");
    let killed = bench.ok("execute_command", json!({"command": "kill -9 $$"})).await;
    assert!(killed.contains("signal 9"), "{killed}");
}

#[tokio::test]
async fn x1_a_background_child_is_left_and_named() {
    let bench = Bench::new();
    let began = Instant::now();
    let text = bench.ok("execute_command", json!({"command": "sleep 60 & echo ok; echo $!"})).await;
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(text.starts_with("ok\n") && text.contains("still running"), "{text}");
    let pid = text.lines().nth(1).unwrap();
    bench.ok("execute_command", json!({"command": format!("kill {pid}")})).await;
}

#[tokio::test]
async fn x2_nothing_waits_for_input() {
    let bench = Bench::new();
    let began = Instant::now();
    bench.ok("execute_command", json!({"command": "cat; read x </dev/tty; echo $x"})).await;
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn x3_a_timeout_ends_it() {
    let bench = Bench::new();
    let began = Instant::now();
    let text = bench
        .ok("execute_command", json!({"command": "trap '' TERM; echo on; sleep 99", "timeoutMs": 300}))
        .await;
    assert!(text.starts_with("on\n") && text.contains("stopped after 0.3 s"), "{text}");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

#[tokio::test]
async fn x4_endless_output_is_bounded() {
    let bench = Bench::new();
    let output = bench.call("execute_command", json!({"command": "yes", "timeoutMs": 1000})).await;
    let output = output.unwrap();
    assert!(output.text.len() < 60_000 && output.cut.is_some());
    assert!(output.text.contains("bytes left out here"));
}

#[tokio::test]
async fn the_card_shows_the_line_and_how_far_always_reaches() {
    let bench = Bench::new();
    let card =
        bench.card("execute_command", json!({"command": "git log -3 && cargo test"})).await.unwrap().unwrap();
    assert_eq!(card.lines, [CardLine::Command("git log -3 && cargo test".to_owned())]);
    let prefixes = vec!["git log".to_owned(), "cargo test".to_owned()];
    assert_eq!(card.always, Some(Scope::Prefix { name: "execute_command".to_owned(), prefixes }));
    for command in ["echo $(id)", "ls > ../out", "ls > /etc/x"] {
        let card = bench.card("execute_command", json!({"command": command})).await.unwrap().unwrap();
        assert_eq!(card.always, None, "{command}");
    }
}
