//! A model server whose every byte is written down beforehand, one script a request.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// One step of a body.
#[derive(Clone)]
pub enum Step {
    Bytes(Vec<u8>),
    /// The connection breaks.
    Reset,
    /// Nothing more comes, and the connection stays.
    Hang,
}

/// One answer.
#[derive(Clone)]
pub struct Script {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub steps: Vec<Step>,
}

impl Script {
    pub fn status(status: u16, body: &str) -> Self {
        Script {
            status,
            headers: vec![("content-type", "application/json".into())],
            steps: vec![Step::Bytes(body.into())],
        }
    }

    /// A stream of these `data:` payloads, without `[DONE]`.
    pub fn data(payloads: &[&str]) -> Self {
        let text: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
        Script::bytes(text)
    }

    pub fn bytes(text: impl Into<Vec<u8>>) -> Self {
        Script {
            status: 200,
            headers: vec![("content-type", "text/event-stream".into())],
            steps: vec![Step::Bytes(text.into())],
        }
    }

    /// A whole answer.
    pub fn answer(text: &str) -> Self {
        let delta = serde_json::json!({ "choices": [{ "delta": { "content": text } }] }).to_string();
        Script::data(&[&delta, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, "[DONE]"])
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Cut into pieces that end at these offsets.
    pub fn cut_at(mut self, offsets: &[usize]) -> Self {
        let whole: Vec<u8> = self
            .steps
            .drain(..)
            .filter_map(|step| if let Step::Bytes(bytes) = step { Some(bytes) } else { None })
            .flatten()
            .collect();
        let mut from = 0;
        for &to in offsets.iter().chain([&whole.len()]) {
            self.steps.push(Step::Bytes(whole[from..to].to_vec()));
            from = to;
        }
        self
    }
}

struct Shared {
    scripts: Mutex<VecDeque<Script>>,
    seen: Mutex<Vec<(HeaderMap, Value)>>,
}

/// The running server.
pub struct Server {
    pub url: String,
    shared: Arc<Shared>,
}

impl Server {
    pub async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        let shared =
            Arc::new(Shared { scripts: Mutex::new(scripts.into_iter().collect()), seen: Mutex::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Server { url, shared }
    }

    /// The bodies that came.
    pub fn bodies(&self) -> Vec<Value> {
        self.shared.seen.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    pub fn headers(&self) -> Vec<HeaderMap> {
        self.shared.seen.lock().unwrap().iter().map(|(headers, _)| headers.clone()).collect()
    }
}

async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    shared.seen.lock().unwrap().push((headers, serde_json::from_slice(&body).unwrap_or(Value::Null)));
    let script = shared.scripts.lock().unwrap().pop_front().unwrap_or(Script::status(500, "no script left"));
    let mut response = Response::builder().status(script.status);
    for (name, value) in script.headers {
        response = response.header(name, value);
    }
    let steps = futures_util::stream::iter(script.steps).then(|step| async {
        match step {
            Step::Bytes(bytes) => {
                // A turn of the scheduler, so that pieces leave apart.
                tokio::task::yield_now().await;
                Ok(Bytes::from(bytes))
            }
            Step::Reset => {
                // What came before is sent first.
                tokio::task::yield_now().await;
                Err(std::io::Error::other("scripted"))
            }
            Step::Hang => std::future::pending().await,
        }
    });
    response.body(Body::from_stream(steps)).unwrap()
}
