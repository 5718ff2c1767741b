//! What Markdown looks like.

use super::*;

fn text(markdown: &str, columns: usize) -> String {
    let lines: Vec<String> =
        render(markdown, columns).iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    lines.join("\n")
}

#[test]
fn lists_hang_and_nest() {
    assert_eq!(text("- one two three\n- b\n  1. x\n  2. y\n", 10), "• one two\n  three\n• b\n  1. x\n  2. y");
}

#[test]
fn u2_tables_line_up_with_wide_text() {
    let table = "| 名字 | n |\n| --- | --: |\n| 你好 | 1 |\n| abc | 22 |\n";
    assert_eq!(text(table, 40), "名字 │   n\n─────┼────\n你好 │   1\nabc  │  22");
}

#[test]
fn a_table_too_wide_is_narrowed_and_wraps_in_its_cells() {
    let table = "| a | b |\n|---|---|\n| one two three four | 你好世界你好世界 |\n";
    for columns in [12, 20, 30] {
        for line in render(table, columns) {
            assert!(wrap::line_width(&line) <= columns, "{line} at {columns}");
        }
    }
}

#[test]
fn links_show_where_they_go() {
    assert_eq!(
        text("[docs](https://a.example/x) <https://b.example>", 60),
        "docs (https://a.example/x) https://b.example"
    );
}

#[test]
fn quotes_rules_tasks_and_code() {
    let markdown = "> said\n> twice\n\n---\n\n- [x] done\n- [ ] open\n\n```\nlet\ta\n```\n\n![pic](p.png)\n";
    let seen = text(markdown, 30);
    assert_eq!(
        seen,
        format!(
            "│ said twice\n\n{}\n\n• ☑ done\n• ☐ open\n\n  let    a\n\nimage: pic (p.png)",
            "─".repeat(30)
        )
    );
}

#[test]
fn emphasis_is_styled() {
    let lines = render("a **b** *c* `d` ~~e~~", 40);
    let styles: Vec<Style> =
        lines[0].spans.iter().filter(|span| span.content.trim() != "").map(|span| span.style).collect();
    assert_eq!(styles[1], style::BOLD);
    assert_eq!(styles[2], style::ITALIC);
    assert_eq!(styles[3], style::CODE);
}

#[test]
fn code_is_coloured_by_its_language_and_stays_whole() {
    let lines = render("```rust\nfn main() { /* 你好 */ }\n```", 60);
    assert_eq!(lines[0].to_string(), "  fn main() { /* 你好 */ }");
    assert!(lines[0].spans.iter().any(|span| span.style.fg.is_some()), "{:?}", lines[0]);
    assert_eq!(text("```nolanguage\nx\n```", 20), "  x");
}

#[test]
fn no_line_is_wider_than_asked() {
    let markdown = "# A long heading that wraps\n\n- item with `code` and 你好世界你好世界\n\n> quote quote quote quote\n\n```\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```\n";
    for columns in 8..40 {
        for line in render(markdown, columns) {
            assert!(wrap::line_width(&line) <= columns, "{line:?} at {columns}");
        }
    }
}
