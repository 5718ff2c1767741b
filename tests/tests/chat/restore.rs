//! The terminal is given back as it was, whatever ends the chat (U6).

use crate::{CUTS, LIMIT, idle, stage, stage_program};
use std::path::Path;
use tah_tests::pty::Pty;
use tah_tests::tah::World;
use tah_tests::wait;

/// Modes that are on at the end of what was written.
fn left_on(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw).into_owned();
    let mut on = Vec::new();
    for mode in ["2004", "1004", "2026"] {
        let (set, reset) = (text.rfind(&format!("\x1b[?{mode}h")), text.rfind(&format!("\x1b[?{mode}l")));
        if set > reset {
            on.push(mode.to_owned());
        }
    }
    if text.rfind("\x1b[?25l") > text.rfind("\x1b[?25h") {
        on.push("hidden cursor".to_owned());
    }
    if text.matches("\x1b[>1u").count() != text.matches("\x1b[<u").count() {
        on.push("keyboard protocol".to_owned());
    }
    on
}

/// A shell on the terminal, its modes, and the stage started from it.
fn from_a_shell(world: &World) -> (Pty, String) {
    let mut pty =
        Pty::start_program(Path::new("/bin/sh"), world, &["-i"], &[CUTS, ("PS1", "shell> ")], 24, 80);
    pty.wait_for("shell>");
    let modes = pty.modes();
    pty.send(&format!("{}\r", stage_program().display()));
    pty.wait_for("approve: ask");
    assert_ne!(pty.modes(), modes, "keys come one by one");
    (pty, modes)
}

fn is_usable(pty: &mut Pty, modes: &str) {
    wait::until("the modes are as before", LIMIT, || pty.modes() == modes);
    wait::until("no mode is left on", LIMIT, || left_on(&pty.raw()).is_empty());
    // What is typed earlier may still be read by the one that ends.
    wait::until("the shell asks", LIMIT, || {
        String::from_utf8_lossy(&pty.raw())
            .rsplit_once("shell> ")
            .is_some_and(|(_, last)| !last.contains('\n'))
    });
    pty.send("echo us''able\r");
    pty.wait_for("usable");
}

/// The process id of the stage under the shell.
fn stage_pid(pty: &Pty) -> i32 {
    let children =
        std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", pty.pid())).expect("children");
    children.split_whitespace().next().expect("a child").parse().expect("a number")
}

fn signal(pid: i32, number: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a pid");
    rustix::process::kill_process(pid, number).expect("it runs");
}

#[test]
fn u6_leaving() {
    let world = World::new();
    let (mut pty, modes) = from_a_shell(&world);
    pty.send("\x04");
    is_usable(&mut pty, &modes);
}

#[test]
fn u6_a_panic() {
    let world = World::new();
    let (mut pty, modes) = from_a_shell(&world);
    pty.send("panic\r");
    pty.wait_for("the stage was told to panic");
    is_usable(&mut pty, &modes);
}

#[test]
fn u6_told_to_terminate_while_a_turn_runs() {
    let world = World::new();
    let (mut pty, modes) = from_a_shell(&world);
    pty.send("wait\r");
    pty.wait_for("waiting");
    signal(stage_pid(&pty), rustix::process::Signal::TERM);
    is_usable(&mut pty, &modes);
}

#[test]
fn u6_hung_up() {
    let world = World::new();
    let (mut pty, modes) = from_a_shell(&world);
    signal(stage_pid(&pty), rustix::process::Signal::HUP);
    is_usable(&mut pty, &modes);
}

#[test]
fn u6_suspended_by_key_and_by_signal_and_brought_back() {
    let world = World::new();
    let (mut pty, modes) = from_a_shell(&world);
    let pid = stage_pid(&pty);
    for by_key in [true, false] {
        pty.send("half a thought");
        pty.wait_for("› half a thought");
        if by_key {
            pty.send("\x1a")
        } else {
            signal(pid, rustix::process::Signal::TSTP)
        }
        is_usable(&mut pty, &modes);
        pty.send("fg\r");
        pty.wait_for("› half a thought");
        assert_ne!(pty.modes(), modes);
        pty.send("\x03");
        idle(&pty);
    }
    pty.send("\x04");
    is_usable(&mut pty, &modes);
}

#[test]
fn u6_killed() {
    let world = World::new();
    let (mut pty, modes) = from_a_shell(&world);
    pty.send("stream 100000 500\r");
    pty.wait_for("line 00010");
    signal(stage_pid(&pty), rustix::process::Signal::KILL);
    is_usable(&mut pty, &modes);
}

#[test]
fn u6_the_exit_code_says_which_signal() {
    let world = World::new();
    let mut pty = stage(&world);
    signal(pty.pid(), rustix::process::Signal::TERM);
    assert_eq!(pty.finish(), 143);
}
