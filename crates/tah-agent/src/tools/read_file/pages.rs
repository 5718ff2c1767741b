//! Lines out of a stream of bytes in bounded memory (E7): only the wanted lines are kept, and of a long line only
//! its beginning. `\n`, `\r\n` and a lone `\r` end a line, as they do for `edit_file` (E1).

use super::super::encoding::TextEncoding;
use crate::limits;
use encoding_rs_io::DecodeReaderBytesBuilder;
use std::io::{self, Read};
use tokio_util::sync::CancellationToken;

/// Which lines.
#[derive(Clone, Copy)]
pub(super) struct Want {
    /// From 1.
    pub first: u64,
    pub count: u64,
}

#[derive(Default)]
pub(super) struct Page {
    pub lines: Vec<String>,
    /// Lines of the whole file.
    pub total: u64,
    /// Lines of the page that were cut.
    pub long_lines: usize,
    /// Whether the page has lines that end with `\r\n`.
    pub crlf: bool,
    /// About how many characters come after the page.
    pub chars_after: u64,
}

const CHUNK: usize = 64 * 1024;

pub(super) fn read(
    file: impl Read,
    encoding: TextEncoding,
    want: Want,
    cancel: &CancellationToken,
) -> io::Result<Page> {
    // Strips the mark, and makes UTF-8 of everything else.
    let mut reader =
        DecodeReaderBytesBuilder::new().encoding(Some(encoding.encoding())).strip_bom(true).build(file);
    let mut cutter = Cutter::new(want);
    let mut chunk = vec![0; CHUNK];
    loop {
        if cancel.is_cancelled() {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "cancelled"));
        }
        match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(bytes) => cutter.push(&chunk[..bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(cutter.finish())
}

struct Cutter {
    want: Want,
    page: Page,
    /// The beginning of the line that is being read, if it is wanted.
    line: Vec<u8>,
    /// Bytes of that line that were not kept.
    more: usize,
    /// Whether that line has any byte.
    begun: bool,
    after_cr: bool,
    chars: usize,
    full: bool,
}

impl Cutter {
    fn new(want: Want) -> Self {
        let page = Page::default();
        Cutter { want, page, line: Vec::new(), more: 0, begun: false, after_cr: false, chars: 0, full: false }
    }

    fn wanted(&self) -> bool {
        let number = self.page.total + 1;
        !self.full && number >= self.want.first && number - self.want.first < self.want.count
    }

    fn push(&mut self, mut bytes: &[u8]) {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            if bytes[0] == b'\n' {
                self.page.crlf |= !self.page.lines.is_empty() && !self.full;
                bytes = &bytes[1..];
            }
        }
        while !bytes.is_empty() {
            let Some(at) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.keep(bytes);
                return;
            };
            self.keep(&bytes[..at]);
            let is_cr = bytes[at] == b'\r';
            let wanted = self.wanted();
            self.end_line();
            bytes = &bytes[at + 1..];
            match (is_cr, bytes.first()) {
                (true, Some(b'\n')) => {
                    self.page.crlf |= wanted;
                    bytes = &bytes[1..];
                }
                (true, None) => self.after_cr = true,
                _ => {}
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.begun |= !bytes.is_empty();
        if self.wanted() {
            let room = limits::READ_LINE_BYTES.saturating_sub(self.line.len()).min(bytes.len());
            self.line.extend_from_slice(&bytes[..room]);
            self.more += bytes.len() - room;
        } else if self.page.total + 1 > self.want.first {
            self.page.chars_after += bytes.len() as u64;
        }
    }

    fn end_line(&mut self) {
        if self.wanted() {
            let mut line = String::from_utf8_lossy(&self.line).into_owned();
            if self.more > 0 {
                // The cut may have gone through a character.
                while line.ends_with(char::REPLACEMENT_CHARACTER) {
                    line.pop();
                }
                line.push_str(&format!("… [{} more bytes in this line]", self.more));
            }
            let chars = line.chars().count() + 8;
            if self.chars + chars > limits::READ_CHARS && !self.page.lines.is_empty() {
                self.full = true;
                self.page.chars_after += self.line.len() as u64;
            } else {
                self.page.long_lines += usize::from(self.more > 0);
                self.chars += chars;
                self.page.lines.push(line);
            }
        }
        self.line.clear();
        self.more = 0;
        self.begun = false;
        self.page.total += 1;
    }

    fn finish(mut self) -> Page {
        if self.begun {
            self.end_line();
        }
        self.page
    }
}
