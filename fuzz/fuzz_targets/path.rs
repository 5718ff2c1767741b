//! Any string as a path, in a folder with links that lead outside: what is resolved, read or named stays inside.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::{Component, PathBuf};
use std::sync::LazyLock;
use tah_os::path::Roots;

struct Place {
    _folder: tempfile::TempDir,
    real: PathBuf,
    roots: Roots,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = folder.path().join("outside");
    let root = folder.path().join("root");
    for path in [&outside, &root.join("a/b"), &folder.path().join("root-twin")] {
        std::fs::create_dir_all(path).expect("a folder");
    }
    std::fs::write(outside.join("secret"), "secret").expect("a file");
    std::fs::write(root.join("a/file"), "inside").expect("a file");
    for (link, target) in [
        ("out", outside.clone()),
        ("up", PathBuf::from("../outside")),
        ("s", outside.join("secret")),
        ("d", outside.join("new")),
        ("in", PathBuf::from("a/b")),
        ("me", PathBuf::from("me")),
    ] {
        std::os::unix::fs::symlink(target, root.join(link)).expect("a link");
    }
    let real = root.canonicalize().expect("it is there");
    Place { roots: Roots::open(&real).expect("it is there"), real, _folder: folder }
});

fuzz_target!(|text: &str| {
    let place = &*PLACE;
    // A prefix that only this run knows, so that absolute paths are tried too.
    let text = text.replace("$", &place.real.display().to_string());
    let Ok(path) = place.roots.resolve(&text) else { return };
    let absolute = path.absolute();
    assert!(absolute.starts_with(&place.real), "{text:?} is {absolute:?}");
    assert!(absolute.components().all(|part| part != Component::ParentDir), "{text:?} is {absolute:?}");
    if let Ok((bytes, _)) = path.read(1_000) {
        assert_ne!(bytes, b"secret", "{text:?} was read");
    }
    if let Ok(real) = path.real() {
        assert!(real.starts_with(&place.real), "{text:?} is really {real:?}");
    }
    let _ = path.look();
    let _ = path.list(10);
});
