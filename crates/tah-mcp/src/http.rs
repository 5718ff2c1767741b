//! A server behind Streamable HTTP: each message of ours is a POST, its answer JSON or a stream of events; one GET
//! stream for what the server wants to say by itself; a session that is named, taken up again, renewed and ended.
//! Source: modelcontextprotocol.io/specification/2025-11-25/basic/transports.

use crate::error::{CallError, Ending, HowEnded, Sent};
use crate::limits;
use crate::log::lock;
use crate::peer::{Outgoing, Peer};
use crate::sse::{Event, Events, Position};
use crate::wire;
use futures_util::TryStreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode, Url};
use std::io;
use std::sync::{Arc, Mutex, Weak};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio_util::io::StreamReader;
use tokio_util::sync::CancellationToken;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const EVENT_STREAM: &str = "text/event-stream";

/// Sets what a client for `url` needs: headers may hold keys, so redirects stay on the same origin; a server of this
/// machine is not asked through a proxy.
pub fn configure_http(builder: reqwest::ClientBuilder, url: &str) -> reqwest::ClientBuilder {
    let builder = builder.redirect(reqwest::redirect::Policy::custom(|attempt| {
        let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if same && attempt.previous().len() < 5 { attempt.follow() } else { attempt.stop() }
    }));
    match Url::parse(url) {
        Ok(url) if is_loopback(&url) => builder.no_proxy(),
        _ => builder,
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The carrying side of one connection.
pub(crate) struct Http(Arc<Carrier>);

struct Carrier {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    limit: usize,
    session: Mutex<Session>,
    /// Woken when the handshake has settled the version.
    agreed: tokio::sync::Notify,
    /// One renewal at a time.
    renewing: tokio::sync::Mutex<()>,
    closed: CancellationToken,
}

#[derive(Default, Clone)]
struct Session {
    id: Option<HeaderValue>,
    protocol: Option<HeaderValue>,
    /// Our `initialize` as it was sent, for a session that has to be begun again.
    hello: Option<String>,
    /// Goes up with each session.
    number: u64,
}

impl Http {
    pub(crate) fn connect(
        peer: &Arc<Peer>,
        queue: mpsc::Receiver<Outgoing>,
        client: reqwest::Client,
        (url, headers): (&str, &[(String, String)]),
        limit: usize,
    ) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| format!("{url} is no url: {error}"))?;
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().map_err(|_| format!("{name} is no header name"))?;
            // the value may be a secret: not in the message
            let mut value: HeaderValue =
                value.parse().map_err(|_| format!("the value of header {name} is not valid"))?;
            value.set_sensitive(true);
            all.append(name, value);
        }
        let carrier = Arc::new(Carrier {
            client,
            url,
            headers: all,
            limit,
            session: Mutex::default(),
            agreed: tokio::sync::Notify::new(),
            renewing: tokio::sync::Mutex::default(),
            closed: CancellationToken::new(),
        });
        tokio::spawn(carry(Arc::downgrade(&carrier), carrier.closed.clone(), peer.clone(), queue));
        tokio::spawn(listen(Arc::downgrade(&carrier), carrier.closed.clone(), peer.clone()));
        Ok(Self(carrier))
    }

    pub(crate) fn agreed_on(&self, protocol: &str) {
        lock(&self.0.session).protocol = HeaderValue::from_str(protocol).ok();
        self.0.agreed.notify_one();
    }

    pub(crate) async fn close(&self, peer: &Peer) {
        peer.end(Ending { server: peer.server.clone(), how: HowEnded::ClosedByUs, last_words: Vec::new() });
        self.0.closed.cancel();
        self.goodbye().await;
    }

    /// Ends the session at the server, if there is one.
    pub(crate) async fn goodbye(&self) {
        let carrier = &self.0;
        if lock(&carrier.session).id.is_some() {
            let request = carrier.request(reqwest::Method::DELETE).timeout(limits::GOODBYE_TIMEOUT);
            if let Err(error) = request.send().await {
                tracing::debug!(%error, "the session could not be ended");
            }
            lock(&carrier.session).id = None;
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.0.closed.cancel();
    }
}

/// Sends what the queue holds: requests side by side, everything else in its order.
async fn carry(
    carrier: Weak<Carrier>,
    closed: CancellationToken,
    peer: Arc<Peer>,
    mut queue: mpsc::Receiver<Outgoing>,
) {
    loop {
        let message = tokio::select! {
            message = queue.recv() => message,
            () = closed.cancelled() => None,
        };
        let (Some(message), Some(carrier)) = (message, carrier.upgrade()) else { return };
        match message.request {
            Some(id) => {
                let (peer, closed) = (peer.clone(), closed.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = message.abandoned.cancelled() => {}
                        () = closed.cancelled() => {}
                        done = carrier.ask(&peer, id, &message.text) => {
                            if let Err(error) = done {
                                peer.fail(id, error);
                            }
                        }
                    }
                });
            }
            None => {
                let told = tokio::time::timeout(limits::POST_TIMEOUT, carrier.post(&message.text)).await;
                let taken = told.is_ok_and(|sent| sent.is_ok_and(|response| response.status().is_success()));
                if !taken {
                    tracing::debug!(server = %peer.server, "a message could not be delivered");
                }
            }
        }
    }
}

/// The stream of what the server says by itself, taken up again as long as the connection lasts.
async fn listen(carrier: Weak<Carrier>, closed: CancellationToken, peer: Arc<Peer>) {
    let mut position = Position::default();
    let mut pause = limits::RESUME_PAUSE;
    let mut number = 0;
    loop {
        let Some(strong) = carrier.upgrade() else { return };
        let session = lock(&strong.session).clone();
        if session.protocol.is_none() {
            // not before the handshake is over
            tokio::select! {
                () = strong.agreed.notified() => continue,
                () = closed.cancelled() => return,
            }
        }
        if session.number != number {
            (number, position) = (session.number, Position::default());
        }
        tokio::select! {
            () = closed.cancelled() => return,
            opened = strong.open_stream(&position) => match opened {
                Ok(response) if is_events(&response) => {
                    pause = limits::RESUME_PAUSE;
                    let limit = strong.limit;
                    drop(strong);
                    let mut events = Events::new(body(response), limit, std::mem::take(&mut position));
                    tokio::select! {
                        () = closed.cancelled() => return,
                        () = hand_in(&peer, &mut events, limit, None) => {}
                    }
                    position = events.position;
                }
                // most servers offer no such stream
                Ok(response) if response.status() == StatusCode::METHOD_NOT_ALLOWED => return,
                Ok(_) | Err(_) => pause = limits::RESUME_PAUSE_MAX.min(pause * 2),
            }
        }
        tokio::select! {
            () = tokio::time::sleep(position.retry.unwrap_or(pause).max(pause)) => {}
            () = closed.cancelled() => return,
        }
    }
}

impl Carrier {
    fn request(&self, method: reqwest::Method) -> reqwest::RequestBuilder {
        let session = lock(&self.session).clone();
        let mut headers = self.headers.clone();
        for (name, value) in [(SESSION, session.id), (VERSION, session.protocol)] {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        }
        self.client.request(method, self.url.clone()).headers(headers)
    }

    async fn post(&self, text: &str) -> reqwest::Result<Response> {
        self.request(reqwest::Method::POST)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(text.to_owned())
            .send()
            .await
    }

    async fn open_stream(&self, position: &Position) -> reqwest::Result<Response> {
        let mut request = self.request(reqwest::Method::GET).header(ACCEPT, EVENT_STREAM);
        if let Some(id) = position.last_id.as_ref().and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.header(LAST_EVENT, id);
        }
        request.send().await
    }

    /// One request and everything that comes back for it.
    async fn ask(&self, peer: &Arc<Peer>, id: u64, text: &str) -> Result<(), CallError> {
        let before = {
            let mut session = lock(&self.session);
            let before = session.clone();
            // the first request of all is `initialize`
            session.hello.get_or_insert_with(|| text.to_owned());
            before
        };
        let response = self.post(text).await.map_err(|error| lost(peer, &error))?;
        if before.hello.is_none() {
            self.note_session(&response);
            lock(&self.session).number = 1;
            return self.take_answer(peer, id, response).await.map(drop);
        }
        if let Answer::SessionGone = self.take_answer(peer, id, response).await? {
            tracing::debug!(server = %peer.server, "the session is over; beginning another");
            self.renew(peer, before.number).await?;
            // it was refused, so it has not happened: safe to send again
            let response = self.post(text).await.map_err(|error| lost(peer, &error))?;
            if let Answer::SessionGone = self.take_answer(peer, id, response).await? {
                return Err(failed(peer, Sent::No, "it refuses the session it has just begun".into()));
            }
        }
        Ok(())
    }

    fn note_session(&self, response: &Response) {
        if let Some(id) = response.headers().get(SESSION) {
            lock(&self.session).id = Some(id.clone());
        }
    }

    async fn take_answer(&self, peer: &Arc<Peer>, id: u64, response: Response) -> Result<Answer, CallError> {
        let status = response.status();
        if !status.is_success() {
            return self.take_refusal(peer, id, response).await;
        }
        if is_events(&response) {
            self.follow(peer, id, response).await?;
        } else {
            let text = self.whole_body(peer, response).await?;
            peer.receive(text);
        }
        if peer.awaits(id) {
            return Err(CallError::BadReply {
                server: peer.server.clone(),
                why: format!("HTTP {status} without an answer"),
            });
        }
        Ok(Answer::Taken)
    }

    async fn take_refusal(&self, peer: &Arc<Peer>, id: u64, response: Response) -> Result<Answer, CallError> {
        let status = response.status();
        let had_session = lock(&self.session).number > 0;
        let mut page = Vec::new();
        body(response).take(limits::READ_BYTES as u64).read_to_end(&mut page).await.ok();
        let page = String::from_utf8_lossy(&page).into_owned();
        // 404 by the protocol; some servers say 400 and name the session
        let gone = status == StatusCode::NOT_FOUND
            || (status == StatusCode::BAD_REQUEST && page.to_ascii_lowercase().contains("session"));
        if had_session && gone {
            return Ok(Answer::SessionGone);
        }
        if page.trim_start().starts_with('{') {
            peer.receive(page.clone());
            if !peer.awaits(id) {
                return Ok(Answer::Taken);
            }
        }
        let shown: String = page.trim().chars().take(limits::ERROR_PAGE_CHARS).collect();
        let advice = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; check the headers configured for it",
            _ => "",
        };
        let sent = if status.is_client_error() { Sent::No } else { Sent::Maybe };
        Err(failed(
            peer,
            sent,
            format!("HTTP {status}{advice}{}{shown}", if shown.is_empty() { "" } else { ": " }),
        ))
    }

    /// Reads a stream of events until the answer is there; a stream that breaks off is taken up where it was.
    async fn follow(&self, peer: &Arc<Peer>, id: u64, response: Response) -> Result<(), CallError> {
        let mut position = Position::default();
        let mut response = Some(response);
        let mut tries = 0;
        loop {
            let before = position.last_id.clone();
            if let Some(response) = response.take() {
                let mut events = Events::new(body(response), self.limit, position);
                hand_in(peer, &mut events, self.limit, Some(id)).await;
                position = events.position;
            }
            if !peer.awaits(id) {
                return Ok(());
            }
            tries = if position.last_id == before { tries + 1 } else { 0 };
            if position.last_id.is_none() || tries > limits::RESUME_TRIES {
                return Err(failed(peer, Sent::Maybe, "the stream of its answer broke off".into()));
            }
            tokio::time::sleep(position.retry.unwrap_or(limits::RESUME_PAUSE)).await;
            response = self.open_stream(&position).await.ok().filter(is_events);
        }
    }

    async fn whole_body(&self, peer: &Peer, response: Response) -> Result<String, CallError> {
        let mut bytes =
            Vec::with_capacity(response.content_length().unwrap_or(0).min(self.limit as u64) as usize);
        let limit = self.limit as u64;
        let read = body(response).take(limit + 1).read_to_end(&mut bytes).await;
        if bytes.len() as u64 > limit {
            let server = peer.server.clone();
            return Err(CallError::TooLong { server, bytes: bytes.len() as u64, limit });
        }
        read.map_err(|error| failed(peer, Sent::Maybe, format!("its answer broke off: {error}")))?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Begins a new session in place of session `number`; whoever comes second finds it done.
    async fn renew(&self, peer: &Arc<Peer>, number: u64) -> Result<(), CallError> {
        let _one = self.renewing.lock().await;
        let hello = {
            let mut session = lock(&self.session);
            if session.number != number {
                return Ok(());
            }
            (session.id, session.protocol) = (None, None);
            session.hello.clone().unwrap_or_default()
        };
        let response = self.post(&hello).await.map_err(|error| lost(peer, &error))?;
        if !response.status().is_success() {
            let why = format!("a new session was refused with HTTP {}", response.status());
            return Err(failed(peer, Sent::No, why));
        }
        self.note_session(&response);
        let answer = if is_events(&response) {
            let mut events = Events::new(body(response), self.limit, Position::default());
            match events.next().await {
                Some(Event::Data(text)) => text,
                _ => String::new(),
            }
        } else {
            self.whole_body(peer, response).await?
        };
        let protocol = match wire::read(&answer) {
            wire::Incoming::Result { span, .. } => wire::version_of(&answer[span]),
            _ => None,
        };
        {
            let mut session = lock(&self.session);
            session.protocol =
                HeaderValue::from_str(protocol.as_deref().unwrap_or(wire::PROTOCOL_VERSION)).ok();
            session.number += 1;
        }
        self.agreed.notify_one();
        if let Ok(ready) = wire::notification("notifications/initialized", None::<()>) {
            self.post(&ready).await.map_err(|error| lost(peer, &error))?;
        }
        peer.tools_changed.notify_one();
        Ok(())
    }
}

/// How a request went, seen from the session.
enum Answer {
    Taken,
    /// The server no longer knows our session; the request was not looked at.
    SessionGone,
}

fn failed(peer: &Peer, sent: Sent, why: String) -> CallError {
    CallError::Transport { server: peer.server.clone(), why, sent }
}

/// A request that got no response. The url stays out of the text: it may hold a key.
fn lost(peer: &Peer, error: &reqwest::Error) -> CallError {
    let sent = if error.is_connect() || error.is_builder() { Sent::No } else { Sent::Maybe };
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    failed(peer, sent, format!("can't be reached: {innermost}"))
}

fn is_events(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    response.status().is_success() && kind.starts_with(EVENT_STREAM)
}

fn body(response: Response) -> impl AsyncRead + Send + Unpin {
    StreamReader::new(Box::pin(response.bytes_stream().map_err(io::Error::other)))
}

/// Hands in every event, until the stream ends or request `until` is answered.
async fn hand_in<R: AsyncRead + Unpin>(
    peer: &Peer,
    events: &mut Events<R>,
    limit: usize,
    until: Option<u64>,
) {
    while let Some(event) = events.next().await {
        match event {
            Event::Data(text) => peer.receive(text),
            Event::TooLong { head, tail, bytes } => peer.receive_too_long(&head, &tail, bytes, limit),
        }
        if until.is_some_and(|id| !peer.awaits(id)) {
            return;
        }
    }
}
