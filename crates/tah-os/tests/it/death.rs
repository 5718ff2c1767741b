//! Whatever ends tah, nothing that it started is left.

use std::path::Path;
use std::process::{Child, Command};

use crate::{alive, until_now};

/// A program that plays tah; its script writes the pids of its tree below `folder`. Whoever runs the tests in the
/// background has SIGINT ignored, which is inherited, so it is set back.
fn tah(folder: &Path, script: &str) -> Child {
    Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_tah-os-launcher"), "hold", script])
        .env("DIR", folder)
        .spawn()
        .expect("starts")
}

fn pids(folder: &Path) -> Vec<u32> {
    let names = std::fs::read_dir(folder).expect("lists");
    names.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// A tree with all that is hard to end: own sessions, ignored TERM, stopped, orphaned twice.
const TREE: &str = "mark() { : >\"$DIR/$1\"; }
    mark $$
    sleep 91 & mark $!
    setsid sh -c ': >\"$DIR/$$\"; trap \"\" TERM; sleep 91 & : >\"$DIR/$!\"; wait; sleep 91' &
    (setsid setsid sh -c ': >\"$DIR/$$\"; sleep 91' &) &
    sh -c ': >\"$DIR/$$\"; kill -STOP $$' &
    wait";

#[test]
fn x1_a_killed_tah_leaves_nothing() {
    for signal in ["KILL", "TERM", "INT"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tah = tah(folder.path(), TREE);
        until_now("six", || pids(folder.path()).len() == 6);
        let tree = pids(folder.path());
        let pid = tah.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &pid]).status().expect("kills").success());
        until_now("the end", || tah.try_wait().expect("a child").is_some());
        until_now("nothing left", || !tree.iter().any(|pid| alive(*pid)));
    }
}

#[test]
fn x1_a_background_child_of_a_finished_command_ends_with_tah() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tah = tah(folder.path(), "setsid sleep 90 & : >\"$DIR/$!\"");
    until_now("one", || pids(folder.path()).len() == 1);
    let background = pids(folder.path())[0];
    assert!(alive(background));
    tah.kill().expect("kills");
    tah.wait().expect("ends");
    until_now("nothing left", || !alive(background));
}
