//! Files, layers and trust, in memory.

use super::file::parse;
use super::layers::{Layers, Source};
use super::trust;
use serde_json::json;
use std::path::PathBuf;

fn message(text: &str) -> String {
    let error = parse(text).unwrap_err();
    format!("{} | {}", error.message, error.hint.unwrap_or_default())
}

fn layers(text: &str) -> Layers {
    let mut layers = Layers::default();
    layers.push(parse(text).unwrap(), &Source::User(PathBuf::from("user")));
    layers
}

#[test]
fn bp_s1_unknown_keys_and_wrong_types_are_named() {
    assert_eq!(
        message(r#"{"capabilities": {"browsr": true}}"#),
        "unknown key capabilities.browsr | did you mean `capabilities.browser`?"
    );
    assert!(
        message(r#"{"capabilities": {"browser": 1}}"#)
            .starts_with("capabilities.browser: expected true, false")
    );
    assert!(
        message(r#"{"capabilities": {"coding": "yes"}}"#)
            .contains("capabilities.coding: expected true or false")
    );
    assert!(
        message(r#"{"capabilities": {"browser": {"engine": "firefox"}}}"#)
            .contains("one of auto, playwright")
    );
    assert!(
        message(r#"{"extensions": {"mcp": {"a": {"comand": "x"}}}}"#).contains("extensions.mcp.a.comand")
    );
    assert!(message(r#"{"extensions": {"mcp": {"a": {}}}}"#).contains("neither `command` nor `url`"));
    assert!(message(r#"{"maxSteps": 0}"#).contains("maxSteps: expected a whole number from 1"));
    assert!(message("[1]").contains("expected an object"));
}

#[test]
fn comments_and_trailing_commas_are_fine() {
    let values = parse("// mine\n{ \"model\": \"m\", /* x */ \"addDirs\": [\"a\",], }\n").unwrap();
    assert_eq!(values, [("model".to_owned(), json!("m")), ("addDirs".to_owned(), json!(["a"]))]);
    assert!(parse("").unwrap().is_empty());
    assert!(parse("// nothing\n").unwrap().is_empty());
}

#[test]
fn bp_s1_the_browser_follows_web_which_follows_coding() {
    assert!(layers("{}").browser());
    assert!(!layers(r#"{"capabilities": {"coding": false}}"#).browser());
    assert!(!layers(r#"{"capabilities": {"web": false}}"#).browser());
    assert!(layers(r#"{"capabilities": {"web": false, "browser": true}}"#).browser());
    assert!(!layers(r#"{"capabilities": {"browser": false}}"#).browser());
    assert!(layers(r#"{"capabilities": {"web": false, "browser": {"engine": "native"}}}"#).browser());
    assert!(!layers(r#"{"capabilities": {"browser": {"enabled": false, "engine": "native"}}}"#).browser());
}

#[test]
fn bp_m8_one_server_or_a_map_of_them() {
    let single = parse(r#"{"extensions": {"mcp": {"command": "x", "args": ["a"]}}}"#).unwrap();
    assert_eq!(single[0].0, "extensions.mcp.mcp");
    let map = parse(r#"{"extensions": {"mcp": {"a": {"command": "x"}, "b": {"url": "http://127.0.0.1/"}}}}"#)
        .unwrap();
    assert_eq!(
        map.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        ["extensions.mcp.a", "extensions.mcp.b"]
    );
}

#[test]
fn an_untrusted_folder_may_only_tighten() {
    let below = layers(r#"{"maxSteps": 20, "capabilities": {"web": true}}"#);
    let split = |text: &str| trust::split(parse(text).unwrap(), &below).1;
    let free = r#"{"maxSteps": 5, "capabilities": {"coding": false, "web": true, "browser": false},
        "permissions": {"deny": ["x"], "ask": ["y"]}, "sandbox": {"commands": true}}"#;
    assert_eq!(split(free), Vec::<String>::new());
    let wide = r#"{"maxSteps": 50, "model": "m", "baseUrl": "http://x", "addDirs": ["/"],
        "permissions": {"allow": ["*"]}, "sandbox": {"commands": false, "writable": ["/"]},
        "allowPrivateAddresses": true, "extensions": {"mcp": {"a": {"command": "x"}}},
        "capabilities": {"browser": {"executablePath": "/x", "playwright": {"command": ["x"]}}, "vision": true}}"#;
    let needs = split(wide);
    for path in [
        "maxSteps",
        "model",
        "baseUrl",
        "addDirs",
        "permissions.allow",
        "sandbox.commands",
        "sandbox.writable",
        "allowPrivateAddresses",
        "extensions.mcp.a",
        "capabilities.browser.executablePath",
        "capabilities.browser.playwright.command",
        "capabilities.vision",
    ] {
        assert!(needs.iter().any(|need| need == path), "{path} of {needs:?}");
    }
}

#[test]
fn a_folder_adds_to_the_users_rules_and_replaces_nothing() {
    let mut all = layers(r#"{"permissions": {"deny": ["a"]}, "model": "m"}"#);
    all.push(
        parse(r#"{"permissions": {"deny": ["b"]}, "model": "n"}"#).unwrap(),
        &Source::Folder(PathBuf::from("f")),
    );
    let denied: Vec<String> = all.texts("permissions.deny").into_iter().map(|(text, _)| text).collect();
    assert_eq!(denied, ["a", "b"]);
    assert_eq!(all.text("model"), Some("n"));
}
