//! The table: sizes, guard, validation, habits.

use serde_json::json;

use super::*;

/// A tool list as an OpenAI-compatible request carries it.
fn sent(rows: &[&Row]) -> usize {
    let list: Vec<Value> = rows
        .iter()
        .map(|row| json!({"name": row.name, "description": row.description, "parameters": row.schema()}))
        .collect();
    serde_json::to_string(&list).unwrap().chars().count()
}

#[test]
fn the_33_stay_under_10000_chars_and_all_under_12500() {
    let core: Vec<&Row> = ROWS.iter().filter(|row| row.group == Group::Core).collect();
    let default: Vec<&Row> = offered(Extras::On).collect();
    assert_eq!(core.len(), 33);
    let (core, default) = (sent(&core), sent(&default));
    assert!(core <= 10_000, "{core}");
    assert!(default <= 12_500, "{default}");
}

#[test]
fn every_schema_is_an_object_and_every_name_is_said_once() {
    for row in ROWS {
        assert_eq!(row.schema()["type"], "object", "{}", row.name);
        assert!(row.schema()["properties"].is_object(), "{}", row.name);
        assert_eq!(ROWS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        assert!(row.description.ends_with('.'), "{}", row.name);
        assert!(row.budget <= LONGEST || row.budget == limits::FLOW, "{}", row.name);
    }
}

#[test]
fn the_guard_column_of_the_contract() {
    let free = [
        "wait",
        "snapshot",
        "a11y",
        "content",
        "challenge",
        "get_value",
        "scrape",
        "list_tabs",
        "close_tab",
        "session",
        "history",
        "restrict",
        "screenshot",
    ];
    for row in ROWS.iter().filter(|row| row.group == Group::Core) {
        let expected = if free.contains(&row.name.trim_start_matches("browser_")) {
            Guard::Free
        } else {
            Guard::Checked
        };
        assert_eq!(row.guard, expected, "{}", row.name);
    }
}

#[test]
fn behaviour_75_a_message_names_the_argument() {
    let check =
        |tool: &str, args: Value| validate(row(tool).unwrap().schema(), args).map(|_| ()).unwrap_err();
    assert_eq!(check("browser_type", json!({})), "argument text is missing");
    assert_eq!(check("browser_type", json!({"text": 5})), "argument text must be string, not a number");
    assert!(
        check("browser_content", json!({"format": "pdf"}))
            .contains("format must be one of html, markdown, txt, json")
    );
    assert!(check("browser_a11y", json!({"maxNodes": 5})).contains("maxNodes must be between 10 and 5000"));
    assert!(check("browser_fill", json!({"fields": [{"name": "a"}]})).contains("fields[0].value is missing"));
    assert!(
        check("browser_click", json!({"element": "x"}))
            .contains("argument element is unknown; there are: target, x, y")
    );
    assert!(
        check("browser_scrape", json!({"item": "li", "fields": {"a": 1}}))
            .contains("fields.a must be string")
    );
    assert!(check("browser_open", json!([1])).contains("must be an object"));
}

#[test]
fn nulls_of_optional_arguments_are_absent() {
    let args = validate(row("browser_open").unwrap().schema(), json!({"url": "x", "newTab": null})).unwrap();
    assert_eq!(Value::Object(args), json!({"url": "x"}));
}

#[test]
fn habit_names_lead_to_tools_that_exist() {
    for name in [
        "browser_navigate",
        "browser_fill_form",
        "browser_tabs",
        "browser_evaluate",
        "browser_take_screenshot",
    ] {
        let right = right_name(name).unwrap();
        assert!(row(right.split(' ').next().unwrap()).is_some(), "{name} -> {right}");
    }
}
