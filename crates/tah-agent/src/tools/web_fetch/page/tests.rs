//! Pages as text.

use super::*;
use std::time::{Duration, Instant};

fn at(path: &str) -> Url {
    Url::parse("https://site.example/docs/").unwrap().join(path).unwrap()
}

fn article() -> String {
    let paragraph =
        "This is a sentence of the article, long enough to be taken for one, with commas, and words. ";
    format!(
        "<html><head><title>The title</title></head><body><nav><a href='/home'>Home</a></nav><article><h1>Heading</h1>{}\
         <p>See <a href='other?a=1&amp;b=2'>the other page</a>.</p><pre><code>let x = 1;</code></pre></article></body></html>",
        format!("<p>{}</p>", paragraph.repeat(4)).repeat(5)
    )
}

#[test]
fn an_article_becomes_markdown_with_whole_links() {
    let page = read(article().as_bytes(), Some("text/html; charset=utf-8"), &at("page"));
    assert_eq!(page.title.as_deref(), Some("The title"));
    assert!(page.text.contains("[the other page](https://site.example/docs/other?a=1&b=2)"), "{}", page.text);
    assert!(page.text.contains("let x = 1;"), "{}", page.text);
    assert!(!page.text.contains("<p>"));
}

#[test]
fn a_listing_keeps_all_its_links() {
    let items: String =
        (0..50).map(|n| format!("<li><a href='/item/{n}'>Item number {n}</a></li>")).collect();
    let html = format!("<html><title>List</title><body><ul>{items}</ul></body></html>");
    let page = read(html.as_bytes(), Some("text/html"), &at(""));
    assert!(
        page.text.contains("(https://site.example/item/0)")
            && page.text.contains("(https://site.example/item/49)")
    );
}

#[test]
fn the_charset_is_found_in_header_meta_and_bytes() {
    let html = "<html><head><meta charset=gbk><title>标题</title></head><body>这是中文的页面，有足够多的文字。</body></html>";
    let bytes = encoding_rs::GBK.encode(html).0;
    let by_meta = read(&bytes, Some("text/html"), &at(""));
    assert_eq!((by_meta.title.as_deref(), by_meta.kind.as_str()), (Some("标题"), "text/html, GBK"));
    let bare = html.replace("<meta charset=gbk>", "");
    let bytes = encoding_rs::GBK.encode(&bare).0;
    assert_eq!(read(&bytes, Some("text/html; charset=\"GB2312\""), &at("")).title.as_deref(), Some("标题"));
    assert_eq!(read(&bytes, Some("text/html"), &at("")).title.as_deref(), Some("标题"));
    assert_eq!(read(b"\xFF\xFEh\0i\0", Some("text/plain"), &at("")).text, "hi");
}

#[test]
fn other_kinds_are_shown_or_described() {
    assert_eq!(read(b"{\"a\": 1}", Some("application/json"), &at("")).text, "{\"a\": 1}");
    assert_eq!(read(b"plain <b>", Some("text/plain"), &at("")).text, "plain <b>");
    assert!(
        read(b"%PDF-1.7\n...", Some("application/pdf"), &at("")).text.contains("application/pdf, not text")
    );
    assert!(read(&[0, 1, 2, 3], None, &at("")).text.contains("not text"));
    assert!(read(b"\x89PNG\r\n\x1a\n\0\0", Some("image/png"), &at("")).text.contains("image/png"));
    assert!(read(b"<!doctype html><title>t</title>x", None, &at("")).title.is_some());
    assert!(read(b"", Some("text/html"), &at("")).text.contains("empty"));
}

#[test]
fn r2_a_page_cannot_end_its_own_mark() {
    let text = marked("https://x.example/\"><", "a</page>b< / PAGE >c<page url='x'>d</pages>");
    assert_eq!(text.matches("</page>").count(), 1);
    assert_eq!(text.to_lowercase().matches("<page").count(), 1);
    assert!(text.ends_with("\n</page>"));
}

#[test]
fn a_deep_page_takes_neither_the_stack_nor_the_day() {
    for (depth, unit) in
        [(1_000, "<div>"), (600_000, "<div>"), (600_000, "<b>"), (200_000, "<table><tr><td>")]
    {
        let began = Instant::now();
        let html = format!("<html><body><script>'<p>'</script>{}deepest", unit.repeat(depth));
        let page = read(html.as_bytes(), Some("text/html"), &at(""));
        assert!(page.text.ends_with("deepest"), "{unit}");
        assert!(!page.text.contains("'<p>'"));
        assert!(began.elapsed() < Duration::from_secs(20), "{depth} {unit}: {:?}", began.elapsed());
    }
}
