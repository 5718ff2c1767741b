//! One server of the fleet over its whole life: started, dead, started once more at the next call (M4).

use super::Say;
use crate::client::Client;
use crate::error::{CallError, Sent, StartError};
use crate::limits;
use crate::log::lock;
use crate::peer::CallOptions;
use crate::result::CallResult;
use crate::spec::ServerSpec;
use crate::stdio::CloseOrder;
use crate::tools::Tool;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tah_os::process::Launcher;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Where a server is in its life.
#[derive(Clone)]
pub enum ServerState {
    Starting,
    Ready(Arc<Client>),
    /// It could not be started; the next call, or [`try_failed_again`](super::Fleet::try_failed_again), tries anew.
    Failed(Arc<StartError>),
    /// It is not coming back.
    Closed,
}

/// How often a server failed lately, and until when it is left alone.
#[derive(Clone, Copy)]
struct BackOff {
    failures: u32,
    last: Instant,
    not_before: Instant,
}

pub(crate) struct Supervised {
    pub(crate) spec: ServerSpec,
    launcher: Launcher,
    state: watch::Sender<ServerState>,
    /// The last known list; a dead server's tools stay, since a call brings it back.
    tools: Mutex<Arc<[Tool]>>,
    back_off: Mutex<BackOff>,
    /// What was last said of a failed start, so that trying again does not say it again.
    said: Mutex<Option<String>>,
    closing: CancellationToken,
    say: Say,
}

impl Supervised {
    /// A server that begins to start now.
    pub(crate) fn start(spec: ServerSpec, launcher: Launcher, say: Say) -> Arc<Self> {
        let now = Instant::now();
        let server = Arc::new(Self {
            spec,
            launcher,
            state: watch::Sender::new(ServerState::Starting),
            tools: Mutex::new(Arc::new([])),
            back_off: Mutex::new(BackOff { failures: 0, last: now, not_before: now }),
            said: Mutex::default(),
            closing: CancellationToken::new(),
            say,
        });
        tokio::spawn(server.clone().bring_up());
        server
    }

    pub(crate) fn state(&self) -> ServerState {
        self.state.borrow().clone()
    }

    pub(crate) fn tools(&self) -> Arc<[Tool]> {
        lock(&self.tools).clone()
    }

    /// Waits until it is no longer starting.
    pub(crate) async fn settled(&self) -> ServerState {
        let mut state = self.state.subscribe();
        match state.wait_for(|state| !matches!(state, ServerState::Starting)).await {
            Ok(state) => state.clone(),
            Err(_) => ServerState::Closed,
        }
    }

    /// Starts it and watches over it until it ends. Runs in a task of its own, so that no caller can stop it midway.
    async fn bring_up(self: Arc<Self>) {
        match Client::start(&self.spec, &self.launcher, &self.closing).await {
            Ok(client) => {
                let client = Arc::new(client);
                *lock(&self.tools) = client.tools();
                self.pass_notices(&client);
                if lock(&self.said).take().is_some() {
                    self.say.notice(&self.spec.name, format!("mcp server {} is there now", self.spec.name));
                }
                let closed = self.state.send_if_modified(|state| {
                    let open = !matches!(state, ServerState::Closed);
                    if open {
                        *state = ServerState::Ready(client.clone());
                    }
                    open
                });
                if !closed {
                    return;
                }
                self.say.changed();
                tokio::spawn(self.watch_over(client));
            }
            Err(error) => {
                self.failed_once(Instant::now());
                let text = error_text(&error.to_string(), error.hint());
                let is_new = lock(&self.said).replace(text.clone()).is_none_or(|before| before != text);
                if is_new && !self.closing.is_cancelled() {
                    self.say.notice(&self.spec.name, text);
                }
                self.state.send_if_modified(|state| {
                    let open = !matches!(state, ServerState::Closed);
                    if open {
                        *state = ServerState::Failed(Arc::new(error));
                    }
                    open
                });
                self.say.changed();
            }
        }
    }

    /// Keeps the list of tools current, passes notices on, and notes the end.
    async fn watch_over(self: Arc<Self>, client: Arc<Client>) {
        let begun = Instant::now();
        let mut tools = client.watch_tools();
        loop {
            tokio::select! {
                ending = client.ended() => {
                    if self.closing.is_cancelled() {
                        return;
                    }
                    if begun.elapsed() < limits::STEADY {
                        self.failed_once(Instant::now());
                    } else {
                        lock(&self.back_off).failures = 0;
                    }
                    self.pass_notices(&client);
                    self.say.notice(&self.spec.name, format!("{ending}; it is started again when it is needed"));
                    return;
                }
                Ok(()) = tools.changed() => {
                    *lock(&self.tools) = tools.borrow_and_update().clone();
                    self.pass_notices(&client);
                    self.say.changed();
                }
            }
        }
    }

    fn pass_notices(&self, client: &Client) {
        for notice in client.take_notices() {
            self.say.notice(&self.spec.name, format!("mcp server {}: {notice}", self.spec.name));
        }
    }

    fn failed_once(&self, now: Instant) {
        let mut back_off = lock(&self.back_off);
        back_off.failures += 1;
        // the first failure costs nothing: most of them are one of a kind
        let doublings = back_off.failures.saturating_sub(2).min(10);
        let pause = match back_off.failures {
            1 => Duration::ZERO,
            _ => limits::RESTART_PAUSE_MAX.min(limits::RESTART_PAUSE * 2u32.pow(doublings)),
        };
        back_off.last = now;
        back_off.not_before = now + pause;
    }

    /// A living client; parallel callers share one restart.
    async fn client(self: &Arc<Self>, cancel: &CancellationToken) -> Result<Arc<Client>, CallError> {
        let mut restarted = false;
        loop {
            let mut state = self.state.subscribe();
            match self.state() {
                ServerState::Ready(client) if client.ending().is_none() => return Ok(client),
                ServerState::Closed => return Err(self.unavailable("it was closed".into())),
                ServerState::Starting => {
                    tokio::select! {
                        _ = state.wait_for(|state| !matches!(state, ServerState::Starting)) => restarted = true,
                        () = cancel.cancelled() => return Err(CallError::Cancelled),
                    }
                }
                ServerState::Failed(error) if restarted => return Err(self.unavailable(error.to_string())),
                ServerState::Ready(client) if restarted => {
                    let how = client.ending().map(|ending| ending.to_string()).unwrap_or_default();
                    return Err(self.unavailable(how));
                }
                ServerState::Ready(_) | ServerState::Failed(_) => {
                    self.wait_out_pause(cancel).await?;
                    self.begin_restart();
                }
            }
        }
    }

    /// Waits out a short pause; a long one is an answer.
    async fn wait_out_pause(&self, cancel: &CancellationToken) -> Result<(), CallError> {
        let not_before = lock(&self.back_off).not_before;
        let left = not_before.saturating_duration_since(Instant::now());
        if left > limits::RESTART_WAIT {
            let why = match self.state() {
                ServerState::Failed(error) => error.to_string(),
                ServerState::Ready(client) => client.ending().map(|end| end.to_string()).unwrap_or_default(),
                ServerState::Starting | ServerState::Closed => String::new(),
            };
            let seconds = left.as_secs() + 1;
            return Err(self.unavailable(format!(
                "it failed several times and is tried again in {seconds} s; last: {why}"
            )));
        }
        tokio::select! {
            () = tokio::time::sleep(left) => Ok(()),
            () = cancel.cancelled() => Err(CallError::Cancelled),
        }
    }

    /// Starts a server anew that never was there, once its pause is over. One that was there and died keeps its tools
    /// and is started by the next call.
    pub(crate) fn try_again(self: &Arc<Self>) {
        let BackOff { last, not_before, .. } = *lock(&self.back_off);
        let is_due = Instant::now() >= not_before.max(last + limits::RESTART_PAUSE);
        if is_due && self.tools().is_empty() && matches!(self.state(), ServerState::Failed(_)) {
            self.begin_restart();
        }
    }

    fn begin_restart(self: &Arc<Self>) {
        let mine = self.state.send_if_modified(|state| {
            let dead = match state {
                ServerState::Ready(client) => client.ending().is_some(),
                ServerState::Failed(_) => true,
                ServerState::Starting | ServerState::Closed => false,
            };
            if dead {
                *state = ServerState::Starting;
            }
            dead
        });
        if mine {
            tracing::info!(server = %self.spec.name, "started once more");
            tokio::spawn(self.clone().bring_up());
        }
    }

    fn unavailable(&self, why: String) -> CallError {
        CallError::Transport { server: self.spec.name.clone(), why, sent: Sent::No }
    }

    /// Calls a tool by the server's own name. Only a call that surely did not reach the server is made again.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &str,
        args: &Value,
        options: &CallOptions,
    ) -> Result<CallResult, CallError> {
        let client = self.client(&options.cancel).await?;
        match client.call(tool, args, options).await {
            Err(CallError::Ended { sent: Sent::No, .. }) => {
                let client = self.client(&options.cancel).await?;
                client.call(tool, args, options).await
            }
            result => result,
        }
    }

    pub(crate) async fn close(&self) {
        self.closing.cancel();
        let last = self.state.send_replace(ServerState::Closed);
        if let ServerState::Ready(client) = last {
            client.close(CloseOrder::StdinFirst).await;
        }
    }
}

fn error_text(text: &str, hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("{text}\nhint: {hint}"),
        None => text.to_owned(),
    }
}
