//! What a command prints, in bounded memory: the beginning, the end, the count, and the whole in a file (X4).
//!
//! A chunk costs work in proportion to its own length, whatever came before.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::Write;

use crate::limits::{CAPTURE_FILE_BYTES, CAPTURE_HEAD_BYTES, CAPTURE_TAIL_BYTES};

/// How much is kept where, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of the beginning.
    pub head: usize,
    /// Of the end.
    pub tail: usize,
    /// In the file.
    pub file: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: CAPTURE_HEAD_BYTES, tail: CAPTURE_TAIL_BYTES, file: CAPTURE_FILE_BYTES }
    }
}

/// Makes the file that gets the whole output; an error leaves the output without one.
type Opener = Box<dyn FnOnce() -> std::io::Result<File> + Send>;

/// Takes output as it comes.
pub struct Capture {
    limits: Limits,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    opener: Option<Opener>,
    file: Option<File>,
    in_file: u64,
    file_error: Option<std::io::Error>,
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("total", &self.total)
            .field("in_file", &self.in_file)
            .finish_non_exhaustive()
    }
}

impl Capture {
    /// Keeps only beginning and end.
    pub fn new(limits: Limits) -> Self {
        let (head, tail) = (Vec::new(), VecDeque::new());
        Self { limits, head, tail, total: 0, opener: None, file: None, in_file: 0, file_error: None }
    }

    /// Also writes everything, up to the limit, to the file that `open` makes. It is made only when beginning and
    /// end can no longer hold all of it.
    pub fn with_file(limits: Limits, open: impl FnOnce() -> std::io::Result<File> + Send + 'static) -> Self {
        Self { opener: Some(Box::new(open)), ..Self::new(limits) }
    }

    /// The next chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        if self.total > (self.limits.head + self.limits.tail) as u64
            && let Some(open) = self.opener.take()
        {
            match open() {
                Ok(file) => {
                    self.file = Some(file);
                    let mut kept = self.head.clone();
                    kept.extend(&self.tail);
                    self.write(&kept);
                }
                Err(error) => self.file_error = Some(error),
            }
        }
        self.write(chunk);
        let room = self.limits.head - self.head.len();
        let (first, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.limits.tail)..];
        let too_many = (self.tail.len() + rest.len()).saturating_sub(self.limits.tail);
        self.tail.drain(..too_many);
        self.tail.extend(rest);
    }

    fn write(&mut self, chunk: &[u8]) {
        let room = self.limits.file.saturating_sub(self.in_file);
        let part = &chunk[..usize::try_from(room).unwrap_or(usize::MAX).min(chunk.len())];
        if let Some(file) = &mut self.file
            && !part.is_empty()
        {
            match file.write_all(part) {
                Ok(()) => self.in_file += part.len() as u64,
                // A full disk must not end the command; the rest goes without a file.
                Err(error) => {
                    self.file_error = Some(error);
                    self.file = None;
                }
            }
        }
    }

    /// Bytes so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What there is so far; more may follow.
    pub fn seen(&self) -> Captured {
        let kept = (self.head.len() + self.tail.len()) as u64;
        let mut tail: Vec<u8> = Vec::with_capacity(self.tail.len());
        let (front, back) = self.tail.as_slices();
        tail.extend_from_slice(front);
        tail.extend_from_slice(back);
        Captured {
            head: self.head.clone(),
            tail,
            left_out: self.total - kept,
            total: self.total,
            in_file: self.in_file,
            file_error: self.file_error.as_ref().map(ToString::to_string),
        }
    }
}

/// Beginning and end of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    /// What follows the head, after `left_out` bytes.
    pub tail: Vec<u8>,
    /// Bytes that are in neither.
    pub left_out: u64,
    /// All bytes.
    pub total: u64,
    /// How many of them are in the file.
    pub in_file: u64,
    /// Why the file ends early, if it does for another reason than its limit.
    pub file_error: Option<String>,
}

impl Captured {
    /// As text, with `gap` (which gets the number of bytes left out) on a line of its own between head and
    /// tail. Cut characters at the gap are dropped; other bytes that are not UTF-8 are replaced.
    pub fn text(&self, gap: impl FnOnce(u64) -> String) -> String {
        if self.left_out == 0 {
            let mut all = self.head.clone();
            all.extend_from_slice(&self.tail);
            return String::from_utf8_lossy(&all).into_owned();
        }
        let head = &self.head[..whole_characters(&self.head)];
        let skip = self.tail.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        let tail = &self.tail[skip..];
        let gone = self.left_out + (self.head.len() - head.len() + skip) as u64;
        let mut text = String::from_utf8_lossy(head).into_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&gap(gone));
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(tail));
        text
    }
}

/// The length of `bytes` without a character that is cut off at its end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // `error_len` is `None` exactly where the end came too early.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => {
            let back = bytes.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80).map_or(0, |at| at + 1);
            let last = &bytes[bytes.len() - back..];
            let cut = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
            bytes.len() - if cut { back } else { 0 }
        }
    }
}

#[cfg(test)]
mod tests;
