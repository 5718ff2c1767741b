//! What an agent has before it: the tools, and what their results showed. Elements are aimed at by the number that a
//! result gave them, never by what only the page's source tells.

use anyhow::{Result, anyhow, ensure};
use serde_json::{Value, json};

use crate::mcp::Server;

/// How often a page is looked at again for what is not there yet.
const LOOKS: usize = 20;

pub struct Desk {
    server: Server,
    verbose: bool,
    /// Lines of elements, the newest result last.
    seen: Vec<String>,
    calls: usize,
    chars: usize,
}

impl Desk {
    pub fn new(server: Server, verbose: bool) -> Desk {
        Desk { server, verbose, seen: Vec::new(), calls: 0, chars: 0 }
    }

    /// A call as the agent makes it; the text of its result.
    pub async fn call(&mut self, tool: &str, args: Value) -> Result<String> {
        let called = self.server.call(tool, args.clone()).await;
        let text = called.as_ref().map_or_else(ToString::to_string, Clone::clone);
        self.calls += 1;
        self.chars += text.chars().count();
        if self.verbose {
            println!(">>> {tool} {args} [{}]\n{text}", text.chars().count());
        }
        called?;
        if matches!(tool, "open" | "snapshot") {
            self.seen.clear();
        }
        self.seen.extend(lines(&text));
        Ok(text)
    }

    /// The judge's own look at the page: it is no call of the agent's.
    pub async fn judge(&self, script: &str) -> Result<String> {
        self.server.call("execute", json!({"script": script})).await
    }

    /// The number of the element whose line has all of `parts`; where no result has shown it yet, the page is looked
    /// at again.
    pub async fn find(&mut self, parts: &[&str]) -> Result<String> {
        self.nth(parts, 0).await
    }

    /// The same, of several alike the one at `index`.
    pub async fn nth(&mut self, parts: &[&str], index: usize) -> Result<String> {
        for _ in 0..LOOKS {
            if let Some(number) = number(&self.seen, parts, index) {
                return Ok(number);
            }
            self.call("snapshot", json!({})).await?;
        }
        number(&self.seen, parts, index)
            .ok_or_else(|| anyhow!("no element is {parts:?}:\n{}", self.seen.join("\n")))
    }

    pub async fn click(&mut self, parts: &[&str]) -> Result<String> {
        let target = self.find(parts).await?;
        self.call("click", json!({ "target": target })).await
    }

    /// Fails unless one of the results since the last snapshot shows all of `parts` in one line.
    pub fn shows(&self, parts: &[&str]) -> Result<()> {
        let there = self.seen.iter().any(|line| parts.iter().all(|part| line.contains(part)));
        ensure!(there, "{parts:?} is not in:\n{}", self.seen.join("\n"));
        Ok(())
    }

    /// Ends the browser; the calls made and the characters of their results.
    pub async fn close(self) -> (usize, usize) {
        self.server.close().await;
        (self.calls, self.chars)
    }
}

/// The lines of a result's `elements`, `changed` and the like, as the agent reads them.
fn lines(text: &str) -> Vec<String> {
    let json = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let parsed: Option<Value> = json.and_then(|json| serde_json::from_str(json).ok());
    let Some(Value::Object(result)) = parsed else { return text.lines().map(str::to_owned).collect() };
    let told = ["elements", "changed", "content"].iter().filter_map(|key| result.get(*key)?.as_str());
    let mut lines: Vec<String> = told.flat_map(str::lines).map(str::to_owned).collect();
    if let Some(matches) = result.get("matches").and_then(Value::as_array) {
        lines.extend(matches.iter().filter_map(|one| Some(one.as_str()?.to_owned())));
    }
    lines
}

fn number(seen: &[String], parts: &[&str], index: usize) -> Option<String> {
    let line = seen
        .iter()
        .filter(|line| !line.starts_with("- ") && parts.iter().all(|part| line.contains(part)))
        .filter(|line| leading(line).is_some())
        .nth(index)?;
    leading(line)
}

/// The number an element's line begins with.
fn leading(line: &str) -> Option<String> {
    let word = line.trim_start_matches(['+', '~', ' ']).split(' ').next()?;
    let digits = word.strip_prefix('e')?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| word.to_owned())
}
