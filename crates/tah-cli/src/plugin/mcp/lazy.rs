//! Which tools a model sees: all of them while they are few, and beyond a budget of characters one tool,
//! `tool_search`, that lists the others by a line each and mounts what is asked for.

use crate::limits;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use tah_agent::card::Card;
use tah_agent::message::Input;
use tah_agent::tool::{Effect, Output, Tool, ToolContext, ToolError};
use tah_mcp::MountedTool;
use tah_os::text::shorten;

/// The name of the searching tool.
pub const SEARCH: &str = "tool_search";

/// The tools of a fleet, shown or only listed. What is shown stays shown and in its place, so that the beginning of
/// a request stays the same.
#[derive(Default)]
pub struct Shelf {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// In the order they appeared; `None` is the place of `tool_search`.
    order: Vec<Option<String>>,
    shown: HashMap<String, Arc<MountedTool>>,
    /// Those a search can still mount.
    listed: Vec<Arc<MountedTool>>,
    /// All that were ever only listed, mounted since or not: what `tool_search` says of them stays as it is when one
    /// is mounted, since it stands before much of the request.
    described: Vec<Arc<MountedTool>>,
    used: usize,
}

impl Shelf {
    /// Takes the fleet's tools as they are now; says what to show, in order.
    pub fn arrange(self: &Arc<Self>, tools: &[Arc<MountedTool>], budget: usize) -> Vec<Shown> {
        let mut inner = self.lock();
        inner.take(tools, budget);
        let search = Arc::new(Search::new(self.clone(), &inner.described));
        let shown = inner.order.iter().filter_map(|name| match name {
            Some(name) => inner.shown.get(name).cloned().map(Shown::Tool),
            None => Some(Shown::Search(search.clone())),
        });
        shown.collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One entry of the arranged list.
pub enum Shown {
    Tool(Arc<MountedTool>),
    Search(Arc<Search>),
}

impl Inner {
    fn take(&mut self, tools: &[Arc<MountedTool>], budget: usize) {
        let now: HashMap<&str, &Arc<MountedTool>> = tools.iter().map(|tool| (&*tool.name, tool)).collect();
        self.shown.retain(|name, _| now.contains_key(&**name));
        self.listed.retain(|tool| now.contains_key(&*tool.name));
        let kept = std::mem::take(&mut self.order);
        self.order = kept
            .into_iter()
            .filter(|name| name.as_ref().is_none_or(|name| now.contains_key(&**name)))
            .collect();
        for (name, tool) in &mut self.shown {
            *tool = now[&**name].clone();
        }
        self.described.retain(|tool| now.contains_key(&*tool.name));
        for tool in self.listed.iter_mut().chain(&mut self.described) {
            *tool = now[&*tool.name].clone();
        }
        // a server's tools come together or not at all
        let mut fresh: Vec<(&str, Vec<&Arc<MountedTool>>)> = Vec::new();
        for tool in tools {
            if self.shown.contains_key(&tool.name)
                || self.listed.iter().any(|listed| listed.name == tool.name)
            {
                continue;
            }
            match fresh.iter_mut().find(|(server, _)| *server == tool.server) {
                Some((_, all)) => all.push(tool),
                None => fresh.push((&tool.server, vec![tool])),
            }
        }
        for (_, all) in fresh {
            let cost: usize = all.iter().map(|tool| cost(tool)).sum();
            if self.used + cost <= budget {
                self.used += cost;
                all.into_iter().for_each(|tool| self.show(tool.clone()));
            } else {
                if !self.order.contains(&None) {
                    self.order.push(None);
                }
                self.listed.extend(all.iter().map(|tool| (*tool).clone()));
                self.described.extend(all.into_iter().cloned());
            }
        }
    }

    fn show(&mut self, tool: Arc<MountedTool>) {
        self.order.push(Some(tool.name.clone()));
        self.shown.insert(tool.name.clone(), tool);
    }

    /// Shows the best matches for a query; gives them.
    fn mount(&mut self, query: &str) -> Vec<Arc<MountedTool>> {
        let words: Vec<String> = words(query);
        let mut found: Vec<(usize, Arc<MountedTool>)> = self
            .listed
            .iter()
            .map(|tool| (score(tool, query, &words), tool.clone()))
            .filter(|(score, _)| *score > 0)
            .collect();
        found.sort_by(|(a, _), (b, _)| b.cmp(a));
        // who names tools gets those and no guesses
        let named = found.iter().filter(|(score, _)| *score >= NAMED).count();
        found.truncate(if named > 0 { named } else { limits::SEARCH_MOUNTS });
        let found: Vec<_> = found.into_iter().map(|(_, tool)| tool).collect();
        self.listed.retain(|tool| !found.iter().any(|mounted| mounted.name == tool.name));
        found.iter().for_each(|tool| self.show(tool.clone()));
        found
    }
}

/// What a tool costs in a request, in characters.
fn cost(tool: &MountedTool) -> usize {
    tool.name.len() + tool.description.chars().count() + tool.schema.to_string().chars().count()
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// A score from here on means that the tool was named.
const NAMED: usize = 1000;

fn is_named(tool: &MountedTool, query: &str) -> bool {
    query.split([',', ' ', '\n', '"', '`']).any(|name| name == tool.name || name == tool.tool.name)
}

fn score(tool: &MountedTool, query: &str, words: &[String]) -> usize {
    if is_named(tool, query) {
        return NAMED;
    }
    let name = tool.name.to_lowercase();
    let description = tool.description.to_lowercase();
    words
        .iter()
        .map(|word| {
            5 * usize::from(name.contains(word.as_str())) + usize::from(description.contains(word.as_str()))
        })
        .sum()
}

fn first_line(tool: &MountedTool) -> String {
    let line = tool.description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    shorten(line.trim(), limits::SEARCH_LINE_CHARS).into_owned()
}

/// `tool_search`.
pub struct Search {
    shelf: Arc<Shelf>,
    description: String,
    schema: Value,
}

impl Search {
    fn new(shelf: Arc<Shelf>, listed: &[Arc<MountedTool>]) -> Self {
        let mut description = String::from(
            "Makes further tools usable from the next step on. They are listed here by name; ask for them by their \
             names, or with words for what they should do.",
        );
        let mut left = listed.len();
        for tool in listed {
            let line = first_line(tool);
            if description.len() + tool.name.len() + line.len() > limits::SEARCH_LIST_CHARS {
                break;
            }
            let _ = write!(description, "\n- {}: {line}", tool.name);
            left -= 1;
        }
        if left > 0 {
            let _ = write!(description, "\n… and {left} more");
        }
        let query = json!({"type": "string", "description": "names of tools, or words that describe them"});
        let schema = json!({"type": "object", "properties": {"query": query}, "required": ["query"]});
        Self { shelf, description, schema }
    }
}

#[async_trait]
impl Tool for Search {
    fn name(&self) -> &str {
        SEARCH
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, _input: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn summary(&self, input: &Input) -> String {
        shorten(input.get("query").and_then(Value::as_str).unwrap_or_default(), 60).into_owned()
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> Result<Output, ToolError> {
        let query = input.get("query").and_then(Value::as_str).unwrap_or_default();
        let mut inner = self.shelf.lock();
        let is_listed = inner.listed.iter().any(|tool| is_named(tool, query));
        if let Some(tool) = inner.shown.values().find(|tool| !is_listed && is_named(tool, query)) {
            return Ok(Output::new(format!("{} is usable already", tool.name), "already there"));
        }
        let mounted = inner.mount(query);
        if mounted.is_empty() {
            return Err(ToolError::new(format!("no tool matches {query:?}"))
                .hint("try the names in this tool's description, or other words"));
        }
        let mut text = String::from("usable from the next step on:");
        for tool in &mounted {
            let _ = write!(text, "\n- {}: {}", tool.name, first_line(tool));
        }
        Ok(Output::new(text, format!("{} tools", mounted.len())))
    }
}

#[cfg(test)]
mod tests;
