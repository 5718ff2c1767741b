//! The chat-completions client against scripted servers: the S cases that need a connection.

use crate::script::{Script, Server, Step};
use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tah_agent::message::{ArgumentFault, Image, Message, Origin};
use tah_agent::model::openai::OpenAi;
use tah_agent::model::openai::retry::Clock;
use tah_agent::model::resolve::{Key, ModelSettings, resolve};
use tah_agent::model::{Delta, Model, ModelError, ModelErrorKind, Reply, ReplyEnd, Request, ToolSpec};
use tah_agent::tool::Vision;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Sleeps are written down and not slept.
#[derive(Default)]
struct TestClock {
    slept: Mutex<Vec<Duration>>,
}

impl TestClock {
    fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap().clone()
    }
}

#[async_trait]
impl Clock for TestClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    async fn sleep(&self, time: Duration) {
        self.slept.lock().unwrap().push(time);
    }
}

struct Fixture {
    server: Server,
    model: OpenAi,
    clock: Arc<TestClock>,
}

async fn fixture(scripts: impl IntoIterator<Item = Script>) -> Fixture {
    fixture_with(scripts, ModelSettings::default()).await
}

async fn fixture_with(scripts: impl IntoIterator<Item = Script>, settings: ModelSettings) -> Fixture {
    let server = Server::start(scripts).await;
    let mut resolved = resolve(&ModelSettings {
        base_url: Some(server.url.clone()),
        model: Some(settings.model.clone().unwrap_or("m".into())),
        ..settings
    })
    .unwrap();
    if resolved.profile.name.starts_with("deepseek") {
        resolved.endpoint.provider = &tah_agent::model::catalog::DEEPSEEK;
    }
    let clock = Arc::new(TestClock::default());
    let model = OpenAi::new(resolved).unwrap().with_clock(clock.clone());
    Fixture { server, model, clock }
}

fn request(messages: Vec<Message>) -> Request {
    let tool = ToolSpec {
        name: "read_file".into(),
        description: "reads".into(),
        schema: serde_json::json!({ "type": "object", "properties": {} }),
    };
    Request { system: "rules".into(), messages, tools: vec![tool], max_output: None }
}

fn hello() -> Request {
    request(vec![Message::user("hello")])
}

async fn ask(model: &OpenAi, request: &Request) -> (Result<Reply, ModelError>, Vec<Delta>) {
    let (sender, mut receiver) = mpsc::channel(4096);
    let reply = model.stream(request, sender, &CancellationToken::new()).await;
    let mut deltas = Vec::new();
    while let Ok(delta) = receiver.try_recv() {
        deltas.push(delta);
    }
    (reply, deltas)
}

const FINISH: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

fn text(text: &str) -> String {
    serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }).to_string()
}

#[tokio::test]
async fn a_reply_streams_with_text_usage_and_the_key() {
    let usage =
        r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_cache_hit_tokens":5}}"#;
    let script = Script::data(&[&text("hel"), &text("lo"), FINISH, usage, "[DONE]"]);
    let keys = [("TAH_API_KEY".to_owned(), Key::new(" secret\n").unwrap())].into();
    let fixture = fixture_with([script], ModelSettings { keys, ..ModelSettings::default() }).await;
    let (reply, deltas) = ask(&fixture.model, &hello()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.end), ("hello", ReplyEnd::Complete));
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.output, usage.cached), (7, 3, 5));
    assert_eq!(deltas, [Delta::Text("hel".into()), Delta::Text("lo".into())]);
    assert_eq!(fixture.server.headers()[0]["authorization"], "Bearer secret");
    let body = &fixture.server.bodies()[0];
    assert_eq!(body["messages"][0], serde_json::json!({ "role": "system", "content": "rules" }));
    assert_eq!(body["tools"][0]["function"]["name"], "read_file");
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn s4_stream_options_are_dropped_on_a_400_that_names_them() {
    let refusal = r#"{"error":{"message":"Unrecognized request argument: stream_options"}}"#;
    let fixture = fixture([Script::status(400, refusal), Script::answer("a"), Script::answer("b")]).await;
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().text, "a");
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().text, "b");
    let asked: Vec<bool> =
        fixture.server.bodies().iter().map(|body| body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
    assert!(fixture.clock.slept().is_empty());
}

#[tokio::test]
async fn s5_reasoning_goes_back_to_the_provider_that_wants_it() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{}"}}]}}]}"#;
    let thinking = Script::data(&[
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"hm"}}]}"#,
        call,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ]);
    let settings = || ModelSettings { model: Some("deepseek-reasoner".into()), ..ModelSettings::default() };
    let first = fixture_with([thinking], settings()).await;
    let (reply, deltas) = ask(&first.model, &hello()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("hm", ""));
    assert_eq!(deltas, [Delta::Reasoning("hm".into())]);
    // As after a restart: the messages come from a session's file.
    let stored = vec![
        Message::user("hello"),
        Message::assistant("an earlier plain reply"),
        Message::Assistant {
            text: reply.text,
            reasoning: reply.reasoning,
            calls: reply.calls.clone(),
            state: Default::default(),
        },
        Message::Tool {
            call_id: reply.calls[0].id.clone(),
            name: "read_file".into(),
            text: String::new(),
            ok: true,
        },
    ];
    let stored = serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
    let second = fixture_with([Script::answer("done")], settings()).await;
    ask(&second.model, &request(stored)).await.0.unwrap();
    let body = &second.server.bodies()[0];
    assert_eq!(body["messages"][2]["reasoning_content"], "");
    assert_eq!(body["messages"][3]["reasoning_content"], "hm");
    assert_eq!(body["messages"][3]["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(body["messages"][4]["content"], "(no output)");
}

#[tokio::test]
async fn s5_reasoning_stays_here_where_it_is_not_wanted() {
    let fixture = fixture([Script::answer("a")]).await;
    let thought = Message::Assistant {
        text: "t".into(),
        reasoning: "r".into(),
        calls: vec![],
        state: Default::default(),
    };
    ask(&fixture.model, &request(vec![Message::user("a"), thought])).await.0.unwrap();
    let body = fixture.server.bodies()[0].to_string();
    assert!(!body.contains("reasoning"), "{body}");
}

#[tokio::test]
async fn s6_reading_stops_at_done_though_the_socket_stays_open() {
    let script = Script::data(&[&text("a"), "[DONE]"]).then(Step::Hang);
    let fixture = fixture([script]).await;
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().end, ReplyEnd::Complete);
}

#[tokio::test]
async fn s6_a_finish_reason_ends_it_though_done_never_comes() {
    let script = Script::data(&[&text("a"), FINISH]).then(Step::Hang);
    let fixture = fixture([script]).await;
    let began = Instant::now();
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().end, ReplyEnd::Complete);
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn s6_a_last_event_without_blank_line_counts() {
    let script = Script::bytes(format!("data: {}\n\ndata: {FINISH}", text("a")));
    let fixture = fixture([script]).await;
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().end, ReplyEnd::Complete);
}

#[tokio::test]
async fn s6_an_early_end_is_asked_again_while_nothing_was_shown() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"pa"}}]}}]}"#;
    let fixture =
        fixture([Script::data(&[call]), Script::data(&[]).then(Step::Reset), Script::answer("a")]).await;
    let (reply, deltas) = ask(&fixture.model, &hello()).await;
    assert_eq!(reply.unwrap().text, "a");
    assert_eq!(deltas.iter().filter(|delta| matches!(delta, Delta::Retrying { .. })).count(), 2);
}

#[tokio::test]
async fn s6_an_early_end_after_text_keeps_it_and_runs_nothing() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{}"}}]}}]}"#;
    for ending in [None, Some(Step::Reset)] {
        let mut script = Script::data(&[&text("so far"), call]);
        script.steps.extend(ending);
        let fixture = fixture([script]).await;
        let reply = ask(&fixture.model, &hello()).await.0.unwrap();
        assert_eq!((reply.text.as_str(), reply.end), ("so far", ReplyEnd::Broken));
        assert!(reply.calls.is_empty());
        assert_eq!(fixture.server.bodies().len(), 1);
    }
}

#[tokio::test]
async fn s6_a_silent_stream_is_an_end() {
    let fixture = fixture([Script::data(&[&text("a")]).then(Step::Hang)]).await;
    let model = fixture.model.with_silence(Duration::from_millis(100));
    let (reply, deltas) = ask(&model, &hello()).await;
    assert_eq!(reply.unwrap().end, ReplyEnd::Broken);
    assert!(matches!(deltas.last(), Some(Delta::Notice(text)) if text.contains("nothing came")));
}

#[tokio::test]
async fn s7_a_stream_cut_at_every_byte_over_http_is_the_same() {
    let script = || {
        Script::bytes(format!(
            ": hi\r\n\r\nevent: x\rid: 1\rdata:{}\r\rdata: : ping\n\ndata: {FINISH}\n\ndata: [DONE]\n\n",
            text("你好🎉"),
        ))
    };
    let length = match &script().steps[0] {
        Step::Bytes(bytes) => bytes.len(),
        _ => unreachable!(),
    };
    // Each third offset: the property test of the reader has them all.
    let cuts: Vec<usize> = (1..length).step_by(3).collect();
    let fixture = fixture(cuts.iter().map(|&at| script().cut_at(&[at]))).await;
    for _ in &cuts {
        let (reply, deltas) = ask(&fixture.model, &hello()).await;
        assert_eq!(reply.unwrap().text, "你好🎉");
        assert_eq!(deltas, [Delta::Text("你好🎉".into())]);
    }
}

#[tokio::test]
async fn s7_a_line_that_is_no_json_is_skipped_with_one_notice() {
    let fixture = fixture([Script::data(&["oops", &text("a"), "{broken", FINISH])]).await;
    let (reply, deltas) = ask(&fixture.model, &hello()).await;
    assert_eq!(reply.unwrap().text, "a");
    assert_eq!(deltas.iter().filter(|delta| matches!(delta, Delta::Notice(_))).count(), 1);
}

#[tokio::test]
async fn s10_retry_after_is_a_floor_in_seconds_and_as_a_date() {
    let date = httpdate_of(1_800_000_030);
    let limited = |value: &str| Script::status(429, "{}").header("retry-after", value);
    let fixture =
        fixture([limited("2"), limited(&date), Script::status(429, "{}"), Script::answer("a")]).await;
    let (reply, deltas) = ask(&fixture.model, &hello()).await;
    assert_eq!(reply.unwrap().text, "a");
    let slept = fixture.clock.slept();
    assert!(slept[0] >= Duration::from_secs(2), "{slept:?}");
    assert_eq!(slept[1], Duration::from_secs(30));
    assert!(slept[2] >= Duration::from_secs(2), "{slept:?}");
    assert!(matches!(&deltas[0], Delta::Retrying { why, .. } if why.contains("429")));
}

fn httpdate_of(seconds: u64) -> String {
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    // 1,800,000,000 is 2027-01-15 08:00:00.
    let (day, rest) = (seconds / 86_400, seconds % 86_400);
    format!(
        "{}, 15 Jan 2027 {:02}:{:02}:{:02} GMT",
        days[(day % 7) as usize],
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[tokio::test]
async fn s10_a_very_long_wait_is_told_and_not_sat_through() {
    let fixture = fixture([Script::status(429, "{}").header("retry-after", "3600")]).await;
    let error = ask(&fixture.model, &hello()).await.0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::RateLimit);
    assert!(error.message.contains("3600 s"), "{error}");
    assert!(fixture.clock.slept().is_empty());
}

#[tokio::test]
async fn s10_a_used_up_quota_fails_fast() {
    let body = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let fixture = fixture([Script::status(429, body), Script::answer("a")]).await;
    let error = ask(&fixture.model, &hello()).await.0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::RateLimit);
    assert!(error.message.contains("quota"), "{error}");
    assert_eq!(fixture.server.bodies().len(), 1);
}

#[tokio::test]
async fn s10_a_limit_in_the_stream_is_tried_again_only_before_text() {
    let limit = r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#;
    let before = fixture([Script::data(&[limit]), Script::answer("a")]).await;
    assert_eq!(ask(&before.model, &hello()).await.0.unwrap().text, "a");
    let after = fixture([Script::data(&[&text("so far"), limit]), Script::answer("a")]).await;
    let error = ask(&after.model, &hello()).await.0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::RateLimit);
    assert_eq!(error.partial.unwrap().text, "so far");
    assert_eq!(after.server.bodies().len(), 1);
}

#[tokio::test]
async fn s10_cancel_ends_the_wait_within_100_ms() {
    let server = Server::start([Script::status(429, "{}").header("retry-after", "50")]).await;
    let settings =
        ModelSettings { base_url: Some(server.url.clone()), model: Some("m".into()), ..Default::default() };
    let model = OpenAi::new(resolve(&settings).unwrap()).unwrap();
    cancel_is_quick(model, |delta| matches!(delta, Delta::Retrying { .. }), None).await;
}

#[tokio::test]
async fn cancel_in_a_stream_is_quick_and_keeps_what_came() {
    let fixture = fixture([Script::data(&[&text("so far")]).then(Step::Hang)]).await;
    cancel_is_quick(fixture.model, |delta| matches!(delta, Delta::Text(_)), Some("so far")).await;
}

async fn cancel_is_quick(model: OpenAi, until: fn(&Delta) -> bool, partial: Option<&str>) {
    let (sender, mut receiver) = mpsc::channel(16);
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let task = tokio::spawn(async move { model.stream(&hello(), sender, &token).await });
    while !until(&receiver.recv().await.unwrap()) {}
    let began = Instant::now();
    cancel.cancel();
    let error = task.await.unwrap().unwrap_err();
    assert!(began.elapsed() < Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(error.kind, ModelErrorKind::Cancelled);
    assert_eq!(error.partial.map(|reply| reply.text).as_deref(), partial);
}

#[tokio::test]
async fn s11_arguments_cut_at_the_limit_are_never_raw() {
    let head = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"path\": \"a"}}]}}]}"#;
    let length = r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#;
    let fixture = fixture([Script::data(&[head, length, "[DONE]"])]).await;
    let reply = ask(&fixture.model, &hello()).await.0.unwrap();
    assert_eq!(reply.end, ReplyEnd::Length);
    assert_eq!(reply.calls[0].fault, Some(ArgumentFault::CutAtLimit));
    assert!(reply.calls[0].input.is_empty());
}

#[tokio::test]
async fn errors_say_what_to_do() {
    let cases = [
        (401, r#"{"error":{"message":"bad key"}}"#, ModelErrorKind::Auth, "refused the key", "TAH_API_KEY"),
        (
            404,
            r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#,
            ModelErrorKind::Provider,
            "no model `m`",
            "--model",
        ),
        (
            400,
            r#"{"error":{"message":"Model Not Exist"}}"#,
            ModelErrorKind::Provider,
            "no model `m`",
            "--model",
        ),
        (404, "page not found", ModelErrorKind::Provider, "was not found", "/v1"),
        (
            400,
            r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":5000,"n_ctx":4096}}"#,
            ModelErrorKind::ContextOverflow,
            "5000 tokens and the window of m holds 4096",
            "new session",
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 140,123 tokens"}}"#,
            ModelErrorKind::ContextOverflow,
            "140123 tokens and the window of m holds 131072",
            "new session",
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient Balance"}}"#,
            ModelErrorKind::RateLimit,
            "no balance",
            "credit",
        ),
        (302, "", ModelErrorKind::Provider, "redirects", "base URL"),
    ];
    for (status, body, kind, message, hint) in cases {
        let fixture = fixture([Script::status(status, body)]).await;
        let error = ask(&fixture.model, &hello()).await.0.unwrap_err();
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(error.message.contains(message), "{error:?}");
        assert!(error.hint.as_deref().is_some_and(|text| text.contains(hint)), "{error:?}");
        assert_eq!(fixture.server.bodies().len(), 1);
    }
}

#[tokio::test]
async fn a_json_error_with_status_200_is_an_error() {
    for body in
        [r#"{"error":{"message":"invalid_request: no"}}"#, "\u{FEFF}\n{\"error\":\"invalid_request: no\"}"]
    {
        let mut script = Script::bytes(body);
        script.headers = vec![];
        let fixture = fixture([script]).await;
        let error = ask(&fixture.model, &hello()).await.0.unwrap_err();
        assert!(error.message.contains("invalid_request"), "{error:?}");
    }
}

#[tokio::test]
async fn a_reply_that_is_not_streamed_is_a_reply() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let fixture = fixture([Script::status(200, body)]).await;
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().text, "whole");
}

#[tokio::test]
async fn a_web_page_is_not_taken_for_a_model() {
    let fixture = fixture([Script::bytes("<!doctype html><p>welcome")]).await;
    let error = ask(&fixture.model, &hello()).await.0.unwrap_err();
    assert!(error.message.contains("web page"), "{error:?}");
}

#[tokio::test]
async fn server_errors_are_tried_again_and_then_told() {
    let fixture = fixture((0..9).map(|_| Script::status(500, r#"{"error":"down"}"#))).await;
    let error = ask(&fixture.model, &hello()).await.0.unwrap_err();
    assert!(error.message.contains("down"), "{error:?}");
    assert_eq!(fixture.server.bodies().len(), 6);
    let slept = fixture.clock.slept();
    assert!(slept.windows(2).all(|pair| pair[0] < pair[1]), "{slept:?}");
}

#[tokio::test]
async fn a_local_server_that_loads_its_model_is_waited_for() {
    let loading = r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
    let scripts = (0..12).map(|_| Script::status(503, loading)).chain([Script::answer("ready")]);
    let fixture = fixture(scripts).await;
    assert_eq!(ask(&fixture.model, &hello()).await.0.unwrap().text, "ready");
}

#[tokio::test]
async fn s10_a_local_server_that_is_only_unavailable_is_not_stormed() {
    for body in [r#"{"error":{"message":"Service unavailable."}}"#, r#"{"error":"Overloaded"}"#, ""] {
        let fixture = fixture((0..20).map(|_| Script::status(503, body))).await;
        ask(&fixture.model, &hello()).await.0.unwrap_err();
        assert_eq!(fixture.server.bodies().len(), 6, "{body}");
    }
}

#[tokio::test]
async fn a_local_server_that_is_not_there_is_said_at_once() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let settings = ModelSettings { base_url: Some(url.clone()), ..Default::default() };
    let model = OpenAi::new(resolve(&settings).unwrap()).unwrap();
    let error = ask(&model, &hello()).await.0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert!(error.message.contains(&url), "{error:?}");
    assert!(error.hint.is_some_and(|hint| hint.contains("start the model server")));
}

#[tokio::test]
async fn v1_pictures_go_to_models_that_can_see() {
    let picture = Message::User {
        text: "look".into(),
        images: vec![Image { media_type: "image/png".into(), data: "AAAA".into(), label: "shot.png".into() }],
        origin: Origin::Person,
    };
    for (vision, expected) in [
        (
            Vision::On,
            serde_json::json!([{ "type": "text", "text": "look" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } }]),
        ),
        (Vision::Off, serde_json::json!("look\n[image omitted: shot.png]")),
    ] {
        let settings = ModelSettings { vision: Some(vision), ..Default::default() };
        let fixture = fixture_with([Script::answer("a")], settings).await;
        ask(&fixture.model, &request(vec![picture.clone()])).await.0.unwrap();
        assert_eq!(fixture.server.bodies()[0]["messages"][1]["content"], expected);
    }
}

#[tokio::test]
async fn d1_ids_a_provider_repeats_are_made_unique() {
    let call = |arguments: &str| {
        Script::data(&[
            &serde_json::json!({ "choices": [{ "delta": { "tool_calls": [
                { "index": 0, "id": "call_0", "function": { "name": "read_file", "arguments": arguments } },
            ] } }] })
            .to_string(),
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        ])
    };
    let fixture = fixture([call("{}"), call("{}")]).await;
    let first = ask(&fixture.model, &hello()).await.0.unwrap();
    assert_eq!(first.calls[0].id.as_str(), "call_0");
    let messages = vec![
        Message::user("hello"),
        Message::Assistant {
            text: String::new(),
            reasoning: String::new(),
            calls: first.calls,
            state: Default::default(),
        },
    ];
    let second = ask(&fixture.model, &request(messages)).await.0.unwrap();
    assert_ne!(second.calls[0].id.as_str(), "call_0");
}
