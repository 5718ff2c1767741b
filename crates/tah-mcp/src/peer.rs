//! The conversation with one server, whatever carries it: requests with their waiters, the server's own requests,
//! notifications. A transport takes messages from the outgoing queue and hands in what arrives.

use crate::answers::Answers;
use crate::error::{CallError, Ending, Sent};
use crate::limits;
use crate::log::{Log, lock};
use crate::wire::{self, Incoming};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A message on its way to the server.
pub(crate) struct Outgoing {
    pub(crate) text: String,
    /// Set for requests: HTTP needs to know what a failed POST was.
    pub(crate) request: Option<u64>,
    /// Cancelled when nobody waits for the answer any more.
    pub(crate) abandoned: CancellationToken,
}

/// A result as it came: the whole line and where the result lies in it, so that nothing is copied.
#[derive(Debug)]
pub(crate) struct RawReply {
    line: String,
    span: Range<usize>,
}

impl RawReply {
    pub(crate) fn raw(&self) -> &str {
        &self.line[self.span.clone()]
    }
}

/// A sign of life from a running call.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub done: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// How a request is made.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// `None`: the server's own call timeout.
    pub timeout: Option<Duration>,
    /// Ends the wait; the server is told.
    pub cancel: CancellationToken,
    /// Where progress goes; what doesn't fit is dropped.
    pub progress: Option<mpsc::Sender<Progress>>,
}

struct Waiter {
    reply: oneshot::Sender<Result<RawReply, CallError>>,
    progress: Option<mpsc::Sender<Progress>>,
    alive: Arc<Notify>,
}

enum State {
    Open(HashMap<u64, Waiter>),
    Ended(Arc<Ending>),
}

pub(crate) struct Peer {
    pub(crate) server: String,
    pub(crate) log: Log,
    /// Woken by `notifications/tools/list_changed`.
    pub(crate) tools_changed: Notify,
    answers: Answers,
    state: Mutex<State>,
    next_id: AtomicU64,
    outgoing: mpsc::Sender<Outgoing>,
    ended: watch::Sender<Option<Arc<Ending>>>,
}

impl Peer {
    /// A peer and the queue its transport must empty.
    pub(crate) fn new(server: &str, answers: Answers) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (outgoing, queue) = mpsc::channel(limits::OUTGOING_MESSAGES);
        let peer = Self {
            server: server.to_owned(),
            log: Log::default(),
            tools_changed: Notify::new(),
            answers,
            state: Mutex::new(State::Open(HashMap::new())),
            next_id: AtomicU64::new(1),
            outgoing,
            ended: watch::Sender::new(None),
        };
        (Arc::new(peer), queue)
    }

    /// How the connection ended, once it has.
    pub(crate) fn ended(&self) -> watch::Receiver<Option<Arc<Ending>>> {
        self.ended.subscribe()
    }

    /// Ends the connection: every waiter fails at once (M4). Only the first ending counts.
    pub(crate) fn end(&self, ending: Ending) {
        let ending = Arc::new(ending);
        let waiters = {
            let mut state = lock(&self.state);
            match &mut *state {
                State::Ended(_) => return,
                State::Open(waiters) => {
                    let waiters = std::mem::take(waiters);
                    *state = State::Ended(ending.clone());
                    waiters
                }
            }
        };
        for waiter in waiters.into_values() {
            waiter.reply.send(Err(CallError::Ended { ending: ending.clone(), sent: Sent::Maybe })).ok();
        }
        self.ended.send_replace(Some(ending));
    }

    /// A request and its answer. The parameters are made from the request's id.
    pub(crate) async fn request<P: serde::Serialize>(
        self: &Arc<Self>,
        method: &str,
        params: impl FnOnce(u64) -> Option<P>,
        timeout: Duration,
        options: &CallOptions,
    ) -> Result<RawReply, CallError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let text =
            wire::request(id, method, params(id)).map_err(|e| CallError::BadArguments(e.to_string()))?;
        let (reply, mut answer) = oneshot::channel();
        let alive = Arc::new(Notify::new());
        let waiter = Waiter { reply, progress: options.progress.clone(), alive: alive.clone() };
        match &mut *lock(&self.state) {
            State::Ended(ending) => return Err(CallError::Ended { ending: ending.clone(), sent: Sent::No }),
            State::Open(waiters) => waiters.insert(id, waiter),
        };
        let abandoned = CancellationToken::new();
        let mut wait = Waiting { peer: self, id, method, abandoned, done: false };
        let begun = Instant::now();
        let last = begun + timeout * limits::PROGRESS_STRETCH;
        let mut deadline = begun + timeout;
        let message = Outgoing { text, request: Some(id), abandoned: wait.abandoned.clone() };
        let mut queued = std::pin::pin!(self.outgoing.send(message));
        let mut is_queued = false;
        loop {
            tokio::select! {
                biased;
                reply = &mut answer => {
                    wait.done = true;
                    // a dropped sender can't happen before an answer or an end; say it as an end without words
                    return reply.unwrap_or_else(|_| Err(CallError::BadReply {
                        server: self.server.clone(),
                        why: "the connection was dropped".into(),
                    }));
                }
                () = options.cancel.cancelled() => {
                    wait.give_up("cancelled by the user");
                    return Err(CallError::Cancelled);
                }
                // a failed send means an end, which answers
                _ = &mut queued, if !is_queued => is_queued = true,
                () = alive.notified() => deadline = last.min(Instant::now() + timeout),
                () = tokio::time::sleep_until(deadline) => {
                    wait.give_up("no answer in time");
                    let after = begun.elapsed();
                    return Err(CallError::Timeout { server: self.server.clone(), after });
                }
            }
        }
    }

    /// A notification; dropped when the server doesn't read.
    pub(crate) fn notify(&self, method: &str, params: Option<impl serde::Serialize>) {
        match wire::notification(method, params) {
            Ok(text) => self.send_now(text),
            Err(error) => tracing::warn!(%error, method, "a notification could not be written"),
        }
    }

    fn send_now(&self, text: String) {
        let message = Outgoing { text, request: None, abandoned: CancellationToken::new() };
        if self.outgoing.try_send(message).is_err() {
            tracing::debug!(server = %self.server, "a message was dropped: the server does not read");
        }
    }

    /// Takes in one message as it came. Nothing in it can end the connection.
    pub(crate) fn receive(&self, line: String) {
        match wire::read(&line) {
            Incoming::Result { id, span } => self.settle(id, Ok(RawReply { line, span })),
            Incoming::Error { id, error } => self.settle(id, Err(CallError::Rpc(error))),
            Incoming::Request { id, method } => {
                let answer = self.answers.to(&method);
                self.send_now(wire::answer(id, answer));
            }
            Incoming::Notification { method, params } => {
                self.notified(&method, params.map(|raw| raw.get()).unwrap_or("{}"));
            }
            Incoming::Junk => match wire::read_batch(&line) {
                Some(messages) => messages.into_iter().for_each(|message| self.receive(message.to_owned())),
                None if line.trim().is_empty() => {}
                None => self.log.junk(&line),
            },
        }
    }

    /// A line was over the limit and thrown away: whoever waits for it is told at once (M12).
    pub(crate) fn receive_too_long(&self, head: &[u8], tail: &[u8], bytes: u64, limit: usize) {
        let id = wire::id_at_the_edges(head, tail).or_else(|| self.only_waiter());
        self.log.notice(format!("sent a line of {bytes} bytes, over the limit of {limit}; it was dropped"));
        if let Some(id) = id {
            let server = self.server.clone();
            self.settle(id, Err(CallError::TooLong { server, bytes, limit: limit as u64 }));
        }
    }

    /// Fails one request (HTTP).
    pub(crate) fn fail(&self, id: u64, error: CallError) {
        self.settle(id, Err(error));
    }

    /// Whether somebody still waits for the answer to this request.
    pub(crate) fn awaits(&self, id: u64) -> bool {
        matches!(&*lock(&self.state), State::Open(waiters) if waiters.contains_key(&id))
    }

    fn only_waiter(&self) -> Option<u64> {
        match &*lock(&self.state) {
            State::Open(waiters) if waiters.len() == 1 => waiters.keys().next().copied(),
            _ => None,
        }
    }

    fn settle(&self, id: u64, reply: Result<RawReply, CallError>) {
        if let Some(waiter) = self.forget(id) {
            waiter.reply.send(reply).ok();
        } else {
            // an answer to a call that was given up, or to nothing of ours
            tracing::debug!(server = %self.server, id, "an answer nobody waits for");
        }
    }

    fn forget(&self, id: u64) -> Option<Waiter> {
        match &mut *lock(&self.state) {
            State::Open(waiters) => waiters.remove(&id),
            State::Ended(_) => None,
        }
    }

    fn notified(&self, method: &str, params: &str) {
        match method {
            "notifications/tools/list_changed" => self.tools_changed.notify_one(),
            "notifications/progress" => {
                let Ok(params) = serde_json::from_str::<wire::ProgressParams>(params) else { return };
                let Some(id) = params.request() else { return };
                if let State::Open(waiters) = &*lock(&self.state)
                    && let Some(waiter) = waiters.get(&id)
                {
                    waiter.alive.notify_one();
                    if let Some(sender) = &waiter.progress {
                        let (done, total) = (params.progress, params.total);
                        sender.try_send(Progress { done, total, message: params.message }).ok();
                    }
                }
            }
            "notifications/message" => {
                if let Ok(params) = serde_json::from_str::<wire::LogParams>(params) {
                    let text = |value: &serde_json::Value| match value.as_str() {
                        Some(text) => text.to_owned(),
                        None => value.to_string(),
                    };
                    self.log.line(&format!("{}: {}", text(&params.level), text(&params.data)));
                }
            }
            _ => tracing::debug!(server = %self.server, method, "a notification nobody needs"),
        }
    }
}

/// A request under way. Dropped before its answer (the caller's future was dropped) it tells the server.
struct Waiting<'a> {
    peer: &'a Arc<Peer>,
    id: u64,
    method: &'a str,
    abandoned: CancellationToken,
    done: bool,
}

impl Waiting<'_> {
    fn give_up(&mut self, reason: &str) {
        self.done = true;
        self.peer.forget(self.id);
        self.abandoned.cancel();
        // the protocol forbids cancelling `initialize`
        if self.method != "initialize" {
            self.peer
                .notify("notifications/cancelled", Some(wire::CancelParams { request_id: self.id, reason }));
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.give_up("the caller no longer waits");
        }
    }
}
