//! The calls of one reply: in order, or side by side where all of them only read. Whatever happens, each call
//! gets one start, one end and one result in the conversation.

use super::{Agent, check};
use crate::approval::Verdict;
use crate::event::{Event, EventSink};
use crate::limits;
use crate::message::{ArgumentFault, Image, Input, Message, Origin, ToolCall};
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError, ToolSet, Vision};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

const CANCELLED: &str = "cancelled; may have happened";
const NOT_RUN: &str = "cancelled before it ran";

impl Agent {
    pub(super) async fn run_calls(
        &mut self,
        tools: &ToolSet,
        calls: Vec<ToolCall>,
        cancel: &CancellationToken,
    ) {
        let mut images = Vec::new();
        if calls.len() > 1 && self.all_read(tools, &calls).await {
            self.run_side_by_side(tools, calls, cancel, &mut images).await;
        } else {
            for call in calls {
                self.run_in_order(tools, call, cancel, &mut images).await;
            }
        }
        if !images.is_empty() {
            // A tool message may hold no picture, so they follow the step's results (V1).
            let labels: Vec<&str> = images.iter().map(|image: &Image| image.label.as_str()).collect();
            let text = format!("Pictures of the results above: {}", labels.join(", "));
            self.session.append(Message::User { text, images, origin: Origin::ToolImages });
        }
    }

    async fn all_read(&self, tools: &ToolSet, calls: &[ToolCall]) -> bool {
        for call in calls {
            let Some(tool) = tools.get(&call.name) else { return false };
            if call.fault.is_some() || tool.effect(&call.input) != Effect::Read {
                return false;
            }
            match tool.approval(&call.input).await {
                Ok(card) if self.gate.passes_silently(tool.as_ref(), &call.input, card.as_ref()) => {}
                _ => return false,
            }
        }
        true
    }

    async fn run_side_by_side(
        &mut self,
        tools: &ToolSet,
        calls: Vec<ToolCall>,
        cancel: &CancellationToken,
        images: &mut Vec<Image>,
    ) {
        let vision = self.model.profile().vision;
        let events = self.events.clone();
        let runs = calls.into_iter().filter_map(|call| {
            let tool = tools.get(&call.name)?.clone();
            let (events, cancel) = (events.clone(), cancel.clone());
            Some(async move {
                start(&events, &call, tool.summary(&call.input)).await;
                let began = Instant::now();
                let outcome = match check::input(tool.as_ref(), &call.input) {
                    Err(error) => Err(error),
                    Ok(()) => execute(tool, &call, vision, &events, &cancel).await,
                };
                (call, outcome, began)
            })
        });
        // `buffered` keeps the order of the calls, so results are stored in the order they were asked for.
        let mut finished = futures_util::stream::iter(runs).buffered(limits::PARALLEL_CALLS);
        while let Some((call, outcome, began)) = finished.next().await {
            self.finish(call, outcome, began, images).await;
        }
    }

    async fn run_in_order(
        &mut self,
        tools: &ToolSet,
        call: ToolCall,
        cancel: &CancellationToken,
        images: &mut Vec<Image>,
    ) {
        let began = Instant::now();
        let tool = tools.get(&call.name).cloned();
        let summary = tool.as_ref().map(|tool| tool.summary(&call.input)).unwrap_or_default();
        start(&self.events, &call, summary).await;
        let outcome = match tool {
            _ if cancel.is_cancelled() => Err(ToolError::new(NOT_RUN)),
            None => Err(unknown(tools, &call.name)),
            Some(tool) => self.approve_and_execute(tool, &call, cancel).await,
        };
        self.finish(call, outcome, began, images).await;
    }

    async fn approve_and_execute(
        &mut self,
        tool: Arc<dyn Tool>,
        call: &ToolCall,
        cancel: &CancellationToken,
    ) -> Result<Output, ToolError> {
        if let Some(fault) = &call.fault {
            return Err(faulty(fault));
        }
        check::input(tool.as_ref(), &call.input)?;
        let card = tool.approval(&call.input).await?;
        match self.gate.decide(tool.as_ref(), call, card, &self.events, cancel).await {
            Verdict::Allowed => execute(tool, call, self.model.profile().vision, &self.events, cancel).await,
            Verdict::Denied(text) => Err(ToolError::new(text)),
            Verdict::Cancelled => Err(ToolError::new(NOT_RUN)),
        }
    }

    /// Stores the result, then shows that the call has ended.
    async fn finish(
        &mut self,
        call: ToolCall,
        outcome: Result<Output, ToolError>,
        began: Instant,
        images: &mut Vec<Image>,
    ) {
        let (text, brief, ok) = match outcome {
            Ok(output) => {
                images.extend(output.images);
                (output.text, output.brief, true)
            }
            Err(error) => (error.for_model(), error.message, false),
        };
        let (call_id, name) = (call.id, call.name);
        let text = check::bounded(text);
        self.session.append(Message::Tool { call_id: call_id.clone(), name, text, ok });
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.events.emit(Event::ToolEnd { call_id, ok, result: brief, ms }).await;
    }
}

async fn start(events: &EventSink, call: &ToolCall, summary: String) {
    let (call_id, tool) = (call.id.clone(), call.name.clone());
    events.emit(Event::ToolStart { call_id, tool, summary }).await;
}

/// Runs the tool in a task of its own: a cancelled call gets its result at once, its ending goes on behind, and a
/// panic of a tool is a failed call.
async fn execute(
    tool: Arc<dyn Tool>,
    call: &ToolCall,
    vision: Vision,
    events: &EventSink,
    cancel: &CancellationToken,
) -> Result<Output, ToolError> {
    let context = ToolContext {
        call_id: call.id.clone(),
        cancel: cancel.child_token(),
        events: events.clone(),
        vision,
    };
    let input: Input = call.input.clone();
    let mut task = tokio::spawn(async move { tool.run(input, &context).await });
    let joined = tokio::select! {
        biased;
        joined = &mut task => joined,
        () = cancel.cancelled() => match tokio::time::timeout(limits::CANCEL_GRACE, &mut task).await {
            Ok(joined) => joined,
            Err(_) => return Err(ToolError::new(CANCELLED)),
        },
    };
    match joined {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => Err(ToolError::new("the tool failed inside (a defect of tah)")),
        Err(_) => Err(ToolError::new(CANCELLED)),
    }
}

fn unknown(tools: &ToolSet, name: &str) -> ToolError {
    let error = ToolError::new(format!("there is no tool `{name}`"));
    match tools.nearest(name) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint("use one of the tools of the list you were given"),
    }
}

fn faulty(fault: &ArgumentFault) -> ToolError {
    match fault {
        ArgumentFault::CutAtLimit => ToolError::new("the call was cut at the output limit and did not run")
            .hint("write in smaller pieces, several calls one after the other"),
        ArgumentFault::Malformed { message } => {
            ToolError::new(format!("the arguments are no JSON object: {message}; the call did not run"))
                .hint("send the call again with valid JSON")
        }
    }
}
