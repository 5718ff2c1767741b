//! Profile locks: stale, living, foreign.

use std::os::unix::fs::symlink;

use super::*;

async fn with_lock(target: &str) -> (tempfile::TempDir, Result<Cleared, ProfileError>) {
    let dir = tempfile::tempdir().unwrap();
    symlink(target, dir.path().join(LOCK)).unwrap();
    let result = claim(dir.path()).await;
    (dir, result)
}

#[tokio::test]
async fn b72_lock_of_a_dead_pid_is_removed() {
    let (dir, result) = with_lock(&format!("{}-{}", host_name(), 4_194_000)).await;
    assert_eq!(result, Ok(Cleared::StaleLock));
    assert!(dir.path().join(LOCK).symlink_metadata().is_err());
}

#[tokio::test]
async fn b72_lock_of_an_unrelated_living_pid_is_removed() {
    let (_dir, result) = with_lock(&format!("{}-{}", host_name(), std::process::id())).await;
    assert_eq!(result, Ok(Cleared::StaleLock));
}

#[tokio::test]
async fn bp_p8a_hosts_a_lock_of_another_names_it_and_stays() {
    let (dir, result) = with_lock("faraway-host-77").await;
    let text = result.expect_err("refused").to_string();
    assert!(text.contains("faraway-host") && text.contains("SingletonLock"), "{text}");
    assert!(dir.path().join(LOCK).symlink_metadata().is_ok());
}

#[tokio::test]
async fn a_new_folder_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("a/b");
    assert_eq!(claim(&folder).await, Ok(Cleared::Nothing));
    assert!(folder.is_dir());
}
