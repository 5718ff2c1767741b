//! Context budget, compaction, overflow and calls in text, through the host as a front end sees them.

use crate::script::{Script, Server};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tah_agent::approval::ApproveMode;
use tah_agent::approval::rules::Rules;
use tah_agent::event::{EndReason, Event};
use tah_agent::host::{Command, Host, Setup};
use tah_agent::message::{Input, Message, Origin};
use tah_agent::model::openai::OpenAi;
use tah_agent::model::resolve::{ModelSettings, resolve};
use tah_agent::session::store::SessionStore;
use tah_agent::tool::{Effect, FixedTools, Output, Tool, ToolContext, ToolError};

/// Gives as many letters as it is asked for.
struct Letters(Value);

#[async_trait::async_trait]
impl Tool for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn description(&self) -> &str {
        "gives letters"
    }

    fn schema(&self) -> &Value {
        &self.0
    }

    fn effect(&self, _: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, _: &Input) -> Result<Option<tah_agent::card::Card>, ToolError> {
        Ok(None)
    }

    fn summary(&self, _: &Input) -> String {
        "letters".into()
    }

    async fn run(&self, input: Input, _: &ToolContext) -> Result<Output, ToolError> {
        let count = input.get("count").and_then(Value::as_u64).unwrap_or(1);
        Ok(Output::new("x".repeat(count as usize), "letters"))
    }
}

struct Run {
    host: Host,
    server: Server,
    store: SessionStore,
    folder: tempfile::TempDir,
    seen: Vec<Event>,
}

impl Run {
    async fn start(scripts: Vec<Script>, window: Option<u64>) -> Self {
        let server = Server::start(scripts).await;
        let folder = tempfile::tempdir().unwrap();
        let settings = ModelSettings {
            base_url: Some(server.url.clone()),
            model: Some("m".into()),
            window,
            ..Default::default()
        };
        let store = SessionStore::beneath(&folder.path().join(".tah"));
        let host = Host::start(Setup {
            model: Arc::new(OpenAi::new(resolve(&settings).unwrap()).unwrap()),
            sources: vec![Arc::new(FixedTools(vec![Arc::new(Letters(json!({ "type": "object" })))]))],
            mode: ApproveMode::Unattended,
            rules: Rules::default(),
            system: "rules".into(),
            max_steps: 20,
            store: store.clone(),
            cwd: folder.path().to_owned(),
            session: None,
            models: Some(Arc::new(settings)),
        });
        Run { host, server, store, folder, seen: Vec::new() }
    }

    async fn until(&mut self, is_last: impl Fn(&Event) -> bool) {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), self.host.events.recv()).await;
            let event =
                next.unwrap_or_else(|_| panic!("nothing after {:#?}", self.seen)).expect("the host ended");
            let last = is_last(&event);
            self.seen.push(event);
            if last {
                return;
            }
        }
    }

    async fn send(&mut self, text: &str) -> EndReason {
        self.host.commands.send(Command::Send { text: text.into(), images: vec![] }).await.unwrap();
        self.until(|event| matches!(event, Event::TurnEnd { .. } | Event::TurnError { .. })).await;
        match self.seen.last() {
            Some(Event::TurnEnd { reason, .. } | Event::TurnError { reason, .. }) => *reason,
            _ => unreachable!(),
        }
    }

    fn notices(&self) -> Vec<&str> {
        self.seen
            .iter()
            .filter_map(|event| match event {
                Event::Notice { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The conversation as another process would read it, and the file itself.
    async fn stored(self) -> (Vec<Message>, String) {
        let Host { commands, mut events, sink } = self.host;
        commands.send(Command::Close).await.unwrap();
        // The stream ends once nobody can send any more.
        drop(sink);
        while events.recv().await.is_some() {}
        let session = self.store.open_newest().unwrap();
        let text = read(session.path().unwrap());
        (session.messages().to_vec(), text)
    }
}

#[allow(clippy::disallowed_methods, reason = "the test looks at the file the store wrote")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn call(count: usize) -> Script {
    let arguments = json!({ "count": count }).to_string();
    let call = json!({ "choices": [{ "delta": { "tool_calls": [
        { "index": 0, "id": format!("c{count}"), "function": { "name": "letters", "arguments": arguments } },
    ] } }] });
    Script::data(&[&call.to_string(), r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#])
}

/// What a strict provider refuses: a call without result, a result without call.
fn assert_paired(body: &Value) {
    let mut open: Vec<String> = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        match message["role"].as_str().unwrap() {
            "assistant" => {
                assert!(open.is_empty(), "{body}");
                let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
                open.extend(calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()));
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap();
                let at = open.iter().position(|one| one == id).expect("a result without call");
                open.remove(at);
            }
            _ => assert!(open.is_empty(), "{body}"),
        }
    }
}

#[tokio::test]
async fn old_output_is_left_out_before_anything_else() {
    let scripts = vec![call(8_000), call(8_001), call(8_002), call(8_003), Script::answer("done")];
    let mut run = Run::start(scripts, Some(8_000)).await;
    assert_eq!(run.send("go").await, EndReason::Finished);
    assert!(run.notices().iter().any(|text| text.contains("older tool output")), "{:?}", run.notices());
    let bodies = run.server.bodies();
    bodies.iter().for_each(assert_paired);
    let last = bodies.last().unwrap()["messages"].to_string();
    assert!(last.contains("call the tool again"), "{}", last.len());
    assert!(last.len() < 8_000 * 4);
    let (_, file) = run.stored().await;
    assert!(file.contains(&"x".repeat(8_000)), "the original stays in the session's file");
}

#[tokio::test]
async fn a_summary_replaces_what_was_before_at_85_percent() {
    let long = "word ".repeat(600);
    let scripts = vec![Script::answer(&long), Script::answer("THE SUMMARY"), Script::answer("after")];
    let mut run = Run::start(scripts, Some(2_000)).await;
    for prompt in ["first", "second"] {
        assert_eq!(run.send(&format!("{prompt} {long}")).await, EndReason::Finished);
    }
    let bodies = run.server.bodies();
    assert_eq!(bodies.len(), 3, "{:?}", run.notices());
    assert!(bodies[1].get("tools").is_none());
    assert_eq!(bodies[1]["max_tokens"], 500);
    assert!(bodies[1]["messages"][1]["content"].as_str().unwrap().contains("<transcript>"));
    let next = bodies[2]["messages"].to_string();
    assert!(next.contains("THE SUMMARY") && next.contains("second word"), "{next}");
    assert!(!next.contains("first word"), "{next}");
    assert!(run.notices().iter().any(|text| text.contains("a summary replaces")), "{:?}", run.notices());
    // The summary is no part of the answer.
    assert!(!run.seen.iter().any(|event| matches!(event, Event::Text { text } if text.contains("SUMMARY"))));
    let (messages, file) = run.stored().await;
    assert!(matches!(&messages[0], Message::User { origin: Origin::Summary, .. }));
    assert!(file.contains("first word"), "the original stays in the session's file");
}

#[tokio::test]
async fn without_a_summary_the_oldest_turns_go() {
    let long = "word ".repeat(600);
    let scripts =
        vec![Script::answer(&long), Script::status(400, r#"{"error":"no"}"#), Script::answer("after")];
    let mut run = Run::start(scripts, Some(2_000)).await;
    run.send(&format!("first {long}")).await;
    assert_eq!(run.send(&format!("second {long}")).await, EndReason::Finished);
    let last = run.server.bodies().last().unwrap()["messages"].to_string();
    assert!(last.contains("left out to make room") && !last.contains("first word"), "{last}");
    assert!(run.notices().iter().any(|text| text.contains("no summary")), "{:?}", run.notices());
}

const OVERFLOW: &str = r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"too long","n_prompt_tokens":9000,"n_ctx":4096}}"#;

#[tokio::test]
async fn an_overflow_makes_room_once_and_asks_again() {
    let scripts = vec![
        call(30_000),
        call(3_000),
        call(3_001),
        Script::status(400, OVERFLOW),
        Script::answer("fits now"),
    ];
    let mut run = Run::start(scripts, None).await;
    assert_eq!(run.send("go").await, EndReason::Finished);
    run.server.bodies().iter().for_each(assert_paired);
    assert!(run.seen.iter().any(|event| matches!(event, Event::Text { text } if text == "fits now")));
}

#[tokio::test]
async fn an_overflow_that_stays_is_told_with_its_numbers() {
    let overflow = || Script::status(400, OVERFLOW);
    let scripts =
        vec![overflow(), Script::answer("a"), overflow(), Script::answer("THE SUMMARY"), overflow()];
    let mut run = Run::start(scripts, None).await;
    // Nothing can be left out of one prompt.
    assert_eq!(run.send("go").await, EndReason::Failed);
    let Some(Event::TurnError { hint, .. }) = run.seen.last() else { unreachable!() };
    assert!(hint.as_deref().is_some_and(|hint| hint.contains("fewer tools")), "{hint:?}");
    assert_eq!(run.send(&"more ".repeat(2_000)).await, EndReason::Finished);
    assert_eq!(run.send("and more").await, EndReason::Failed);
    assert_eq!(run.server.bodies().len(), 5);
    let Some(Event::TurnError { message, hint, .. }) = run.seen.last() else { unreachable!() };
    assert!(message.contains("9000") && message.contains("4096") && hint.is_some(), "{message}");
}

#[tokio::test]
async fn compact_on_the_users_word() {
    let scripts = vec![
        Script::answer("one"),
        Script::answer("two"),
        Script::answer("THE SUMMARY"),
        Script::answer("x"),
    ];
    let mut run = Run::start(scripts, None).await;
    run.host.commands.send(Command::Compact).await.unwrap();
    run.until(|event| matches!(event, Event::Notice { text, .. } if text.contains("nothing to summarise")))
        .await;
    run.send("a").await;
    run.send("b").await;
    run.host.commands.send(Command::Compact).await.unwrap();
    run.until(|event| matches!(event, Event::Notice { text, .. } if text.contains("a summary replaces")))
        .await;
    run.until(|event| matches!(event, Event::SummaryEnd { reason: EndReason::Finished })).await;
    run.send("c").await;
    let messages = run.server.bodies()[3]["messages"].to_string();
    assert!(messages.contains("THE SUMMARY"), "{messages}");
}

#[tokio::test]
async fn compact_can_be_cancelled() {
    let hang = Script::data(&[]).then(crate::script::Step::Hang);
    let mut run = Run::start(vec![Script::answer("one"), Script::answer("two"), hang], None).await;
    run.send("a").await;
    run.send("b").await;
    run.host.commands.send(Command::Compact).await.unwrap();
    while run.server.bodies().len() < 3 {
        tokio::task::yield_now().await;
    }
    run.host.commands.send(Command::Cancel).await.unwrap();
    run.until(|event| matches!(event, Event::Notice { text, .. } if text.contains("not summarised"))).await;
    run.until(|event| matches!(event, Event::SummaryEnd { reason: EndReason::Cancelled })).await;
    let (messages, _) = run.stored().await;
    assert_eq!(messages.len(), 4);
}

#[tokio::test]
async fn another_model_from_here_on() {
    let mut run = Run::start(vec![Script::answer("one"), Script::answer("two")], None).await;
    run.send("a").await;
    run.host.commands.send(Command::SetModel { name: "other".into() }).await.unwrap();
    run.until(|event| matches!(event, Event::Session { model, messages: 2, .. } if model == "other")).await;
    run.send("b").await;
    let bodies = run.server.bodies();
    assert_eq!((bodies[0]["model"].as_str(), bodies[1]["model"].as_str()), (Some("m"), Some("other")));
    assert_eq!(bodies[1]["messages"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_call_in_text_runs_and_its_text_is_taken_back() {
    let text = r#"{"name": "letters", "arguments": {"count": 3}}"#;
    let mut run = Run::start(vec![Script::answer(text), Script::answer("done")], None).await;
    assert_eq!(run.send("go").await, EndReason::Finished);
    assert!(run.seen.iter().any(|event| matches!(event, Event::Retract {})));
    let second = &run.server.bodies()[1]["messages"];
    assert_eq!(second[3]["content"], "xxx");
    assert_eq!(second[2]["content"], Value::Null);
    let (messages, _) = run.stored().await;
    assert!(
        matches!(&messages[1], Message::Assistant { text, calls, .. } if text.is_empty() && calls.len() == 1)
    );
}

#[tokio::test]
async fn quoted_json_does_not_run() {
    let text = "Use {\"name\": \"letters\", \"arguments\": {}}";
    let mut run = Run::start(vec![Script::answer(text)], None).await;
    assert_eq!(run.send("go").await, EndReason::Finished);
    assert!(!run.seen.iter().any(|event| matches!(event, Event::ToolStart { .. } | Event::Retract {})));
    assert!(run.folder.path().exists());
}
