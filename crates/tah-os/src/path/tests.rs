//! The cases P1–P4, B62 and E6 on a real disk, and what holds for every string.
#![allow(clippy::disallowed_methods, reason = "tests lay out the disk by hand")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

struct World {
    _temp: tempfile::TempDir,
    base: PathBuf,
    roots: Roots,
}

/// `ws` (the root), `other` (an added root), `outside` with a victim, `ws-evil` beside.
fn world() -> World {
    let temp = tempfile::tempdir().expect("a folder");
    let base = temp.path().canonicalize().expect("real");
    for folder in ["ws/sub", "other", "outside/deep", "ws-evil"] {
        fs::create_dir_all(base.join(folder)).expect("makes");
    }
    for (file, text) in [
        ("ws/a.txt", "in"),
        ("ws/sub/b.txt", "sub"),
        ("other/o.txt", "other"),
        ("outside/victim", "secret"),
        ("outside/deep/x", "secret"),
        ("ws-evil/x", "secret"),
    ] {
        fs::write(base.join(file), text).expect("writes");
    }
    let roots = Roots::open(&base.join("ws")).expect("opens").and(&base.join("other")).expect("adds");
    World { _temp: temp, base, roots }
}

impl World {
    fn link(&self, target: &str, link: &str) {
        symlink(target.replace("BASE", &self.base.display().to_string()), self.base.join(link))
            .expect("links");
    }

    fn abs(&self, rel: &str) -> String {
        self.base.join(rel).display().to_string()
    }

    fn read(&self, path: &str) -> Result<String, PathError> {
        let (bytes, _) = self.roots.resolve(path)?.read(1000)?;
        Ok(String::from_utf8(bytes).expect("text"))
    }

    fn write(&self, path: &str) -> Result<Written, PathError> {
        self.roots.resolve(path)?.write(b"new", &Expect::Any)
    }

    fn text(&self, rel: &str) -> String {
        fs::read_to_string(self.base.join(rel)).expect("reads")
    }
}

fn refuses<T: std::fmt::Debug>(result: Result<T, PathError>, kind: &str) {
    let error = result.expect_err(kind);
    let name = format!("{error:?}");
    assert!(name.starts_with(kind), "{kind} expected, got {name}");
}

#[test]
fn p1_a_linked_folder_leads_nowhere_outside() {
    let world = world();
    world.link("BASE/outside", "ws/out");
    world.link("../outside", "ws/rel");
    world.link("../../outside/deep", "ws/sub/deep");
    for (folder, file) in [("out", "out/victim"), ("rel", "rel/victim"), ("sub/deep", "sub/deep/x")] {
        refuses(world.read(file), "LinkLeaves");
        refuses(world.write(file), "LinkLeaves");
        refuses(world.write(&format!("{folder}/new")), "LinkLeaves");
        let place = world.roots.resolve(folder).expect("a name inside");
        refuses(place.list(10), "LinkLeaves");
        refuses(place.metadata(), "LinkLeaves");
        refuses(place.real(), "LinkLeaves");
        refuses(place.join("new/deeper").and_then(|place| place.create_folder()), "LinkLeaves");
        refuses(place.join("new/deeper").and_then(|place| place.create_parents()), "LinkLeaves");
    }
    refuses(world.roots.resolve("out/victim").and_then(|place| place.remove()), "LinkLeaves");
    assert_eq!(world.text("outside/victim"), "secret");
    assert!(!world.base.join("outside/new").exists());
}

#[test]
fn p2_the_last_link_and_dangling_links_are_not_written_through() {
    let world = world();
    world.link("BASE/outside/victim", "ws/notes.md");
    world.link("BASE/outside/new", "ws/d");
    world.link("../outside/new2", "ws/sub/../d2");
    for path in ["notes.md", "d", "d2"] {
        refuses(world.write(path), "LinkLeaves");
        refuses(world.read(path), "LinkLeaves");
    }
    assert_eq!(world.text("outside/victim"), "secret");
    assert!(!world.base.join("outside/new").exists() && !world.base.join("outside/new2").exists());
    // The link itself may be removed; what it points to stays.
    world.roots.resolve("notes.md").and_then(|place| place.remove()).expect("removes the link");
    assert_eq!(world.text("outside/victim"), "secret");
    assert!(world.base.join("ws/notes.md").symlink_metadata().is_err());
}

#[test]
fn p2_a_link_swapped_in_behind_the_check_still_leads_nowhere() {
    let world = world();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (path, spare) = (world.base.join("ws/swap"), world.base.join("ws/spare"));
            fs::create_dir(&spare).expect("makes");
            fs::write(spare.join("victim"), "in").expect("writes");
            symlink(world.base.join("outside"), &path).expect("links");
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                // Exchange a folder inside for a link outside, again and again, as atomically as can be.
                let _ = rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    &path,
                    rustix::fs::CWD,
                    &spare,
                    rustix::fs::RenameFlags::EXCHANGE,
                );
            }
        });
        let mut inside = 0;
        for _ in 0..3000 {
            if let Ok(text) = world.read("swap/victim") {
                assert_ne!(text, "secret");
                inside += 1;
            }
            let _ = world.write("swap/victim");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(inside > 0, "the race was never inside");
    });
    assert_eq!(world.text("outside/victim"), "secret");
    assert_eq!(fs::read_dir(world.base.join("outside")).expect("lists").count(), 2);
}

#[test]
fn p1_links_that_stay_inside_work() {
    let world = world();
    world.link("sub/b.txt", "ws/l1");
    world.link("BASE/ws/sub", "ws/l2");
    world.link("BASE/other/o.txt", "ws/l3");
    world.link("../a.txt", "ws/sub/up");
    world.link("made-later", "ws/l4");
    assert_eq!(world.read("l1").expect("reads"), "sub");
    assert_eq!(world.read("l2/b.txt").expect("reads"), "sub");
    assert_eq!(world.read("l3").expect("reads"), "other");
    assert_eq!(world.read("l2/up").expect("reads"), "in");
    world.write("l1").expect("writes");
    assert_eq!(world.text("ws/sub/b.txt"), "new");
    assert!(world.base.join("ws/l1").symlink_metadata().expect("there").is_symlink());
    world.write("l4").expect("writes");
    assert_eq!(world.text("ws/made-later"), "new");
    let real = world.roots.resolve("l2/up").and_then(|place| place.real()).expect("real");
    assert_eq!(real, world.base.join("ws/a.txt"));
    world.link("loop2", "ws/loop1");
    world.link("loop1", "ws/loop2");
    refuses(world.read("loop1"), "Loop");
}

#[test]
fn p3_a_root_reached_through_a_link_works() {
    let world = world();
    world.link("ws", "link-to-ws");
    let linked = world.base.join("link-to-ws");
    let roots = Roots::open(&linked).expect("opens");
    for path in ["a.txt".to_owned(), world.abs("link-to-ws/a.txt"), world.abs("ws/a.txt")] {
        assert_eq!(roots.resolve(&path).and_then(|place| place.read(10)).expect("reads").0, b"in", "{path}");
    }
    // And by names the roots were not opened with.
    assert_eq!(world.read(&world.abs("link-to-ws/a.txt")).expect("reads"), "in");
    world.write(&world.abs("link-to-ws/new.txt")).expect("writes");
    assert_eq!(world.text("ws/new.txt"), "new");
}

#[test]
fn p4_strings_that_are_no_place_inside() {
    let world = world();
    for outside in [
        world.abs("ws-evil/x"),
        world.abs("outside/victim"),
        world.abs("ws/../outside/victim"),
        "a/../../ws-evil/x".to_owned(),
        "..".to_owned(),
        "../ws-evil/x".to_owned(),
        "/etc/passwd".to_owned(),
        "/".to_owned(),
        "/dev/null".to_owned(),
    ] {
        let error = world.roots.resolve(&outside).expect_err(&outside);
        assert!(matches!(error, PathError::Outside { .. }), "{error:?}");
        assert!(error.hint().is_some_and(|hint| hint.contains("--add-dir")));
    }
    refuses(world.roots.resolve(""), "Empty");
    refuses(world.roots.resolve("a\0b"), "Nul");
    refuses(world.roots.resolve("~"), "Home");
    refuses(world.roots.resolve("~/.ssh/id"), "Home");
    refuses(world.roots.resolve(&"x/".repeat(4000)), "TooLong");
    refuses(world.read("."), "NotAFile");
    refuses(world.read("sub"), "NotAFile");
    refuses(world.read("a.txt/"), "NotAFolder");
    refuses(world.write("new/"), "NotAFile");
    refuses(world.write("sub"), "NotAFile");
    refuses(world.read("none"), "NotFound");
    refuses(world.read("a.txt/x"), "Io");
    assert_eq!(world.read("./sub/../a.txt").expect("reads"), "in");
    assert_eq!(world.read(&world.abs("ws/./sub//b.txt")).expect("reads"), "sub");
    assert_eq!(world.read(&world.abs("other/o.txt")).expect("reads"), "other");
    assert!(
        ["CON", "con.txt", "NUL", "Com1", "lpt9.log", "aux "]
            .iter()
            .all(|n| roots::is_device_name(n.as_ref()))
    );
    assert!(!["CONFIG", "com", "com10", "nul-x"].iter().any(|n| roots::is_device_name(n.as_ref())));
}

#[test]
fn p4_pipes_and_sockets_are_refused_at_once() {
    let world = world();
    let pipe = world.base.join("ws/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .expect("a pipe");
    let _socket = std::os::unix::net::UnixListener::bind(world.base.join("ws/socket")).expect("a socket");
    for path in ["pipe", "socket"] {
        refuses(world.read(path), "NotAFile");
        refuses(world.write(path), "NotAFile");
    }
}

#[test]
fn e6_mode_and_owner_stay_and_nothing_else_is_left() {
    let world = world();
    let file = world.base.join("ws/a.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("chmod");
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(&file, Some(12345), Some(23456)).expect("chown");
    }
    let before = fs::metadata(&file).expect("there");
    world.write("a.txt").expect("writes");
    let after = fs::metadata(&file).expect("there");
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_ne!(after.ino(), before.ino(), "replaced, not rewritten");
    let names = world.roots.resolve(".").and_then(|place| place.list(10)).expect("lists");
    assert_eq!(names.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>(), ["a.txt", "sub"]);
    let created = world.write("fresh").expect("writes");
    assert!(matches!(created, Written::Created(_)));
}

#[test]
fn e6_a_file_changed_since_it_was_read_is_refused() {
    let world = world();
    let place = world.roots.resolve("a.txt").expect("inside");
    let (_, stamp) = place.read(10).expect("reads");
    let Written::Replaced(stamp) = place.write(b"one", &Expect::Same(stamp)).expect("unchanged") else {
        panic!("it was there")
    };
    fs::write(world.base.join("ws/a.txt"), "two").expect("writes");
    let error = place.write(b"three", &Expect::Same(stamp.clone())).expect_err("changed");
    assert!(error.hint().is_some_and(|hint| hint.contains("re-read")), "{error:?}");
    assert_eq!(world.text("ws/a.txt"), "two");
    fs::remove_file(world.base.join("ws/a.txt")).expect("removes");
    refuses(place.write(b"three", &Expect::Same(stamp)), "Changed");
    place.write(b"three", &Expect::Absent).expect("absent");
    refuses(place.write(b"four", &Expect::Absent), "AlreadyThere");
    assert_eq!(world.text("ws/a.txt"), "three");
}

#[test]
fn e7_reading_is_bounded_and_listing_says_how_much_is_left_out() {
    let world = world();
    let file = fs::File::create(world.base.join("ws/big")).expect("makes");
    file.set_len(200 << 20).expect("sparse");
    refuses(world.roots.resolve("big").and_then(|place| place.read(1000)), "TooBig");
    let listing = world.roots.resolve(".").and_then(|place| place.list(2)).expect("lists");
    assert_eq!((listing.entries.len(), listing.left_out), (2, 1));
    assert_eq!(listing.entries[1].bytes, 200 << 20);
    refuses(world.roots.resolve("a.txt").and_then(|place| place.list(2)), "NotAFolder");
}

#[test]
fn b62_downloads_stay_in_their_folder_and_overwrite_nothing() {
    use std::io::Write as _;
    let world = world();
    let folder = DownloadFolder::open(&world.base.join("dl/new")).expect("makes");
    let inside = |rel: &str| world.abs(&format!("dl/new/{rel}"));
    let mut bad =
        vec!["x.png".to_owned(), "sub/../../x".to_owned(), world.abs("outside/x.png"), "".to_owned()];
    bad.extend(["../x", "", "sub/", "a/../../x"].map(inside));
    for text in &bad {
        assert!(folder.resolve(text).is_err(), "{text}");
    }
    world.link("BASE/outside", "dl/new/out");
    world.link("BASE/outside/fresh", "dl/new/dangling");
    assert!(folder.resolve(&inside("out/x")).and_then(|path| path.create()).is_err());
    assert!(folder.resolve(&inside("dangling")).and_then(|path| path.create()).is_err());

    let path = folder.resolve(&inside("a/b.bin")).expect("inside");
    let download = path.create().expect("begins");
    download.file().write_all(b"data").expect("writes");
    assert!(!world.base.join("dl/new/a/b.bin").exists());
    assert_eq!(download.finish().expect("names it"), world.base.join("dl/new/a/b.bin"));
    assert_eq!(world.text("dl/new/a/b.bin"), "data");
    assert!(matches!(path.create(), Err(PathError::AlreadyThere { .. })));
    // Taken while it was being written, and given up: nothing of it stays.
    let path = folder.resolve(&inside("a/c.bin")).expect("inside");
    let (first, second) = (path.create().expect("begins"), path.create().expect("begins"));
    first.finish().expect("names it");
    assert!(matches!(second.finish(), Err(PathError::AlreadyThere { .. })));
    assert_eq!(fs::read_dir(world.base.join("dl/new/a")).expect("lists").count(), 2);
}

#[test]
fn a_place_is_shown_as_people_name_it() {
    let world = world();
    let show = |path: &str| world.roots.resolve(path).expect("inside").to_string();
    assert_eq!(show("."), ".");
    assert_eq!(show(&world.abs("ws/sub/../a.txt")), "a.txt");
    assert_eq!(show(&world.abs("other/o.txt")), world.abs("other/o.txt"));
    assert_eq!(
        world.roots.resolve("sub/b.txt").expect("inside").parent().expect("a folder").to_string(),
        "sub"
    );
    refuses(world.roots.resolve("sub").expect("inside").join("../../x"), "Outside");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn p4_whatever_the_string_nothing_outside_is_reached(
        parts in proptest::collection::vec(
            prop_oneof![
                Just(".."), Just("."), Just(""), Just("~"), Just("sub"), Just("a.txt"), Just("out"), Just("up"),
                Just("ws"), Just("ws-evil"), Just("outside"), Just("victim"), Just("x"), Just("b.txt"),
                Just("abs-in"), Just("deep"),
            ],
            0..7,
        ),
        absolute in any::<bool>(),
    ) {
        let world = world();
        world.link("../outside", "ws/out");
        world.link("..", "ws/sub/up");
        world.link("BASE/ws/sub", "ws/abs-in");
        let mut text = parts.join("/");
        if absolute {
            text = world.abs(&text);
        }
        if let Ok(place) = world.roots.resolve(&text) {
            if let Ok((bytes, _)) = place.read(100) {
                prop_assert_ne!(&bytes, b"secret");
            }
            if let Ok(real) = place.real() {
                prop_assert!(world.roots.paths().any(|root| real.starts_with(root)), "{:?}", real);
            }
            let _ = place.write(b"new", &Expect::Any);
            let _ = place.join("made").and_then(|place| place.create_folder());
        }
        for (file, wanted) in [("outside/victim", 2), ("outside/deep/x", 1), ("ws-evil/x", 1)] {
            let path = world.base.join(file);
            prop_assert_eq!(fs::read_to_string(&path).expect("reads"), "secret");
            let folder = path.parent().unwrap_or(Path::new("/"));
            prop_assert_eq!(fs::read_dir(folder).expect("lists").count(), wanted);
        }
    }
}
