//! A thin DevTools client: commands with a deadline, events to one sink, nothing else.
//! The reader task never waits for anybody: replies go to their waiters, events to the sink, both in the order they came
//! (so a reply always finds the state that its events made). What the protocol means is left to `world`.

mod pipe;
mod socket;
pub mod wire;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot, watch};

use wire::{Command, Envelope, Request, WireError};

pub use pipe::open as open_pipe;
pub use socket::open as open_socket;

use crate::limits;

/// Why a command has no reply.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CdpError {
    /// The browser is gone; every waiting command gets this at once.
    #[error("the browser is gone: {0}")]
    Gone(String),
    /// The target (tab, frame, worker) went away or crashed while the command waited.
    #[error("{0}")]
    TargetGone(TargetEnd),
    #[error("{method} got no answer within {} ms", .within.as_millis())]
    Deadline { method: &'static str, within: Duration },
    #[error("{method} was refused: {}", .error.message)]
    Refused { method: &'static str, error: WireError },
    #[error("{method} answered something unexpected: {detail}")]
    Unreadable { method: &'static str, detail: String },
}

/// How a target ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TargetEnd {
    #[error("the page was closed")]
    Closed,
    #[error("the page's process crashed")]
    Crashed,
}

type Raw = Result<Box<RawValue>, CdpError>;

type Continuation = Box<dyn FnOnce(&Connection, Raw) + Send>;

/// Who waits for a reply.
enum Waiter {
    Task(oneshot::Sender<Raw>),
    /// Runs in the reader, in order with the events around it.
    Reader(Continuation),
}

struct Pending {
    session: Option<Arc<str>>,
    method: &'static str,
    waiter: Waiter,
}

/// An event, as the sink sees it.
pub struct Event<'a> {
    pub session: Option<&'a str>,
    pub method: &'a str,
    params: &'a str,
}

impl Event<'_> {
    /// The parameters; an event that does not have the shape we know is dropped and logged.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params)
            .inspect_err(|error| tracing::debug!(method = self.method, %error, "unreadable event"))
            .ok()
    }
}

/// Receives all events, in order, in the reader task; must not block.
pub trait Sink: Send + Sync + 'static {
    fn event(&self, connection: &Connection, event: Event<'_>);
    fn closed(&self, reason: &str);
}

struct Shared {
    next_id: AtomicU64,
    pending: Mutex<HashMap<u64, Pending>>,
    outgoing: mpsc::UnboundedSender<String>,
    closed: watch::Sender<Option<String>>,
}

/// The connection to one browser; cheap to clone.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

impl Connection {
    /// A connection whose outgoing messages appear at the receiver; the transport feeds what comes in to `receive`.
    fn new() -> (Connection, mpsc::UnboundedReceiver<String>) {
        let (outgoing, messages) = mpsc::unbounded_channel();
        let (closed, _) = watch::channel(None);
        let shared = Shared { next_id: AtomicU64::new(1), pending: Mutex::default(), outgoing, closed };
        (Connection { shared: Arc::new(shared) }, messages)
    }

    /// The session of the browser itself.
    pub fn browser(&self) -> Session {
        Session { connection: self.clone(), id: None }
    }

    pub fn session(&self, id: &str) -> Session {
        Session { connection: self.clone(), id: Some(Arc::from(id)) }
    }

    pub fn closed_reason(&self) -> Option<String> {
        self.shared.closed.borrow().clone()
    }

    /// Returns when the browser is gone, with the reason.
    pub async fn closed(&self) -> String {
        let mut closed = self.shared.closed.subscribe();
        match closed.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => String::from("connection dropped"),
        }
    }

    /// Fails all that wait on a target that ended.
    pub fn end_session(&self, session: &str, end: TargetEnd) {
        let ended: Vec<Pending> = {
            let mut pending = self.pending();
            let ids: Vec<u64> = pending
                .iter()
                .filter(|(_, p)| p.session.as_deref() == Some(session))
                .map(|(id, _)| *id)
                .collect();
            ids.iter().filter_map(|id| pending.remove(id)).collect()
        };
        for waiting in ended {
            self.settle(waiting, Err(CdpError::TargetGone(end)));
        }
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, Pending>> {
        self.shared.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, pending: Pending, reply: Raw) {
        match pending.waiter {
            Waiter::Task(sender) => drop(sender.send(reply)),
            Waiter::Reader(run) => run(self, reply),
        }
    }

    fn send<C: Command>(
        &self,
        session: Option<&Arc<str>>,
        command: &C,
        waiter: Option<Waiter>,
    ) -> Result<u64, CdpError> {
        if let Some(reason) = self.closed_reason() {
            return Err(CdpError::Gone(reason));
        }
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let request = Request { id, method: C::METHOD, session: session.map(|s| &**s), params: command };
        let text = serde_json::to_string(&request)
            .map_err(|error| CdpError::Unreadable { method: C::METHOD, detail: error.to_string() })?;
        if let Some(waiter) = waiter {
            self.pending().insert(id, Pending { session: session.cloned(), method: C::METHOD, waiter });
        }
        if self.shared.outgoing.send(text).is_err() {
            self.pending().remove(&id);
            return Err(CdpError::Gone(String::from("its input is closed")));
        }
        Ok(id)
    }

    /// One message from the browser.
    fn receive(&self, text: &str, sink: &dyn Sink) {
        let envelope: Envelope<'_> = match serde_json::from_str(text) {
            Ok(envelope) => envelope,
            Err(error) => {
                tracing::debug!(%error, "not a protocol message");
                return;
            }
        };
        if let Some(id) = envelope.id {
            // A late reply to a command that gave up finds nobody, which is fine.
            let Some(pending) = self.pending().remove(&id) else { return };
            let reply = match (envelope.error, envelope.result) {
                (Some(error), _) => Err(CdpError::Refused { method: pending.method, error }),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Ok(RawValue::NULL.to_owned()),
            };
            self.settle(pending, reply);
        } else if let Some(method) = &envelope.method {
            let params = envelope.params.map_or("{}", RawValue::get);
            sink.event(self, Event { session: envelope.session.as_deref(), method, params });
        }
    }

    /// The transport ended: everything that waits fails now.
    fn end(&self, reason: &str, sink: &dyn Sink) {
        self.shared.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_with(|| reason.to_owned());
            first
        });
        let all: Vec<Pending> = self.pending().drain().map(|(_, pending)| pending).collect();
        for waiting in all {
            self.settle(waiting, Err(CdpError::Gone(reason.to_owned())));
        }
        sink.closed(reason);
    }
}

/// One flat session: the browser, a page, a cross-origin frame or a worker. Cheap to clone.
#[derive(Clone)]
pub struct Session {
    connection: Connection,
    id: Option<Arc<str>>,
}

impl Session {
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sends and waits for the reply, at most [`limits::COMMAND`].
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, CdpError> {
        self.call_within(limits::COMMAND, command).await
    }

    pub async fn call_within<C: Command>(&self, within: Duration, command: C) -> Result<C::Reply, CdpError> {
        let (sender, receiver) = oneshot::channel();
        let id = self.connection.send(self.id.as_ref(), &command, Some(Waiter::Task(sender)))?;
        // Forgets the command also when the caller is dropped, so that nothing piles up.
        let _forget = Forget { connection: &self.connection, id };
        match tokio::time::timeout(within, receiver).await {
            Ok(Ok(raw)) => read_reply::<C>(raw),
            Ok(Err(_)) => Err(CdpError::Gone(String::from("connection dropped"))),
            Err(_) => Err(CdpError::Deadline { method: C::METHOD, within }),
        }
    }

    /// Sends without waiting; the reply, if any, is dropped.
    pub fn post<C: Command>(&self, command: C) {
        if let Err(error) = self.connection.send(self.id.as_ref(), &command, None) {
            tracing::debug!(method = C::METHOD, %error, "not sent");
        }
    }

    /// Sends without waiting; `then` runs in the reader, in order with the events around the reply.
    pub fn post_then<C: Command>(
        &self,
        command: C,
        then: impl FnOnce(&Connection, Result<C::Reply, CdpError>) + Send + 'static,
    ) {
        let run = move |connection: &Connection, raw: Raw| then(connection, read_reply::<C>(raw));
        if let Err(error) =
            self.connection.send(self.id.as_ref(), &command, Some(Waiter::Reader(Box::new(run))))
        {
            tracing::debug!(method = C::METHOD, %error, "not sent");
        }
    }
}

fn read_reply<C: Command>(raw: Raw) -> Result<C::Reply, CdpError> {
    serde_json::from_str(raw?.get())
        .map_err(|error| CdpError::Unreadable { method: C::METHOD, detail: error.to_string() })
}

struct Forget<'a> {
    connection: &'a Connection,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.connection.pending().remove(&self.id);
    }
}
