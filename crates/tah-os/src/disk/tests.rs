//! tah's own files, on a real disk.

use std::os::unix::fs::symlink;

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn writing_replaces_as_a_whole_and_keeps_private_things_private() {
    let temp = folder();
    let path = temp.path().join("f");
    write(&path, b"one", Access::Private).expect("writes");
    write(&path, b"two", Access::Private).expect("writes");
    assert_eq!(read(&path, 3).expect("reads"), b"two");
    assert!(matches!(read(&path, 2), Err(DiskError::TooBig { .. })));
    assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o600);
    assert_eq!(list(temp.path()).expect("lists"), [path]);
    assert!(read_text(&temp.path().join("none"), 9).expect("no file is fine").is_none());
    assert!(write(&temp.path().join("no/f"), b"", Access::Shared).is_err());
}

#[test]
fn a_folder_of_ours_is_no_link_and_nobody_elses() {
    let temp = folder();
    let path = temp.path().join("a/.tah");
    private_folder(&path).expect("makes");
    private_folder(&path).expect("is there");
    assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o700);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("chmod");
    private_folder(&path).expect("takes rights away");
    assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o700);
    let link = temp.path().join("link");
    symlink(&path, &link).expect("links");
    assert!(matches!(private_folder(&link), Err(DiskError::NotPrivate { .. })));
    let file = temp.path().join("file");
    write(&file, b"", Access::Shared).expect("writes");
    assert!(matches!(private_folder(&file), Err(DiskError::NotPrivate { .. })));
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(12345), None).expect("chown");
        assert!(matches!(private_folder(&path), Err(DiskError::NotPrivate { .. })));
    }
}

#[test]
fn appending_counts_and_refuses_a_link() {
    let temp = folder();
    let path = temp.path().join("log");
    let mut file = AppendFile::open(&path, Access::Private).expect("opens");
    file.append(b"one\n").expect("appends");
    file.append(b"two\n").expect("appends");
    file.sync().expect("syncs");
    assert_eq!(AppendFile::open(&path, Access::Private).expect("opens").bytes(), 8);
    file.truncate(4).expect("cuts");
    file.append(b"3\n").expect("appends");
    assert_eq!(read(&path, 99).expect("reads"), b"one\n3\n");
    let link = temp.path().join("link");
    symlink(&path, &link).expect("links");
    assert!(AppendFile::open(&link, Access::Private).is_err());
}

#[test]
fn d2_the_second_owner_is_told_who_has_it() {
    let temp = folder();
    let path = temp.path().join("s.lock");
    let lock = Lock::take(&path).expect("free");
    let error = Lock::take(&path).expect_err("taken");
    assert!(
        matches!(error, DiskError::Locked { pid: Some(pid), .. } if pid == std::process::id()),
        "{error}"
    );
    drop(lock);
    assert!(!path.exists());
    // Left behind by a process that was killed.
    write(&path, b"99999\n", Access::Private).expect("writes");
    Lock::take(&path).expect("free");
}

#[test]
fn d2_many_takers_never_own_at_once() {
    let temp = folder();
    let path = temp.path().join("s.lock");
    let owners = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut taken = 0;
                while taken < 50 {
                    if let Ok(_lock) = Lock::take(&path) {
                        let others = owners.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        assert_eq!(others, 0);
                        owners.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        taken += 1;
                    }
                }
            });
        }
    });
}
