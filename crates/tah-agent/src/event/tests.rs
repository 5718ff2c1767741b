//! The table of events says what the types say, and every event reads back.

use super::catalog::EVENTS;
use super::*;
use crate::card::{CardLine, Insistence, Scope};
use std::collections::BTreeSet;

/// One of every kind, with every optional field there.
fn samples() -> Vec<Event> {
    let call_id = CallId::new("call_1");
    let text = || "text".to_owned();
    let card = Card {
        title: text(),
        lines: vec![CardLine::Command("ls".to_owned())],
        always: Some(Scope::Tool { name: text() }),
        insistence: Insistence::EveryTime,
    };
    let id = ApprovalId::new("a");
    let reason = EndReason::Finished;
    let session = SessionId::new("s");
    vec![
        Event::Session { id: session, path: Some(text()), model: text(), cwd: text(), messages: 1 },
        Event::User { turn: TurnId::new("t"), text: text(), images: 1 },
        Event::Text { text: text() },
        Event::Reasoning { text: text() },
        Event::Retract {},
        Event::ReplyEnd { calls: 1 },
        Event::ToolStart { call_id: call_id.clone(), tool: text(), summary: text() },
        Event::ToolOutput { call_id: call_id.clone(), chunk: text() },
        Event::ToolEnd { call_id: call_id.clone(), ok: true, result: text(), ms: 1 },
        Event::Approval { id: id.clone(), call_id, tool: text(), card },
        Event::ApprovalEnd { id, answer: Answer::Yes },
        Event::Notice { level: Level::Info, text: text() },
        Event::Usage { input: 1, output: 1, cached: 1, window: Some(1) },
        Event::Todo { items: vec![TodoItem { text: text(), state: TodoState::InProgress }] },
        Event::SummaryEnd { reason },
        Event::TurnEnd { reason, steps: 1 },
        Event::TurnError { reason, message: text(), hint: Some(text()) },
    ]
}

#[test]
fn the_table_of_events_says_what_the_types_say() {
    let samples = samples();
    let kinds: Vec<String> = samples
        .iter()
        .map(|event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    let rows: Vec<&str> = EVENTS.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, rows);
    for (event, row) in samples.iter().zip(EVENTS) {
        let value = serde_json::to_value(event).unwrap();
        let have: BTreeSet<&str> =
            value.as_object().unwrap().keys().map(String::as_str).filter(|key| *key != "type").collect();
        let told: BTreeSet<&str> = row.fields.iter().map(|(name, _)| name.trim_end_matches('?')).collect();
        assert_eq!(have, told, "{}", row.kind);
    }
}

#[test]
fn every_event_reads_back() {
    for event in samples() {
        let line = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event, "{line}");
    }
}

#[tokio::test]
async fn an_event_is_written_down_before_it_is_shown() {
    struct Kept(Arc<Mutex<Vec<Event>>>);
    impl Journal for Kept {
        fn record(&mut self, event: &Event) {
            self.0.lock().unwrap().push(event.clone());
        }
    }
    let (sink, mut front) = EventSink::channel();
    let kept = Arc::new(Mutex::new(Vec::new()));
    sink.set_journal(Some(Box::new(Kept(kept.clone()))));
    sink.notice(Level::Info, "hello").await;
    let shown = front.recv().await.unwrap();
    assert_eq!(*kept.lock().unwrap(), [shown]);
    drop(front);
    sink.notice(Level::Info, "nobody is there any more").await;
    assert_eq!(kept.lock().unwrap().len(), 2);
}
