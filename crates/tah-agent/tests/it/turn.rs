//! The turn: exactly one result a call on every path, cancel at once, cards answered in order, nothing twice.

use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tah_agent::approval::ApproveMode;
use tah_agent::approval::rules::{RuleEffect, Rules};
use tah_agent::card::{Answer, Card, CardLine, Insistence, Scope};
use tah_agent::event::{EndReason, Event};
use tah_agent::host::{Command, Host, Setup};
use tah_agent::id::CallId;
use tah_agent::message::{ArgumentFault, Image, Input, Message, ToolCall};
use tah_agent::model::{
    CallsInText, Delta, Model, ModelError, ModelErrorKind, Profile, Reply, ReplyEnd, Request,
};
use tah_agent::session::store::SessionStore;
use tah_agent::tool::{Effect, FixedTools, Output, Tool, ToolContext, ToolError, ToolSource, Vision};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const PATIENCE: Duration = Duration::from_secs(20);

/// What the scripted model answers: a reply, or a stream that hangs after its text.
enum Script {
    Say(Reply),
    Hang(&'static str),
    Fail(ModelErrorKind, &'static str),
}

fn reply(text: &str, calls: Vec<ToolCall>) -> Script {
    ended(text, calls, ReplyEnd::Complete)
}

fn ended(text: &str, calls: Vec<ToolCall>, end: ReplyEnd) -> Script {
    Script::Say(Reply { text: text.to_owned(), reasoning: String::new(), calls, usage: None, end })
}

fn call(id: &str, name: &str, input: Value) -> ToolCall {
    let input = input.as_object().cloned().unwrap();
    ToolCall { id: CallId::new(id), name: name.to_owned(), input, fault: None }
}

struct Scripted {
    profile: Profile,
    replies: Mutex<VecDeque<Script>>,
    requests: Mutex<Vec<Request>>,
}

#[async_trait]
impl Model for Scripted {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    async fn stream(
        &self,
        request: &Request,
        deltas: mpsc::Sender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        let next = self.replies.lock().unwrap().pop_front();
        match next.unwrap_or_else(|| reply("out of script", Vec::new())) {
            Script::Say(reply) => {
                for piece in reply.text.chars() {
                    let _ = deltas.send(Delta::Text(piece.to_string())).await;
                }
                Ok(reply)
            }
            Script::Hang(text) => {
                let _ = deltas.send(Delta::Text(text.to_owned())).await;
                cancel.cancelled().await;
                let Script::Say(partial) = ended(text, Vec::new(), ReplyEnd::Broken) else { unreachable!() };
                Err(ModelError { partial: Some(Box::new(partial)), ..ModelError::cancelled() })
            }
            Script::Fail(kind, message) => Err(ModelError::new(kind, message)),
        }
    }
}

/// What a test tool does when it runs.
#[derive(Clone, Copy)]
enum Does {
    Echo,
    Panic,
    /// Ignores its cancellation for a long time.
    Stubborn,
    Picture,
}

struct Probe {
    name: &'static str,
    effect: Effect,
    asks: Option<Insistence>,
    does: Does,
    schema: Value,
    runs: Arc<AtomicUsize>,
    at_once: Arc<Together>,
}

/// How many probes ran at the same time at most.
#[derive(Default)]
struct Together {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Tool for Probe {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "a probe"
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _: &Input) -> Effect {
        self.effect
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        if input.get("text").and_then(Value::as_str) == Some("does not apply") {
            return Err(ToolError::new("it would not apply"));
        }
        Ok(self.asks.map(|insistence| Card {
            title: "Run probe".to_owned(),
            lines: vec![CardLine::Text(self.summary(input))],
            always: Some(Scope::Tool { name: self.name.to_owned() }),
            insistence,
        }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        vec![self.summary(input)]
    }

    fn summary(&self, input: &Input) -> String {
        input.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    async fn run(&self, input: Input, _: &ToolContext) -> Result<Output, ToolError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        let now = self.at_once.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.at_once.most.fetch_max(now, Ordering::SeqCst);
        match self.does {
            Does::Echo => tokio::task::yield_now().await,
            Does::Panic => panic!("a probe panics"),
            Does::Stubborn => tokio::time::sleep(Duration::from_secs(300)).await,
            Does::Picture => {}
        }
        if matches!(self.does, Does::Echo) {
            // Gives the others of a side-by-side run the chance to start.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.at_once.now.fetch_sub(1, Ordering::SeqCst);
        let text = self.summary(&input);
        let mut output = Output::new(text.clone(), text);
        if matches!(self.does, Does::Picture) {
            let (media_type, data) = ("image/png".to_owned(), "AAAA".to_owned());
            output.images.push(Image { media_type, data, label: "shot.png".to_owned() });
        }
        Ok(output)
    }
}

fn probe(name: &'static str, effect: Effect, asks: Option<Insistence>, does: Does) -> Probe {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    Probe { name, effect, asks, does, schema, runs: Arc::default(), at_once: Arc::default() }
}

/// A host on a scripted model, and everything that was seen of it.
struct Bench {
    host: Host,
    model: Arc<Scripted>,
    probes: Vec<Arc<Probe>>,
    seen: Vec<Event>,
}

struct Options {
    mode: ApproveMode,
    rules: Rules,
    max_steps: usize,
    store: SessionStore,
}

impl Default for Options {
    fn default() -> Self {
        let (rules, store) = (Rules::default(), SessionStore::nowhere());
        Options { mode: ApproveMode::Ask, rules, max_steps: 20, store }
    }
}

impl Bench {
    fn new(replies: Vec<Script>, probes: Vec<Probe>) -> Self {
        Self::with(replies, probes, Options::default())
    }

    fn with(replies: Vec<Script>, probes: Vec<Probe>, options: Options) -> Self {
        let profile = Profile {
            name: "scripted".to_owned(),
            window: None,
            vision: Vision::On,
            calls_in_text: CallsInText::Never,
        };
        let model =
            Arc::new(Scripted { profile, replies: Mutex::new(replies.into()), requests: Mutex::default() });
        let probes: Vec<Arc<Probe>> = probes.into_iter().map(Arc::new).collect();
        let tools: Vec<Arc<dyn Tool>> = probes.iter().map(|probe| probe.clone() as Arc<dyn Tool>).collect();
        let source: Arc<dyn ToolSource> = Arc::new(FixedTools(tools));
        let host = Host::start(Setup {
            model: model.clone(),
            sources: vec![source],
            mode: options.mode,
            rules: options.rules,
            system: "be good".to_owned(),
            max_steps: options.max_steps,
            store: options.store,
            cwd: Path::new("/nowhere").to_owned(),
            session: None,
            models: None,
        });
        Bench { host, model, probes, seen: Vec::new() }
    }

    async fn send(&self, command: Command) {
        self.host.commands.send(command).await.unwrap();
    }

    async fn prompt(&self, text: &str) {
        self.send(Command::Send { text: text.to_owned(), images: Vec::new() }).await;
    }

    async fn next(&mut self) -> Event {
        let event = tokio::time::timeout(PATIENCE, self.host.events.recv()).await.expect("an event in time");
        let event = event.expect("the host lives");
        self.seen.push(event.clone());
        event
    }

    async fn until(&mut self, mut is_it: impl FnMut(&Event) -> bool) -> Event {
        loop {
            let event = self.next().await;
            if is_it(&event) {
                return event;
            }
        }
    }

    /// Waits for the end of the turn.
    async fn end(&mut self) -> EndReason {
        let event =
            self.until(|event| matches!(event, Event::TurnEnd { .. } | Event::TurnError { .. })).await;
        match event {
            Event::TurnEnd { reason, .. } | Event::TurnError { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    async fn answer_next(&mut self, answer: Answer) {
        let card = self.until(|event| matches!(event, Event::Approval { .. })).await;
        let Event::Approval { id, .. } = card else { panic!("{card:?}") };
        self.send(Command::Answer { id, answer }).await;
    }

    fn runs(&self, index: usize) -> usize {
        self.probes[index].runs.load(Ordering::SeqCst)
    }

    /// The conversation as the last request held it.
    fn conversation(&self) -> Vec<Message> {
        self.model.requests.lock().unwrap().last().expect("a request").messages.clone()
    }

    /// The results in the conversation, in order: call id, text, success.
    fn results(&self) -> Vec<(String, String, bool)> {
        let result = |message: Message| match message {
            Message::Tool { call_id, text, ok, .. } => Some((call_id.to_string(), text, ok)),
            _ => None,
        };
        self.conversation().into_iter().filter_map(result).collect()
    }

    fn count(&self, is_it: impl Fn(&Event) -> bool) -> usize {
        self.seen.iter().filter(|event| is_it(event)).count()
    }
}

fn text(value: &str) -> Value {
    json!({"text": value})
}

#[tokio::test]
async fn every_call_gets_exactly_one_result_whatever_is_wrong_with_it() {
    let mut faulty = call("f", "echo", json!({}));
    faulty.fault = Some(ArgumentFault::Malformed { message: "not JSON".to_owned() });
    let calls = vec![
        call("a", "echo", text("fine")),
        call("b", "no_such_tool", json!({})),
        faulty,
        call("c", "echo", json!({"text": 7})),
        call("d", "echo", json!({})),
        call("e", "crash", text("x")),
        call("g", "echo", text("does not apply")),
        call("h", "ech", text("x")),
    ];
    let count = calls.len();
    let probes = vec![
        probe("echo", Effect::Write, None, Does::Echo),
        probe("crash", Effect::Write, None, Does::Panic),
    ];
    let mut bench = Bench::new(vec![reply("", calls), reply("done", Vec::new())], probes);
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::Finished);
    let results = bench.results();
    let ids: Vec<&str> = results.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "f", "c", "d", "e", "g", "h"]);
    let said = |id: &str| results.iter().find(|(one, ..)| one == id).unwrap().1.clone();
    assert_eq!(said("a"), "fine");
    assert!(said("b").contains("there is no tool `no_such_tool`"), "{}", said("b"));
    assert!(said("f").contains("no JSON object"), "{}", said("f"));
    assert!(said("c").contains("text"), "the argument is named: {}", said("c"));
    assert!(said("d").contains("text"), "{}", said("d"));
    assert!(said("e").contains("defect"), "{}", said("e"));
    assert!(said("h").contains("did you mean `echo`"), "{}", said("h"));
    assert_eq!(results.iter().filter(|(.., ok)| *ok).count(), 1);
    assert_eq!(bench.count(|event| matches!(event, Event::ToolStart { .. })), count);
    assert_eq!(bench.count(|event| matches!(event, Event::ToolEnd { .. })), count);
}

#[tokio::test]
async fn calls_that_only_read_run_side_by_side_and_keep_their_order() {
    let calls: Vec<ToolCall> =
        (0..4).map(|number| call(&format!("c{number}"), "look", text(&number.to_string()))).collect();
    let mut bench = Bench::new(
        vec![reply("", calls.clone()), reply("done", Vec::new())],
        vec![probe("look", Effect::Read, None, Does::Echo)],
    );
    bench.prompt("go").await;
    bench.end().await;
    let order: Vec<String> = bench.results().into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(order, ["0", "1", "2", "3"]);
    assert!(bench.probes[0].at_once.most.load(Ordering::SeqCst) > 1);

    let mut bench = Bench::new(
        vec![reply("", calls), reply("done", Vec::new())],
        vec![probe("look", Effect::Write, None, Does::Echo)],
    );
    bench.prompt("go").await;
    bench.end().await;
    assert_eq!(bench.probes[0].at_once.most.load(Ordering::SeqCst), 1, "what writes runs in order");
}

#[tokio::test]
async fn a_cancel_ends_the_turn_at_once_while_the_model_streams() {
    let mut bench = Bench::new(vec![Script::Hang("half"), reply("whole", Vec::new())], Vec::new());
    bench.prompt("go").await;
    bench.until(|event| matches!(event, Event::Text { .. })).await;
    let began = Instant::now();
    bench.send(Command::Cancel).await;
    assert_eq!(bench.end().await, EndReason::Cancelled);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    bench.prompt("go on").await;
    assert_eq!(bench.end().await, EndReason::Finished);
    let kept = bench.conversation();
    assert!(matches!(&kept[1], Message::Assistant { text, .. } if text == "half"), "{kept:?}");
}

#[tokio::test]
async fn a_cancel_ends_the_turn_at_once_while_a_stubborn_tool_runs() {
    let calls = vec![call("a", "stubborn", text("x")), call("b", "stubborn", text("y"))];
    let mut bench = Bench::new(
        vec![reply("", calls), reply("after", Vec::new())],
        vec![probe("stubborn", Effect::Write, None, Does::Stubborn)],
    );
    bench.prompt("go").await;
    bench.until(|event| matches!(event, Event::ToolStart { .. })).await;
    let began = Instant::now();
    bench.send(Command::Cancel).await;
    assert_eq!(bench.end().await, EndReason::Cancelled);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    bench.prompt("go on").await;
    bench.end().await;
    let results = bench.results();
    assert!(results[0].1.contains("may have happened"), "{results:?}");
    assert!(results[1].1.contains("before it ran"), "{results:?}");
}

#[tokio::test]
async fn u5_a_cancel_answers_every_open_card_with_no() {
    let calls = vec![call("a", "ask", text("x")), call("b", "ask", text("y"))];
    let mut bench = Bench::new(
        vec![reply("", calls)],
        vec![probe("ask", Effect::Write, Some(Insistence::Normal), Does::Echo)],
    );
    bench.prompt("go").await;
    bench.until(|event| matches!(event, Event::Approval { .. })).await;
    bench.send(Command::Cancel).await;
    assert_eq!(bench.end().await, EndReason::Cancelled);
    assert_eq!(bench.runs(0), 0);
    assert_eq!(bench.count(|event| matches!(event, Event::Approval { .. })), 1);
    assert_eq!(bench.count(|event| matches!(event, Event::ApprovalEnd { .. })), 1);
    assert_eq!(bench.count(|event| matches!(event, Event::ToolEnd { ok: false, .. })), 2);
}

#[tokio::test]
async fn u5_a_denied_call_is_not_asked_again_in_its_turn_but_in_the_next() {
    let again = || reply("", vec![call("a", "ask", text("x"))]);
    let script = vec![again(), again(), reply("gave up", Vec::new()), again(), reply("did it", Vec::new())];
    let mut bench =
        Bench::new(script, vec![probe("ask", Effect::Write, Some(Insistence::Normal), Does::Echo)]);
    bench.prompt("go").await;
    bench.answer_next(Answer::No { reason: Some("use the other file".to_owned()) }).await;
    assert_eq!(bench.end().await, EndReason::Denied);
    let results = bench.results();
    assert!(results[0].1.contains("use the other file"), "the model reads the reason: {results:?}");
    assert!(results[1].1.contains("already denied"), "{results:?}");
    assert_eq!(bench.count(|event| matches!(event, Event::Approval { .. })), 1);
    bench.prompt("try again").await;
    bench.answer_next(Answer::Yes).await;
    assert_eq!(bench.end().await, EndReason::Finished);
    assert_eq!(bench.runs(0), 1);
}

#[tokio::test]
async fn always_holds_for_the_session_and_not_for_what_asks_every_time() {
    let twice = |name: &str| reply("", vec![call("a", name, text("x")), call("b", name, text("y"))]);
    let mut bench = Bench::new(
        vec![twice("ask"), reply("done", Vec::new()), twice("ask"), reply("done", Vec::new())],
        vec![probe("ask", Effect::Write, Some(Insistence::Normal), Does::Echo)],
    );
    bench.prompt("go").await;
    bench.answer_next(Answer::Always).await;
    assert_eq!(bench.end().await, EndReason::Finished);
    assert_eq!(bench.count(|event| matches!(event, Event::Approval { .. })), 1);
    bench.send(Command::Reset).await;
    bench.prompt("go").await;
    bench.answer_next(Answer::Yes).await;
    bench.answer_next(Answer::Yes).await;
    assert_eq!(bench.end().await, EndReason::Finished);

    let mut bench = Bench::new(
        vec![twice("every"), reply("done", Vec::new())],
        vec![probe("every", Effect::Write, Some(Insistence::EveryTime), Does::Echo)],
    );
    bench.prompt("go").await;
    bench.answer_next(Answer::Always).await;
    bench.answer_next(Answer::Yes).await;
    assert_eq!(bench.end().await, EndReason::Finished);
}

#[tokio::test]
async fn rules_allow_ask_and_deny_and_the_last_match_wins() {
    let rules = || {
        let mut rules = Rules::default();
        rules.push(RuleEffect::Allow, "ask".parse().unwrap());
        rules.push(RuleEffect::Deny, "ask(rm *)".parse().unwrap());
        rules.push(RuleEffect::Ask, "look(secret*)".parse().unwrap());
        rules
    };
    let calls = vec![
        call("a", "ask", text("ls")),
        call("b", "ask", text("rm -rf x")),
        call("c", "look", text("secret.txt")),
        call("d", "look", text("open.txt")),
    ];
    let probes = || {
        vec![
            probe("ask", Effect::Write, Some(Insistence::Normal), Does::Echo),
            probe("look", Effect::Read, None, Does::Echo),
        ]
    };
    let script = || vec![reply("", calls.clone()), reply("done", Vec::new())];
    let options = Options { rules: rules(), mode: ApproveMode::Unattended, ..Options::default() };
    let mut bench = Bench::with(script(), probes(), options);
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::Denied);
    let ok: Vec<bool> = bench.results().iter().map(|(.., ok)| *ok).collect();
    assert_eq!(ok, [true, false, false, true]);
    assert!(bench.results()[1].1.contains("ask(rm *)"), "the rule is named: {:?}", bench.results());
    assert!(bench.count(|event| matches!(event, Event::Notice { .. })) >= 1, "a refusal is said");
    // `--yes` answers every card, and a deny rule still holds.
    let options = Options { rules: rules(), mode: ApproveMode::Yes, ..Options::default() };
    let mut bench = Bench::with(script(), probes(), options);
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::Denied);
    let ok: Vec<bool> = bench.results().iter().map(|(.., ok)| *ok).collect();
    assert_eq!(ok, [true, false, true, true]);
}

#[tokio::test]
async fn s6_no_call_of_a_broken_reply_runs() {
    let calls = vec![call("a", "echo", text("x"))];
    let mut bench = Bench::new(
        vec![ended("half", calls, ReplyEnd::Broken), reply("fine", Vec::new())],
        vec![probe("echo", Effect::Write, None, Does::Echo)],
    );
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::Truncated);
    assert_eq!(bench.runs(0), 0);
    bench.prompt("again").await;
    assert_eq!(bench.end().await, EndReason::Finished);
    assert_eq!(bench.results(), Vec::new(), "no call was stored either");
}

#[tokio::test]
async fn s11_a_model_that_only_writes_cut_calls_is_stopped() {
    let cut = || {
        let mut one = call("a", "echo", json!({}));
        one.fault = Some(ArgumentFault::CutAtLimit);
        ended("", vec![one], ReplyEnd::Length)
    };
    let mut bench = Bench::new(
        vec![cut(), cut(), cut(), cut(), cut()],
        vec![probe("echo", Effect::Write, None, Does::Echo)],
    );
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::Truncated);
    assert_eq!(bench.runs(0), 0);
    assert_eq!(bench.model.requests.lock().unwrap().len(), 3, "two repeats");
    assert!(bench.results()[0].1.contains("smaller pieces"), "{:?}", bench.results());
}

#[tokio::test]
async fn bp_v1_pictures_follow_the_results_of_their_step_in_one_user_message() {
    let calls = vec![call("a", "shoot", text("x")), call("b", "shoot", text("y"))];
    let mut bench = Bench::new(
        vec![reply("", calls), reply("seen", Vec::new())],
        vec![probe("shoot", Effect::Write, None, Does::Picture)],
    );
    bench.prompt("go").await;
    bench.end().await;
    let conversation = bench.conversation();
    let [.., Message::Tool { .. }, Message::Tool { .. }, Message::User { images, .. }] = &conversation[..]
    else {
        panic!("{conversation:?}")
    };
    assert_eq!(images.len(), 2);
}

#[tokio::test]
async fn the_step_limit_ends_the_turn_and_continue_goes_on() {
    let step = |id: &str| reply("", vec![call(id, "echo", text("x"))]);
    let script = vec![step("a"), step("b"), step("c"), reply("there", Vec::new())];
    let options = Options { max_steps: 2, ..Options::default() };
    let mut bench = Bench::with(script, vec![probe("echo", Effect::Write, None, Does::Echo)], options);
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::StepLimit);
    bench.send(Command::Continue).await;
    assert_eq!(bench.end().await, EndReason::Finished);
    assert_eq!(bench.results().len(), 3);
}

#[tokio::test]
async fn a_failed_request_is_told_and_the_next_prompt_works() {
    let script = vec![Script::Fail(ModelErrorKind::Network, "no connection"), reply("back", Vec::new())];
    let mut bench = Bench::new(script, Vec::new());
    bench.prompt("go").await;
    assert_eq!(bench.end().await, EndReason::Failed);
    bench.prompt("again").await;
    assert_eq!(bench.end().await, EndReason::Finished);
}

#[tokio::test]
async fn prompts_sent_while_a_turn_runs_wait_their_turn() {
    let mut bench = Bench::new(vec![reply("one", Vec::new()), reply("two", Vec::new())], Vec::new());
    bench.prompt("first").await;
    bench.prompt("second").await;
    bench.end().await;
    bench.end().await;
    let prompts: Vec<Message> =
        bench.conversation().into_iter().filter(|message| matches!(message, Message::User { .. })).collect();
    assert_eq!(prompts, [Message::user("first"), Message::user("second")]);
}

#[tokio::test]
async fn reset_resume_and_fork_change_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = SessionStore::beneath(&folder.path().join(".tah"));
    let options = Options { store, ..Options::default() };
    let script = vec![reply("one", Vec::new()), reply("two", Vec::new()), reply("three", Vec::new())];
    let mut bench = Bench::with(script, Vec::new(), options);
    let Event::Session { id: first, .. } = bench.next().await else { panic!("the session comes first") };
    bench.prompt("remember me").await;
    bench.end().await;
    bench.send(Command::Reset).await;
    let Event::Session { id: second, messages: 0, .. } = bench.next().await else { panic!("a fresh one") };
    assert_ne!(first, second);
    bench.send(Command::Resume { which: first.to_string() }).await;
    let Event::Session { id, messages: 2, .. } = bench.next().await else { panic!("the first again") };
    assert_eq!(id, first);
    bench.send(Command::Fork).await;
    let Event::Session { id: fork, messages: 2, .. } = bench.next().await else { panic!("a copy") };
    assert_ne!(fork, first);
    bench.send(Command::Resume { which: "nothing".to_owned() }).await;
    assert!(matches!(bench.next().await, Event::Notice { .. }));
    bench.prompt("still here").await;
    assert_eq!(bench.end().await, EndReason::Finished);
    assert_eq!(bench.conversation().len(), 3);
}

#[tokio::test]
async fn close_ends_a_running_turn_and_the_stream_of_events() {
    let mut bench = Bench::new(vec![Script::Hang("half")], Vec::new());
    bench.prompt("go").await;
    bench.until(|event| matches!(event, Event::Text { .. })).await;
    bench.send(Command::Close).await;
    assert_eq!(bench.end().await, EndReason::Cancelled);
    // The bench itself holds a sink, so the end is seen by the commands' channel closing.
    tokio::time::timeout(PATIENCE, bench.host.commands.closed()).await.expect("the host ends");
}
