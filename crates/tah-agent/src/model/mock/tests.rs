//! The mock's way through a turn.

use super::*;
use crate::message::ReplyState;
use crate::model::ToolSpec;

fn request(messages: Vec<Message>, tools: &[&str]) -> Request {
    let spec = |name: &&str| ToolSpec { name: (*name).into(), description: String::new(), schema: json!({}) };
    Request { system: String::new(), messages, tools: tools.iter().map(spec).collect(), max_output: None }
}

async fn ask(messages: &[Message], tools: &[&str]) -> Reply {
    let (sender, mut receiver) = mpsc::channel(4096);
    let request = request(messages.to_vec(), tools);
    let reply = MockModel::default().stream(&request, sender, &CancellationToken::new()).await.unwrap();
    let mut streamed = String::new();
    while let Ok(Delta::Text(text)) = receiver.try_recv() {
        streamed.push_str(&text);
    }
    assert_eq!(streamed, reply.text);
    reply
}

/// Runs a turn and answers each call with what `tool` says.
async fn turn(
    messages: &mut Vec<Message>,
    prompt: &str,
    tools: &[&str],
    tool: fn(&str) -> (&'static str, bool),
) -> String {
    messages.push(Message::user(prompt));
    for _ in 0..5 {
        let reply = ask(messages, tools).await;
        let (text, calls) = (reply.text.clone(), reply.calls.clone());
        messages.push(Message::Assistant {
            text: reply.text,
            reasoning: String::new(),
            calls: reply.calls,
            state: ReplyState::Whole,
        });
        if calls.is_empty() {
            return text;
        }
        for call in calls {
            let (text, ok) = tool(&call.name);
            messages.push(Message::Tool { call_id: call.id, name: call.name, text: text.into(), ok });
        }
    }
    panic!("the mock never ends");
}

fn folder(tool: &str) -> (&'static str, bool) {
    match tool {
        "list_files" => ("src/\nREADME.md\nCargo.toml", true),
        "read_file" => ("1\t# tah\n2\t\n3\tAn agent for a folder.", true),
        _ => ("error: no", false),
    }
}

const TOOLS: [&str; 2] = ["list_files", "read_file"];

#[tokio::test]
async fn it_lists_reads_and_says_what_it_saw() {
    let mut messages = Vec::new();
    let answer = turn(&mut messages, "describe this folder", &TOOLS, folder).await;
    assert!(answer.contains("holds 3 entries: src/, README.md, Cargo.toml"), "{answer}");
    assert!(answer.contains("Its README says: tah"), "{answer}");
    let again = turn(&mut messages, "and again", &TOOLS, folder).await;
    assert!(again.contains("and again") && again.contains("holds 3 entries"), "{again}");
    let mut ids: Vec<String> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { call_id, .. } => Some(call_id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(ids.len(), 4);
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn it_answers_in_the_language_of_the_prompt() {
    let answer = turn(&mut Vec::new(), "描述这个文件夹", &TOOLS, folder).await;
    assert!(answer.contains("这个文件夹里有 3 个条目") && answer.contains("README 写道：tah"), "{answer}");
}

#[tokio::test]
async fn it_goes_on_without_tools_and_with_failing_ones() {
    let answer = turn(&mut Vec::new(), "hi", &[], folder).await;
    assert!(answer.contains("no tool to list"), "{answer}");
    let answer = turn(&mut Vec::new(), "hi", &TOOLS, |_| ("error: denied", false)).await;
    assert!(answer.contains("could not be listed: error: denied"), "{answer}");
}
