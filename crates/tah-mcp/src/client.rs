//! One connected server: the handshake, its tools kept current, calls, the end.

use crate::answers::Answers;
use crate::error::{CallError, Ending, HowEnded, StartError};
use crate::http::Http;
use crate::limits;
use crate::peer::{CallOptions, Peer};
use crate::process::{Program, launch};
use crate::result::CallResult;
use crate::spec::{Reach, Roots, ServerSpec};
use crate::stdio::{CloseOrder, Pipes, ServerProcess};
use crate::tools::{self, Tool};
use crate::wire;
use serde_json::{Value, json};
use std::sync::Arc;
use tah_os::process::Launcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A started server. Dropping it ends its process; [`close`](Self::close) does it properly.
pub struct Client {
    peer: Arc<Peer>,
    link: Link,
    info: ServerInfo,
    tools: watch::Receiver<Arc<[Tool]>>,
    call_timeout: std::time::Duration,
}

/// What the server said about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    /// Empty where it gave none.
    pub name: String,
    pub version: String,
    /// The protocol version in use.
    pub protocol: String,
    /// Its advice for the model.
    pub instructions: Option<String>,
}

impl Client {
    /// Starts a server. Whatever fails, nothing of it is left running.
    pub async fn start(
        spec: &ServerSpec,
        launcher: &Launcher,
        cancel: &CancellationToken,
    ) -> Result<Self, StartError> {
        match &spec.reach {
            Reach::Stdio { command, args, env, hidden_env, cwd } => {
                let program =
                    Program { command, args, env, hidden_env, cwd: cwd.as_ref().unwrap_or(&spec.folder) };
                let (pipes, process) = launch(&spec.name, &program, launcher).await?;
                Self::over_pipes(spec, pipes, Some(process), cancel).await
            }
            Reach::Http { url, headers, client } => {
                let (peer, queue) = Peer::new(&spec.name, Answers::new(spec.folder.clone()));
                let http = Http::connect(&peer, queue, client.clone(), (url, headers), spec.line_bytes)
                    .map_err(|why| StartError::Spawn { server: spec.name.clone(), why })?;
                Self::shake_hands(spec, peer, Link::Http(http), cancel).await
            }
        }
    }

    /// Speaks to a server over two pipes; `process` is what stands behind them, if anything.
    pub async fn over_pipes(
        spec: &ServerSpec,
        pipes: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
        process: Option<Arc<dyn ServerProcess>>,
        cancel: &CancellationToken,
    ) -> Result<Self, StartError> {
        let (peer, queue) = Peer::new(&spec.name, Answers::new(spec.folder.clone()));
        let link = Link::Pipes(Pipes::connect(&peer, queue, pipes, process, spec.line_bytes));
        Self::shake_hands(spec, peer, link, cancel).await
    }

    async fn shake_hands(
        spec: &ServerSpec,
        peer: Arc<Peer>,
        link: Link,
        cancel: &CancellationToken,
    ) -> Result<Self, StartError> {
        let server = || spec.name.clone();
        let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
        let started = tokio::time::timeout(spec.start_timeout, handshake(&peer, &link, spec, &options)).await;
        let failed = match started {
            Ok(Ok((info, first))) => {
                let (sender, tools) = watch::channel(Arc::from(first));
                tokio::spawn(keep_listing(peer.clone(), sender, spec.call_timeout));
                return Ok(Self { peer, link, info, tools, call_timeout: spec.call_timeout });
            }
            Ok(Err(StartError::Refused { error: CallError::Cancelled, .. })) => {
                StartError::Cancelled { server: server() }
            }
            Ok(Err(error)) => error,
            Err(_) => {
                let mut last_words = link.last_words().await;
                if last_words.is_empty() {
                    last_words = peer.log.lines();
                }
                StartError::Timeout { server: server(), after: spec.start_timeout, last_words }
            }
        };
        link.abandon().await;
        // the grace is for servers that were in use; this one just goes
        drop(link);
        peer.end(Ending { server: server(), how: HowEnded::ClosedByUs, last_words: Vec::new() });
        Err(failed)
    }

    /// The name it goes by.
    pub fn name(&self) -> &str {
        &self.peer.server
    }

    pub fn info(&self) -> &ServerInfo {
        &self.info
    }

    /// The tools as last listed.
    pub fn tools(&self) -> Arc<[Tool]> {
        self.tools.borrow().clone()
    }

    /// Changes whenever the list was read anew and differs.
    pub fn watch_tools(&self) -> watch::Receiver<Arc<[Tool]>> {
        self.tools.clone()
    }

    /// Calls a tool by the server's own name for it.
    pub async fn call(
        &self,
        tool: &str,
        args: &Value,
        options: &CallOptions,
    ) -> Result<CallResult, CallError> {
        let empty = json!({});
        let arguments = if args.is_null() { &empty } else { args };
        let params = |id| {
            Some(wire::CallParams { name: tool, arguments, meta: wire::CallMeta { progress_token: id } })
        };
        let timeout = options.timeout.unwrap_or(self.call_timeout);
        let reply = self.peer.request("tools/call", params, timeout, options).await?;
        CallResult::read(reply.raw())
            .map_err(|why| CallError::BadReply { server: self.peer.server.clone(), why })
    }

    /// Asks for a sign of life.
    pub async fn ping(&self, options: &CallOptions) -> Result<(), CallError> {
        let timeout = options.timeout.unwrap_or(self.call_timeout);
        self.peer.request("ping", |_| None::<()>, timeout, options).await.map(drop)
    }

    /// How the connection ended; `None` while it lives.
    pub fn ending(&self) -> Option<Arc<Ending>> {
        self.peer.ended().borrow().clone()
    }

    /// Resolves when the connection has ended.
    pub async fn ended(&self) -> Arc<Ending> {
        wait_for_end(&self.peer).await
    }

    /// What the user should know about this server, each said once.
    pub fn take_notices(&self) -> Vec<String> {
        self.peer.log.take_notices()
    }

    /// What it wrote beside the protocol: log messages, junk on stdout. Bounded.
    pub fn log_lines(&self) -> Vec<String> {
        self.peer.log.lines()
    }

    /// How many lines were ignored (M1).
    pub fn ignored_lines(&self) -> u64 {
        self.peer.log.junk_count()
    }

    /// The last lines of its stderr.
    pub async fn last_words(&self) -> Vec<String> {
        self.link.last_words().await
    }

    /// Ends the server and waits until it is gone; calls under way fail at once.
    pub async fn close(&self, order: CloseOrder) {
        match &self.link {
            Link::Pipes(pipes) => pipes.close(&self.peer, order).await,
            Link::Http(http) => http.close(&self.peer).await,
        }
    }
}

/// What carries the messages.
enum Link {
    Pipes(Pipes),
    Http(Http),
}

impl Link {
    async fn last_words(&self) -> Vec<String> {
        match self {
            Link::Pipes(pipes) => pipes.last_words().await,
            Link::Http(_) => Vec::new(),
        }
    }

    /// The version from here on: HTTP says it in every request.
    fn agreed_on(&self, protocol: &str) {
        if let Link::Http(http) = self {
            http.agreed_on(protocol);
        }
    }

    /// After a failed start: the process ends by being dropped, a session has to be told.
    async fn abandon(&self) {
        if let Link::Http(http) = self {
            http.goodbye().await;
        }
    }
}

async fn wait_for_end(peer: &Peer) -> Arc<Ending> {
    let mut ended = peer.ended();
    loop {
        if let Some(ending) = &*ended.borrow_and_update() {
            return ending.clone();
        }
        if ended.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// `initialize`, `notifications/initialized`, the first tool list (M2).
async fn handshake(
    peer: &Arc<Peer>,
    link: &Link,
    spec: &ServerSpec,
    options: &CallOptions,
) -> Result<(ServerInfo, Vec<Tool>), StartError> {
    let refused = |step| move |error| StartError::Refused { server: spec.name.clone(), step, error };
    let capabilities = match spec.roots {
        Roots::Declared => json!({"roots": {"listChanged": false}}),
        Roots::Undeclared => json!({}),
    };
    let hello = json!({
        "protocolVersion": wire::PROTOCOL_VERSION,
        "capabilities": capabilities,
        "clientInfo": {"name": "tah", "version": env!("CARGO_PKG_VERSION")},
    });
    // the whole start has one limit; a step's own must not come before it
    let step_timeout = spec.start_timeout * 2;
    let reply = peer
        .request("initialize", |_| Some(&hello), step_timeout, options)
        .await
        .map_err(refused("initialize"))?;
    let body: wire::InitializeResult = serde_json::from_str(reply.raw()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // a server that names no version is taken at the one we offered
    let protocol = body.version.as_str().unwrap_or(wire::PROTOCOL_VERSION).to_owned();
    if !wire::KNOWN_VERSIONS.contains(&&*protocol) {
        return Err(StartError::Version { server: spec.name.clone(), version: protocol });
    }
    link.agreed_on(&protocol);
    peer.notify("notifications/initialized", None::<()>);
    let tools = tools::list(peer, step_timeout, options).await.map_err(refused("tools/list"))?;
    let info = ServerInfo {
        name: text(&body.server["name"]),
        version: text(&body.server["version"]),
        protocol,
        instructions: body.instructions.as_str().filter(|text| !text.is_empty()).map(str::to_owned),
    };
    Ok((info, tools))
}

/// Reads the list anew after `list_changed`, once per burst, and ever more slowly for a server that never rests.
async fn keep_listing(peer: Arc<Peer>, sender: watch::Sender<Arc<[Tool]>>, timeout: std::time::Duration) {
    let options = CallOptions::default();
    let mut quiet = limits::LIST_QUIET;
    loop {
        tokio::select! {
            () = peer.tools_changed.notified() => {}
            _ = wait_for_end(&peer) => return,
            () = sender.closed() => return,
        }
        tokio::time::sleep(quiet).await;
        match tools::list(&peer, timeout, &options).await {
            Ok(list) => {
                let changed = sender.send_if_modified(|tools| {
                    let differs = **tools != *list;
                    if differs {
                        *tools = Arc::from(list);
                    }
                    differs
                });
                quiet = if changed { limits::LIST_QUIET } else { limits::LIST_QUIET_MAX.min(quiet * 2) };
            }
            Err(CallError::Ended { .. }) => return,
            Err(error) => peer.log.notice(format!("its changed tool list can't be read: {error}")),
        }
    }
}
