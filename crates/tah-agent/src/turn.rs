//! A turn: from a prompt to its end, in steps. Each step takes the tools anew, asks the model ([`ask`]) and runs
//! what it called ([`calls`]); every call gets exactly one result in the stored conversation, on every path.

mod ask;
mod calls;
mod check;
mod room;

use crate::approval::Gate;
use crate::context::Budget;
use crate::event::{EndReason, Event, EventSink, Level};
use crate::id::TurnId;
use crate::limits;
use crate::message::{Image, Message, Origin};
use crate::model::{Model, ModelErrorKind, ReplyEnd};
use crate::session::Session;
use crate::tool::{ToolSet, ToolSource};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a turn begins with.
#[derive(Clone, Debug)]
pub enum Opening {
    Prompt {
        text: String,
        images: Vec<Image>,
    },
    /// Go on where the last turn stopped (after the step limit, or an error).
    Continue,
}

/// Everything a turn works with.
pub struct Agent {
    pub model: Arc<dyn Model>,
    pub sources: Vec<Arc<dyn ToolSource>>,
    pub gate: Gate,
    pub session: Session,
    pub events: EventSink,
    /// The system prompt.
    pub system: String,
    /// Model requests a turn makes at most.
    pub max_steps: usize,
    pub budget: Budget,
}

/// How a step left the turn.
enum Flow {
    Next,
    End(EndReason),
}

impl Agent {
    /// Runs a turn to its end and says how it ended; the end has then been emitted as an event.
    pub async fn turn(&mut self, opening: Opening, cancel: &CancellationToken) -> EndReason {
        self.gate.begin_turn();
        if let Opening::Prompt { text, images } = opening {
            let count = images.len();
            self.session.append(Message::User { text: text.clone(), images, origin: Origin::Person });
            self.events.emit(Event::User { turn: TurnId::random(), text, images: count }).await;
        }
        let mut steps = 0;
        let mut cut_repeats = 0;
        let reason = loop {
            if cancel.is_cancelled() {
                break EndReason::Cancelled;
            }
            if steps == self.max_steps {
                break EndReason::StepLimit;
            }
            steps += 1;
            match self.step(&mut cut_repeats, cancel).await {
                Ok(Flow::Next) => self.report_trouble().await,
                Ok(Flow::End(EndReason::Finished)) if self.gate.refusals() > 0 => break EndReason::Denied,
                Ok(Flow::End(reason)) => break reason,
                Err(event) => {
                    self.session.sync();
                    self.events.emit(event).await;
                    return EndReason::Failed;
                }
            }
        };
        self.session.sync();
        self.report_trouble().await;
        self.events.emit(Event::TurnEnd { reason, steps }).await;
        reason
    }

    async fn step(&mut self, cut_repeats: &mut usize, cancel: &CancellationToken) -> Result<Flow, Event> {
        let tools = ToolSet::collect(&self.sources);
        let reply = match self.ask(&tools, cancel).await {
            Ok(reply) => reply,
            Err(error) if error.kind == ModelErrorKind::Cancelled => {
                return Ok(Flow::End(EndReason::Cancelled));
            }
            Err(error) => {
                return Err(Event::TurnError {
                    reason: EndReason::Failed,
                    message: error.message,
                    hint: error.hint,
                });
            }
        };
        if reply.calls.is_empty() {
            return Ok(Flow::End(match reply.end {
                ReplyEnd::Complete => EndReason::Finished,
                ReplyEnd::Length | ReplyEnd::Broken | ReplyEnd::Filtered => EndReason::Truncated,
            }));
        }
        let was_cut = reply.end == ReplyEnd::Length;
        self.run_calls(&tools, reply.calls, cancel).await;
        if was_cut {
            *cut_repeats += 1;
            if *cut_repeats > limits::CUT_REPEATS {
                return Ok(Flow::End(EndReason::Truncated));
            }
        }
        Ok(Flow::Next)
    }

    /// Says once that the session can no longer be written.
    async fn report_trouble(&mut self) {
        if let Some(trouble) = self.session.take_trouble() {
            self.events.set_journal(None);
            let text = format!("history is off from here on: the session could not be written: {trouble}");
            self.events.notice(Level::Warning, text).await;
        }
    }
}
