//! What a server says beside the protocol: junk on stdout, log messages, and our own remarks about it.
//! Bounded on every side, since none of it is asked for.

use crate::limits;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock that a panic elsewhere can't break.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<String>,
    notices: VecDeque<String>,
    junk: u64,
}

/// The log of one server.
#[derive(Default)]
pub(crate) struct Log(Mutex<Kept>);

impl Log {
    /// Keeps a line the server wrote.
    pub(crate) fn line(&self, text: &str) {
        let mut kept = lock(&self.0);
        if kept.lines.len() == limits::LOG_LINES {
            kept.lines.pop_front();
        }
        kept.lines.push_back(text.chars().take(limits::LOG_LINE_CHARS).collect());
    }

    /// Keeps a line that is no message, and warns once (M1).
    pub(crate) fn junk(&self, text: &str) {
        self.line(text);
        let first = {
            let mut kept = lock(&self.0);
            kept.junk += 1;
            kept.junk == 1
        };
        if first {
            let shown: String = text.chars().take(80).collect();
            self.notice(format!("writes lines to stdout that are no messages; they are ignored: {shown}"));
        }
    }

    /// Something the user should know about the server.
    pub(crate) fn notice(&self, text: String) {
        tracing::debug!(notice = %text);
        let mut kept = lock(&self.0);
        if kept.notices.len() < limits::NOTICES && !kept.notices.contains(&text) {
            kept.notices.push_back(text);
        }
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        lock(&self.0).notices.drain(..).collect()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        lock(&self.0).lines.iter().cloned().collect()
    }

    pub(crate) fn junk_count(&self) -> u64 {
        lock(&self.0).junk
    }
}
