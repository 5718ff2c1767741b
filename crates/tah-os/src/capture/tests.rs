//! Bounded, exact and whole.

use std::io::{Read, Seek};
use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn limits(head: usize, tail: usize) -> Limits {
    Limits { head, tail, file: u64::MAX }
}

#[test]
fn x4_memory_stays_bounded_and_the_count_is_exact() {
    let mut capture = Capture::new(limits(10, 10));
    let chunk = vec![b'y'; 1 << 20];
    let began = Instant::now();
    for _ in 0..2000 {
        capture.push(&chunk);
    }
    assert!(began.elapsed().as_secs() < 10, "constant work per chunk");
    capture.push(b"the end");
    let seen = capture.seen();
    assert_eq!((seen.head.len(), seen.tail.as_slice()), (10, b"yyythe end".as_slice()));
    assert_eq!(seen.total, (2000 << 20) + 7);
    assert_eq!(seen.left_out, seen.total - 20);
    assert!(capture.tail.capacity() < 100);
}

#[test]
fn x4_the_file_has_the_whole_up_to_its_limit() {
    let mut file = tempfile::tempfile().expect("a file");
    let copy = file.try_clone().expect("clones");
    let mut capture = Capture::with_file(Limits { head: 2, tail: 2, file: 5 }, move || Ok(copy));
    capture.push(b"abc");
    capture.push(b"defgh");
    capture.push(b"ij");
    assert_eq!(capture.seen().in_file, 5);
    let mut text = String::new();
    file.rewind().expect("rewinds");
    file.read_to_string(&mut text).expect("reads");
    assert_eq!(text, "abcde");
}

#[test]
fn a_file_that_can_not_be_written_does_not_stop_the_capture() {
    let full = || File::options().write(true).open("/dev/full");
    let none = || File::options().write(true).open("/no/such/file");
    for mut capture in [Capture::with_file(limits(2, 1), full), Capture::with_file(limits(2, 1), none)] {
        capture.push(b"ab");
        assert_eq!(capture.seen().file_error, None, "no file as long as none is needed");
        capture.push(b"cdef");
        let seen = capture.seen();
        assert!(seen.file_error.is_some() && seen.in_file == 0 && seen.head == b"ab" && seen.tail == b"f");
    }
}

#[test]
fn text_never_shows_half_a_character() {
    let mut capture = Capture::new(limits(4, 4));
    capture.push("你好你好".as_bytes());
    assert_eq!(capture.seen().text(|gone| format!("[{gone}]")), "你\n[6]\n好");
    let mut capture = Capture::new(limits(4, 4));
    capture.push(b"\xff\xe4\xbd");
    assert_eq!(capture.seen().text(|_| String::new()), "\u{fffd}\u{fffd}");
}

proptest! {
    #[test]
    fn x4_cut_anywhere_it_is_the_same(text in proptest::collection::vec(any::<u8>(), 0..80), at in 0usize..80,
                                      head in 0usize..20, tail in 0usize..20) {
        let mut whole = Capture::new(limits(head, tail));
        whole.push(&text);
        let mut pieces = Capture::new(limits(head, tail));
        let at = at.min(text.len());
        pieces.push(&text[..at]);
        pieces.push(&text[at..]);
        let seen = whole.seen();
        prop_assert_eq!(&seen, &pieces.seen());
        prop_assert!(text.starts_with(&seen.head) && text.ends_with(&seen.tail));
        prop_assert_eq!(seen.head.len() as u64 + seen.left_out + seen.tail.len() as u64, text.len() as u64);
        let _ = seen.text(|gone| gone.to_string());
    }
}
