//! Any server that speaks chat completions. The pieces stand in the order a request passes through them:
//! [`request`] builds the body, [`fault`] and [`retry`] say what becomes of a failure, [`sse`] makes events of
//! bytes, [`wire`] reads them, [`assembler`] makes the reply.

pub mod assembler;
mod fault;
mod request;
pub mod retry;
pub mod sse;
pub mod wire;

use super::catalog::StreamUsage;
use super::resolve::{Endpoint, ModelSettings, Place, Resolved, resolve};
use super::{Delta, Model, ModelError, ModelErrorKind, Models, Profile, Reply, ReplyEnd, Request};
use crate::message::Message;
use crate::{http, limits};
use assembler::{Assembler, Progress};
use async_trait::async_trait;
use fault::Fault;
use futures_util::StreamExt;
use retry::{Again, Clock, Pause, Pauses, WallClock};
use sse::{ByteStream, StreamFault};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use wire::Payload;

/// A model behind a chat-completions endpoint.
pub struct OpenAi {
    endpoint: Endpoint,
    profile: Profile,
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
    silence: Duration,
    /// The server refused `stream_options` once (S4).
    refuses_usage: AtomicBool,
}

impl OpenAi {
    pub fn new(resolved: Resolved) -> Result<Self, ModelError> {
        let place = resolved.endpoint.place;
        let http = http::client(|builder| {
            let builder = builder
                .connect_timeout(limits::CONNECT_TIMEOUT)
                // The key is for this server alone.
                .redirect(reqwest::redirect::Policy::none());
            match place {
                Place::Loopback => builder.no_proxy(),
                Place::Remote => builder,
            }
        })
        .map_err(|error| ModelError::new(ModelErrorKind::Network, format!("no HTTP client: {error}")))?;
        Ok(OpenAi {
            silence: resolved.endpoint.provider.silence,
            endpoint: resolved.endpoint,
            profile: resolved.profile,
            http,
            clock: Arc::new(WallClock),
            refuses_usage: AtomicBool::new(false),
        })
    }

    /// With another clock, so that a test of waiting need not wait.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With another limit of silence.
    pub fn with_silence(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    fn usage(&self) -> StreamUsage {
        match self.refuses_usage.load(Ordering::Relaxed) {
            true => StreamUsage::NotAsked,
            false => self.endpoint.provider.stream_usage,
        }
    }

    /// Sends the request once and reads the reply as far as it comes.
    async fn attempt(
        &self,
        request: &Request,
        assembler: &mut Assembler,
        deltas: &mpsc::Sender<Delta>,
    ) -> Result<(), Fault> {
        let body = request::body(request, self.endpoint.provider, &self.profile, self.usage());
        let mut call = self
            .http
            .post(format!("{}/chat/completions", self.endpoint.base_url))
            .header(reqwest::header::ACCEPT, "text/event-stream")
            .json(&body);
        if let Some(key) = &self.endpoint.key {
            call = call.bearer_auth(key.expose());
        }
        let response = match tokio::time::timeout(self.silence, call.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(fault::of_transport(&error, &self.endpoint)),
            Err(_) => return Err(fault::of_body(&StreamFault::Silent(self.silence))),
        };
        let status = response.status();
        let after = retry::retry_after(response.headers(), self.clock.now());
        let mut bytes = sse::watched(response.bytes_stream(), self.silence);
        if status != reqwest::StatusCode::OK {
            let body = text_of(&mut bytes, limits::ERROR_BODY_BYTES).await.unwrap_or_default();
            return Err(fault::of_status(status, after, &body, &self.endpoint, &self.profile));
        }
        let (first, bytes) = peek(bytes).await.map_err(|fault| fault::of_body(&fault))?;
        match first {
            Some(b'{' | b'[') => self.read_whole(bytes, assembler, deltas).await,
            Some(b'<') => Err(fault::web_page(&self.endpoint)),
            _ => self.read_events(bytes, assembler, deltas).await,
        }
    }

    /// A body that is one JSON document: an error with status 200, or a reply from a server that does not stream.
    async fn read_whole(
        &self,
        mut bytes: ByteStream,
        assembler: &mut Assembler,
        deltas: &mpsc::Sender<Delta>,
    ) -> Result<(), Fault> {
        let body = text_of(&mut bytes, limits::EVENT_BYTES).await.map_err(|fault| fault::of_body(&fault))?;
        self.take(&body, assembler, deltas).await.map(|_| ())
    }

    async fn read_events(
        &self,
        bytes: ByteStream,
        assembler: &mut Assembler,
        deltas: &mpsc::Sender<Delta>,
    ) -> Result<(), Fault> {
        let mut events = sse::events(bytes);
        let mut finished = false;
        loop {
            let event = if finished {
                // S6: everything is there; only the usage may follow, and nobody waits long for it.
                match tokio::time::timeout(limits::USAGE_WAIT, events.next()).await {
                    Ok(Some(Ok(event))) => event,
                    _ => return Ok(()),
                }
            } else {
                match events.next().await {
                    Some(Ok(event)) => event,
                    Some(Err(fault)) => return Err(fault::of_body(&fault)),
                    None => return Ok(()),
                }
            };
            match self.take(&event, assembler, deltas).await? {
                Reading::On => {}
                Reading::Finished => finished = true,
                Reading::Done => return Ok(()),
            }
        }
    }

    async fn take(
        &self,
        data: &str,
        assembler: &mut Assembler,
        deltas: &mpsc::Sender<Delta>,
    ) -> Result<Reading, Fault> {
        let mut reading = Reading::On;
        for payload in wire::payloads(data) {
            let mut shown = Vec::new();
            match payload {
                Payload::Comment => {}
                Payload::Done => {
                    assembler.done();
                    return Ok(Reading::Done);
                }
                Payload::Fault(api) => return Err(fault::of_stream(&api, &self.endpoint, &self.profile)),
                Payload::Odd(text) => {
                    if let Some(notice) = assembler.odd(&text) {
                        shown.push(notice);
                    }
                }
                Payload::Chunk(chunk) => match assembler.take(*chunk, &mut shown) {
                    Progress::More => {}
                    Progress::Finished => reading = Reading::Finished,
                    Progress::TooLong => return Err(fault::too_long()),
                },
            }
            for delta in shown {
                // A receiver that is gone cancels soon.
                let _ = deltas.send(delta).await;
            }
        }
        Ok(reading)
    }

    /// What a failed attempt comes to: `Ok` waits and asks again.
    async fn recover(
        &self,
        fault: Fault,
        pauses: &mut Pauses,
        deltas: &mpsc::Sender<Delta>,
    ) -> Result<(), ModelError> {
        let floor = match fault.again {
            Again::Never => return Err(fault.error),
            Again::WithoutUsage if !self.refuses_usage.swap(true, Ordering::Relaxed) => return Ok(()),
            Again::WithoutUsage => return Err(fault.error),
            Again::Soon | Again::Patiently => None,
            Again::After(wait) => Some(wait),
        };
        let patience = (fault.again == Again::Patiently).then_some(limits::LOADING_PATIENCE);
        match pauses.next(floor, patience) {
            Pause::Enough => Err(fault.error),
            Pause::TooLong(wait) => {
                let text = format!("{}; it wants a wait of {} s", fault.error.message, wait.as_secs());
                Err(ModelError { message: text, ..fault.error }.hint("try again later, or use another model"))
            }
            Pause::Wait(wait) => {
                let _ = deltas.send(Delta::Retrying { wait, why: fault.error.message }).await;
                self.clock.sleep(wait).await;
                Ok(())
            }
        }
    }
}

/// The same settings with another model's name.
impl Models for ModelSettings {
    fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let settings = ModelSettings { model: Some(name.to_owned()), ..self.clone() };
        let resolved = resolve(&settings)
            .map_err(|error| ModelError::new(ModelErrorKind::Provider, error.message).hint(error.hint))?;
        Ok(Arc::new(OpenAi::new(resolved)?))
    }
}

/// Whether more of the reply is expected.
enum Reading {
    On,
    Finished,
    Done,
}

#[async_trait]
impl Model for OpenAi {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    async fn stream(
        &self,
        request: &Request,
        deltas: mpsc::Sender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let taken = ids(&request.messages);
        let mut pauses = Pauses::default();
        loop {
            let mut assembler =
                Assembler::new(taken.clone(), request::max_output(request, self.endpoint.provider));
            let attempt = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                attempt = self.attempt(request, &mut assembler, &deltas) => Some(attempt),
            };
            let fault = match attempt {
                None => return Err(interrupted(assembler)),
                Some(Ok(())) => {
                    let shown = assembler.has_shown();
                    let reply = assembler.finish();
                    if reply.end != ReplyEnd::Broken || shown {
                        return Ok(reply);
                    }
                    fault::unfinished()
                }
                Some(Err(fault)) if assembler.has_shown() => {
                    return cut_short(fault, assembler, &deltas).await;
                }
                Some(Err(fault)) => fault,
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ModelError::cancelled()),
                outcome = self.recover(fault, &mut pauses, &deltas) => outcome?,
            }
        }
    }
}

/// Text was shown, then it failed: a lost stream is a reply that was cut (S6), anything else an error.
async fn cut_short(
    fault: Fault,
    assembler: Assembler,
    deltas: &mpsc::Sender<Delta>,
) -> Result<Reply, ModelError> {
    let mut reply = assembler.finish();
    reply.calls.clear();
    if fault.error.kind == ModelErrorKind::Network {
        // The cause; that the answer was cut is said at the turn's end.
        let _ = deltas.send(Delta::Notice(fault.error.message)).await;
        return Ok(Reply { end: ReplyEnd::Broken, ..reply });
    }
    Err(ModelError { partial: Some(Box::new(reply)), ..fault.error })
}

fn interrupted(assembler: Assembler) -> ModelError {
    let begun = assembler.has_begun();
    let mut reply = assembler.finish();
    reply.calls.clear();
    ModelError { partial: begun.then(|| Box::new(reply)), ..ModelError::cancelled() }
}

fn ids(messages: &[Message]) -> HashSet<String> {
    let calls = messages.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls.flatten().map(|call| call.id.as_str().to_owned()).collect()
}

/// The first byte that says what the body is; nothing is taken from the stream.
async fn peek(mut bytes: ByteStream) -> Result<(Option<u8>, ByteStream), StreamFault> {
    let mut read = Vec::new();
    let mut first = None;
    while first.is_none() {
        let Some(chunk) = bytes.next().await else { break };
        let chunk = chunk?;
        // White space and a byte order mark say nothing.
        first = chunk
            .iter()
            .copied()
            .find(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0xEF | 0xBB | 0xBF));
        read.push(Ok(chunk));
    }
    Ok((first, futures_util::stream::iter(read).chain(bytes).boxed()))
}

async fn text_of(bytes: &mut ByteStream, limit: usize) -> Result<String, StreamFault> {
    let mut body = Vec::new();
    while let Some(chunk) = bytes.next().await {
        body.extend_from_slice(&chunk?);
        if body.len() > limit {
            return Err(StreamFault::TooLong);
        }
    }
    Ok(String::from_utf8_lossy(&body).trim_start_matches('\u{FEFF}').to_owned())
}
