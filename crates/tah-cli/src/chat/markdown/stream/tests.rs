//! A stream prints finished blocks once, and cut anywhere it gives what the whole text gives.

use super::*;

fn joined(lines: &[Line<'static>]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    lines.join("\n")
}

fn in_pieces(text: &str, size: usize) -> String {
    let mut stream = Stream::default();
    let mut lines = Vec::new();
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(size) {
        lines.extend(stream.push(&piece.iter().collect::<String>(), 60));
    }
    lines.extend(stream.finish(60));
    joined(&lines)
}

const TEXT: &str = "# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n  more\n  - inner\n- three\n\n1. a\n2. b\n\n```rust\nfn x() {}\n\nlet y;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd.\n";

const SEEN: &str = "Title\n\nA paragraph of two lines.\n\n• one\n• two more\n  ◦ inner\n• three\n\n1. a\n2. b\n\n  rust\n  fn x() {}\n\n  let y;\n\na   │ b\n────┼────\n1   │ 2\n\nEnd.";

#[test]
fn pieces_of_any_size_give_the_same() {
    for size in [1, 2, 3, 7, 20, 1000] {
        assert_eq!(in_pieces(TEXT, size), SEEN, "in pieces of {size}");
    }
}

#[test]
fn a_block_is_printed_when_it_is_finished_and_not_before() {
    let mut stream = Stream::default();
    assert!(stream.push("first para", 60).is_empty());
    assert!(stream.push("graph\n", 60).is_empty(), "it may go on");
    assert_eq!(joined(&stream.live(60, 5)), "first paragraph");
    assert_eq!(joined(&stream.push("\n", 60)), "first paragraph");
    assert!(stream.live(60, 5).is_empty());
    assert!(stream.push("second", 60).is_empty());
    assert_eq!(joined(&stream.live(60, 5)), "\nsecond");
    assert_eq!(joined(&stream.finish(60)), "\nsecond");
}

#[test]
fn code_is_printed_line_by_line() {
    let mut stream = Stream::default();
    assert_eq!(joined(&stream.push("```sh\nls -l\nec", 60)), "  sh\n  ls -l");
    assert_eq!(joined(&stream.live(60, 5)), "  ec");
    assert_eq!(joined(&stream.push("ho\n```\nafter", 60)), "  echo");
    assert_eq!(joined(&stream.finish(60)), "\nafter");
}

#[test]
fn the_unfinished_block_shows_its_end_only() {
    let mut stream = Stream::default();
    stream.push(&"word ".repeat(500), 20);
    let live = stream.live(20, 4);
    assert_eq!(live.len(), 4);
}

#[test]
fn u8_escape_sequences_cut_between_pieces_are_gone() {
    assert_eq!(in_pieces("a\u{1b}]52;c;AAAA\u{7}b\u{1b}[2Jc\n", 1), "abc");
}

#[test]
fn a_line_without_end_is_printed_before_it_fills_the_memory() {
    let mut stream = Stream::default();
    let lines = stream.push(&"word ".repeat(20_000), 80);
    assert!(lines.len() > 1000);
    assert!(stream.tail.len() <= limits::BLOCK_BYTES);
    assert_eq!(stream.whole().len(), 100_000);
}
