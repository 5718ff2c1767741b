//! Streamable HTTP against a scripted server: sessions, streams that break, errors.

use crate::http::{free_port, spec, start};
use crate::processes::call;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tah_mcp::{CloseOrder, Sent};

/// What the server saw.
#[derive(Clone, Debug)]
struct Seen {
    method: Method,
    headers: HeaderMap,
    message: Value,
}

impl Seen {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

type Log = Arc<Mutex<Vec<Seen>>>;

/// A server that answers calls and streams as `answer` says; `None` means the usual.
async fn serve(answer: impl Fn(&Seen, usize) -> Option<Response> + Send + Sync + 'static) -> (String, Log) {
    let log: Log = Arc::default();
    let (answer, kept) = (Arc::new(answer), log.clone());
    let handler = async move |State(()): State<()>, method: Method, headers: HeaderMap, body: Bytes| {
        let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let seen = Seen { method, headers, message };
        let count = {
            let mut log = kept.lock().unwrap();
            log.push(seen.clone());
            log.len()
        };
        answer(&seen, count).unwrap_or_else(|| usual(&seen))
    };
    let app = Router::new().route("/mcp", axum::routing::any(handler)).with_state(());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, log)
}

fn reply(seen: &Seen, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": seen.message["id"], "result": result})
}

fn as_json(body: Value) -> Response {
    ([("content-type", "application/json")], body.to_string()).into_response()
}

fn as_events(text: String) -> Response {
    ([("content-type", "text/event-stream")], text).into_response()
}

fn usual(seen: &Seen) -> Response {
    match (&seen.method, seen.message["method"].as_str()) {
        (&Method::POST, Some("initialize")) => {
            let mut response = as_json(reply(seen, json!({"protocolVersion": "2025-06-18"})));
            response.headers_mut().insert("mcp-session-id", "s1".parse().unwrap());
            response
        }
        (&Method::POST, Some("tools/list")) => {
            let list = json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]});
            as_events(format!("data: {}\n\n", reply(seen, list)))
        }
        (&Method::POST, Some("tools/call")) => {
            as_json(reply(seen, json!({"content": [{"type": "text", "text": "usual"}]})))
        }
        (&Method::POST, _) => StatusCode::ACCEPTED.into_response(),
        (&Method::DELETE, _) => StatusCode::OK.into_response(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn is_call(seen: &Seen) -> bool {
    seen.message["method"] == "tools/call"
}

#[tokio::test]
async fn http_headers_session_and_goodbye() {
    let (url, log) = serve(|_, _| None).await;
    let client = start(&spec(&url, &[("Authorization", "Bearer secret")])).await.unwrap();
    assert_eq!(call(&client, "echo", json!({})).await.unwrap(), "usual");
    client.close(CloseOrder::StdinFirst).await;
    let log = log.lock().unwrap();
    assert!(log.iter().all(|seen| seen.header("authorization") == Some("Bearer secret")));
    let posts: Vec<&Seen> = log.iter().filter(|seen| seen.method == Method::POST).collect();
    assert!(posts.iter().all(|seen| seen.header("accept") == Some("application/json, text/event-stream")));
    let (hello, rest) = posts.split_first().unwrap();
    assert_eq!((hello.header("mcp-session-id"), hello.header("mcp-protocol-version")), (None, None));
    for seen in rest {
        assert_eq!(seen.header("mcp-session-id"), Some("s1"), "{seen:?}");
        assert_eq!(seen.header("mcp-protocol-version"), Some("2025-06-18"), "{seen:?}");
    }
    assert_eq!(rest[0].message["method"], "notifications/initialized");
    let last = log.last().unwrap();
    assert_eq!((&last.method, last.header("mcp-session-id")), (&Method::DELETE, Some("s1")));
}

#[tokio::test]
async fn http_a_broken_stream_is_taken_up_at_its_last_event() {
    let id = Arc::new(Mutex::new(Value::Null));
    let (url, log) = serve(move |seen, _| match (&seen.method, seen.header("last-event-id")) {
        (&Method::POST, _) if is_call(seen) => {
            *id.lock().unwrap() = seen.message["id"].clone();
            Some(as_events("retry: 10\nid: e1\ndata:\n\n".into()))
        }
        (&Method::GET, Some("e1")) => {
            Some(as_events("id: e2\ndata: {\"method\":\"notifications/x\"}\n\n".into()))
        }
        (&Method::GET, Some("e2")) => {
            let reply = json!({"id": *id.lock().unwrap(), "result": {"content": "resumed"}});
            Some(as_events(format!("id: e3\ndata: {reply}\n\n")))
        }
        _ => None,
    })
    .await;
    let client = start(&spec(&url, &[])).await.unwrap();
    assert_eq!(call(&client, "echo", json!({})).await.unwrap(), "resumed");
    assert_eq!(
        log.lock().unwrap().iter().filter(|seen| is_call(seen)).count(),
        1,
        "the call itself is not repeated"
    );
}

#[tokio::test]
async fn http_a_broken_stream_without_ids_fails_its_call() {
    let (url, _) = serve(|seen, _| is_call(seen).then(|| as_events(": nothing\n\n".into()))).await;
    let client = start(&spec(&url, &[])).await.unwrap();
    let error = call(&client, "echo", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "mcp server remote: the stream of its answer broke off");
    assert_eq!(error.sent(), Sent::Maybe);
}

#[tokio::test]
async fn http_a_lost_session_is_begun_again() {
    for status in [StatusCode::NOT_FOUND, StatusCode::BAD_REQUEST] {
        let lost = Mutex::new(false);
        let (url, log) = serve(move |seen, _| {
            let mut lost = lost.lock().unwrap();
            if is_call(seen) && !std::mem::replace(&mut *lost, true) {
                return Some((status, "no such Session").into_response());
            }
            if *lost && seen.message["method"] == "initialize" {
                assert_eq!(seen.header("mcp-session-id"), None);
                let mut response = as_json(reply(seen, json!({"protocolVersion": "2025-11-25"})));
                response.headers_mut().insert("mcp-session-id", "s2".parse().unwrap());
                return Some(response);
            }
            None
        })
        .await;
        let client = start(&spec(&url, &[])).await.unwrap();
        assert_eq!(call(&client, "echo", json!({})).await.unwrap(), "usual");
        let log = log.lock().unwrap();
        let last = log.iter().rfind(|seen| is_call(seen)).unwrap();
        assert_eq!(last.header("mcp-session-id"), Some("s2"));
        assert_eq!(last.header("mcp-protocol-version"), Some("2025-11-25"));
    }
}

#[tokio::test]
async fn http_the_server_asks_on_its_own_stream() {
    let (url, log) = serve(|seen, _| {
        let asks = seen.method == Method::GET && seen.header("last-event-id").is_none();
        asks.then(|| {
            as_events("id: g1\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}\n\n".into())
        })
    })
    .await;
    let client = start(&spec(&url, &[])).await.unwrap();
    let answered = |seen: &Seen| seen.message["result"]["roots"][0]["uri"] == "file:///some/folder";
    while !log.lock().unwrap().iter().any(answered) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    drop(client);
}

#[tokio::test]
async fn http_refusals_are_said_and_keep_no_secret() {
    let (url, _) =
        serve(|seen, _| is_call(seen).then(|| (StatusCode::UNAUTHORIZED, "token expired").into_response()))
            .await;
    let client = start(&spec(&url, &[])).await.unwrap();
    let error = call(&client, "echo", json!({})).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "mcp server remote: HTTP 401 Unauthorized; check the headers configured for it: token expired"
    );
    let url = format!("http://127.0.0.1:{}/mcp?key=secret", free_port());
    let error = start(&spec(&url, &[])).await.err().unwrap().to_string();
    assert!(error.contains("can't be reached") && !error.contains("secret"), "{error}");
    let error = start(&spec(&url, &[("X-Key", "bad\nsecret")])).await.err().unwrap().to_string();
    assert!(error.contains("header x-key") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn http_an_rpc_error_with_a_status() {
    let (url, _) = serve(|seen, _| {
        is_call(seen).then(|| {
            let body = json!({"jsonrpc": "2.0", "id": seen.message["id"], "error": {"code": -32602, "message": "bad"}});
            (StatusCode::BAD_REQUEST, body.to_string()).into_response()
        })
    })
    .await;
    let client = start(&spec(&url, &[])).await.unwrap();
    assert_eq!(call(&client, "echo", json!({})).await.unwrap_err().to_string(), "bad (code -32602)");
}
