//! A model server whose every byte is scripted: each request gets the next reply of a script (or what a closure
//! makes of the request), streamed in chunks that are cut anywhere. It remembers the requests, and refuses, as
//! strict providers do, a conversation whose calls and results don't pair.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server answers to one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A good stream.
    Stream(Streamed),
    /// Bytes as they are, with this content type.
    Raw { status: u16, content_type: String, headers: Vec<(String, String)>, body: Vec<u8> },
}

/// The parts of a good stream.
#[derive(Clone, Debug, Default)]
pub struct Streamed {
    pub reasoning: String,
    pub text: String,
    pub calls: Vec<(String, Value)>,
    /// Wait between two chunks.
    pub pause: Duration,
    /// Keep the connection open and silent after this many bytes.
    pub hang_after: Option<usize>,
}

/// A reply of text.
pub fn say(text: impl Into<String>) -> Reply {
    Reply::Stream(Streamed { text: text.into(), ..Streamed::default() })
}

/// A reply that calls one tool.
pub fn call(name: &str, input: Value) -> Reply {
    calls(&[(name, input)])
}

/// A reply that calls several tools.
pub fn calls(list: &[(&str, Value)]) -> Reply {
    let calls = list.iter().map(|(name, input)| ((*name).to_owned(), input.clone())).collect();
    Reply::Stream(Streamed { calls, ..Streamed::default() })
}

/// An error reply with a JSON body.
pub fn refuse(status: u16, message: &str) -> Reply {
    Reply::Raw {
        status,
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
        body: json!({"error": {"message": message}}).to_string().into_bytes(),
    }
}

type Script = Box<dyn FnMut(&Value, usize) -> Reply + Send>;

#[derive(Default)]
struct Log {
    bodies: Vec<Value>,
    headers: Vec<HeaderMap>,
    faults: Vec<String>,
}

struct Shared {
    script: Mutex<Script>,
    log: Mutex<Log>,
}

/// The server; it ends with this value.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: tokio::sync::oneshot::Sender<()>,
}

impl ModelServer {
    /// Answers each request with the next reply; past the end it answers `out of script`.
    pub fn script(replies: Vec<Reply>) -> Self {
        let mut replies = replies.into_iter();
        Self::start(move |_, _| replies.next().unwrap_or_else(|| say("out of script")))
    }

    /// Answers with what the closure makes of the request's body and its number (from 0).
    pub fn start(script: impl FnMut(&Value, usize) -> Reply + Send + 'static) -> Self {
        let shared =
            Arc::new(Shared { script: Mutex::new(Box::new(script)), log: Mutex::new(Log::default()) });
        let app = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/chat/completions", post(complete))
            .with_state(shared.clone());
        let (address, stop) = serve(app);
        ModelServer { address, shared, _stop: stop }
    }

    /// The base url tah is given.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies of the requests so far.
    pub fn bodies(&self) -> Vec<Value> {
        self.shared.log.lock().unwrap().bodies.clone()
    }

    pub fn headers(&self) -> Vec<HeaderMap> {
        self.shared.log.lock().unwrap().headers.clone()
    }

    /// Requests a strict provider would have refused, and why.
    pub fn faults(&self) -> Vec<String> {
        self.shared.log.lock().unwrap().faults.clone()
    }

    /// The names of the tools of each request.
    pub fn tool_names(&self) -> Vec<Vec<String>> {
        self.bodies().iter().map(tool_names).collect()
    }
}

/// The names of a request's tools.
pub fn tool_names(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The text of the last tool result in a request.
pub fn last_result(body: &Value) -> String {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.iter().rev().find(|message| message["role"] == "tool");
    last.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

/// Serves on a free port of 127.0.0.1 from a thread of its own.
pub(crate) fn serve(app: Router) -> (SocketAddr, tokio::sync::oneshot::Sender<()>) {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            tell.send(listener.local_addr().expect("an address")).expect("the test waits");
            tokio::select! {
                _ = axum::serve(listener, app) => {}
                _ = stopped => {}
            }
        });
    });
    (told.recv().expect("the server starts"), stop)
}

async fn complete(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let fault = pairing_fault(&body);
    let number = {
        let mut log = shared.log.lock().unwrap();
        log.bodies.push(body.clone());
        log.headers.push(headers);
        log.faults.extend(fault.clone());
        log.bodies.len() - 1
    };
    if let Some(fault) = fault {
        return respond(refuse(400, &fault));
    }
    let reply = (shared.script.lock().unwrap())(&body, number);
    respond(reply)
}

/// What a strict provider refuses: a call without its result, a result without its call, no object arguments.
fn pairing_fault(body: &Value) -> Option<String> {
    let mut open: Vec<String> = Vec::new();
    for message in body["messages"].as_array()? {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let at = open.iter().position(|one| one == id);
            let Some(at) = at else { return Some(format!("a result without its call: {id}")) };
            open.remove(at);
            continue;
        }
        if !open.is_empty() {
            return Some(format!("calls without results: {}", open.join(", ")));
        }
        for call in message["tool_calls"].as_array().unwrap_or(&Vec::new()) {
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                return Some(format!("arguments that are no object: {arguments}"));
            }
            open.push(call["id"].as_str().unwrap_or_default().to_owned());
        }
    }
    (!open.is_empty()).then(|| format!("calls without results: {}", open.join(", ")))
}

fn respond(reply: Reply) -> Response {
    match reply {
        Reply::Raw { status, content_type, headers, body } => {
            let mut response = Response::builder()
                .status(StatusCode::from_u16(status).expect("a status"))
                .header("content-type", content_type);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response.body(Body::from(body)).expect("a response")
        }
        Reply::Stream(streamed) => {
            let bytes = streamed.bytes();
            let (pause, hang_after) = (streamed.pause, streamed.hang_after);
            let chunks = cut_anywhere(&bytes[..hang_after.unwrap_or(bytes.len()).min(bytes.len())]);
            let good = futures_util::stream::iter(chunks);
            let stream = futures_util::StreamExt::then(good, move |chunk| async move {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                Ok::<_, std::convert::Infallible>(Bytes::from(chunk))
            });
            let body = match hang_after {
                None => Body::from_stream(stream),
                Some(_) => {
                    Body::from_stream(futures_util::StreamExt::chain(stream, futures_util::stream::pending()))
                }
            };
            Response::builder().header("content-type", "text/event-stream").body(body).expect("a response")
        }
    }
}

/// Cuts at random byte offsets, also inside a character and inside `\n\n`.
fn cut_anywhere(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (chunk, tail) = rest.split_at(fastrand::usize(1..=rest.len().min(40)));
        chunks.push(chunk.to_vec());
        rest = tail;
    }
    chunks
}

impl Streamed {
    /// The stream as a provider would write it.
    pub fn bytes(&self) -> Vec<u8> {
        let mut lines = vec![chunk(json!({"role": "assistant", "content": null}), None)];
        for piece in pieces(&self.reasoning) {
            lines.push(chunk(json!({"reasoning_content": piece}), None));
        }
        for piece in pieces(&self.text) {
            lines.push(chunk(json!({"content": piece}), None));
        }
        for (index, (name, input)) in self.calls.iter().enumerate() {
            let id = format!("call_{:08x}", fastrand::u32(..));
            let head = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
            lines.push(chunk(json!({"tool_calls": [head]}), None));
            for piece in pieces(&input.to_string()) {
                let tail = json!({"index": index, "function": {"arguments": piece}});
                lines.push(chunk(json!({"tool_calls": [tail]}), None));
            }
        }
        let reason = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        lines.push(chunk(json!({}), Some(reason)));
        lines.push(
            json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).to_string(),
        );
        lines.push("[DONE]".to_owned());
        lines.iter().flat_map(|line| format!("data: {line}\n\n").into_bytes()).collect()
    }
}

fn chunk(delta: Value, finish: Option<&str>) -> String {
    json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        .to_string()
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(7).map(|piece| piece.iter().collect()).collect()
}
