//! Folders in use stay, abandoned ones go.

use super::*;

#[test]
fn what_a_killed_tah_left_is_removed_and_what_is_in_use_stays() {
    let parent = tempfile::tempdir().unwrap();
    let (mut killed, living) =
        (Scratch::inside(parent.path()).unwrap(), Scratch::inside(parent.path()).unwrap());
    killed.folder.disable_cleanup(true);
    let left = killed.folder.path().to_owned();
    std::fs::write(left.join("profile/cookies"), "x").unwrap();
    drop(killed);
    let unfinished = parent.path().join("tah-browser-new");
    std::fs::create_dir(&unfinished).unwrap();
    sweep_inside(parent.path());
    assert!(!left.exists());
    assert!(living.profile().exists() && living.downloads().exists());
    assert!(unfinished.exists(), "one that is just being made is not abandoned");
    let path = living.folder.path().to_owned();
    drop(living);
    assert!(!path.exists());
}

#[test]
fn chromes_sockets_fit_below_its_temporary_folder() {
    let parent = tempfile::tempdir().unwrap();
    let deep = parent.path().join("x".repeat(60));
    std::fs::create_dir(&deep).unwrap();
    assert_eq!(Scratch::inside(&deep).unwrap().temporary_for_chrome(), None);
    if cfg!(target_os = "linux") && parent.path().as_os_str().len() < 35 {
        assert!(Scratch::inside(parent.path()).unwrap().temporary_for_chrome().is_some());
    }
}
