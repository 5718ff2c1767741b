//! The server's side of the protocol over two streams: tells what tools there are, and calls them side by side until
//! the client closes its end. What the tools do is for whoever serves them.

mod wire;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::lines::{Line, LineReader};
use wire::Request;

/// A tool on offer.
#[derive(Debug, Clone)]
pub struct ServedTool {
    pub name: String,
    pub description: String,
    pub schema: Value,
    pub effect: ServedEffect,
}

/// What a tool does to the world; told to the client as a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedEffect {
    Read,
    Write,
}

/// One part of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServedPart {
    Text(String),
    /// Base64 data and its media type.
    Image {
        data: String,
        media_type: String,
    },
}

/// A result: its parts, and whether the tool failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServedResult {
    Done(Vec<ServedPart>),
    Failed(Vec<ServedPart>),
}

/// What is served.
#[async_trait]
pub trait Served: Send + Sync + 'static {
    /// `name` and `version` of the server.
    fn name(&self) -> (String, String);
    /// What a client may tell its model about these tools.
    fn instructions(&self) -> String;
    fn tools(&self) -> Vec<ServedTool>;
    /// `None` where there is no such tool.
    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        cancel: CancellationToken,
    ) -> Option<ServedResult>;
}

/// The calls under way, by the client's id.
type Calls = Arc<Mutex<HashMap<String, CancellationToken>>>;

/// Serves until the input ends; calls that are still under way get [`limits::SERVE_GRACE`] to end, then they are cancelled.
pub async fn serve<R, W>(served: Arc<dyn Served>, input: R, mut output: W)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (answers, mut waiting) = mpsc::channel::<String>(limits::OUTGOING_MESSAGES);
    let writer = tokio::spawn(async move {
        while let Some(line) = waiting.recv().await {
            let written = async {
                output.write_all(line.as_bytes()).await?;
                output.flush().await
            };
            if written.await.is_err() {
                break; // nobody reads any more; the input ends as well
            }
        }
    });
    let calls = Calls::default();
    let mut tasks = JoinSet::new();
    let mut lines = LineReader::new(input, limits::LINE_BYTES);
    while let Some(line) = lines.next().await {
        while tasks.try_join_next().is_some() {}
        let text = match line {
            Line::Text { text, .. } if text.trim().is_empty() => continue,
            Line::Text { text, .. } => text,
            Line::TooLong { .. } => {
                let _ =
                    answers.send(wire::error("null", wire::INVALID_REQUEST, "the message is too long")).await;
                continue;
            }
        };
        for request in wire::read(&text) {
            if let Some(answer) = handle(&served, request, &calls, &answers, &mut tasks) {
                let _ = answers.send(answer).await;
            }
        }
    }
    // Requests that were just piped in get their answers; what hangs does not hold the end up.
    let rest = async { while tasks.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(limits::SERVE_GRACE, rest).await;
    for (_, call) in calls.lock().unwrap_or_else(PoisonError::into_inner).drain() {
        call.cancel();
    }
    while tasks.join_next().await.is_some() {}
    drop(answers);
    let _ = writer.await;
}

/// Answers at once what can be, and starts what takes time.
fn handle(
    served: &Arc<dyn Served>,
    request: Request,
    calls: &Calls,
    answers: &mpsc::Sender<String>,
    tasks: &mut JoinSet<()>,
) -> Option<String> {
    match request {
        Request::Initialize { id, version } => {
            Some(wire::initialized(&id, &version, served.name(), &served.instructions()))
        }
        Request::Ping { id } => Some(wire::empty(&id)),
        Request::ListTools { id } => Some(wire::tools(&id, &served.tools())),
        Request::Call { id, name, arguments } => {
            let cancel = CancellationToken::new();
            calls.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), cancel.clone());
            let (served, calls, answers) = (served.clone(), calls.clone(), answers.clone());
            tasks.spawn(async move {
                let outcome = served.call(&name, arguments, cancel.clone()).await;
                calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                // A cancelled request gets no answer.
                if !cancel.is_cancelled() {
                    let answer = match outcome {
                        Some(result) => wire::result(&id, &result),
                        None => wire::error(&id, wire::INVALID_PARAMS, &format!("there is no tool {name}")),
                    };
                    let _ = answers.send(answer).await;
                }
            });
            None
        }
        Request::Cancel { id } => {
            if let Some(call) = calls.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
                call.cancel();
            }
            None
        }
        Request::Unknown { id, method } => {
            Some(wire::error(&id, wire::METHOD_NOT_FOUND, &format!("there is no method {method}")))
        }
        Request::Wrong { id, code, why } => Some(wire::error(&id, code, &why)),
        Request::Nothing => None,
    }
}
