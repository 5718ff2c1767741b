//! The forms of a target.

use serde_json::json;

use super::*;

fn query(by: By, value: &str, index: usize) -> Target {
    Target::Query { by, value: value.to_owned(), index }
}

#[test]
fn strings_say_by_their_beginning_what_they_are() {
    let read = |text: &str| Target::read(&json!(text)).unwrap();
    assert_eq!(read("e12"), Target::Ref(12));
    assert_eq!(read("[e7]"), Target::Ref(7));
    assert_eq!(read("em"), query(By::Css, "em", 0));
    assert_eq!(read("#save"), query(By::Css, "#save", 0));
    assert_eq!(read("css=e12"), query(By::Css, "e12", 0));
    assert_eq!(read("text=Sign in"), query(By::Text, "Sign in", 0));
    assert_eq!(read("text=\"Sign in\""), query(By::Text, "Sign in", 0));
    assert_eq!(read("//a[1]"), query(By::Xpath, "//a[1]", 0));
    assert_eq!(read("xpath=.//b"), query(By::Xpath, ".//b", 0));
}

#[test]
fn objects_have_all_the_ways() {
    let read = |value| Target::read(&value);
    assert_eq!(read(json!({"by": "css", "value": "a", "index": 2})).unwrap(), query(By::Css, "a", 2));
    assert_eq!(read(json!({"by": "ref", "value": "e3"})).unwrap(), Target::Ref(3));
    assert_eq!(
        read(json!({"by": "point", "x": 1.5, "y": 2})).unwrap(),
        Target::Point(Point { x: 1.5, y: 2.0 })
    );
    for wrong in [
        json!({}),
        json!({"by": "css"}),
        json!({"by": "point", "x": 1}),
        json!({"by": "name", "value": "x"}),
        json!({"by": "css", "value": "a", "index": -1}),
        json!(""),
        json!(3),
    ] {
        let error = read(wrong.clone()).unwrap_err();
        assert_eq!(error.code.as_str(), "BROWSER_ARGUMENT_INVALID", "{wrong}");
    }
}
