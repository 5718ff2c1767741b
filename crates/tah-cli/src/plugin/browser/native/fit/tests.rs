//! Whatever its shape, a result stays within the limit and stays JSON.

use super::*;
use serde_json::json;

#[test]
fn bp_p4_a_result_is_cut_inside_its_field_and_stays_json() {
    let shapes = [
        json!({"url": "http://x/", "content": "é\"\\\n".repeat(20_000)}),
        json!({"items": (0..20_000).map(|n| json!({"n": n, "t": "abc"})).collect::<Vec<_>>()}),
        json!({"a": "x".repeat(40_000), "b": ["y".repeat(40_000)], "c": {"d": "z".repeat(40_000)}}),
        json!({"entries": [[1, 2, 3], (0..30_000).collect::<Vec<_>>()]}),
        json!("q".repeat(100_000)),
        Value::Object((0..10_000).map(|n| (format!("key{n}"), json!(n))).collect()),
    ];
    for shape in shapes {
        let text = within(shape, 30_000);
        assert!(text.chars().count() <= 30_000, "{}", text.chars().count());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(text.contains("truncated"), "it says that it was cut: {}", &text[..100]);
        assert!(!value.is_null());
    }
}

#[test]
fn a_result_within_the_limit_is_left_alone() {
    let value = json!({"b": 1, "a": [1, "x"]});
    assert_eq!(within(value.clone(), 30_000), value.to_string());
}
