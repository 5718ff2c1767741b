//! One request to the model: what is sent, what is shown while the reply streams, what is stored of it.

use super::Agent;
use crate::event::{Event, Level};
use crate::limits;
use crate::message::{Message, ReplyState};
use crate::model::{Delta, ModelError, Reply, ReplyEnd, Request, ToolSpec};
use crate::tool::ToolSet;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

impl Agent {
    /// Asks the model. The reply is stored and all of it has been shown when this returns.
    pub(super) async fn ask(
        &mut self,
        tools: &ToolSet,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let request = Request {
            system: self.system.clone(),
            messages: self.session.messages().to_vec(),
            tools: tools
                .iter()
                .map(|tool| ToolSpec {
                    name: tool.name().to_owned(),
                    description: tool.description().to_owned(),
                    schema: tool.schema().clone(),
                })
                .collect(),
        };
        match self.stream(&request, cancel).await {
            Ok(mut reply) => {
                if matches!(reply.end, ReplyEnd::Broken | ReplyEnd::Filtered) {
                    // A stream that broke off may have cut a call anywhere, so none of it runs (S6).
                    reply.calls.clear();
                }
                self.store(&reply, state_of(&reply)).await;
                Ok(reply)
            }
            Err(mut error) => {
                if let Some(partial) = error.partial.take() {
                    // No call of an unfinished reply runs, so none is stored.
                    let partial = Reply { calls: Vec::new(), ..*partial };
                    if !partial.text.is_empty() {
                        self.store(&partial, ReplyState::Interrupted).await;
                    }
                }
                Err(error)
            }
        }
    }

    async fn store(&mut self, reply: &Reply, state: ReplyState) {
        self.session.append(Message::Assistant {
            text: reply.text.clone(),
            reasoning: reply.reasoning.clone(),
            calls: reply.calls.clone(),
            state,
        });
        if let Some(usage) = reply.usage {
            let window = self.model.profile().window;
            let (input, output, cached) = (usage.input, usage.output, usage.cached);
            self.events.emit(Event::Usage { input, output, cached, window }).await;
        }
        self.events.emit(Event::ReplyEnd { calls: reply.calls.len() }).await;
    }

    async fn stream(&mut self, request: &Request, cancel: &CancellationToken) -> Result<Reply, ModelError> {
        let (sender, mut deltas) = mpsc::channel(limits::EVENT_QUEUE);
        let model = self.model.clone();
        let reply = model.stream(request, sender, cancel);
        tokio::pin!(reply);
        let mut joined = Joined::default();
        let outcome = loop {
            let due = joined.due;
            tokio::select! {
                biased;
                Some(delta) = deltas.recv() => self.take(delta, &mut joined).await,
                outcome = &mut reply => break outcome,
                () = tokio::time::sleep_until(due), if joined.waiting() => self.flush(&mut joined).await,
            }
        };
        while let Ok(delta) = deltas.try_recv() {
            self.take(delta, &mut joined).await;
        }
        self.flush(&mut joined).await;
        outcome
    }

    async fn take(&mut self, delta: Delta, joined: &mut Joined) {
        match delta {
            Delta::Text(text) => {
                if !joined.reasoning.is_empty() {
                    self.flush(joined).await;
                }
                joined.text.push_str(&text);
            }
            Delta::Reasoning(text) => {
                if !joined.text.is_empty() {
                    self.flush(joined).await;
                }
                joined.reasoning.push_str(&text);
            }
            Delta::Retrying { wait, why } => {
                let text = format!("{why}; asking again in {:.0} s", wait.as_secs_f64().ceil());
                self.events.notice(Level::Warning, text).await;
            }
            Delta::Notice(text) => self.events.notice(Level::Warning, text).await,
        }
        if joined.waiting() && Instant::now() >= joined.due {
            self.flush(joined).await;
        }
    }

    async fn flush(&mut self, joined: &mut Joined) {
        if !joined.reasoning.is_empty() {
            self.events.emit(Event::Reasoning { text: std::mem::take(&mut joined.reasoning) }).await;
        }
        if !joined.text.is_empty() {
            self.events.emit(Event::Text { text: std::mem::take(&mut joined.text) }).await;
        }
        joined.due = Instant::now() + limits::DELTA_INTERVAL;
    }
}

fn state_of(reply: &Reply) -> ReplyState {
    match reply.end {
        ReplyEnd::Complete => ReplyState::Whole,
        ReplyEnd::Length | ReplyEnd::Broken | ReplyEnd::Filtered => ReplyState::Cut,
    }
}

/// Pieces of text that wait to be written down and shown together.
struct Joined {
    text: String,
    reasoning: String,
    due: Instant,
}

impl Default for Joined {
    fn default() -> Self {
        Joined { text: String::new(), reasoning: String::new(), due: Instant::now() }
    }
}

impl Joined {
    fn waiting(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty()
    }
}
