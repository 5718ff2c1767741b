//! The tah binary: `tah chat` with the mock model.

use tah_tests::pty::Pty;
use tah_tests::tah::World;

#[test]
fn tah_chat_answers_on_a_terminal() {
    let world = World::new();
    world.file("README.md", "a project for testing\n");
    let mut pty = Pty::start(&world, &["chat", "--mock"], &[crate::CUTS], 24, 80);
    pty.wait_for("approve: ask");
    pty.send("what is here?\r");
    pty.wait_for("a project for testing");
    pty.wait_for("read_file  README.md ✓");
    crate::idle(&pty);
    pty.send("/exit\r");
    assert_eq!(pty.finish(), 0);
    assert!(pty.screen().contains("goes on with this session"));
}

#[test]
fn a_terminal_that_can_do_nothing_gets_lines() {
    let world = World::new();
    let mut pty = Pty::start(&world, &["chat", "--mock"], &[("TERM", "dumb")], 24, 80);
    pty.send("what is here?\r");
    pty.wait_for("(mock)");
    pty.send("/exit\r");
    assert_eq!(pty.finish(), 0);
    assert!(!String::from_utf8_lossy(&pty.raw()).contains("\x1b["), "no sequences");
}

#[test]
fn no_colour_is_written_where_none_is_wanted() {
    let world = World::new();
    let pty = Pty::start(&world, &["chat", "--mock"], &[("NO_COLOR", "1"), crate::CUTS], 24, 80);
    pty.wait_for("approve: ask");
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    assert!(!raw.contains("\x1b[0;36m"), "{raw:?}");
}
