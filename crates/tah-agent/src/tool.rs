//! Tools as the agent sees them: what one is, where they come from, and the immutable set of them a step takes.

use crate::card::Card;
use crate::event::EventSink;
use crate::id::CallId;
use crate::message::{Image, Input};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Whether a call may change something outside the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    Read,
    Write,
}

/// How much of an output was left out and how to get it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Characters left out.
    pub chars: u64,
    /// What to do to read them.
    pub remedy: String,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// For the model.
    pub text: String,
    /// For people, one line (the display table of the browser plugin is made of these).
    pub brief: String,
    /// For a model with vision.
    pub images: Vec<Image>,
    pub cut: Option<Cut>,
}

impl Output {
    pub fn new(text: impl Into<String>, brief: impl Into<String>) -> Self {
        Output { text: text.into(), brief: brief.into(), images: Vec::new(), cut: None }
    }
}

/// Why a call failed, and what to do about it. It becomes the call's one tool message like any output.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub message: String,
    pub hint: Option<String>,
}

impl ToolError {
    pub fn new(message: impl Into<String>) -> Self {
        ToolError { message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The text the model reads.
    pub fn for_model(&self) -> String {
        match &self.hint {
            Some(hint) => format!("error: {}\nhint: {hint}", self.message),
            None => format!("error: {}", self.message),
        }
    }
}

/// What a running call may use.
#[derive(Clone)]
pub struct ToolContext {
    pub call_id: CallId,
    /// Fires when this call, its turn, or tah ends. A tool gives up at once then; what must still be ended goes
    /// on in a task of its own.
    pub cancel: CancellationToken,
    /// For live output: `context.events.output(&context.call_id, chunk)`.
    pub events: EventSink,
    /// Whether the model can look at pictures.
    pub vision: Vision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vision {
    On,
    Off,
}

/// One tool.
#[async_trait]
pub trait Tool: Send + Sync {
    fn name(&self) -> &str;

    fn description(&self) -> &str;

    /// The JSON schema of the input, an object schema.
    fn schema(&self) -> &Value;

    /// Whether this call changes something; calls of one reply run side by side only if all of them read.
    fn effect(&self, input: &Input) -> Effect;

    /// Whether *this* call asks, and what its card shows. An error here (an edit that does not apply) becomes
    /// the call's result without asking anybody.
    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError>;

    /// What allow and deny rules match against: each simple command of a shell line, a path, a url.
    fn subjects(&self, _input: &Input) -> Vec<String> {
        Vec::new()
    }

    /// The call in a few words, for people: a path, a command, a url.
    fn summary(&self, input: &Input) -> String;

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError>;
}

/// Where tools come from. A source can mount and unmount tools; that takes effect at the next step (O4).
pub trait ToolSource: Send + Sync {
    /// The tools it has now, in a stable order.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// Told before each step, so that what became ready meanwhile can join.
    fn refresh(&self) {}
}

/// Tools that never change.
pub struct FixedTools(pub Vec<Arc<dyn Tool>>);

impl ToolSource for FixedTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

/// The tools of one step.
#[derive(Clone, Default)]
pub struct ToolSet {
    ordered: Vec<Arc<dyn Tool>>,
    by_name: HashMap<String, usize>,
}

impl ToolSet {
    /// Takes the sources in their order; of two tools with one name the first stays (M7: a built-in wins).
    pub fn collect(sources: &[Arc<dyn ToolSource>]) -> Self {
        let mut set = ToolSet::default();
        for source in sources {
            source.refresh();
            for tool in source.tools() {
                if !set.by_name.contains_key(tool.name()) {
                    set.by_name.insert(tool.name().to_owned(), set.ordered.len());
                    set.ordered.push(tool);
                }
            }
        }
        set
    }

    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name).map(|&index| &self.ordered[index])
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.ordered.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.ordered.is_empty()
    }

    /// The known name nearest to one the model made up.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.ordered.iter().map(|tool| tool.name()))
    }
}

/// The candidate with the smallest edit distance, if it is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.chars().count() / 3))
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance in characters; the words are names, so short.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(200).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().take(200).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substitution = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
