//! Streaming, resizing, and what is written for it.

use crate::{LIMIT, idle, stage};
use std::time::Instant;
use tah_tests::tah::World;
use tah_tests::wait;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn u1_every_line_is_in_the_scrollback_once_after_resizing_while_it_streams() {
    let world = World::new();
    let mut pty = stage(&world);
    pty.send("stream 240 80\r");
    for (count, (rows, columns)) in [(40, (24, 40)), (90, (30, 120)), (140, (12, 60)), (180, (24, 80))] {
        let mark = format!("line {count:05}");
        wait::until("the stream goes on", LIMIT, || text(&pty.raw()).contains(&mark));
        pty.resize(rows, columns);
    }
    idle(&pty);
    let rows = pty.history();
    for number in 0..240 {
        let line = format!("line {number:05} of the stream");
        let count = rows.iter().filter(|row| row.trim_end() == line).count();
        assert_eq!(count, 1, "{line}:\n{}", rows.join("\n"));
    }
    for leftover in ["working", "approve:"] {
        let count = rows.iter().filter(|row| row.contains(leftover)).count();
        assert!(count <= 1, "{count} rows of an old live area:\n{}", rows.join("\n"));
    }
}

#[test]
fn u9_frames_and_bytes_are_bounded() {
    let world = World::new();
    let mut pty = stage(&world);
    let (before, began) = (pty.raw().len(), Instant::now());
    pty.send("stream 1000 1000\r");
    idle(&pty);
    let seconds = began.elapsed().as_secs_f64();
    let written = pty.raw();
    let written = text(&written[before..]);
    let frames = written.matches("\x1b[?2026h").count();
    assert!((frames as f64) < 30.0 * seconds + 2.0, "{frames} frames in {seconds:.1} s");
    // 1000 lines of 24 letters and a blank one; a token is about four letters.
    let tokens = 1000 * 25 / 4;
    assert!(written.len() / tokens < 30, "{} bytes for {tokens} tokens", written.len());
    assert!(!written.contains("\x1b[2J") && !written.contains("\x1b[?1049h"), "no clearing, no other screen");
}
