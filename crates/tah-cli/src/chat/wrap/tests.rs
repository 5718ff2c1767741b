//! Where text breaks and how it is cut.

use super::*;

fn lines(text: &str, columns: usize) -> Vec<&str> {
    breaks(text, columns, columns).into_iter().map(|range| &text[range]).collect()
}

#[test]
fn words_break_between_and_long_ones_inside() {
    assert_eq!(lines("one two three", 8), ["one two", "three"]);
    assert_eq!(lines("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(lines("ab   cd", 4), ["ab", "cd"]);
    assert_eq!(lines("", 4), [""]);
}

#[test]
fn u2_a_wide_cell_that_does_not_fit_goes_to_the_next_line() {
    assert_eq!(lines("你好世界", 5), ["你好", "世界"]);
    assert_eq!(lines("ab你好", 3), ["ab", "你", "好"]);
    assert_eq!(lines("👨‍👩‍👧👨‍👩‍👧🇨🇳", 4), ["👨‍👩‍👧👨‍👩‍👧", "🇨🇳"]);
}

#[test]
fn no_line_is_wider_than_asked() {
    for text in ["the quick 你好 brown 世界 fox 👨‍👩‍👧 jumps", "aaaaaaa 你 b", "e\u{301}e\u{301}e\u{301} x"]
    {
        for columns in 2..20 {
            for line in lines(text, columns) {
                assert!(width(line.trim_end()) <= columns, "{line:?} at {columns}");
            }
        }
    }
}

#[test]
fn cut_text_says_so() {
    assert_eq!(fit("abcdef", 4), "abc…");
    assert_eq!(fit("你好世界", 5), "你好…");
    assert_eq!(fit("abc", 3), "abc");
    let line = fit_line(Line::from(vec![Span::raw("ab"), Span::raw("cd"), Span::raw("ef")]), 4);
    assert_eq!(line.to_string(), "abc…");
}

#[test]
fn styles_survive_wrapping() {
    let line = Line::from(vec![Span::raw("one "), Span::styled("two three", Style::new().bold())]);
    let wrapped = wrap(&line, 9, &Line::from("- "), &Line::from("  "));
    let texts: Vec<String> = wrapped.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["- one two", "  three"]);
    assert_eq!(wrapped[1].spans[1].style, Style::new().bold());
}
