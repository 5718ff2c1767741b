//! The editor on a real terminal.

use crate::{LIMIT, idle, stage, stage_with};
use tah_tests::tah::World;
use tah_tests::wait;

#[test]
fn u2_u3_wide_text_and_the_cursor() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.resize(24, 41);
    pty.send("你好世界abcdef");
    pty.wait_for("› 你好世界abcdef");
    pty.send(&"\x1b[D".repeat(6));
    wait::until("the cursor is before a", LIMIT, || pty.cursor().1 == 10);
    pty.send("，");
    pty.wait_for("› 你好世界，abcdef");
    wait::until("the cursor is behind the comma", LIMIT, || pty.cursor().1 == 12);
    pty.send("\x03");
    pty.send("🇨🇳👨‍👩‍👧e\u{301}x");
    wait::until("the cursor is behind x", LIMIT, || pty.cursor().1 == 2 + 2 + 2 + 1 + 1);
    pty.send("\x7f\x7f\x7f");
    wait::until("three graphemes are gone", LIMIT, || pty.cursor().1 == 4);
}

#[test]
fn u4_a_paste_split_over_reads_is_one_and_sends_nothing() {
    let world = World::new();
    let mut pty = stage(&world);
    for piece in ["\x1b[20", "0~a\r", "\nb\x1b[3", "1mc", "\x1b[20", "1~"] {
        pty.send(piece);
        std::thread::sleep(std::time::Duration::from_millis(15));
    }
    pty.wait_for("  bc");
    let screen = pty.screen();
    assert!(screen.contains("› a\n"), "{screen}");
    assert!(!screen.contains("you said"), "{screen}");
}

#[test]
fn u4_a_megabyte_is_pasted_as_a_tag() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send(&format!("\x1b[200~{}\x1b[201~", "0123456789abcde\n".repeat(64 * 1024)));
    pty.wait_for("[paste 1: 65536 lines]");
}

#[test]
fn the_history_outlives_the_session() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("remember me\r");
    pty.wait_for("you said: remember me");
    idle(&pty);
    pty.send("\x04");
    assert_eq!(pty.finish(), 0);
    let mut pty = stage(&world);
    pty.send("\x1b[A");
    pty.wait_for("› remember me");
}

#[test]
fn a_session_is_resumed_with_what_was_said() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("first words\r");
    pty.wait_for("you said: first words");
    idle(&pty);
    pty.send("/reset\r");
    pty.wait_for("a new session");
    pty.send("/sessions\r");
    pty.wait_for("resume which session?");
    pty.send("first\r");
    pty.wait_for(": 2 messages");
    pty.send("/rewind\r");
    pty.wait_for("▸ first words");
    pty.send("\r");
    pty.wait_for("the conversation is back");
}

#[test]
fn the_editor_program_writes_the_message() {
    let world = World::new();
    let script = world.file("edit.sh", "#!/bin/sh\nprintf ' and 更多' >> \"$1\"\n");
    let mut mode = std::fs::metadata(&script).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let mut pty = stage_with(&world, &[], &[("EDITOR", script.to_str().unwrap())]);
    pty.send("draft");
    pty.wait_for("› draft");
    pty.send("\x07");
    pty.wait_for("› draft and 更多");
    pty.send("\r");
    pty.wait_for("you said: draft and 更多");
}

#[test]
fn a_shell_line_runs_shows_and_can_be_stopped() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("!echo one; exit 3\r");
    pty.wait_for("exited with code 3");
    pty.wait_for("1 shell result will go");
    pty.send("!sleep 600\r");
    pty.wait_for("running");
    pty.send("\x1b");
    pty.wait_for("✗ stopped");
}

#[test]
fn mentions_find_files_while_typing() {
    let world = World::new();
    world.file("src/needle.rs", "");
    world.file("src/other.rs", "");
    let mut pty = stage(&world);
    pty.send("see @need");
    pty.wait_for("▸ src/needle.rs");
    pty.send("\r");
    pty.wait_for("› see @src/needle.rs");
}

#[test]
fn a_summary_is_stopped_by_escape_and_by_interrupt_and_comes_when_left_alone() {
    let world = World::new();
    let mut pty = stage(&world);
    for text in ["one", "二"] {
        pty.send(&format!("{text}\r"));
        pty.wait_for(&format!("you said: {text}"));
        idle(&pty);
    }
    for key in ["\x1b", "\x03"] {
        let before = pty.history().iter().filter(|row| row.contains("not summarised")).count();
        pty.send("/compact\r");
        pty.wait_for("summarising");
        pty.send(key);
        wait::until("it is stopped", LIMIT, || {
            pty.history().iter().filter(|row| row.contains("not summarised")).count() == before + 1
        });
        idle(&pty);
    }
    pty.send("/compact\r");
    pty.wait_for("summarising");
    pty.send("afterwards\r");
    pty.wait_for("next: afterwards");
    world.file("summarise", "");
    pty.wait_for("a summary replaces");
    pty.wait_for("you said: afterwards");
}
