//! Approval on a real terminal.

use crate::{LIMIT, idle, stage};
use std::time::Instant;
use tah_tests::tah::World;
use tah_tests::wait;

/// The last word of a card that takes keys; before that it ends in `…`.
const ARMED: &str = "say why ?";

#[test]
fn u5_a_key_typed_while_it_streams_does_not_approve() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("slowcard\r");
    pty.wait_for("about to ask");
    pty.send("y");
    world.file("go", "");
    pty.send("y");
    pty.wait_for(ARMED);
    assert!(!world.work().join("made").exists());
    pty.send("y");
    wait::until("the call runs", LIMIT, || world.work().join("made").exists());
    pty.wait_for("done");
    let screen = pty.screen();
    assert!(screen.contains("› yy") || screen.contains("› y"), "what was typed is in the editor:\n{screen}");
}

#[test]
fn u5_interrupt_at_two_cards_denies_both_and_gives_the_prompt_back() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("cards\r");
    pty.wait_for("$ echo one");
    let began = Instant::now();
    pty.send("\x03");
    pty.wait_for("ask, or /help");
    let screen = pty.screen();
    assert!(began.elapsed().as_millis() < 1000, "the prompt took {:?}", began.elapsed());
    assert!(!screen.contains("✓"), "{screen}");
}

#[test]
fn u5_escape_denies_one_call_and_the_turn_goes_on() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("cards\r");
    pty.wait_for("$ echo one");
    pty.send("\x1b");
    pty.wait_for("$ echo two");
    pty.wait_for(ARMED);
    pty.send("y");
    pty.wait_for("you said: cards");
    let screen = pty.screen();
    assert!(
        screen.contains("echo one ✗ denied by the user") && screen.contains("echo two ✓ done"),
        "{screen}"
    );
}

#[test]
fn always_covers_what_the_card_says() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("cards\r");
    pty.wait_for("always: act of `echo …` in this session");
    pty.wait_for(ARMED);
    pty.send("a");
    pty.wait_for("echo two ✓ done");
    idle(&pty);
}

#[test]
fn u8_a_card_and_a_reply_cannot_write_sequences() {
    let world = World::new();
    let mut pty = stage(&world);
    let before = pty.raw().len();
    pty.send("evil\r");
    pty.wait_for("rm -rf x␍echo ok⟨U+202E⟩␛[2K");
    pty.send("\x1b");
    pty.wait_for("you said: evil");
    pty.send("escapes\r");
    pty.wait_for("ab");
    idle(&pty);
    let raw = pty.raw();
    let written = String::from_utf8_lossy(&raw[before..]);
    for foreign in ["\x1b]", "\x1b[2J", "\x1b[2K", "\u{202e}"] {
        assert!(!written.contains(foreign), "{foreign:?} reached the terminal");
    }
}
