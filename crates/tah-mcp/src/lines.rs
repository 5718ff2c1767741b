//! Splits a byte stream into lines: at `\n` bytes, bounded, whole lines decoded at once (M15).
//! What a line means is for `wire.rs`.

use crate::limits;
use tokio::io::{AsyncRead, AsyncReadExt};

/// One piece of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line without its end. `lossy` says that invalid UTF-8 was replaced.
    Text { text: String, lossy: bool },
    /// A line over the limit: only its two ends were kept.
    TooLong { head: Vec<u8>, tail: Vec<u8>, bytes: u64 },
}

/// Reads lines with a limit. Memory: one line, grown without copying where the allocator can.
pub(crate) struct LineReader<R> {
    inner: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Bytes of `buffer` known to hold no line end.
    scanned: usize,
    at_start: bool,
    ended: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(inner: R, limit: usize) -> Self {
        Self { inner, limit, buffer: Vec::new(), scanned: 0, at_start: true, ended: false }
    }

    /// The next line, or `None` at the end. A read error is an end: the process behind it is gone.
    /// A last line without its `\n` is still delivered.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(at) = find_newline(&self.buffer, self.scanned) {
                return Some(self.take_line(at));
            }
            self.scanned = self.buffer.len();
            if self.ended {
                if self.buffer.is_empty() {
                    return None;
                }
                self.scanned = 0;
                return Some(decode(std::mem::take(&mut self.buffer), &mut self.at_start));
            }
            if self.buffer.len() > self.limit {
                return Some(self.skip_line().await);
            }
            self.fill().await;
        }
    }

    async fn fill(&mut self) {
        self.buffer.reserve(limits::READ_BYTES);
        match self.inner.read_buf(&mut self.buffer).await {
            Ok(0) | Err(_) => self.ended = true,
            Ok(_) => {}
        }
    }

    /// Cuts the line that ends at `at` off the buffer. A big line keeps its allocation, a small one is copied,
    /// so that the read buffer stays.
    fn take_line(&mut self, at: usize) -> Line {
        self.scanned = 0;
        let line = if at > limits::READ_BYTES {
            let rest = self.buffer.split_off(at + 1);
            let mut line = std::mem::replace(&mut self.buffer, rest);
            line.truncate(at);
            line
        } else {
            let line = self.buffer[..at].to_vec();
            self.buffer.drain(..=at);
            line
        };
        decode(line, &mut self.at_start)
    }

    async fn skip_line(&mut self) -> Line {
        let edge = limits::LINE_EDGE_BYTES;
        let head = self.buffer[..edge.min(self.buffer.len())].to_vec();
        let mut bytes = 0u64;
        let mut tail: Vec<u8> = Vec::new();
        loop {
            let end = find_newline(&self.buffer, 0);
            let part = &self.buffer[..end.unwrap_or(self.buffer.len())];
            bytes += part.len() as u64;
            tail.extend_from_slice(&part[part.len().saturating_sub(edge)..]);
            tail.drain(..tail.len().saturating_sub(edge));
            if let Some(end) = end {
                self.buffer = self.buffer.split_off(end + 1);
                break;
            }
            self.buffer = Vec::new();
            if self.ended {
                break;
            }
            self.fill().await;
        }
        self.scanned = 0;
        self.at_start = false;
        Line::TooLong { head, tail, bytes }
    }
}

fn find_newline(buffer: &[u8], from: usize) -> Option<usize> {
    memchr::memchr(b'\n', &buffer[from..]).map(|at| from + at)
}

fn decode(mut line: Vec<u8>, at_start: &mut bool) -> Line {
    if std::mem::take(at_start) && line.starts_with(b"\xEF\xBB\xBF") {
        line.drain(..3);
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    match String::from_utf8(line) {
        Ok(text) => Line::Text { text, lossy: false },
        Err(error) => {
            Line::Text { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), lossy: true }
        }
    }
}

#[cfg(test)]
mod tests;
