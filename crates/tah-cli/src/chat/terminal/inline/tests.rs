//! The inline writer against two models of a screen: vt100, and one that breaks lines anew when it is resized.

mod paper;

use super::*;
use crate::chat::style;
use paper::Paper;
use std::num::NonZeroU16;

fn parser(columns: u16, rows: u16) -> vt100::Parser {
    let cells = |count| NonZeroU16::new(count).expect("a screen has cells");
    vt100::Parser::new(cells(rows), cells(columns), 1000)
}

fn on_vt100(columns: u16, rows: u16) -> Inline<vt100::Parser> {
    Inline::new(parser(columns, rows), Size { columns, rows }, Colours::Off, Narrowing::Cuts)
}

fn on_paper(columns: u16, rows: u16) -> Inline<Paper> {
    let paper = Paper::new(usize::from(columns), usize::from(rows));
    Inline::new(paper, Size { columns, rows }, Colours::Off, Narrowing::Reflows)
}

fn live(rows: &[&str], caret: (usize, usize)) -> Live {
    Live { rows: rows.iter().map(|row| Line::from((*row).to_owned())).collect(), caret }
}

fn finished(texts: &[&str]) -> Vec<Line<'static>> {
    texts.iter().map(|text| Line::from((*text).to_owned())).collect()
}

#[test]
fn finished_lines_are_above_and_the_live_area_below() {
    let mut inline = on_vt100(20, 6);
    inline.draw(&finished(&["one", "two"]), &live(&["› hi", "status"], (0, 4))).unwrap();
    inline.draw(&finished(&["three"]), &live(&["› hi!", "status"], (0, 5))).unwrap();
    assert_eq!(inline.writer().screen().contents(), "one\ntwo\nthree\n› hi!\nstatus");
    assert_eq!(inline.writer().screen().cursor_position(), (3, 5));
}

#[test]
fn what_scrolls_out_is_in_the_scrollback_once() {
    let mut inline = on_paper(20, 5);
    for number in 0..30 {
        inline.draw(&finished(&[&format!("line {number}")]), &live(&["›", "status"], (0, 1))).unwrap();
    }
    let all = inline.writer().text();
    for number in 0..30 {
        assert_eq!(all.lines().filter(|line| *line == format!("line {number}")).count(), 1, "{all}");
    }
    assert_eq!(all.matches("status").count(), 1);
}

#[test]
fn u9_only_what_changed_is_written() {
    let mut inline = on_vt100(80, 24);
    inline.draw(&[], &live(&["⠋ working", "› text", "status"], (1, 6))).unwrap();
    let before = inline.bytes();
    inline.draw(&[], &live(&["⠙ working", "› text", "status"], (1, 6))).unwrap();
    let spinner = inline.bytes() - before;
    assert!(spinner < 70, "{spinner} bytes for one changed cell");
    let before = inline.bytes();
    inline.draw(&[], &live(&["⠙ working", "› text", "status"], (1, 6))).unwrap();
    assert_eq!(inline.bytes(), before, "nothing changed, so nothing is written");
}

#[test]
fn u2_wide_characters_are_replaced_whole() {
    let mut inline = on_vt100(20, 4);
    inline.draw(&[], &live(&["› 你好世界abcdef"], (0, 6))).unwrap();
    inline.draw(&[], &live(&["› 你好，世界abcdef"], (0, 8))).unwrap();
    assert_eq!(inline.writer().screen().contents(), "› 你好，世界abcdef");
    inline.draw(&[], &live(&["› x好，世界abcdef"], (0, 3))).unwrap();
    assert_eq!(inline.writer().screen().contents(), "› x好，世界abcdef");
    inline.draw(&[], &live(&["› 好"], (0, 4))).unwrap();
    assert_eq!(inline.writer().screen().contents(), "› 好");
    assert_eq!(inline.writer().screen().cursor_position(), (0, 4));
}

#[test]
fn u1_a_narrower_window_keeps_every_line_once() {
    for (columns, rows) in [(40, 24), (30, 10), (17, 24), (20, 20), (120, 30)] {
        let mut inline = on_paper(80, 24);
        let wide = "x".repeat(70);
        let status = "s".repeat(60);
        let area = live(&[&wide, "› the text that is being written by somebody", &status], (1, 44));
        for number in 0..12 {
            inline.draw(&finished(&[&format!("line {number}")]), &area).unwrap();
        }
        inline.writer_mut().resize(columns, rows);
        let size = Size { columns: u16::try_from(columns).unwrap(), rows: u16::try_from(rows).unwrap() };
        inline.resized(size).unwrap();
        inline.draw(&finished(&["after"]), &live(&["› short", "status"], (0, 7))).unwrap();
        let all = inline.writer().text();
        for number in 0..12 {
            let line = format!("line {number}");
            assert_eq!(all.lines().filter(|one| *one == line).count(), 1, "{columns}x{rows}:\n{all}");
        }
        assert!(!all.contains("xxx") && !all.contains("sss"), "old live rows stayed at {columns}:\n{all}");
        assert!(all.ends_with("after\n› short\nstatus"), "{columns}x{rows}:\n{all}");
    }
}

#[test]
fn u1_a_terminal_that_cuts_lines_is_met_too() {
    let mut inline = on_vt100(60, 10);
    let wide = "x".repeat(50);
    inline.draw(&finished(&["one", "two"]), &live(&[&wide, "› here"], (1, 6))).unwrap();
    inline.writer_mut().screen_mut().set_size(NonZeroU16::new(10).unwrap(), NonZeroU16::new(30).unwrap());
    inline.resized(Size { columns: 30, rows: 10 }).unwrap();
    inline.draw(&[], &live(&["› here"], (0, 6))).unwrap();
    assert_eq!(inline.writer().screen().contents(), "one\ntwo\n› here");
}

#[test]
fn a_live_area_higher_than_the_screen_keeps_its_bottom() {
    let mut inline = on_vt100(20, 4);
    inline.draw(&[], &live(&["a", "b", "c", "d", "e", "› text"], (5, 6))).unwrap();
    let screen = inline.writer().screen().contents();
    assert!(screen.ends_with("› text") && !screen.contains('a'), "{screen}");
}

#[test]
fn clearing_leaves_only_what_was_finished() {
    let mut inline = on_vt100(20, 6);
    inline.draw(&finished(&["one"]), &live(&["a", "b", "c"], (1, 0))).unwrap();
    inline.clear().unwrap();
    assert_eq!(inline.writer().screen().contents(), "one");
    assert_eq!(inline.writer().screen().cursor_position(), (1, 0));
}

#[test]
fn no_colours_means_no_colour_codes() {
    let mut inline = Inline::new(Vec::new(), Size { columns: 20, rows: 5 }, Colours::Off, Narrowing::Reflows);
    inline.draw(&[style::line("bad", style::BAD)], &Live::default()).unwrap();
    let text = String::from_utf8(inline.writer().clone()).unwrap();
    assert!(!text.contains("\x1b[0;31m"), "{text:?}");
    let mut inline = Inline::new(Vec::new(), Size { columns: 20, rows: 5 }, Colours::On, Narrowing::Reflows);
    inline.draw(&[style::line("bad", style::BAD)], &Live::default()).unwrap();
    let text = String::from_utf8(inline.writer().clone()).unwrap();
    assert!(text.contains("\x1b[0;31mbad\x1b[0m"), "{text:?}");
}

#[test]
fn u8_no_control_character_passes_the_writer() {
    let mut inline = on_vt100(40, 5);
    let evil = "a\x1b[2Jb\x07c\rd";
    inline.draw(&finished(&[evil]), &live(&[evil], (0, 0))).unwrap();
    let screen = inline.writer().screen().contents();
    assert!(screen.starts_with("a[2Jbcd"), "{screen:?}");
}
