//! What reaches a terminal, and where texts are cut.

use proptest::prelude::*;

use super::*;

#[test]
fn u8_hostile_sequences_are_gone_or_visible() {
    let cases = [
        ("\u{1b}]52;c;ZXZpbA==\u{7}after", "after"),
        ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
        ("a\u{1b}[2Jb", "ab"),
        ("a\u{1b}[31mred\u{1b}[0m", "ared"),
        ("rm -rf /\recho hi", "rm -rf /␍echo hi"),
        ("dos\r\nline", "dos\nline"),
        ("a\u{202E}b", "a⟨U+202E⟩b"),
        ("\u{1b}P1$qm\u{1b}\\x\u{1b}_y\u{1b}\\z", "xz"),
        ("\u{9b}2J", "⟨U+009B⟩2J"),
        ("bell\u{7} back\u{8} del\u{7f}", "bell␇ back␈ del␡"),
        ("\u{1b}]0;never ended\nnext", "\nnext"),
        ("\u{1b}(Bx\u{1b}7y", "xy"),
        ("end\u{1b}", "end␛"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("你好🎉 é", "你好🎉 é"),
    ];
    for (input, wanted) in cases {
        assert_eq!(sanitise(input, Keep::Text), wanted, "{input:?}");
    }
}

#[test]
fn u8_command_output_keeps_colours_and_nothing_else() {
    let seen =
        sanitise("\u{1b}[1;31mred\u{1b}[m 10%\r20%\r\n\u{1b}[2K\u{1b}[?25l\u{1b}[>4;2m", Keep::Colours);
    assert_eq!(seen, "\u{1b}[1;31mred\u{1b}[m 10%\n20%\n");
    let long = format!("\u{1b}[{}m.", "1;".repeat(100));
    assert_eq!(sanitise(&long, Keep::Colours), ".");
}

#[test]
fn u8_a_card_shows_all_of_what_will_run() {
    let seen = sanitise("echo a\u{1b}]0;hidden; rm x\u{7}\u{1b}[8mmore\r\n", Keep::Exact);
    assert_eq!(seen, "echo a␛]0;hidden; rm x␇␛[8mmore␍\n");
}

#[test]
fn cutting_says_how_much_and_keeps_characters_whole() {
    assert_eq!(cut_end("你好", 4), Cut { head: "你", tail: "", left_out: 3 });
    assert_eq!(cut_middle("a🎉🎉b", 3, 3), Cut { head: "a", tail: "b", left_out: 8 });
    assert_eq!(cut_middle("abc", 2, 1), Cut { head: "abc", tail: "", left_out: 0 });
    assert_eq!((shorten("abcdef", 4), shorten("abcd", 4)), ("abc…".into(), "abcd".into()));
    assert_eq!(bytes_for_people(999), "999 B");
    assert_eq!(bytes_for_people(1_550_000), "1.5 MB");
    assert_eq!(bytes_for_people(2_000), "2 kB");
}

/// Only what a terminal takes as text, line ends and tabs; where wanted also colour sequences.
fn is_safe(text: &str) -> bool {
    text.chars().all(|c| !needs_care(c))
}

proptest! {
    #[test]
    fn u8_nothing_unsafe_survives(text in "[\u{0}-\u{9f}\u{202a}-\u{202e}\\[\\]mPJ;0-9a你\u{1b}\r\n]{0,60}") {
        prop_assert!(is_safe(&sanitise(&text, Keep::Text)));
        prop_assert!(is_safe(&sanitise(&text, Keep::Exact)));
        let coloured = sanitise(&text, Keep::Colours).into_owned();
        prop_assert!(is_safe(&sanitise(&coloured, Keep::Text)));
        for (at, _) in coloured.match_indices('\u{1b}') {
            let rest = &coloured[at + 1..];
            let end = rest.find('m').expect("a colour ends");
            prop_assert!(rest.starts_with('[') && is_colour(&rest[1..end]));
        }
    }

    #[test]
    fn u8_pieces_give_the_same_as_the_whole(text in "[\u{0}-\u{9f}\\[\\]mPJ;0-9a你\u{1b}\r\n]{0,40}", at in 0usize..200) {
        let at = text.floor_char_boundary(at.min(text.len()));
        for keep in [Keep::Text, Keep::Colours, Keep::Exact] {
            let mut pieces = Sanitiser::new(keep);
            let joined = pieces.push(&text[..at]) + &pieces.push(&text[at..]) + &pieces.finish();
            prop_assert_eq!(joined, sanitise(&text, keep).into_owned());
        }
    }

    #[test]
    fn cuts_add_up(text in "\\PC{0,60}", head in 0usize..80, tail in 0usize..80) {
        let cut = cut_middle(&text, head, tail);
        prop_assert_eq!(cut.head.len() + cut.left_out + cut.tail.len(), text.len());
        prop_assert!(text.starts_with(cut.head) && text.ends_with(cut.tail));
        prop_assert!(cut.left_out == 0 || cut.head.len() <= head && cut.tail.len() <= tail);
    }
}
