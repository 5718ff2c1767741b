//! Links, places and leavings.
#![allow(clippy::disallowed_methods, reason = "tests look at the disk directly")]

use super::*;
use serde_json::json;

#[test]
fn bp_p9_a_file_a_call_names_is_written_below_the_output_folder_only() {
    let files = Files::new("/w".into(), "/w/.tah/browser".into());
    for (name, place) in [
        ("shot.png", "/w/.tah/browser/shot.png"),
        ("src/main.rs", "/w/.tah/browser/main.rs"),
        ("../../etc/passwd", "/w/.tah/browser/passwd"),
        ("/etc/passwd", "/w/.tah/browser/passwd"),
        (".tah/browser/a.png", "/w/.tah/browser/a.png"),
    ] {
        assert_eq!(files.confined(json!({"filename": name, "x": 1})), json!({"filename": place, "x": 1}));
    }
    assert_eq!(files.confined(json!({"text": "a"})), json!({"text": "a"}));
}

#[test]
fn bp_p8b_files_that_are_linked_lose_what_is_secret_and_nothing_outside_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join(".tah/browser");
    std::fs::create_dir_all(&output).unwrap();
    std::fs::write(output.join("page-1.yml"), "- textbox \"Pass\" [ref=e3]: hunter2").unwrap();
    std::fs::write(output.join("page-2.yml"), b"\xff\xfe").unwrap();
    let files = Files::new(folder.path().to_owned(), output.clone());
    let result = "### Snapshot\n- [Snapshot](.tah/browser/page-1.yml)\n- [Snapshot](../x.yml)\n\
                  - [Snapshot](/etc/passwd)\n- [Snapshot](.tah/browser/page-2.yml)\n- [other](a.yml)";
    let linked = files.linked(result);
    assert_eq!(linked.len(), 1);
    assert!(linked[0].may_show());
    linked[0].mask(|text| text.replace("hunter2", "••"));
    assert!(!std::fs::read_to_string(output.join("page-1.yml")).unwrap().contains("hunter2"));
    assert!(!output.join("page-2.yml").exists(), "what can't be read can't be vouched for");
    std::fs::write(output.join("page-3.yml"), "").unwrap();
    std::fs::write(output.join("page-3.png"), "").unwrap();
    files.remove_leavings();
    assert!(output.join("page-1.yml").exists(), "it was there before");
    assert!(!output.join("page-3.yml").exists() && output.join("page-3.png").exists());
}
