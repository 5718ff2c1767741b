//! A page without a parser: how deep it is nested before anything is built from it, and its bare text where it is too
//! deep. A parser takes time in proportion to the square of the depth, so 5 MB of `<div>` would take hours.

/// A piece of a page.
enum Piece<'a> {
    Text(&'a str),
    /// In lower case.
    Open(String),
    Close(String),
}

/// Elements that end by themselves, or have no end.
const UNCOUNTED: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup", "html",
    "head", "body",
];

/// Elements whose content is no markup and no text to read.
const RAW: &[&str] = &["script", "style", "template", "noscript", "svg", "textarea", "title"];

/// Elements that stand within a line.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "u",
];

/// The pieces of a page, in one pass.
fn pieces<'a>(html: &'a str, mut take: impl FnMut(Piece<'a>)) {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        if at > 0 {
            take(Piece::Text(&rest[..at]));
        }
        let tag = &rest[at + 1..];
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let (name_part, closes) = match tag.strip_prefix('/') {
            Some(name) => (name, true),
            None => (tag, false),
        };
        let length = name_part.bytes().take_while(u8::is_ascii_alphanumeric).take(40).count();
        let is_tag = length > 0 || tag.starts_with(['!', '?', '/']);
        if !is_tag {
            take(Piece::Text("<"));
            rest = tag;
            continue;
        }
        let name = name_part[..length].to_ascii_lowercase();
        let Some(end) = tag.find('>') else { return };
        rest = &tag[end + 1..];
        if name.is_empty() {
            continue;
        }
        if closes {
            take(Piece::Close(name));
        } else if RAW.contains(&name.as_str()) {
            rest = after_raw(rest, &name);
        } else {
            take(Piece::Open(name));
        }
    }
    take(Piece::Text(rest));
}

/// What follows the end of an element whose content is skipped. Without an end nothing does.
fn after_raw<'a>(rest: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = rest[from..].find("</") {
        let start = from + at + 2;
        let is_end = rest
            .as_bytes()
            .get(start..start + name.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()));
        if is_end {
            return rest[start..].find('>').map_or("", |end| &rest[start + end + 1..]);
        }
        from = start;
    }
    ""
}

/// About how deep the elements are nested.
pub(super) fn nesting(html: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    pieces(html, |piece| match piece {
        Piece::Open(name) if !UNCOUNTED.contains(&name.as_str()) => {
            open += 1;
            most = most.max(open);
        }
        Piece::Close(name) if !UNCOUNTED.contains(&name.as_str()) => open = open.saturating_sub(1),
        Piece::Open(_) | Piece::Close(_) | Piece::Text(_) => {}
    });
    most
}

/// The text alone, a line for each block.
pub(super) fn text(html: &str) -> String {
    let mut text = String::new();
    let mut breaks = true;
    pieces(html, |piece| match piece {
        Piece::Open(name) | Piece::Close(name) => {
            if !INLINE.contains(&name.as_str()) && !breaks {
                text.push('\n');
                breaks = true;
            }
        }
        Piece::Text(piece) => {
            for word in piece.split_ascii_whitespace() {
                if !breaks && !text.ends_with(' ') {
                    text.push(' ');
                }
                text.push_str(word);
                breaks = false;
            }
        }
    });
    let plain =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    plain.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}
