//! Bytes of a page as text: its encoding, its article or all of it as Markdown, other kinds as they are or described.
//! This takes processor time in proportion to the page; callers give it a thread.

mod plain;

use super::super::encoding::{Extent, Kind, detect};
use crate::limits;
use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode};
use encoding_rs::Encoding;
use regex::Regex;
use std::sync::LazyLock;
use url::Url;

pub(super) struct Page {
    /// What it is, for people: `text/html, GBK`.
    pub kind: String,
    pub title: Option<String>,
    pub text: String,
}

pub(super) fn read(body: &[u8], content_type: Option<&str>, url: &Url) -> Page {
    let declared = content_type.unwrap_or_default();
    let media_type = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let plain = |kind: String, text: String| Page { kind, title: None, text };
    if body.is_empty() {
        return plain(named(&media_type, None), "[the page is empty]".to_owned());
    }
    if !is_text(&media_type, body) {
        let what = if media_type.is_empty() { "an unknown kind" } else { &media_type };
        let text = format!("[this is {what}, not text; it is not shown]");
        return plain(named(&media_type, None), text);
    }
    let (text, encoding) = decode(body, declared);
    let kind = named(&media_type, encoding);
    if !is_html(&media_type, &text) {
        return plain(kind, text);
    }
    let (title, text) = html(&text, url);
    Page { kind, title, text }
}

fn named(media_type: &str, encoding: Option<&'static Encoding>) -> String {
    let media_type = if media_type.is_empty() { "unknown type" } else { media_type };
    match encoding {
        Some(encoding) if encoding != encoding_rs::UTF_8 => format!("{media_type}, {}", encoding.name()),
        _ => media_type.to_owned(),
    }
}

fn is_text(media_type: &str, body: &[u8]) -> bool {
    if body.starts_with(b"%PDF-") {
        return false;
    }
    let known = media_type.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml", "x-sh", "x-www-form-urlencoded", "graphql", "sql"]
            .iter()
            .any(|part| media_type.ends_with(part));
    // What the server says counts less than what is there: zeros are no text, and much text comes untyped.
    let extent = if body.len() > 4096 { Extent::Beginning } else { Extent::Whole };
    match detect(&body[..body.len().min(4096)], extent) {
        Kind::Binary => false,
        Kind::Text(_) => {
            known
                || media_type.is_empty()
                || matches!(media_type, "application/octet-stream" | "binary/octet-stream")
        }
    }
}

fn is_html(media_type: &str, text: &str) -> bool {
    if media_type.contains("html") {
        return true;
    }
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    let unsure = media_type.is_empty() || media_type.ends_with("octet-stream");
    unsure && (start.starts_with("<!doctype html") || start.starts_with("<html"))
}

static META: LazyLock<Option<regex::bytes::Regex>> = LazyLock::new(|| {
    regex::bytes::Regex::new(r#"(?i)<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-z0-9_:.-]+)"#).ok()
});

/// By mark, by header, by what the page says of itself at its beginning, by guessing.
fn decode(body: &[u8], content_type: &str) -> (String, Option<&'static Encoding>) {
    let header = content_type
        .to_ascii_lowercase()
        .split("charset=")
        .nth(1)
        .map(|rest| rest.split(';').next().unwrap_or_default().trim_matches(['"', '\'', ' ']).to_owned());
    let marked = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let declared = || header.and_then(|label| Encoding::for_label(label.as_bytes()));
    let meta = || {
        let start = &body[..body.len().min(1024)];
        let label = META.as_ref()?.captures(start)?.get(1)?;
        // A page that says UTF-16 in a readable tag is not in UTF-16.
        Encoding::for_label(label.as_bytes()).map(Encoding::output_encoding)
    };
    let guessed = || match detect(body, Extent::Whole) {
        Kind::Text(encoding) => Some(encoding.encoding()),
        Kind::Binary => None,
    };
    let encoding = marked.or_else(declared).or_else(meta).or_else(guessed).unwrap_or(encoding_rs::UTF_8);
    let (text, used, _) = encoding.decode(body);
    (text.into_owned(), Some(used))
}

/// What is never text to read.
const SKIPPED: &[&str] =
    &["script", "style", "meta", "head", "noscript", "template", "svg", "iframe", "canvas"];

fn html(html: &str, url: &Url) -> (Option<String>, String) {
    if plain::nesting(html) > limits::PAGE_NESTING {
        return (None, plain::text(html));
    }
    let document = Document::from(html);
    let title = document.select("title").iter().next().map(|node| node.text().trim().to_owned());
    let title = title.filter(|title| !title.is_empty());
    make_absolute(&document, url);
    // The search for the article takes far more than linear time in nested elements (96 s for 20,000).
    let deep = depth(&document) > limits::PAGE_DEPTH;
    let whole = tidy(&document.md(Some(SKIPPED)));
    if deep {
        return (title, whole);
    }
    let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
    let article =
        Readability::with_document(document, Some(url.as_str()), Some(config)).ok().and_then(|mut reader| {
            // A front page or a listing has no article; to cut one out would lose the rest.
            reader.is_probably_readable().then(|| reader.parse().ok()).flatten()
        });
    match article {
        Some(article) => {
            let text = tidy(&article.text_content);
            // An article that is a small part of the page is not what the page is.
            let counts = text.chars().count() * 4 >= whole.chars().count();
            let name = Some(article.title.trim().to_owned()).filter(|title| !title.is_empty());
            (title.or(name), if counts { text } else { whole })
        }
        None => (title, whole),
    }
}

/// Links and pictures with whole urls; pictures that are in the page itself go.
fn make_absolute(document: &Document, url: &Url) {
    let base = document.base_uri().and_then(|base| url.join(&base).ok()).unwrap_or_else(|| url.clone());
    for (selector, name) in [("a[href]", "href"), ("img[src]", "src")] {
        for node in document.select(selector).nodes() {
            let Some(value) = node.attr(name) else { continue };
            if value.starts_with("data:") || value.starts_with("javascript:") {
                node.remove_attr(name);
            } else if let Ok(whole) = base.join(value.trim()) {
                node.set_attr(name, whole.as_str());
            }
        }
    }
}

/// The most elements inside one another, counted without recursion.
fn depth(document: &Document) -> usize {
    let mut node = document.root();
    let (mut depth, mut deepest) = (0, 0);
    loop {
        if let Some(child) = node.first_child() {
            node = child;
            depth += 1;
            deepest = deepest.max(depth);
            continue;
        }
        loop {
            if let Some(sibling) = node.next_sibling() {
                node = sibling;
                break;
            }
            match node.parent() {
                Some(parent) if depth > 0 => {
                    node = parent;
                    depth -= 1;
                }
                _ => return deepest,
            }
        }
    }
}

static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\]\([^()\s]*&amp;[^()\s]*\)").ok());
static GAP: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\n[ \t]*\n([ \t]*\n)+").ok());

/// `&` in links as it is, and no more than one empty line at a place.
fn tidy(markdown: &str) -> String {
    let mut text = markdown.trim().to_owned();
    if let Some(link) = LINK.as_ref() {
        text = link
            .replace_all(&text, |found: &regex::Captures<'_>| found[0].replace("&amp;", "&"))
            .into_owned();
    }
    if let Some(gap) = GAP.as_ref() {
        text = gap.replace_all(&text, "\n\n").into_owned();
    }
    text
}

static CLOSING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)<(\s*/?\s*page\b)").ok());

/// A page's text marked as such, so that it can't pass for anything else (R2): no tag of that name inside is one.
pub(super) fn marked(url: &str, text: &str) -> String {
    let text = match CLOSING.as_ref() {
        Some(closing) => closing.replace_all(text, "&lt;$1").into_owned(),
        None => text.replace('<', "&lt;"),
    };
    let url = url.replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
    format!("<page url=\"{url}\">\n{text}\n</page>")
}

#[cfg(test)]
mod tests;
