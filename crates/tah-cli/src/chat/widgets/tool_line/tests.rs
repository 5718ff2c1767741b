//! Tool lines at their widths.

use super::*;

fn call(summary: &str) -> Call {
    Call::new(CallId::new("1"), "read_file", summary, Instant::now())
}

fn texts(lines: &[Line<'static>]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn a_short_call_is_one_line() {
    assert_eq!(
        texts(&finished(&call("a.rs"), true, "12 lines", 40, 80)),
        ["⏺ read_file  a.rs ✓ 12 lines  40 ms"]
    );
    assert_eq!(
        texts(&finished(&call("a.rs"), false, "no such file", 40, 80)),
        ["⏺ read_file  a.rs ✗ no such file  40 ms"]
    );
}

#[test]
fn a_long_one_puts_its_result_below_and_fits() {
    for columns in 20..100 {
        for line in finished(&call(&"路径/".repeat(20)), true, &"result ".repeat(20), 61_000, columns) {
            assert!(wrap::line_width(&line) <= columns, "{line} at {columns}");
        }
    }
}

#[test]
fn only_the_end_of_much_output_is_kept() {
    let mut call = call("x");
    for number in 0..100_000 {
        call.output(&format!("line {number}\n"));
    }
    assert!(call.output.len() <= 2 * limits::OUTPUT_BYTES);
    let lines = texts(&call.running(Instant::now(), 80));
    assert_eq!(lines.len(), limits::OUTPUT_ROWS + 2);
    assert_eq!(lines.last().unwrap(), "  │ line 99999");
    assert!(lines[1].contains("more than"), "{lines:?}");
}

#[test]
fn times_for_people() {
    assert_eq!(
        [elapsed(40), elapsed(1234), elapsed(59_999), elapsed(61_000)],
        ["40 ms", "1.2 s", "59 s", "1 min 1 s"]
    );
}

#[test]
fn output_keeps_its_colours_only() {
    let spans = coloured("\u{1b}[31mred\u{1b}[0m plain");
    assert_eq!(spans[0].content, "red");
    assert!(spans[0].style.fg.is_some());
}
