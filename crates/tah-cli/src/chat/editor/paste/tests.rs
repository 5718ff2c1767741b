//! Pastes.

use super::*;

#[test]
fn u4_line_ends_become_one_kind_and_escapes_go() {
    assert_eq!(clean("a\r\nb\rc"), "a\nb\nc");
    assert_eq!(clean("a\x1b[201~b\x1b[31mc"), "abc");
    assert!(!clean("x\x03y\x07z").contains(char::is_control));
}

#[test]
fn large_pastes_fold_and_unfold() {
    let mut pastes = Pastes::default();
    let big = "line\n".repeat(30);
    let tag = pastes.fold(big.clone());
    assert_eq!(tag, "[paste 1: 30 lines]");
    assert_eq!(pastes.unfold(&format!("see {tag} ok")), format!("see {big} ok"));
    assert_eq!(pastes.fold("short".to_owned()), "short");
    assert_eq!(pastes.fold("x".repeat(2000)), "[paste 2: 2000 characters]");
    assert_eq!(pastes.tag_before("see [paste 1: 30 lines]"), Some("[paste 1: 30 lines]"));
    assert_eq!(pastes.tag_before("see [paste 1: 30 lines"), None);
}

#[test]
fn u4_a_megabyte_is_one_tag() {
    let mut pastes = Pastes::default();
    let tag = pastes.fold(clean(&"0123456789\r\n".repeat(90_000)));
    assert_eq!(tag, "[paste 1: 90000 lines]");
    assert_eq!(pastes.unfold(&tag).len(), 90_000 * 11);
}
