//! `@` mentions.

use super::super::state::Wish;
use super::super::testing::Stage;
use super::*;
use std::time::Instant;

#[test]
fn a_mention_begins_after_a_space_only() {
    assert_eq!(start("@"), Some(0));
    assert_eq!(start("see @src/ma"), Some(4));
    assert_eq!(start("me@example.org"), None);
    assert_eq!(start("see @a b"), None);
}

#[test]
fn typing_filters_and_enter_writes_the_path() {
    let mut stage = Stage::new();
    stage.keys("see @");
    assert_eq!(stage.wishes(), [Wish::Walk]);
    let files = ["src/main.rs", "src/chat/mod.rs", "README.md", "a b.txt"];
    walked(&mut stage.chat, files.iter().map(|path| (*path).to_owned()).collect());
    stage.keys("main");
    assert!(stage.screen().contains("▸ src/main.rs"));
    stage.keys("<Enter>and ");
    assert_eq!(stage.chat.editor.text(), "see @src/main.rs and ");
    stage.keys("@a<Down><Esc>");
    assert!(stage.chat.menu.is_none());
    stage.keys(" @txt<Tab>");
    assert!(stage.chat.editor.text().ends_with("@\"a b.txt\" "), "{}", stage.chat.editor.text());
}

#[test]
fn ignored_and_hidden_files_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        tah_os::disk::private_folder(path.parent().unwrap()).unwrap();
        tah_os::disk::write(&path, b"", tah_os::disk::Access::Shared).unwrap();
    };
    for name in ["src/a.rs", "b.txt", "target/c", ".hidden/d"] {
        write(name);
    }
    tah_os::disk::write(&folder.path().join(".gitignore"), b"target\n", tah_os::disk::Access::Shared)
        .unwrap();
    assert_eq!(walk(folder.path()), ["b.txt", "src/a.rs"]);
}

#[test]
fn a_hundred_thousand_files_are_searched_while_typing() {
    let paths: Vec<String> =
        (0..100_000).map(|n| format!("crates/part-{}/src/module_{n}.rs", n % 97)).collect();
    let began = Instant::now();
    let found = best(paths.iter().map(String::as_str), "module_77123", 8);
    assert_eq!(paths[found[0]], "crates/part-8/src/module_77123.rs");
    // Generous, since this is an unoptimised build; the bench has the real limit.
    assert!(began.elapsed().as_secs() < 5);
}
