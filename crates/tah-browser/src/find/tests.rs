//! Which browser is found, and what is said when none is.

#![allow(clippy::disallowed_methods, reason = "tests prepare their own folders")]
use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn b65_configured_path_first_and_named_when_missing() {
    let missing = Path::new("/no/such/chrome");
    let error = find(Some(missing), None).expect_err("not there");
    assert!(error.to_string().contains("/no/such/chrome"), "{error}");
}

#[test]
fn an_executable_on_path_is_taken_and_a_plain_file_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let plain = dir.path().join("google-chrome");
    let program = dir.path().join("chromium");
    std::fs::File::create(&plain).unwrap();
    std::fs::File::create(&program).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(find(None, Some(dir.path().as_os_str())), Ok(program));
}

#[test]
fn nothing_found_names_what_was_looked_for() {
    let text = FindError::Nowhere.to_string();
    for name in ["google-chrome", "chromium", "microsoft-edge", "brave-browser"] {
        assert!(text.contains(name), "{text}");
    }
}
