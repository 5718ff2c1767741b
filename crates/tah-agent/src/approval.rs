//! The gate between the model and the tools: rules, then the tool's own card, then a person.
//! It knows cards and subjects and nothing about any particular tool (A5).

pub mod rules;

use crate::card::{Answer, Card, CardLine, Insistence, Scope};
use crate::event::{Event, EventSink, Level};
use crate::id::ApprovalId;
use crate::message::{Input, ToolCall};
use crate::tool::Tool;
use rules::{Rules, Ruling};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Who answers cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApproveMode {
    /// A person at a front end.
    Ask,
    /// Yes to all (`--yes`); deny rules still hold.
    Yes,
    /// Nobody is there: what asks is refused at once (A4).
    Unattended,
}

/// What the gate said of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Allowed,
    /// Refused; the text is what the model reads.
    Denied(String),
    /// The turn was cancelled while the card was open.
    Cancelled,
}

/// Cards that wait for their answer.
#[derive(Clone, Default)]
pub struct PendingCards(Arc<Mutex<HashMap<ApprovalId, oneshot::Sender<Answer>>>>);

impl PendingCards {
    /// Hands an answer to the card it belongs to; an answer to a card that is gone is dropped.
    pub fn answer(&self, id: &ApprovalId, answer: Answer) {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(sender) = waiting {
            let _ = sender.send(answer);
        }
    }

    fn open(&self) -> (ApprovalId, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let id = ApprovalId::random();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), sender);
        (id, receiver)
    }

    fn forget(&self, id: &ApprovalId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

/// Decides whether calls may run.
pub struct Gate {
    mode: ApproveMode,
    rules: Rules,
    always: HashSet<Scope>,
    /// Calls refused in this turn; the same call is not asked again (U5).
    refused: HashSet<String>,
    refusals: usize,
    pending: PendingCards,
}

impl Gate {
    pub fn new(mode: ApproveMode, rules: Rules) -> Self {
        Gate {
            mode,
            rules,
            always: HashSet::new(),
            refused: HashSet::new(),
            refusals: 0,
            pending: PendingCards::default(),
        }
    }

    pub fn pending(&self) -> PendingCards {
        self.pending.clone()
    }

    pub fn mode(&self) -> ApproveMode {
        self.mode
    }

    pub fn set_mode(&mut self, mode: ApproveMode) {
        self.mode = mode;
    }

    /// A new turn begins: what was refused in the last one may be asked again.
    pub fn begin_turn(&mut self) {
        self.refused.clear();
        self.refusals = 0;
    }

    /// A new session begins: what was always allowed in the last one is asked again.
    pub fn begin_session(&mut self) {
        self.begin_turn();
        self.always.clear();
    }

    /// Calls refused in this turn.
    pub fn refusals(&self) -> usize {
        self.refusals
    }

    /// Whether this call would run without asking anybody.
    pub fn passes_silently(&self, tool: &dyn Tool, input: &Input, card: Option<&Card>) -> bool {
        match self.rules.ruling(tool.name(), &tool.subjects(input)) {
            Ruling::Deny(_) | Ruling::Ask => false,
            Ruling::Allow | Ruling::Silent => card.is_none(),
        }
    }

    /// Decides on a call, asking the user where that is needed.
    pub async fn decide(
        &mut self,
        tool: &dyn Tool,
        call: &ToolCall,
        card: Option<Card>,
        events: &EventSink,
        cancel: &CancellationToken,
    ) -> Verdict {
        let subjects = tool.subjects(&call.input);
        let ruling = self.rules.ruling(tool.name(), &subjects);
        if let Ruling::Deny(rule) = &ruling {
            return self.refuse(call, format!("denied by the rule `{rule}`"));
        }
        let card = match (card, &ruling) {
            (None, Ruling::Ask) => asked_by_rule(tool, &call.input),
            (None, _) => return Verdict::Allowed,
            (Some(card), _) => card,
        };
        if self.mode == ApproveMode::Yes {
            return Verdict::Allowed;
        }
        if card.insistence == Insistence::Normal {
            let allowed =
                ruling == Ruling::Allow || (ruling != Ruling::Ask && self.is_always(tool.name(), &subjects));
            if allowed {
                return Verdict::Allowed;
            }
        }
        if self.refused.contains(&fingerprint(call)) {
            return self.refuse(call, "denied: the same call was already denied in this turn".to_owned());
        }
        if self.mode == ApproveMode::Unattended {
            let text = format!(
                "denied {}: it needs approval and nobody is there to ask (allow it with --allow or --yes)",
                tool.name()
            );
            events.notice(Level::Warning, text).await;
            return self.refuse(call, "denied: it needs approval and nobody is there to ask".to_owned());
        }
        self.ask(tool, call, card, events, cancel).await
    }

    async fn ask(
        &mut self,
        tool: &dyn Tool,
        call: &ToolCall,
        card: Card,
        events: &EventSink,
        cancel: &CancellationToken,
    ) -> Verdict {
        let (id, receiver) = self.pending.open();
        let scope = card.always.clone();
        let tool = tool.name().to_owned();
        events.emit(Event::Approval { id: id.clone(), call_id: call.id.clone(), tool, card }).await;
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            answer = receiver => answer.ok(),
        };
        self.pending.forget(&id);
        let Some(answer) = answer else {
            events.emit(Event::ApprovalEnd { id, answer: Answer::No { reason: None } }).await;
            return Verdict::Cancelled;
        };
        events.emit(Event::ApprovalEnd { id, answer: answer.clone() }).await;
        match answer {
            Answer::Yes => Verdict::Allowed,
            Answer::Always => {
                self.always.extend(scope);
                Verdict::Allowed
            }
            Answer::No { reason: None } => self.refuse(call, "denied by the user".to_owned()),
            Answer::No { reason: Some(reason) } => self.refuse(call, format!("denied by the user: {reason}")),
        }
    }

    fn refuse(&mut self, call: &ToolCall, text: String) -> Verdict {
        self.refused.insert(fingerprint(call));
        self.refusals += 1;
        Verdict::Denied(text)
    }

    fn is_always(&self, tool: &str, subjects: &[String]) -> bool {
        self.always.iter().any(|scope| match scope {
            Scope::Tool { name } => name == tool,
            Scope::Prefix { name, prefixes } => {
                name == tool
                    && !subjects.is_empty()
                    && subjects
                        .iter()
                        .all(|subject| prefixes.iter().any(|prefix| starts_with(subject, prefix)))
            }
        })
    }
}

/// A prefix of whole words: `git log` covers `git log -3` and not `git logout`.
fn starts_with(subject: &str, prefix: &str) -> bool {
    subject.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

fn fingerprint(call: &ToolCall) -> String {
    format!("{} {}", call.name, serde_json::Value::Object(call.input.clone()))
}

/// The card of a tool that has none of its own but is to be asked by a rule.
fn asked_by_rule(tool: &dyn Tool, input: &Input) -> Card {
    Card {
        title: format!("Run {}", tool.name()),
        lines: vec![CardLine::Text(serde_json::Value::Object(input.clone()).to_string())],
        always: None,
        insistence: Insistence::Normal,
    }
}
