//! A turn of one step with nothing slow in it: the model answers at once, in this process or over HTTP, so that
//! what is measured is what tah itself takes. Run with `cargo bench -p tah-bench-step`.

use axum::Router;
use axum::body::Body;
use axum::http::Response;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tah_agent::approval::ApproveMode;
use tah_agent::approval::rules::Rules;
use tah_agent::event::Event;
use tah_agent::host::{Command, Host, Setup};
use tah_agent::id::{CallId, SessionId};
use tah_agent::message::{Message, ReplyState, ToolCall};
use tah_agent::model::openai::OpenAi;
use tah_agent::model::resolve::{ModelSettings, plain_profile, resolve};
use tah_agent::model::{Delta, Model, ModelError, Profile, Reply, ReplyEnd, Request, Usage};
use tah_agent::session::Session;
use tah_agent::session::record::{Meta, VERSION};
use tah_agent::session::store::SessionStore;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A conversation of `count` messages as a coding session has them: a third prompts and answers, the rest calls
/// and results of 2,000 characters.
pub fn history(count: usize) -> Vec<Message> {
    let mut messages = Vec::with_capacity(count);
    for turn in 0.. {
        let id = CallId::new(format!("call_{turn}"));
        let input = [("path".to_owned(), json!(format!("src/file_{turn}.rs")))].into_iter().collect();
        let call = ToolCall { id: id.clone(), name: "read_file".into(), input, fault: None };
        let text = "fn main() { println!(\"hello\"); }\n".repeat(60);
        messages.extend([
            Message::user("please look at the next file and say what it does"),
            Message::Assistant {
                text: String::new(),
                reasoning: String::new(),
                calls: vec![call],
                state: ReplyState::Whole,
            },
            Message::Tool { call_id: id, name: "read_file".into(), text, ok: true },
            Message::assistant("it prints a greeting and ends"),
        ]);
        if messages.len() >= count {
            break;
        }
    }
    messages.truncate(count);
    messages
}

/// Answers at once.
pub struct Instantly(pub Profile);

#[async_trait::async_trait]
impl Model for Instantly {
    fn profile(&self) -> &Profile {
        &self.0
    }

    async fn stream(
        &self,
        _: &Request,
        deltas: mpsc::Sender<Delta>,
        _: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let _ = deltas.send(Delta::Text("ok".into())).await;
        Ok(Reply {
            text: "ok".into(),
            reasoning: String::new(),
            calls: Vec::new(),
            usage: Some(Usage::default()),
            end: ReplyEnd::Complete,
        })
    }
}

/// The model in this process, with a window so large that it is looked at and never full.
pub fn instantly() -> Arc<dyn Model> {
    Arc::new(Instantly(Profile { window: Some(100_000_000), ..plain_profile("instant") }))
}

/// The chat-completions client, and a server on this machine that answers at once.
pub async fn over_http() -> Result<Arc<dyn Model>, Box<dyn std::error::Error>> {
    const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    // The request is read whole, as a provider would.
    let answer = |_: axum::body::Bytes| async { Response::new(Body::from(ANSWER)) };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let app = Router::new().fallback(answer).layer(axum::extract::DefaultBodyLimit::disable());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let settings =
        ModelSettings { base_url: Some(url), window: Some(100_000_000), ..ModelSettings::default() };
    Ok(Arc::new(OpenAi::new(resolve(&settings)?)?))
}

/// One turn over that history; the time from the prompt to the turn's end.
pub async fn turn(model: Arc<dyn Model>, history: &[Message]) -> Duration {
    let meta = Meta {
        version: VERSION,
        id: SessionId::random(),
        parent: None,
        model: "instant".into(),
        cwd: "/".into(),
        created: String::new(),
    };
    let mut session = Session::in_memory(meta);
    session.replace_messages(history.to_vec());
    let mut host = Host::start(Setup {
        model,
        sources: Vec::new(),
        mode: ApproveMode::Unattended,
        rules: Rules::default(),
        system: "rules".repeat(200),
        max_steps: 1,
        store: SessionStore::nowhere(),
        cwd: PathBuf::from("/"),
        session: Some(session),
        models: None,
    });
    let began = Instant::now();
    let _ = host.commands.send(Command::Send { text: "go on".into(), images: Vec::new() }).await;
    while let Some(event) = host.events.recv().await {
        if matches!(event, Event::TurnEnd { .. } | Event::TurnError { .. }) {
            break;
        }
    }
    began.elapsed()
}
