//! The prompt history, over sessions.

use super::*;

#[test]
fn prompts_outlive_the_session() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("tah");
    let mut history = History::load(Some(folder.clone()));
    for prompt in ["one", "two\nlines", "two\nlines", "  "] {
        history.add(prompt);
    }
    let mut later = History::load(Some(folder));
    assert_eq!(later.newest_first(), ["two\nlines", "one"]);
    assert_eq!(later.older("half").as_deref(), Some("two\nlines"));
    assert!(later.is_in_the_past());
    assert_eq!(later.older("").as_deref(), Some("one"));
    assert_eq!(later.older(""), None);
    assert_eq!(later.newer().as_deref(), Some("two\nlines"));
}

#[test]
fn what_was_being_written_comes_back() {
    let mut history = History::load(None);
    history.add("one");
    assert_eq!(history.older("half").as_deref(), Some("one"));
    assert_eq!(history.newer().as_deref(), Some("half"));
    assert_eq!(history.newer(), None);
}

#[test]
fn a_broken_line_is_skipped() {
    let home = tempfile::tempdir().unwrap();
    disk::write(&home.path().join("history.jsonl"), b"\"one\"\n{broken\n\"two\"\n", Access::Private).unwrap();
    assert_eq!(History::load(Some(home.path().to_owned())).newest_first(), ["two", "one"]);
}
