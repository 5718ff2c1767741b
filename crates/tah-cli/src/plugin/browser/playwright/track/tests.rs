//! What is noticed between calls.

use super::*;

const PAGE: &str = "### Page\n- Page URL: http://x/\n- Page Title: X";
const BLANK: &str = "### Page\n- Page URL: about:blank";

#[test]
fn bp_p8a_restart_another_browser_on_the_profile_is_said() {
    let profile = tempfile::tempdir().unwrap();
    let lock = profile.path().join("SingletonLock");
    let mut track = Track::default();
    std::os::unix::fs::symlink("host-10", &lock).unwrap();
    assert_eq!(track.see("browser_navigate", PAGE, profile.path()), None);
    assert_eq!(track.see("browser_snapshot", PAGE, profile.path()), None);
    tah_os::disk::remove(&lock).unwrap();
    std::os::unix::fs::symlink("host-11", &lock).unwrap();
    assert_eq!(track.see("browser_snapshot", BLANK, profile.path()), Some(RESTARTED));
    assert_eq!(track.see("browser_snapshot", BLANK, profile.path()), None);
}

#[test]
fn bp_p8a_restart_a_page_that_became_blank_by_looking_is_said() {
    let profile = tempfile::tempdir().unwrap();
    let mut track = Track::default();
    track.see("browser_navigate", PAGE, profile.path());
    assert_eq!(track.see("browser_snapshot", BLANK, profile.path()), Some(PAGE_GONE));
    assert_eq!(track.see("browser_snapshot", BLANK, profile.path()), None);
    track.see("browser_navigate", PAGE, profile.path());
    assert_eq!(track.see("browser_navigate", BLANK, profile.path()), None);
}

#[test]
fn bp_p8a_dialog_no_navigation_is_said_done_under_an_open_dialog() {
    let profile = tempfile::tempdir().unwrap();
    let mut track = Track::default();
    let dialog = "### Modal state\n- [\"alert\" dialog with message \"hi\"]: can be handled by browser_handle_dialog\n### Snapshot\n- x";
    track.see("browser_click", dialog, profile.path());
    assert!(track.is_blocked());
    let refused = track.may_run("browser_navigate").unwrap_err();
    assert!(refused.message.contains("dialog with message \"hi\""), "{refused}");
    assert!(!refused.message.contains("Snapshot"));
    track.may_run("browser_handle_dialog").unwrap();
    track.see("browser_handle_dialog", PAGE, profile.path());
    track.may_run("browser_navigate").unwrap();
}

#[test]
fn the_current_tab_is_followed() {
    let profile = tempfile::tempdir().unwrap();
    let mut track = Track::default();
    track.see(
        "browser_tabs",
        "### Result\n- 0: [A](http://a/)\n- 1: (current) [B](http://b/)",
        profile.path(),
    );
    assert_eq!(track.current_tab(), 1);
    track.see("browser_click", PAGE, profile.path());
    assert_eq!(track.current_tab(), 1);
}
