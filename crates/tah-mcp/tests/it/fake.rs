//! A server in memory that does exactly what a test says.

use serde_json::{Value, json};
use std::time::Duration;
use tah_mcp::{Client, Reach, ServerSpec, StartError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

pub struct Fake {
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
}

impl Fake {
    /// The next message of the client; panics at the end.
    pub async fn next(&mut self) -> Value {
        self.next_or_end().await.expect("the client closed its side")
    }

    pub async fn next_or_end(&mut self) -> Option<Value> {
        let line = self.input.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message, which must have this method.
    pub async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.output.write_all(bytes.as_ref()).await.unwrap();
    }

    pub async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n")).await;
    }

    pub async fn reply(&mut self, to: &Value, result: Value) {
        self.send(json!({"result": result, "jsonrpc": "2.0", "id": to["id"]})).await;
    }

    /// Answers the whole handshake.
    pub async fn handshake(&mut self, tools: Value) {
        let hello = self.expect("initialize").await;
        assert_eq!(hello["params"]["protocolVersion"], "2025-11-25");
        let info = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"}});
        self.reply(&hello, info).await;
        self.expect("notifications/initialized").await;
        let list = self.expect("tools/list").await;
        self.reply(&list, json!({ "tools": tools })).await;
    }

    /// Answers the next call with one text.
    pub async fn answer_call(&mut self, text: &str) -> Value {
        let call = self.expect("tools/call").await;
        self.reply(&call, text_result(text)).await;
        call
    }

    /// Closes both directions.
    pub async fn close(mut self) {
        self.output.shutdown().await.unwrap();
    }

    /// Reads until the client closes.
    pub async fn drain(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Some(message) = self.next_or_end().await {
            rest.push(message);
        }
        rest
    }
}

pub fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

pub fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

pub fn spec() -> ServerSpec {
    let reach =
        Reach::Stdio { command: "unused".into(), args: vec![], env: vec![], hidden_env: vec![], cwd: None };
    let mut spec = ServerSpec::new("fake", reach, "/some/folder");
    spec.start_timeout = Duration::from_secs(20);
    spec.call_timeout = Duration::from_secs(20);
    spec
}

/// Connects with `spec` to a server that runs `script`.
pub async fn start<F: Future<Output = ()> + Send + 'static>(
    spec: &ServerSpec,
    script: impl FnOnce(Fake) -> F,
) -> Result<Client, StartError> {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(theirs);
    tokio::spawn(script(Fake { input: BufReader::new(input).lines(), output }));
    Client::over_pipes(spec, tokio::io::split(ours), None, &CancellationToken::new()).await
}

/// The same with the usual spec, which must work.
pub async fn connect<F: Future<Output = ()> + Send + 'static>(script: impl FnOnce(Fake) -> F) -> Client {
    start(&spec(), script).await.unwrap()
}
