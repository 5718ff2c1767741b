//! `tah mcp serve` as a client of it: requests and answers, a line each. Every process it starts carries the world's mark.

use crate::tah::World;
use crate::{processes, wait};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// No answer takes longer than this: a call's budget is 60 s.
pub const PATIENCE: Duration = Duration::from_secs(75);

/// What came, and whether more can come.
#[derive(Default)]
struct Heard {
    lines: Vec<Value>,
    ended: bool,
}

type Inbox = Arc<(Mutex<Heard>, Condvar)>;

/// A running server. Dropped, it is killed.
pub struct Served {
    child: Child,
    stdin: Option<ChildStdin>,
    inbox: Inbox,
    stderr: Arc<Mutex<String>>,
    next: u64,
}

/// What a call came to.
#[derive(Debug, Clone)]
pub struct Result {
    /// The text parts, joined.
    pub text: String,
    pub is_error: bool,
    /// All parts, as they came.
    pub content: Vec<Value>,
}

impl Served {
    /// Starts `tah mcp serve --headless` with these arguments and shakes hands.
    pub fn start(world: &World, args: &[&str]) -> Served {
        let mut served = Served::silent(world, &[&["--headless"], args].concat());
        let hello = served.ask("initialize", hello("2025-11-25"));
        assert_eq!(hello["result"]["serverInfo"]["name"], "tah", "{hello}");
        served.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        served
    }

    /// Starts `tah mcp serve` and says nothing yet. Its temporary files are in the world's `tmp`.
    pub fn silent(world: &World, args: &[&str]) -> Served {
        let tmp = world.temporary();
        let mut command = world.tah(&[&["mcp", "serve"], args].concat()).env("TMPDIR", tmp).command;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("tah starts");
        let (stdout, mut from) = (child.stdout.take().expect("stdout"), child.stderr.take().expect("stderr"));
        let (inbox, stderr) = (Inbox::default(), Arc::new(Mutex::new(String::new())));
        let (into, said) = (inbox.clone(), stderr.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(std::result::Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or_else(|_| json!({ "no JSON": line }));
                into.0.lock().unwrap().lines.push(value);
                into.1.notify_all();
            }
            into.0.lock().unwrap().ended = true;
            into.1.notify_all();
        });
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                said.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Served { stdin: child.stdin.take(), child, inbox, stderr, next: 0 }
    }

    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a pid is small")
    }

    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Writes one line. A server that is gone takes none, which the answer will show.
    pub fn send_text(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush());
        }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Sends a request; its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The answer to a request; nothing where the server ended or `limit` passed.
    pub fn answer_within(&self, id: impl Into<Value>, limit: Duration) -> Option<Value> {
        let (id, end) = (id.into(), Instant::now() + limit);
        let mut heard = self.inbox.0.lock().unwrap();
        loop {
            if let Some(at) = heard.lines.iter().position(|line| line["id"] == id) {
                return Some(heard.lines.remove(at));
            }
            let left = end.saturating_duration_since(Instant::now());
            if heard.ended || left.is_zero() {
                return None;
            }
            heard = self.inbox.1.wait_timeout(heard, left).unwrap().0;
        }
    }

    pub fn answer(&self, id: impl Into<Value>) -> Value {
        let answer = self.answer_within(id, PATIENCE);
        answer.unwrap_or_else(|| panic!("no answer; stderr: {}", self.stderr()))
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result {
        let id = self.begin(tool, arguments);
        Result::of(&self.answer(id))
    }

    /// Calls a tool that has to work; its text.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone());
        assert!(!result.is_error, "{tool} {arguments}: {}", result.text);
        result.text
    }

    /// The names of the tools on offer.
    pub fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["result"]["tools"].as_array().expect("tools").clone()
    }

    pub fn end_input(&mut self) {
        self.stdin = None;
    }

    pub fn signal(&self, signal: Signal) {
        processes::signal(self.pid(), signal);
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait::until("tah mcp serve ends", Duration::from_secs(20), || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        status.expect("it ended")
    }

    /// Ends it as a client does, and waits.
    pub fn close(mut self) {
        self.end_input();
        let status = self.ended();
        assert!(status.success(), "{status}: {}", self.stderr());
    }

    /// The browser's own process.
    pub fn browser(&self) -> Option<i32> {
        let is_browser = |command: &str| {
            command.contains("--remote-debugging-pipe")
                && !command.contains("--type=")
                && !command.contains("__child")
        };
        processes::descendants(self.pid()).into_iter().find(|one| is_browser(&one.command)).map(|one| one.pid)
    }

    /// The processes that show pages.
    pub fn renderers(&self) -> Vec<i32> {
        let all = processes::descendants(self.pid()).into_iter();
        all.filter(|one| one.command.contains("--type=renderer")).map(|one| one.pid).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Result {
    pub fn of(answer: &Value) -> Result {
        let result = &answer["result"];
        let content = result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = content.iter().filter_map(|part| part["text"].as_str()).collect();
        let text = if content.is_empty() { answer.to_string() } else { texts.join("\n") };
        let is_error = answer.get("error").is_some() || result["isError"] == true;
        Result { text, is_error, content }
    }

    /// The JSON object of the text, out of the mark of a page.
    pub fn json(&self) -> Value {
        object(&self.text)
    }
}

/// The JSON object in a result's text.
pub fn object(text: &str) -> Value {
    let (from, to) = (text.find('{').unwrap_or(0), text.rfind('}').map_or(text.len(), |at| at + 1));
    serde_json::from_str(&text[from..to]).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What a client says first.
pub fn hello(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}
