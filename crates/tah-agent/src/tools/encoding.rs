//! Text files as they are on disk: which encoding, which byte order mark, or no text at all (E2, E7).
//! Decoding and encoding go through one value, so that a file is written back the way it was found.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;
use std::borrow::Cow;

/// How a text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextEncoding {
    encoding: &'static Encoding,
    mark: Mark,
}

/// Whether the file begins with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Present,
    Absent,
}

/// What the beginning of a file says of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text(TextEncoding),
    Binary,
}

/// Whether the bytes looked at are all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Beginning,
}

impl TextEncoding {
    pub(crate) const UTF8: TextEncoding = TextEncoding { encoding: encoding_rs::UTF_8, mark: Mark::Absent };

    /// A name for people where it is worth telling: not for plain UTF-8.
    pub(crate) fn name(self) -> Option<String> {
        match (self.encoding == encoding_rs::UTF_8, self.mark) {
            (true, Mark::Absent) => None,
            (true, Mark::Present) => Some("UTF-8 with a byte order mark".to_owned()),
            (false, _) => Some(self.encoding.name().to_owned()),
        }
    }

    pub(crate) fn encoding(self) -> &'static Encoding {
        self.encoding
    }

    fn mark_bytes(self) -> &'static [u8] {
        match self.mark {
            Mark::Absent => b"",
            Mark::Present if self.encoding == encoding_rs::UTF_16LE => b"\xFF\xFE",
            Mark::Present if self.encoding == encoding_rs::UTF_16BE => b"\xFE\xFF",
            Mark::Present => b"\xEF\xBB\xBF",
        }
    }

    /// The text, without its mark; bytes that are no text become U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let bytes = bytes.strip_prefix(self.mark_bytes()).unwrap_or(bytes);
        self.encoding.decode_without_bom_handling(bytes).0
    }

    /// The text only if every byte of it comes back when it is written again.
    pub(crate) fn decode_exactly(self, bytes: &[u8]) -> Option<String> {
        let text = self.decode(bytes).into_owned();
        (self.encode(&text).as_deref() == Ok(bytes)).then_some(text)
    }

    /// The bytes of a text, mark included. The error is the first character the encoding has no place for.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = self.mark_bytes().to_vec();
        if self.encoding == encoding_rs::UTF_8 {
            bytes.extend_from_slice(text.as_bytes());
        } else if self.encoding == encoding_rs::UTF_16LE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        } else if self.encoding == encoding_rs::UTF_16BE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        } else {
            let (encoded, _, unmappable) = self.encoding.encode(text);
            if unmappable {
                let homeless = |c: &char| self.encoding.encode(c.encode_utf8(&mut [0; 4])).2;
                return Err(text.chars().find(homeless).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            bytes.extend_from_slice(&encoded);
        }
        Ok(bytes)
    }
}

/// Judges a file by its beginning, or by all of it.
pub(crate) fn detect(bytes: &[u8], extent: Extent) -> Kind {
    let text = |encoding, mark| Kind::Text(TextEncoding { encoding, mark });
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return text(encoding_rs::UTF_8, Mark::Present);
    }
    // The UTF-32 mark begins like the UTF-16 one; such a file is not read as text.
    if bytes.starts_with(b"\xFF\xFE") && !bytes.starts_with(b"\xFF\xFE\0\0") {
        return text(encoding_rs::UTF_16LE, Mark::Present);
    }
    if bytes.starts_with(b"\xFE\xFF") {
        return text(encoding_rs::UTF_16BE, Mark::Present);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return text(encoding, Mark::Absent);
    }
    if bytes.contains(&0) || mostly_control(bytes) {
        return Kind::Binary;
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => return text(encoding_rs::UTF_8, Mark::Absent),
        // The last character may be cut by where we stopped looking.
        Err(error) if extent == Extent::Beginning && error.error_len().is_none() => {
            return text(encoding_rs::UTF_8, Mark::Absent);
        }
        Err(_) => {}
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, extent == Extent::Whole);
    text(detector.guess(None, Utf8Detection::Deny), Mark::Absent)
}

/// UTF-16 without a mark, which Windows tools write: of Latin text every other byte is zero.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = &bytes[..bytes.len().min(4096) & !1];
    if bytes.len() < 8 {
        return None;
    }
    let units = bytes.len() / 2;
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, high) if high * 10 >= units * 8 => Some(encoding_rs::UTF_16LE),
        (high, 0) if high * 10 >= units * 8 => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// Control characters that no text holds, by the dozen. Escape is left out: terminal logs are text.
fn mostly_control(bytes: &[u8]) -> bool {
    let control = |byte: &&u8| matches!(byte, 1..=6 | 14..=26 | 28..=31 | 127);
    bytes.iter().filter(control).count() * 10 > bytes.len()
}

#[cfg(test)]
mod tests;
