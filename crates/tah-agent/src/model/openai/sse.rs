//! From the bytes of a response to the data of its events. The parsing is `sse-stream`'s; here its input is made
//! such that nothing is lost: a last event without a blank line, broken UTF-8, a stream that falls silent.

use crate::limits;
use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt};
use sse_stream::SseByteStream;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Why a stream ended before its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StreamFault {
    #[error("nothing came for {} s", .0.as_secs())]
    Silent(Duration),
    #[error("the connection was lost: {0}")]
    Lost(String),
    #[error("one event is longer than {} MiB", limits::EVENT_BYTES >> 20)]
    TooLong,
}

/// The bytes of a response.
pub type ByteStream = BoxStream<'static, Result<Bytes, StreamFault>>;

/// Makes a silence of `idle` an error.
pub fn watched<S, E>(bytes: S, idle: Duration) -> ByteStream
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::fmt::Display + Send,
{
    let bytes = Box::pin(bytes);
    let stream = futures_util::stream::unfold(Some(bytes), move |bytes| async move {
        let mut bytes = bytes?;
        match tokio::time::timeout(idle, bytes.next()).await {
            Err(_) => Some((Err(StreamFault::Silent(idle)), None)),
            Ok(None) => None,
            Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(bytes))),
            Ok(Some(Err(error))) => Some((Err(StreamFault::Lost(error.to_string())), None)),
        }
    });
    stream.boxed()
}

/// The data of each event, in order; a fault is the last item.
pub fn events(bytes: ByteStream) -> BoxStream<'static, Result<String, StreamFault>> {
    let waiting = Arc::new(AtomicUsize::new(0));
    let source = Source {
        bytes,
        tail: Vec::new(),
        ready: VecDeque::new(),
        ended: false,
        fault: Arc::default(),
        waiting: waiting.clone(),
    };
    let fault = source.fault.clone();
    let mended = futures_util::stream::unfold(source, |mut source| async move {
        let chunk = source.next().await?;
        Some((Ok::<_, std::convert::Infallible>(chunk), source))
    });
    let data = SseByteStream::new(Box::pin(mended)).filter_map(move |event| {
        waiting.store(0, Ordering::Relaxed);
        // Its input is valid UTF-8 and has no errors, so there is no error to pass on.
        futures_util::future::ready(event.ok().and_then(|event| event.data).map(Ok))
    });
    let last =
        futures_util::stream::once(async move { fault.lock().ok().and_then(|mut fault| fault.take()) })
            .filter_map(|fault| futures_util::future::ready(fault.map(Err)));
    data.chain(last).boxed()
}

/// The bytes, mended.
struct Source {
    bytes: ByteStream,
    /// The beginning of a character whose rest has not come yet (S8).
    tail: Vec<u8>,
    ready: VecDeque<Bytes>,
    ended: bool,
    /// Kept aside while what came before it is flushed.
    fault: Arc<std::sync::Mutex<Option<StreamFault>>>,
    /// Bytes since the last event.
    waiting: Arc<AtomicUsize>,
}

impl Source {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(chunk);
            }
            if self.ended {
                return None;
            }
            match self.bytes.next().await {
                Some(Ok(chunk)) => {
                    let waiting = self.waiting.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                    if waiting > limits::EVENT_BYTES {
                        self.end(Some(StreamFault::TooLong));
                    } else {
                        self.ready.push_back(mend(&mut self.tail, chunk));
                    }
                }
                Some(Err(fault)) => self.end(Some(fault)),
                None => self.end(None),
            }
        }
    }

    fn end(&mut self, fault: Option<StreamFault>) {
        self.ended = true;
        if let Ok(mut kept) = self.fault.lock() {
            *kept = fault;
        }
        if !self.tail.is_empty() {
            self.ready.push_back(Bytes::from_static("\u{FFFD}".as_bytes()));
        }
        // S6: a last event without its blank line is an event all the same.
        self.ready.push_back(Bytes::from_static(b"\n\n"));
    }
}

/// Makes the bytes valid UTF-8: what can't be text becomes U+FFFD, a character cut by the chunk waits in `tail`.
fn mend(tail: &mut Vec<u8>, chunk: Bytes) -> Bytes {
    if tail.is_empty() && std::str::from_utf8(&chunk).is_ok() {
        return chunk;
    }
    let mut bytes = std::mem::take(tail);
    bytes.extend_from_slice(&chunk);
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                break;
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                text.push_str(&String::from_utf8_lossy(valid));
                match error.error_len() {
                    Some(length) => {
                        text.push('\u{FFFD}');
                        rest = &after[length..];
                    }
                    None => {
                        *tail = after.to_vec();
                        break;
                    }
                }
            }
        }
    }
    Bytes::from(text)
}
