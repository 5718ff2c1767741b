//! Profile locks: stale, living, foreign.

use std::os::unix::fs::symlink;

use super::*;

async fn with_lock(target: &str) -> (tempfile::TempDir, Result<Cleared, ProfileError>) {
    let dir = tempfile::tempdir().unwrap();
    symlink(target, dir.path().join(LOCK)).unwrap();
    let result = claim(dir.path()).await.map(|claim| claim.cleared);
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
    assert_eq!(claim(&folder).await.unwrap().cleared, Cleared::Nothing);
    assert!(folder.is_dir());
}

#[tokio::test]
async fn bp_p8_a_second_start_waits_for_the_first_and_then_sees_its_lock() {
    let dir = tempfile::tempdir().unwrap();
    let first = claim(dir.path()).await.unwrap();
    let second = claim(dir.path());
    tokio::pin!(second);
    assert!(tokio::time::timeout(LOOK_AGAIN * 5, &mut second).await.is_err(), "it waits");
    symlink("faraway-host-77", dir.path().join(LOCK)).unwrap();
    drop(first);
    assert!(matches!(second.await, Err(ProfileError::OtherHost { .. })));
    assert!(!dir.path().join(STARTING).exists(), "nothing is left of the turns");
}
