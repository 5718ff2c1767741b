//! One request to the model: what is sent, what is shown while the reply streams, what is stored of it.

use super::Agent;
use super::room::{Because, Shrunk};
use crate::event::{Event, Level};
use crate::limits;
use crate::message::{Message, ReplyState};
use crate::model::{
    CallsInText, Delta, ModelError, ModelErrorKind, Reply, ReplyEnd, Request, ToolSpec, text_call,
};
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
        let specs: Vec<ToolSpec> = tools
            .iter()
            .map(|tool| ToolSpec {
                name: tool.name().to_owned(),
                description: tool.description().to_owned(),
                schema: tool.schema().clone(),
            })
            .collect();
        self.make_room(&specs, cancel).await?;
        let mut outcome = self.request(&specs, cancel).await;
        if let Err(error) = &outcome
            && error.kind == ModelErrorKind::ContextOverflow
        {
            // Once: a conversation that does not fit after that never will.
            self.budget.learn_overflow(self.weight(&specs), error);
            let window = self.budget.window(self.model.profile()).unwrap_or(limits::SUPPOSED_WINDOW);
            outcome = match self.shrink(Because::Refused, &specs, window, cancel).await? {
                Shrunk::Smaller => self.request(&specs, cancel).await,
                Shrunk::Same => outcome.map_err(|error| error.hint(
                    "the rules and the tools nearly fill the window: use fewer tools (--browser off), or a model \
                     with a larger one",
                )),
            };
        }
        match outcome {
            Ok(mut reply) => {
                if matches!(reply.end, ReplyEnd::Broken | ReplyEnd::Filtered) {
                    // A stream that broke off may have cut a call anywhere, so none of it runs (S6).
                    reply.calls.clear();
                }
                self.take_text_calls(tools, &mut reply).await;
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

    async fn request(&mut self, specs: &[ToolSpec], cancel: &CancellationToken) -> Result<Reply, ModelError> {
        let request = Request {
            system: self.system.clone(),
            messages: self.session.messages().to_vec(),
            tools: specs.to_vec(),
            max_output: None,
        };
        let outcome = self.stream(&request, cancel).await;
        if let Ok(Reply { usage: Some(usage), .. }) = &outcome {
            self.budget.learn(self.weight(specs), usage.input);
        }
        outcome
    }

    /// A reply that is nothing but calls in text becomes those calls; what was shown of it is taken back.
    async fn take_text_calls(&mut self, tools: &ToolSet, reply: &mut Reply) {
        let may = self.model.profile().calls_in_text == CallsInText::Recognised
            && reply.end == ReplyEnd::Complete
            && reply.calls.is_empty();
        if !may {
            return;
        }
        if let Some(calls) = text_call::recognise(&reply.text, |name| tools.get(name).is_some()) {
            self.events.emit(Event::Retract {}).await;
            reply.text.clear();
            reply.calls = calls;
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
            let window = self.budget.window(self.model.profile());
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
                joined.reasoning.clear();
                joined.text.clear();
                if std::mem::take(&mut joined.shown) {
                    self.events.emit(Event::Retract {}).await;
                }
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
        joined.shown |= joined.waiting();
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
    /// Something of this reply was shown already.
    shown: bool,
}

impl Default for Joined {
    fn default() -> Self {
        Joined { text: String::new(), reasoning: String::new(), due: Instant::now(), shown: false }
    }
}

impl Joined {
    fn waiting(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty()
    }
}
