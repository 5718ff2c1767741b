//! The D cases: what a kill, a second process or a broken disk does to a session.
#![allow(clippy::disallowed_methods, reason = "these tests break files by hand")]

use super::record::{Record, VERSION};
use super::store::{SessionError, SessionStore};
use super::*;
use crate::event::Event;
use crate::id::CallId;
use crate::message::{Input, ReplyState, ToolCall};
use std::path::Path;

fn store(folder: &Path) -> SessionStore {
    SessionStore::beneath(&folder.join(".tah"))
}

fn new_session(folder: &Path) -> Session {
    let (session, notice) = store(folder).create("scripted", folder, None);
    assert_eq!(notice, None);
    session
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: CallId::new(id), name: "grep".to_owned(), input: Input::new(), fault: None }
}

fn calling(ids: &[&str]) -> Message {
    Message::Assistant {
        text: String::new(),
        reasoning: "I should look".to_owned(),
        calls: ids.iter().map(|id| call(id)).collect(),
        state: ReplyState::Whole,
    }
}

fn result(id: &str) -> Message {
    Message::Tool { call_id: CallId::new(id), name: "grep".to_owned(), text: "found".to_owned(), ok: true }
}

/// Fails unless a strict provider would take the conversation.
fn assert_paired(messages: &[Message]) {
    let mut open: Vec<&CallId> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call_id, .. } => {
                let at = open.iter().position(|id| *id == call_id);
                open.remove(at.expect("a result has its call"));
            }
            other => {
                assert!(open.is_empty(), "calls without results: {open:?}");
                if let Message::Assistant { calls, .. } = other {
                    open.extend(calls.iter().map(|call| &call.id));
                }
            }
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

#[test]
fn d1_open_calls_get_a_result_that_is_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("look"));
    session.append(calling(&["a", "b"]));
    session.append(result("a"));
    let id = session.id().to_string();
    drop(session);
    let opened = store(folder.path()).open(&id).unwrap();
    assert_paired(opened.messages());
    let Some(Message::Tool { text, ok: false, call_id, .. }) = opened.messages().last() else {
        panic!("{:?}", opened.messages())
    };
    assert_eq!(call_id.as_str(), "b");
    assert!(text.contains("may have happened"), "{text}");
    let messages = opened.messages().to_vec();
    drop(opened);
    let bytes = std::fs::read_to_string(store(folder.path()).read(&id).unwrap().path).unwrap();
    assert!(bytes.contains("may have happened"), "the repair is in the file");
    assert_eq!(store(folder.path()).read(&id).unwrap().contents.messages, messages);
}

#[test]
fn d1_text_that_was_shown_before_the_kill_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("tell"));
    let mut journal = session.journal().unwrap();
    journal.record(&Event::Reasoning { text: "hm".to_owned() });
    journal.record(&Event::Text { text: "Once ".to_owned() });
    journal.record(&Event::Text { text: "upon".to_owned() });
    let id = session.id().to_string();
    drop((session, journal));
    let opened = store(folder.path()).open(&id).unwrap();
    let expected = Message::Assistant {
        text: "Once upon".to_owned(),
        reasoning: "hm".to_owned(),
        calls: Vec::new(),
        state: ReplyState::Interrupted,
    };
    assert_eq!(opened.messages().last(), Some(&expected));
}

#[test]
fn d1_text_that_was_given_up_does_not_come_back_behind_later_prompts() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    let given_up = |session: &Session| {
        let mut journal = session.journal().unwrap();
        journal.record(&Event::Text { text: "no use".to_owned() });
    };
    session.append(Message::user("tell"));
    given_up(&session);
    session.append(Message::user("again"));
    let id = session.id().to_string();
    let read = || store(folder.path()).read(&id).unwrap().contents.messages;
    assert_eq!(read().last(), Some(&Message::user("again")));
    given_up(&session);
    session.replace_messages(vec![Message::user("summary")]);
    assert_eq!(read(), [Message::user("summary")]);
}

#[test]
fn d2_one_writer_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("mine"));
    let id = session.id().to_string();
    let store = store(folder.path());
    let Err(SessionError::InUse { pid, .. }) = store.open(&id) else { panic!("opened twice") };
    assert_eq!(pid, Some(std::process::id()));
    assert!(matches!(store.delete(&id), Err(SessionError::InUse { .. })));
    // The second process can go on from a copy.
    let (fork, notice) = store.fork(&id, "scripted", folder.path()).unwrap();
    assert_eq!(notice, None);
    assert_eq!(fork.meta().parent, Some(session.id().clone()));
    assert_eq!(fork.messages(), session.messages());
    drop(session);
    assert_eq!(store.open(&id).unwrap().messages(), [Message::user("mine")]);
}

#[test]
fn d2_sessions_side_by_side_keep_every_message() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let mut session = new_session(folder);
                for number in 0..200 {
                    session.append(Message::user(format!("{writer} {number}")));
                }
            });
        }
    });
    let list = store(folder.path()).list();
    assert_eq!(list.len(), 4);
    for listed in list {
        assert_eq!(listed.messages, 200);
        assert!(listed.title.ends_with(" 0"), "{}", listed.title);
    }
}

#[test]
fn d3_a_torn_last_line_is_passed_over_and_does_not_swallow_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("one"));
    session.append(Message::assistant("two"));
    let (id, path) = (session.id().to_string(), session.path().unwrap().to_owned());
    drop(session);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let mut opened = store(folder.path()).open(&id).unwrap();
    assert_eq!(opened.messages(), [Message::user("one")]);
    opened.append(Message::user("three"));
    drop(opened);
    let opened = store(folder.path()).open(&id).unwrap();
    assert_eq!(opened.messages(), [Message::user("one"), Message::user("three")]);
}

#[test]
fn d3_random_bytes_in_the_middle_cost_only_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("one"));
    session.append(calling(&["a"]));
    session.append(result("a"));
    session.append(Message::assistant("done"));
    let (id, path) = (session.id().to_string(), session.path().unwrap().to_owned());
    drop(session);
    let lines: Vec<Vec<u8>> =
        std::fs::read(&path).unwrap().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for broken in 1..lines.len() {
        let mut bytes = lines.clone();
        bytes[broken] = b"\xff\x00\xfenoise\n".to_vec();
        std::fs::write(&path, bytes.concat()).unwrap();
        let mut opened = store(folder.path()).open(&id).unwrap();
        assert_paired(opened.messages());
        assert!(opened.take_warning().is_some_and(|warning| warning.contains("unreadable")));
        opened.append(Message::user("go on"));
        let messages = opened.messages().to_vec();
        drop(opened);
        assert_eq!(store(folder.path()).open(&id).unwrap().messages(), messages);
    }
}

#[test]
fn d3_a_file_that_is_no_session_is_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [&b""[..], b"\x00\x01\x02\xff\n", b"{}\n", b"{\"record\":\"message\"}\n"] {
        let session = new_session(folder.path());
        let (id, path) = (session.id().to_string(), session.path().unwrap().to_owned());
        drop(session);
        std::fs::write(&path, bytes).unwrap();
        let Err(SessionError::Corrupt { kept_as: Some(kept), .. }) = store(folder.path()).open(&id) else {
            panic!("{bytes:?} was opened")
        };
        assert_eq!(std::fs::read(kept).unwrap(), bytes);
        assert!(!path.exists());
    }
}

#[test]
fn d3_a_newer_session_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let session = new_session(folder.path());
    let (id, path) = (session.id().to_string(), session.path().unwrap().to_owned());
    drop(session);
    let newer = format!("{{\"record\":\"meta\",\"version\":{},\"shape\":[]}}\n", VERSION + 1);
    std::fs::write(&path, &newer).unwrap();
    let error = store(folder.path()).open(&id).err().expect("refused");
    assert!(matches!(error, SessionError::Newer { .. }), "{error}");
    assert!(error.to_string().contains("newer tah"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), newer);
}

#[test]
fn d3_a_folder_that_cannot_be_written_turns_history_off() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".tah"), "a file stands here").unwrap();
    let (mut session, notice) = store(folder.path()).create("scripted", folder.path(), None);
    assert!(notice.is_some_and(|notice| notice.starts_with("history is off")));
    session.append(Message::user("works all the same"));
    assert_eq!(session.messages().len(), 1);
    assert_eq!(session.path(), None);
}

#[test]
fn d3_a_linked_state_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(".tah")).unwrap();
    let (_, notice) = store(folder.path()).create("scripted", folder.path(), None);
    assert!(notice.is_some_and(|notice| notice.contains("link")));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn d3_a_full_disk_is_told_once_and_the_conversation_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let meta = new_session(folder.path()).meta().clone();
    let full = AppendFile::open(Path::new("/dev/full"), tah_os::disk::Access::Private);
    assert!(full.is_err(), "a device is no session file");
    let path = folder.path().join("full.jsonl");
    let lock = Lock::take(&folder.path().join("full.lock")).unwrap();
    let file = AppendFile::open(&path, tah_os::disk::Access::Private).unwrap();
    let mut session = Session::on_disk(meta, path, file, lock, Vec::new());
    super::lock(session.log.as_ref().unwrap()).trouble = Some("no space left on device".to_owned());
    session.append(Message::user("kept in memory"));
    assert_eq!(session.take_trouble().as_deref(), Some("no space left on device"));
    assert_eq!(session.take_trouble(), None);
    assert_eq!(session.messages().len(), 1);
}

#[test]
fn d5_a_restart_after_any_line_gives_what_was_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    let mut journal = session.journal().unwrap();
    session.append(Message::user("look"));
    journal.record(&Event::Text { text: "I look".to_owned() });
    session.append(calling(&["a", "b"]));
    for id in ["a", "b"] {
        let call_id = CallId::new(id);
        let (tool, summary) = ("grep".to_owned(), String::new());
        journal.record(&Event::ToolStart { call_id: call_id.clone(), tool, summary });
        session.append(result(id));
        journal.record(&Event::ToolEnd { call_id, ok: true, result: "1 match".to_owned(), ms: 1 });
    }
    session.append(Message::assistant("found it"));
    let (id, path) = (session.id().to_string(), session.path().unwrap().to_owned());
    drop((session, journal));
    let whole = std::fs::read(&path).unwrap();
    let ends: Vec<usize> = (1..=whole.len()).filter(|end| whole[end - 1] == b'\n').collect();
    for end in ends {
        std::fs::write(&path, &whole[..end]).unwrap();
        let shown = store(folder.path()).read(&id).unwrap().contents;
        assert_paired(&shown.messages);
        for event in &shown.events {
            if let Event::ToolEnd { call_id: ended, .. } = event {
                let finished = shown.messages.iter().any(
                    |message| matches!(message, Message::Tool { call_id, ok: true, .. } if call_id == ended),
                );
                assert!(finished, "a call that was shown as finished is missing at {end}");
            }
        }
        let opened = store(folder.path()).open(&id).unwrap();
        assert_eq!(opened.messages(), shown.messages);
    }
}

#[test]
fn replaced_messages_are_what_the_model_is_asked_with_and_the_rest_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("a long story"));
    session.replace_messages(vec![Message::user("summary")]);
    session.append(Message::assistant("yes"));
    let id = session.id().to_string();
    drop(session);
    let stored = store(folder.path()).read(&id).unwrap();
    assert_eq!(stored.contents.messages, [Message::user("summary"), Message::assistant("yes")]);
    assert!(std::fs::read_to_string(stored.path).unwrap().contains("a long story"));
}

#[test]
fn sessions_are_found_by_id_its_beginning_and_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let first = new_session(folder.path());
    let second = new_session(folder.path());
    let ids = (first.id().to_string(), second.id().to_string());
    drop((first, second));
    let store = store(folder.path());
    assert_eq!(store.open(&ids.0).unwrap().id().as_str(), ids.0);
    assert_eq!(store.open(&ids.1[..6]).unwrap().id().as_str(), ids.1);
    assert_eq!(store.list().len(), 2);
    let newest = store.list()[0].meta.id.clone();
    assert_eq!(*store.open_newest().unwrap().id(), newest);
    assert!(matches!(store.open("nothing"), Err(SessionError::Unknown(_))));
    assert!(matches!(store.open(""), Err(SessionError::Unknown(_))));
    assert!(matches!(store.open("../../etc/passwd"), Err(SessionError::Unknown(_))));
    store.delete(&ids.0).unwrap();
    assert_eq!(store.list().len(), 1);
}

#[test]
fn the_state_folder_ignores_itself() {
    let folder = tempfile::tempdir().unwrap();
    new_session(folder.path());
    assert_eq!(std::fs::read_to_string(folder.path().join(".tah/.gitignore")).unwrap(), "*\n");
}

#[test]
fn an_export_cannot_be_broken_out_of() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.append(Message::user("look"));
    session.append(calling(&["a"]));
    let text = "```\n# not a title\n````".to_owned();
    session.append(Message::Tool { call_id: CallId::new("a"), name: "grep".to_owned(), text, ok: true });
    let id = session.id().to_string();
    drop(session);
    let stored = store(folder.path()).read(&id).unwrap();
    let markdown = export::markdown(&stored);
    assert!(markdown.contains("\n`````\n```\n# not a title\n````\n`````\n"), "{markdown}");
    assert_eq!(export::json(&stored)["messages"].as_array().unwrap().len(), 3);
}

#[test]
fn every_record_reads_back() {
    let records = [
        Record::Message { message: calling(&["a"]) },
        Record::Replaced { messages: vec![result("a")] },
        Record::Event { event: Event::Retract {} },
    ];
    for record in records {
        let line = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
    }
}
