//! The last lines of a stream nobody reads, so that it never blocks its writer (M16) and an error can quote it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::limits::{CHUNK_BYTES, RING_BYTES, RING_LINES};

/// Keeps the last [`RING_LINES`] lines, [`RING_BYTES`] bytes at most. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    open: bool,
}

impl Ring {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `stream` to its end in a task of its own.
    pub fn drain(stream: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let ring = Self::new();
        let into = ring.clone();
        tokio::spawn(async move {
            let mut stream = stream;
            let mut chunk = vec![0; CHUNK_BYTES / 8];
            while let Ok(read @ 1..) = stream.read(&mut chunk).await {
                into.push(&chunk[..read]);
            }
        });
        ring
    }

    /// Adds bytes as they came; lines may be cut anywhere between two calls.
    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            kept.add(part);
        }
    }

    /// The kept lines, oldest first, joined by newlines; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<_> = kept.lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
        lines.join("\n")
    }
}

impl Kept {
    fn add(&mut self, part: &[u8]) {
        let (text, ends) = match part {
            [text @ .., b'\r', b'\n'] | [text @ .., b'\n'] => (text, true),
            text => (text, false),
        };
        if !self.open {
            self.lines.push_back(Vec::new());
        }
        if let Some(line) = self.lines.back_mut() {
            let room = (RING_BYTES / 4).saturating_sub(line.len());
            let text = &text[..text.len().min(room)];
            line.extend_from_slice(text);
            self.bytes += text.len();
        }
        self.open = !ends;
        while self.lines.len() > RING_LINES || self.bytes > RING_BYTES {
            let Some(gone) = self.lines.pop_front() else { break };
            self.bytes -= gone.len();
        }
    }
}
