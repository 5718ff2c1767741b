//! What is done to the server's texts: escapes out, too long ones cut, page text marked as such (P4, P8a, R2).

use serde_json::Value;

/// Characters of a result the model gets (P4).
pub const RESULT_CHARS: usize = 30_000;

/// Removes terminal escape sequences and nothing else: they are no part of what the server meant to say.
pub fn without_escapes(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        clean.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(sequence) = rest.strip_prefix('[') {
            let end = sequence.find(|c| ('\u{40}'..='\u{7e}').contains(&c));
            rest = end.map_or("", |end| &sequence[end + 1..]);
        } else if let Some(sequence) = rest.strip_prefix(']') {
            let end = sequence.find(['\u{7}', '\u{1b}']);
            rest = end.map_or("", |end| sequence[end..].trim_start_matches(['\u{7}', '\u{1b}', '\\']));
        }
    }
    clean.push_str(rest);
    clean
}

/// The text as the model gets it: cut at so many characters, and marked as a page's. A page can't end the mark itself.
pub fn marked(text: &str, url: Option<&str>, chars: usize) -> String {
    if text.trim().is_empty() {
        return "(done; the server had nothing to say)".to_owned();
    }
    let (kept, suffix) = split(text, chars);
    let url = url.unwrap_or_default().replace('"', "%22");
    format!("<page url=\"{url}\">\n{}\n</page>{suffix}", escape_end(kept))
}

/// The text, cut at so many characters.
pub fn cut(text: &str, chars: usize) -> String {
    let (kept, suffix) = split(text, chars);
    format!("{kept}{suffix}")
}

fn split(text: &str, chars: usize) -> (&str, String) {
    match text.char_indices().nth(chars) {
        None => (text, String::new()),
        Some((at, _)) => {
            let more = text[at..].chars().count();
            (&text[..at], format!("\n[truncated: {more} more chars — use browser_find to search the page]"))
        }
    }
}

fn escape_end(text: &str) -> String {
    // The mark's name in any case, since a model reads it in any case.
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        escaped.push_str(&rest[..at]);
        let behind = &rest[at + 2..];
        let is_mark = behind.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("page"));
        escaped.push_str(if is_mark { "<\\/" } else { "</" });
        rest = behind;
    }
    escaped.push_str(rest);
    escaped
}

/// A call that was under way, or came before the server noticed, when the browser ended.
pub fn met_the_browsers_end(text: &str) -> bool {
    text.contains("Target page, context or browser has been closed")
}

/// The known fault of a navigation that follows a failed one: it is interrupted by the error page of that one, and
/// when it is repeated at once by its own first attempt.
pub fn was_interrupted(text: &str) -> bool {
    let Some((head, tail)) = text.split_once("\" is interrupted by another navigation to \"") else {
        return false;
    };
    let wanted = head.rsplit_once("Navigation to \"").map(|(_, url)| url);
    let other = tail.split('"').next();
    tail.starts_with("chrome-error://") || (other.is_some() && other == wanted)
}

/// Adds `http://` to an address of this machine that has no scheme: Playwright takes `localhost:3000` for a scheme and
/// `127.0.0.1:3000` for https.
pub fn with_scheme(tool: &str, mut input: Value) -> Value {
    if matches!(tool, "browser_navigate" | "browser_tabs")
        && let Some(url) = input.get("url").and_then(Value::as_str)
        && let Some(whole) = local_url(url)
    {
        input["url"] = whole.into();
    }
    input
}

fn local_url(url: &str) -> Option<String> {
    let url = url.trim();
    let authority = url.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (host, true)
        }
        Some(_) if !authority.starts_with('[') => return None,
        _ => (authority, false),
    };
    let host = host.to_ascii_lowercase();
    let is_local = host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok()
        || host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(|address| {
            address.parse::<std::net::Ipv6Addr>().is_ok()
        })
        // A bare name with a port is a machine of the local network, not a scheme.
        || (port && !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
    is_local.then(|| format!("http://{url}"))
}

#[cfg(test)]
mod tests;
