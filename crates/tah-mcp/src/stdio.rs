//! A server at the other end of two pipes: one task writes lines, one reads them, one watches for the end.
//! What the lines mean is for `peer.rs`; how the process is started and ended, for `tah_os`.

use crate::error::{Ending, HowEnded};
use crate::limits;
use crate::lines::{Line, LineReader};
use crate::peer::{Outgoing, Peer};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The process behind the pipes, as far as the client needs it.
pub trait ServerProcess: Send + Sync + 'static {
    /// Resolves once it has exited; may be asked several times.
    fn wait(&self) -> BoxFuture<'_, HowEnded>;
    /// Asks its whole group to end (SIGTERM).
    fn terminate(&self);
    /// Ends its whole group (SIGKILL).
    fn kill(&self);
    /// The last lines of its stderr, oldest first.
    fn last_words(&self) -> BoxFuture<'_, Vec<String>>;
}

/// Which end comes first when a server is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseOrder {
    /// The protocol's way: stdin is closed, then SIGTERM, then SIGKILL.
    StdinFirst,
    /// SIGTERM before stdin is closed: Playwright loses logins otherwise (P8a).
    SigtermFirst,
}

/// The carrying side of one connection.
pub(crate) struct Pipes {
    close_stdin: CancellationToken,
    over: CancellationToken,
    process: Option<Arc<dyn ServerProcess>>,
}

impl Pipes {
    /// Starts the three tasks.
    pub(crate) fn connect(
        peer: &Arc<Peer>,
        queue: mpsc::Receiver<Outgoing>,
        pipes: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
        process: Option<Arc<dyn ServerProcess>>,
        line_bytes: usize,
    ) -> Self {
        let close_stdin = CancellationToken::new();
        let over = CancellationToken::new();
        let (stdout, stdin) = pipes;
        let reader = tokio::spawn(read(peer.clone(), LineReader::new(stdout, line_bytes), line_bytes));
        let writer = tokio::spawn(write(queue, stdin, close_stdin.clone()));
        let (peer, process_too) = (peer.clone(), process.clone());
        let (closing, is_over) = (close_stdin.clone(), over.clone());
        tokio::spawn(async move {
            let _said = is_over.drop_guard();
            watch(&peer, process_too.as_deref(), reader, writer).await;
            closing.cancel();
        });
        Self { close_stdin, over, process }
    }

    /// Ends the server and waits until it is gone. Calls under way fail at once.
    pub(crate) async fn close(&self, peer: &Peer, order: CloseOrder) {
        peer.end(Ending { server: peer.server.clone(), how: HowEnded::ClosedByUs, last_words: Vec::new() });
        let Some(process) = &self.process else {
            self.close_stdin.cancel();
            return;
        };
        let gone = |grace| tokio::time::timeout(grace, process.wait());
        match order {
            CloseOrder::StdinFirst => {
                self.close_stdin.cancel();
                if gone(limits::CLOSE_GRACE).await.is_err() {
                    process.terminate();
                }
            }
            CloseOrder::SigtermFirst => process.terminate(),
        }
        let ended = gone(limits::CLOSE_GRACE).await.is_ok();
        self.close_stdin.cancel();
        // also where it exited by itself: its descendants go with it
        process.kill();
        if !ended {
            gone(limits::CLOSE_GRACE).await.ok();
        }
        tokio::time::timeout(limits::EXIT_GRACE, self.over.cancelled()).await.ok();
    }

    pub(crate) async fn last_words(&self) -> Vec<String> {
        match &self.process {
            Some(process) => process.last_words().await,
            None => Vec::new(),
        }
    }
}

impl Drop for Pipes {
    /// A connection that was not closed properly still leaves nothing behind.
    fn drop(&mut self) {
        self.close_stdin.cancel();
        if let Some(process) = &self.process {
            process.kill();
        }
    }
}

async fn read<R: AsyncRead + Unpin>(peer: Arc<Peer>, mut lines: LineReader<R>, limit: usize) {
    while let Some(line) = lines.next().await {
        match line {
            Line::Text { text, lossy } => {
                if lossy {
                    peer.log
                        .notice("writes invalid UTF-8; what could not be read is shown as \u{fffd}".into());
                }
                peer.receive(text);
            }
            Line::TooLong { head, tail, bytes } => peer.receive_too_long(&head, &tail, bytes, limit),
        }
    }
}

/// Writes until the queue or the pipe ends; at `close` what is queued is still written.
async fn write<W: AsyncWrite + Unpin>(
    mut queue: mpsc::Receiver<Outgoing>,
    mut stdin: W,
    close: CancellationToken,
) -> WriteEnd {
    loop {
        let message = tokio::select! {
            biased;
            message = queue.recv() => message,
            () = close.cancelled() => None,
        };
        let Some(Outgoing { mut text, abandoned, .. }) = message else { break };
        if abandoned.is_cancelled() {
            continue;
        }
        text.push('\n');
        let written = tokio::select! {
            written = async { stdin.write_all(text.as_bytes()).await.and(stdin.flush().await) } => written,
            // a server that doesn't read must not keep us from closing
            () = close.cancelled() => break,
        };
        if written.is_err() {
            return WriteEnd::Broken;
        }
    }
    stdin.shutdown().await.ok();
    WriteEnd::Closed
}

enum WriteEnd {
    Closed,
    Broken,
}

/// Waits for whichever end shows first and gives the others a moment, so that the last replies are delivered
/// and the reason is the best known.
async fn watch(
    peer: &Peer,
    process: Option<&dyn ServerProcess>,
    reader: tokio::task::JoinHandle<()>,
    writer: tokio::task::JoinHandle<WriteEnd>,
) {
    let reader_stop = reader.abort_handle();
    let mut reader = reader;
    let exited = async {
        match process {
            Some(process) => process.wait().await,
            None => std::future::pending().await,
        }
    };
    let mut exited = std::pin::pin!(exited);
    let broken = async {
        if !matches!(writer.await, Ok(WriteEnd::Broken)) {
            std::future::pending::<()>().await;
        }
    };
    let how = tokio::select! {
        how = &mut exited => {
            // a grandchild may hold stdout open for ever
            tokio::time::timeout(limits::EXIT_GRACE, &mut reader).await.ok();
            Some(how)
        }
        _ = &mut reader => tokio::time::timeout(limits::CLOSED_PIPE_GRACE, exited).await.ok(),
        () = broken => {
            let how = tokio::time::timeout(limits::CLOSED_PIPE_GRACE, exited).await.ok();
            tokio::time::timeout(limits::EXIT_GRACE, &mut reader).await.ok();
            how
        }
    };
    reader_stop.abort();
    let mut last_words = match process {
        Some(process) => process.last_words().await,
        None => Vec::new(),
    };
    if last_words.is_empty() {
        last_words = peer.log.lines();
    }
    let server = peer.server.clone();
    peer.end(Ending { server, how: how.unwrap_or(HowEnded::ClosedItsPipe), last_words });
    if let Some(process) = process {
        process.kill();
    }
}
