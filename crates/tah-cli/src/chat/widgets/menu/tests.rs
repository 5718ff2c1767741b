//! Filtering and choosing.

use super::*;

fn menu(labels: &[&str]) -> Menu {
    Menu::new(Kind::Models, labels.iter().map(|label| Item::new(label, "", *label)).collect())
}

#[test]
fn the_best_match_comes_first() {
    let found = best(["crates/a/main.rs", "main.rs", "man.txt"].into_iter(), "main", 10);
    assert_eq!(found, [1, 0]);
    assert_eq!(best(["a", "b", "c"].into_iter(), "", 2), [0, 1]);
}

#[test]
fn choosing_goes_round_and_filtering_begins_anew() {
    let mut menu = menu(&["one", "two", "three"]);
    menu.up();
    assert_eq!(menu.chosen().unwrap().value, "three");
    menu.down();
    assert_eq!(menu.chosen().unwrap().value, "one");
    menu.filter("t".to_owned());
    assert_eq!(menu.shown.len(), 2);
    menu.filter("zzz".to_owned());
    assert!(menu.chosen().is_none());
    assert!(menu.draw(40).0.iter().any(|line| line.to_string().contains("nothing fits")));
}

#[test]
fn a_long_list_scrolls_with_the_choice() {
    let labels: Vec<String> = (0..30).map(|number| format!("item {number}")).collect();
    let mut menu = menu(&labels.iter().map(String::as_str).collect::<Vec<_>>());
    for _ in 0..20 {
        menu.down();
    }
    let lines: Vec<String> = menu.draw(40).0.iter().map(ToString::to_string).collect();
    assert!(lines.iter().any(|line| line.starts_with("▸ item 20")), "{lines:?}");
    assert!(lines.last().unwrap().contains("9 more"));
}

#[test]
fn u8_labels_are_safe() {
    let item = Item::new("a\u{1b}[2Jb\nc", "d\u{7}", "x");
    assert_eq!((item.label.as_str(), item.detail.as_str()), ("ab c", "d␇"));
}
