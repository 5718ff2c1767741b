//! What a tool call gave back: typed blocks, and the one text a model reads (M3, M9, M11).

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The result of one `tools/call`.
#[derive(Debug, Default)]
pub struct CallResult {
    /// The blocks in the server's order.
    pub content: Vec<Content>,
    /// The server said that its tool failed; the text is then the error's.
    pub is_error: bool,
    /// `structuredContent` as JSON text.
    pub structured: Option<Box<RawValue>>,
}

/// One block of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(String),
    /// `data` is base64 as it came.
    Image {
        data: String,
        mime: String,
    },
    Audio {
        data: String,
        mime: String,
    },
    /// An embedded resource; `text` only where it is one.
    Resource {
        uri: String,
        mime: String,
        text: Option<String>,
    },
    /// A pointer to a resource.
    Link {
        uri: String,
        name: String,
    },
    /// A kind this client doesn't know.
    Unknown {
        kind: String,
    },
}

impl CallResult {
    /// Reads the `result` of `tools/call`. A server may leave out or bend nearly everything.
    pub(crate) fn read(raw: &str) -> Result<Self, String> {
        serde_json::from_str::<Body>(raw).map(|body| body.0).map_err(|error| error.to_string())
    }

    /// The text a model reads: text parts joined by newlines, one line for everything else.
    /// `structuredContent` only where there is no text at all, and never in place of an error's text.
    pub fn text(&self) -> Cow<'_, str> {
        if let ([Content::Text(text)], true) = (&*self.content, self.structured.is_none() || self.has_text())
        {
            return Cow::Borrowed(text);
        }
        let mut parts: Vec<Cow<'_, str>> = self.content.iter().map(Content::line).collect();
        if let (Some(structured), false) = (&self.structured, self.has_text()) {
            parts.retain(|part| !part.is_empty());
            parts.push(Cow::Borrowed(structured.get()));
        }
        Cow::Owned(parts.join("\n"))
    }

    /// As [`text`](Self::text), without a copy where the result is one text.
    pub fn into_text(mut self) -> String {
        if let [Content::Text(text)] = &mut *self.content
            && (self.structured.is_none() || !text.is_empty())
        {
            return std::mem::take(text);
        }
        self.text().into_owned()
    }

    /// The images in order, as `(mime, base64)`.
    pub fn images(&self) -> impl Iterator<Item = (&str, &str)> {
        self.content.iter().filter_map(|block| match block {
            Content::Image { data, mime } => Some((&**mime, &**data)),
            _ => None,
        })
    }

    fn has_text(&self) -> bool {
        self.content.iter().any(|block| match block {
            Content::Text(text) => !text.is_empty(),
            Content::Resource { text, .. } => text.is_some(),
            _ => false,
        })
    }
}

impl Content {
    fn line(&self) -> Cow<'_, str> {
        match self {
            Content::Text(text) => Cow::Borrowed(text),
            Content::Image { .. } => Cow::Borrowed("[image omitted]"),
            Content::Audio { .. } => Cow::Borrowed("[audio omitted]"),
            Content::Resource { text: Some(text), .. } => Cow::Borrowed(text),
            Content::Resource { uri, mime, text: None } => {
                let mime = if mime.is_empty() { "binary" } else { mime };
                Cow::Owned(format!("[resource omitted: {} ({})]", one_line(uri), one_line(mime)))
            }
            Content::Link { uri, name } if name.is_empty() => {
                Cow::Owned(format!("[resource: {}]", one_line(uri)))
            }
            Content::Link { uri, name } => {
                Cow::Owned(format!("[resource: {} ({})]", one_line(uri), one_line(name)))
            }
            Content::Unknown { kind } if kind.is_empty() => {
                Cow::Borrowed("[content of unknown kind omitted]")
            }
            Content::Unknown { kind } => Cow::Owned(format!("[{} omitted]", one_line(kind))),
        }
    }
}

fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) {
        Cow::Owned(text.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// `result` itself: an object, or (bent) a bare text or list of blocks.
struct Body(CallResult);

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Body;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the result of a tool call")
            }
            fn visit_str<E>(self, text: &str) -> Result<Body, E> {
                Ok(Body(CallResult {
                    content: vec![Content::Text(text.to_owned())],
                    ..CallResult::default()
                }))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Body, A::Error> {
                Ok(Body(CallResult { content: read_blocks(seq)?, ..CallResult::default() }))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Body, A::Error> {
                let mut result = CallResult::default();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "content" => result.content = map.next_value::<Blocks>()?.0,
                        "isError" => result.is_error = map.next_value::<serde_json::Value>()? == true,
                        "structuredContent" => {
                            result.structured = map.next_value::<Option<Box<RawValue>>>()?;
                        }
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Body(result))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// `content`: blocks, or (bent) one text, one block, nothing.
struct Blocks(Vec<Content>);

impl<'de> Deserialize<'de> for Blocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Blocks;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("content blocks")
            }
            fn visit_unit<E>(self) -> Result<Blocks, E> {
                Ok(Blocks(Vec::new()))
            }
            fn visit_str<E>(self, text: &str) -> Result<Blocks, E> {
                Ok(Blocks(vec![Content::Text(text.to_owned())]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Blocks, A::Error> {
                read_blocks(seq).map(Blocks)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Blocks, A::Error> {
                read_block(map).map(|block| Blocks(vec![block]))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

fn read_blocks<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Vec<Content>, A::Error> {
    let mut blocks = Vec::new();
    while let Some(Block(block)) = seq.next_element()? {
        blocks.push(block);
    }
    Ok(blocks)
}

struct Block(Content);

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        fn strange<E>() -> Result<Block, E> {
            Ok(Block(Content::Unknown { kind: String::new() }))
        }
        impl<'de> Visitor<'de> for Read {
            type Value = Block;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a content block")
            }
            fn visit_str<E>(self, text: &str) -> Result<Block, E> {
                Ok(Block(Content::Text(text.to_owned())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Block, A::Error> {
                read_block(map).map(Block)
            }
            fn visit_unit<E>(self) -> Result<Block, E> {
                strange()
            }
            fn visit_bool<E>(self, _: bool) -> Result<Block, E> {
                strange()
            }
            fn visit_i64<E>(self, _: i64) -> Result<Block, E> {
                strange()
            }
            fn visit_u64<E>(self, _: u64) -> Result<Block, E> {
                strange()
            }
            fn visit_f64<E>(self, _: f64) -> Result<Block, E> {
                strange()
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Block, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                strange()
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// A block in one pass: fields come in any order, so all are kept until the kind is known.
fn read_block<'de, A: MapAccess<'de>>(mut map: A) -> Result<Content, A::Error> {
    let (mut kind, mut resource) = (String::new(), None);
    let (mut text, mut data) = (None, String::new());
    let (mut mime, mut uri, mut name) = (String::new(), String::new(), String::new());
    while let Some(Key(key)) = map.next_key()? {
        match &*key {
            "type" => kind = map.next_value::<Lenient>()?.0.unwrap_or_default(),
            "text" => text = map.next_value::<Lenient>()?.0,
            "data" => data = map.next_value::<Lenient>()?.0.unwrap_or_default(),
            "mimeType" => mime = map.next_value::<Lenient>()?.0.unwrap_or_default(),
            "uri" => uri = map.next_value::<Lenient>()?.0.unwrap_or_default(),
            "name" => name = map.next_value::<Lenient>()?.0.unwrap_or_default(),
            "resource" => resource = Some(map.next_value::<ResourceBody>()?),
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(match (&*kind, text, resource) {
        ("text" | "", Some(text), None) => Content::Text(text),
        ("image", ..) => Content::Image { data, mime },
        ("audio", ..) => Content::Audio { data, mime },
        ("resource", _, Some(body)) => Content::Resource {
            uri: body.uri.0.unwrap_or_default(),
            mime: body.mime.0.unwrap_or_default(),
            text: body.text.0,
        },
        ("resource_link", ..) => Content::Link { uri, name },
        _ => Content::Unknown { kind },
    })
}

#[derive(serde::Deserialize)]
struct ResourceBody {
    #[serde(default)]
    uri: Lenient,
    #[serde(rename = "mimeType", default)]
    mime: Lenient,
    #[serde(default)]
    text: Lenient,
}

/// A text, or anything else as nothing, without building the anything else.
#[derive(Default)]
struct Lenient(Option<String>);

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let inside = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        Ok(Lenient(inside.map(unescape)))
    }
}

/// The text of a JSON string, given what stands between its quotes. Not left to serde_json, which needs the text
/// twice while it reads one with escapes (M12), and refuses the whole result for half a surrogate pair.
fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(kind) = rest.chars().next() else { break };
        rest = &rest[kind.len_utf8()..];
        text.push(match kind {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => code_point(&mut rest),
            other => other,
        });
    }
    text.push_str(rest);
    // the raw form is longer by its escapes, much longer where all of it is `\uXXXX`
    if text.capacity() > text.len() * 2 {
        text.shrink_to_fit();
    }
    text
}

/// The character of `\uXXXX`, with its other half where it has one.
fn code_point(rest: &mut &str) -> char {
    let Some(first) = hex(rest) else { return char::REPLACEMENT_CHARACTER };
    *rest = &rest[4..];
    let second = rest.strip_prefix("\\u").and_then(hex);
    match (first, second) {
        (0xD800..0xDC00, Some(second @ 0xDC00..0xE000)) => {
            *rest = &rest[6..];
            char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        }
        _ => char::from_u32(first),
    }
    .unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.get(..4)?, 16).ok()
}

/// An object's key, borrowed where it can be.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests;
