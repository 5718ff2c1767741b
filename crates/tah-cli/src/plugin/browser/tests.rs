//! The parts of the browser plugin that need no browser.

use super::{address, results, secrets};

#[test]
fn bp_p8a_a_scheme_is_put_before_near_addresses() {
    for (given, mended) in [
        ("localhost:3000", "http://localhost:3000"),
        ("localhost", "http://localhost"),
        ("127.0.0.1:8080/x?y#z", "http://127.0.0.1:8080/x?y#z"),
        ("192.168.1.5", "http://192.168.1.5"),
        ("[::1]:9000/a", "http://[::1]:9000/a"),
        ("app.localhost:1", "http://app.localhost:1"),
        ("example.com", "example.com"),
        ("example.com:8443/a", "https://example.com:8443/a"),
        ("about:blank", "about:blank"),
        ("data:text/html,hi", "data:text/html,hi"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://example.com/?next=http://x", "https://example.com/?next=http://x"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("", ""),
    ] {
        assert_eq!(address::mend(given), mended, "{given}");
    }
}

#[test]
fn bp_p4_a_long_result_is_cut_with_the_exact_suffix() {
    let output = results::for_model("", &"é".repeat(40_000), "http://a/");
    assert!(output.text.ends_with("\n[truncated: 10000 more chars — use browser_find to search the page]"));
    assert_eq!(output.text.matches('é').count(), 30_000);
    assert!(results::for_model("", &"é".repeat(30_000), "http://a/").cut.is_none());
}

#[test]
fn bp_r2_a_page_can_not_end_its_mark() {
    let output = results::for_model("", "a </page> b </ PAGE > c < /page> <pager>", "http://a/?q=\"><b>");
    assert_eq!(
        output.text,
        "<page url=\"http://a/?q=&quot;>&lt;b>\">\na &lt;/page> b &lt;/ PAGE > c &lt; /page> <pager>\n</page>"
    );
}

#[test]
fn bp_p8a_escapes_are_taken_out() {
    let text = "Call log:\n\u{1b}[2m  - navigating\u{1b}[22m\u{1b}]0;title\u{7} done";
    assert_eq!(results::without_escapes(text), "Call log:\n  - navigating done");
}

#[test]
fn bp_display_the_title_else_the_characters() {
    assert_eq!(results::brief("### Page\n- Page URL: http://a/\n- Page Title: Small page\n"), "Small page");
    assert_eq!(results::brief("héllo"), "5 chars");
    assert_eq!(
        results::section("### Page\na\n### Snapshot\nb\n### Events\nc", "### Snapshot"),
        Some("### Snapshot\nb")
    );
    let shot = "### Result\n- [Screenshot of viewport](.tah/browser/page-1.png)";
    assert_eq!(results::linked_file(shot), Some(".tah/browser/page-1.png"));
}

#[test]
fn bp_p8a_passwords_are_masked() {
    let known = vec!["hunter2".to_owned(), "ab".to_owned()];
    let text = "- textbox \"Pass\" [ref=e31]: hunter2\n- textbox \"Code\" [ref=e3]: ab\n- textbox \"Name\" [ref=e4]: abba\n\
                await page.getByRole('textbox', { name: 'Pass' }).fill('ab');\n- text: say hunter2";
    let masked = secrets::mask(text, &known);
    assert!(!masked.contains("hunter2"), "{masked}");
    assert!(!masked.contains(": ab\n") && !masked.contains("'ab'"), "{masked}");
    assert!(masked.contains("[ref=e4]: abba"), "{masked}");
    let guessed = secrets::mask("  - textbox \"Your password\" [active] [ref=f1e2]: \"s3: x\"", &[]);
    assert_eq!(guessed, format!("  - textbox \"Your password\" [active] [ref=f1e2]: {}", secrets::MASK));
    assert_eq!(secrets::values("### Result\n\"[\\\"a\\\",\\\"b\\\"]\"\n### Ran"), ["a", "b"]);
}
