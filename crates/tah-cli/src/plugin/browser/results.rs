//! What Playwright says, made fit for a model and for people: escapes taken out, cut with the way to the rest,
//! marked as what a page says (R2), and the title of the page in it.

use super::RESULT_CHARS;
use tah_agent::tool::{Cut, Output};

/// The text without terminal escapes: errors carry colours (P8a).
pub fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.peek() {
            Some('[') => {
                chars.next();
                for c in chars.by_ref() {
                    if ('@'..='~').contains(&c) {
                        break;
                    }
                }
            }
            Some(']') => {
                for c in chars.by_ref() {
                    if c == '\u{7}' || c == '\\' {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// The value of a line like `- Page Title: …`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).filter(|value| !value.is_empty())
}

/// The page's title, where a result names it.
pub fn title(text: &str) -> Option<&str> {
    field(text, "- Page Title:")
}

/// The page's address, where a result names it.
pub fn url(text: &str) -> Option<&str> {
    field(text, "- Page URL:")
}

/// A result for the model: marked, and cut at the limit with the exact words of P4.
pub fn for_model(lead: &str, text: &str, page: &str) -> Output {
    let (kept, cut) = match text.char_indices().nth(RESULT_CHARS) {
        None => (text, 0),
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
    };
    let mut out = String::with_capacity(kept.len() + 128);
    out.push_str(lead);
    if !kept.is_empty() {
        out.push_str(&marked(kept, page));
    }
    let mut output = Output::new(out, brief(text));
    if cut > 0 {
        let remedy = "use browser_find to search the page";
        output.text.push_str(&format!("\n[truncated: {cut} more chars — {remedy}]"));
        output.cut = Some(Cut { chars: cut as u64, remedy: remedy.to_owned() });
    }
    output
}

/// `<page url="…">…</page>`; what looks like its end inside can't end it.
fn marked(text: &str, page: &str) -> String {
    let address =
        page.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace(['\n', '\r'], " ");
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        safe.push_str(before);
        let name = tag[1..].trim_start_matches([' ', '\t']);
        let name =
            name.strip_prefix('/').map(|name| name.trim_start_matches([' ', '\t'])).unwrap_or_default();
        let closes = name.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("page"));
        safe.push_str(if closes { "&lt;" } else { "<" });
        rest = &tag[1..];
    }
    safe.push_str(rest);
    format!("<page url=\"{address}\">\n{safe}\n</page>")
}

/// One line for people: the page's title, else the number of characters.
pub fn brief(text: &str) -> String {
    match title(text) {
        Some(title) => title.to_owned(),
        None => format!("{} chars", text.chars().count()),
    }
}

/// The part of a result below a heading like `### Events`, heading included.
pub fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let start = if text.starts_with(heading) { 0 } else { text.find(&format!("\n{heading}"))? + 1 };
    let rest = &text[start..];
    let end = rest[heading.len()..].find("\n### ").map_or(rest.len(), |at| at + heading.len());
    Some(&rest[..end])
}

/// The file a result links to (`[Screenshot of …](path)`).
pub fn linked_file(text: &str) -> Option<&str> {
    let start = text.find("](")? + 2;
    let rest = &text[start..];
    Some(&rest[..rest.find(')')?])
}
