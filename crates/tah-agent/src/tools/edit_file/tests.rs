//! What many places at once come to; the cases of single edits are in `tests/it/tools/edits.rs`.

use super::line_endings::Lines;
use super::matching::{Edit, apply};

/// What `replace_each` must come to.
fn one_by_one(text: &str, old: &str, new: &str) -> String {
    let mut lines = Lines::of(text);
    let whole: Vec<usize> = lines.text.match_indices(old).map(|(at, _)| at).collect();
    for at in whole.into_iter().rev() {
        lines.replace(at, at + old.len(), new);
    }
    lines.original()
}

#[test]
fn e1_replacing_all_at_once_is_replacing_one_by_one() {
    let text = "top\r\na\r\nb\nc\ra\nb\r\nc\ra\r\nb\r\nc end\r\n";
    for (old, new) in [
        ("a\nb", "a\nx\nb"),
        ("a\nb\nc", "c"),
        ("\n", "\n\n"),
        ("b\n", "b\ny\n"),
        ("\nb\n", "\nB\n"),
        ("a", "\n\na"),
        ("a\nb\n", "\nb\n"),
    ] {
        let mut lines = Lines::of(text);
        let whole: Vec<usize> = lines.text.match_indices(old).map(|(at, _)| at).collect();
        lines.replace_each(&whole, old, new);
        assert_eq!(lines.original(), one_by_one(text, old, new), "{old:?} to {new:?}");
    }
}

#[test]
fn e5_a_letter_that_is_there_two_million_times_is_replaced_in_one_pass() {
    let text = "a\n".repeat(2_000_000);
    let edit = |old: &str, new: &str, all| Edit { old: old.into(), new: new.into(), all };
    let began = std::time::Instant::now();
    let done = apply(&text, &[edit("a", "b", true)]).unwrap();
    assert_eq!(done, "b\n".repeat(2_000_000));
    let error = apply(&text, &[edit("a", "b", false)]).unwrap_err();
    assert!(error.message.contains("1000 or more times"), "{error}");
    // One by one it took minutes.
    assert!(began.elapsed() < std::time::Duration::from_secs(30));
    let growing: Vec<_> = (0..20).map(|_| edit("b", "bbbb", true)).collect();
    let error = apply("b", &growing).unwrap_err();
    assert!(error.message.contains("larger than 16 MiB"), "{error}");
}
