//! What is on offer: the tools, their size, a selection of them.

use serde_json::{Value, json};
use tah_tests::served::Served;
use tah_tests::tah::World;

fn names(tools: &[Value]) -> Vec<String> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The tool list as a client hands it to a model.
fn sent(tools: &[Value]) -> usize {
    let list: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({"name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]})
        })
        .collect();
    serde_json::to_string(&list).unwrap().chars().count()
}

#[test]
fn all_tools_are_listed_within_their_size_and_no_browser_runs_for_it() {
    let world = World::new();
    let mut served = Served::start(&world, &[]);
    let tools = served.tools();
    let beyond = ["close", "find", "hover", "drag", "upload", "dialog", "console"];
    let beyond: Vec<String> = beyond.iter().map(|name| format!("browser_{name}")).collect();
    assert_eq!(tools.len(), 33 + beyond.len(), "{:?}", names(&tools));
    let core: Vec<Value> = tools
        .iter()
        .filter(|tool| !beyond.contains(&tool["name"].as_str().unwrap().to_owned()))
        .cloned()
        .collect();
    assert_eq!(core.len(), 33);
    assert!(sent(&core) <= 10_000, "the 33: {}", sent(&core));
    assert!(sent(&tools) <= 12_500, "with extras: {}", sent(&tools));
    for tool in &tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
    assert_eq!(served.browser(), None, "a list needs no browser");
    assert!(!world.work().join(".tah").exists(), "and no folder");
    served.close();
    let mut served = Served::start(&world, &["--tools", "all"]);
    assert_eq!(names(&served.tools()).len(), 41, "browser_network too");
}

#[test]
fn a_selection_is_listed_and_nothing_else_can_be_called() {
    let world = World::new();
    // With or without what all names begin with; in the engine's order.
    let mut served = Served::start(&world, &["--tools", "click,browser_open", "--tools", "snapshot"]);
    assert_eq!(names(&served.tools()), ["browser_open", "browser_snapshot", "browser_click"]);
    let refused = served.call("browser_execute", json!({"script": "return 1"}));
    assert!(refused.is_error && refused.text.contains("there is no tool browser_execute"), "{refused:?}");
    assert_eq!(served.browser(), None);
}

#[test]
fn an_unknown_tool_name_is_an_error_that_lists_the_names() {
    let world = World::new();
    let ran = world.tah(&["mcp", "serve", "--tools", "open,clickk"]).run();
    ran.expect_code(2);
    assert!(ran.stderr.contains("there is no tool clickk"), "{}", ran.stderr);
    for name in ["open", "snapshot", "click", "hover", "network"] {
        assert!(ran.stderr.contains(name), "{name} is not listed: {}", ran.stderr);
    }
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_name_of_the_other_family_is_answered_with_the_right_one() {
    let world = World::new();
    let mut served = Served::start(&world, &[]);
    let answer = served.call("browser_navigate", json!({"url": "about:blank"}));
    assert!(answer.is_error && answer.text.contains("browser_open"), "{answer:?}");
    let answer = served.call("no_such_tool", json!({}));
    assert!(answer.is_error && answer.text.contains("-32602"), "{answer:?}");
}
