//! The scripted model: steps that think, talk, write files and run commands, then a long answer.

use crate::model::{ModelServer, Reply, Streamed, say};
use fastrand::Rng;
use serde_json::{Value, json};
use std::time::Duration;

pub const WORK: &str = "work";
pub const GO_ON: &str = "go on";
pub const WENT_ON: &str = "on it\n";
/// Files that are written.
pub const FILES: usize = 4;
/// Where commands say that they ran.
pub const LOG: &str = "log.txt";

/// Steps before the answer.
const STEPS: usize = 5;
/// Between two chunks of a stream that is not long.
const PAUSE: Duration = Duration::from_millis(1);

pub fn server(seed: u64) -> ModelServer {
    let mut random = Rng::with_seed(seed);
    let mut steps = 0;
    ModelServer::start(move |body, number| {
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let prompt = messages.iter().rev().find(|message| message["role"] == "user");
        let text = prompt.and_then(|message| message["content"].as_str()).unwrap_or_default();
        if text.ends_with(GO_ON) {
            return say(WENT_ON.trim_end());
        }
        steps = if messages.last().is_some_and(|last| last["role"] == "user") { 0 } else { steps + 1 };
        step(&mut random, number, steps)
    })
}

fn step(random: &mut Rng, number: usize, steps: usize) -> Reply {
    let reasoning = format!("thinking about step {number} of the work, slowly and aloud");
    if steps == STEPS {
        let text = format!("answer {number}: {}", "it is done, 都做完了, all of it. ".repeat(20));
        let pause = PAUSE;
        return Reply::Stream(Streamed { reasoning, text, pause, ..Streamed::default() });
    }
    let text = match random.bool() {
        true => format!("step {number}: {}", "now this, 然后那个. ".repeat(random.usize(1..8))),
        false => String::new(),
    };
    let calls: Vec<_> = (0..random.usize(1..4)).map(|at| one_call(random, number * 10 + at)).collect();
    let long = calls.iter().any(|(name, _)| name == "write_file");
    let pause = if long { Duration::ZERO } else { PAUSE };
    Reply::Stream(Streamed { reasoning, text, calls, pause, ..Streamed::default() })
}

fn one_call(random: &mut Rng, key: usize) -> (String, Value) {
    match random.usize(0..5) {
        0 | 1 => {
            let path = file(random.usize(0..FILES));
            ("write_file".to_owned(), json!({"path": path, "content": content(random, key)}))
        }
        2 | 3 => {
            let command =
                format!("echo {} >> {LOG}; for i in 1 2 3 4 5 6; do echo line $i of {key}; done", mark(key));
            ("execute_command".to_owned(), json!({"command": command}))
        }
        _ => ("list_files".to_owned(), json!({})),
    }
}

pub fn file(number: usize) -> String {
    format!("file{number}.txt")
}

/// What the command with this key leaves in the log.
pub fn mark(key: usize) -> String {
    format!("ran-{key}-")
}

fn content(random: &mut Rng, key: usize) -> String {
    let lines = random.usize(1..300);
    let mut text = format!("{key} {lines}\n");
    for line in 0..lines {
        text.push_str(&format!("line {line} of {key}\n"));
    }
    text
}

/// Whether a file holds one whole content and nothing else.
pub fn is_whole(text: &str) -> bool {
    let Some((head, rest)) = text.split_once('\n') else { return false };
    let Some((key, lines)) = head.split_once(' ') else { return false };
    let Ok(lines) = lines.parse::<usize>() else { return false };
    rest.lines().count() == lines && rest.ends_with(&format!("line {} of {key}\n", lines - 1))
}
