//! What the host's events do to the chat.

use super::limits;
use super::markdown::stream::Stream;
use super::state::{Chat, Prompt, Thought, Thoughts, Turn, Wish};
use super::style::{self, span};
use super::widgets::card::{self, OpenCard};
use super::widgets::tool_line::{self, Call};
use super::wrap;
use ratatui::text::Line;
use tah_agent::card::Answer;
use tah_agent::event::{EndReason, Event, Level};
use tah_agent::id::CallId;
use tah_os::text::{Keep, sanitise};

impl Chat {
    /// Takes one event.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::Session { id, path, model, cwd, messages } => {
                self.session(id.to_string(), path, model, &cwd, messages);
            }
            Event::User { text, images, .. } => self.user(&text, images),
            Event::Text { text } => {
                self.end_thought();
                if self.stream.is_empty() && !text.trim().is_empty() {
                    self.gap();
                }
                let lines = self.stream.push(&text, self.columns);
                self.out.extend(lines);
            }
            Event::Reasoning { text } => self.think(&text),
            Event::Retract {} => {
                self.stream = Stream::default();
                self.thought = None;
                self.note("the request is sent again; what was shown of this reply counts no more");
            }
            Event::ReplyEnd { .. } => self.end_reply(),
            Event::ToolStart { call_id, tool, summary } => {
                self.end_reply();
                self.calls.push(Call::new(call_id, &tool, &summary, self.now));
            }
            Event::ToolOutput { call_id, chunk } => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.id == call_id) {
                    call.output(&chunk);
                }
            }
            Event::ToolEnd { call_id, ok, result, ms } => self.tool_end(&call_id, ok, &result, ms),
            Event::Approval { id, tool, card, call_id } => {
                self.wish(Wish::Notify(format!("{}: {tool}", card.title)));
                self.cards.push_back(OpenCard::new(id, call_id, tool, card));
            }
            Event::ApprovalEnd { id, answer } => {
                if let Some(at) = self.cards.iter().position(|card| card.id == id)
                    && let Some(card) = self.cards.remove(at)
                {
                    self.answered(&card, &answer);
                }
            }
            Event::Notice { level: Level::Info, text } => self.note(&text),
            Event::Notice { level: Level::Warning, text } => self.warn(&text),
            Event::Usage { input, output, cached, window } => {
                self.status.context = input + output;
                self.status.window = window;
                let tokens = super::Tokens { input, output, cached };
                self.status.spent.input += input;
                self.status.spent.output += output;
                self.status.spent.cached += cached;
                if let Some(cost) = self.options.facts.cost(&self.status.model, tokens) {
                    *self.status.cost.get_or_insert(0.0) += cost;
                }
            }
            Event::Todo { items } => self.todo = items,
            // What came of it was said in a notice.
            Event::SummaryEnd { .. } => self.over(Turn::Idle),
            Event::TurnEnd { reason, steps } => self.turn_end(reason, steps),
            Event::TurnError { message, hint, .. } => {
                self.end_reply();
                self.gap();
                self.say(&format!("✗ {message}"), style::BAD);
                if let Some(hint) = hint {
                    self.say(&format!("  hint: {hint}"), style::DIM);
                }
                self.over(Turn::Paused(EndReason::Failed));
            }
            #[allow(unreachable_patterns, reason = "events may be added; a front end shows those it knows")]
            _ => {}
        }
    }

    fn session(&mut self, id: String, path: Option<String>, model: String, cwd: &str, messages: usize) {
        self.end_reply();
        let is_first = self.greeted.is_none();
        let is_other = self.greeted.as_deref() != Some(&id);
        self.status.model = sanitise(&model, Keep::Text).into_owned();
        self.status.session = id.clone();
        self.status.path = path;
        self.greeted = Some(id.clone());
        if is_first {
            let head = vec![
                span("tah ", style::BOLD),
                span(env!("CARGO_PKG_VERSION"), style::DIM),
                span(format!(" · {} · ", self.status.model), style::DIM),
                span(sanitise(cwd, Keep::Text).into_owned(), style::DIM),
            ];
            let head = wrap::fit_line(Line::from(head), self.columns);
            self.print(head);
            let keys = "/help lists commands and keys · @ mentions a file · ! runs a shell line";
            self.say(keys, style::DIM);
        }
        if !is_other {
            return;
        }
        self.status.context = 0;
        self.status.spent = super::Tokens::default();
        self.status.cost = None;
        self.todo.clear();
        self.prompts.clear();
        if messages > 0 {
            self.wish(Wish::Recall(id));
        } else if !is_first {
            self.gap();
            self.note(&format!("a new session: {id}"));
        }
        // Not before: what was said earlier is looked up first, so that this is no part of it.
        if let Some(text) = self.options.first_prompt.take() {
            self.submit(Prompt { shown: text.clone(), text, images: Vec::new() });
        }
    }

    fn user(&mut self, text: &str, images: usize) {
        self.turn = Turn::Running(self.now);
        let shown = self.sent.pop_front().unwrap_or_else(|| text.to_owned());
        self.print_prompt(&shown, images);
        self.stream = Stream::default();
    }

    /// A prompt as it stays in the scrollback.
    pub fn print_prompt(&mut self, text: &str, images: usize) {
        self.gap();
        let text = wrap::expand_tabs(&sanitise(text, Keep::Text));
        for (index, line) in text.lines().enumerate() {
            let first = if index == 0 { "› " } else { "  " };
            let line = style::line(line, style::USER);
            self.out.extend(wrap::wrap(
                &line,
                self.columns,
                &style::line(first, style::USER),
                &Line::from("  "),
            ));
        }
        if images > 0 {
            let word = if images == 1 { "picture" } else { "pictures" };
            self.say(&format!("  with {images} {word}"), style::DIM);
        }
    }

    fn think(&mut self, text: &str) {
        let now = self.now;
        let thought = self.thought.get_or_insert_with(|| Thought { text: String::new(), since: now });
        thought.text.push_str(&sanitise(text, Keep::Text));
    }

    fn end_thought(&mut self) {
        let Some(thought) = self.thought.take() else { return };
        if thought.text.trim().is_empty() {
            return;
        }
        let seconds = self.now.duration_since(thought.since).as_secs();
        match self.thoughts {
            Thoughts::Unfolded => self.print_thought(&thought.text, seconds),
            Thoughts::Folded => {
                self.say(&format!("∴ thought for {seconds} s (Ctrl+T shows it)"), style::DIM);
            }
        }
        self.last_thought = Some((thought.text, seconds));
    }

    /// A thought, whole.
    pub fn print_thought(&mut self, text: &str, seconds: u64) {
        self.say(&format!("∴ thought for {seconds} s"), style::DIM);
        let dim = style::DIM.patch(style::ITALIC);
        let text = wrap::expand_tabs(text.trim());
        for line in text.lines() {
            let line = style::line(line, dim);
            let bar = style::line("  ", style::DIM);
            self.out.extend(wrap::wrap(&line, self.columns, &bar, &bar));
        }
    }

    fn end_reply(&mut self) {
        self.end_thought();
        let lines = self.stream.finish(self.columns);
        self.out.extend(lines);
        if !self.stream.is_empty() {
            self.last_reply = self.stream.whole().trim().to_owned();
        }
        self.stream = Stream::default();
    }

    fn tool_end(&mut self, id: &CallId, ok: bool, result: &str, ms: u64) {
        let call = match self.calls.iter().position(|call| &call.id == id) {
            Some(at) => self.calls.remove(at),
            None => Call::new(id.clone(), "tool", "", self.now),
        };
        // A card of a call that has ended can't be answered any more.
        self.cards.retain(|card| &card.call_id != id);
        let lines = tool_line::finished(&call, ok, result, ms, self.columns);
        self.out.extend(lines);
    }

    fn answered(&mut self, card: &OpenCard, answer: &Answer) {
        let lines = card::answered(card, answer, self.columns, limits::DIFF_KEPT_LINES);
        self.out.extend(lines);
    }

    fn turn_end(&mut self, reason: EndReason, steps: usize) {
        self.end_reply();
        match reason {
            EndReason::Finished | EndReason::Denied => self.over(Turn::Idle),
            EndReason::StepLimit => {
                self.note(&format!("stopped after {steps} steps; Enter on an empty line goes on"));
                self.over(Turn::Paused(reason));
            }
            EndReason::Truncated => {
                self.warn("the answer was cut off; Enter on an empty line goes on");
                self.over(Turn::Paused(reason));
            }
            EndReason::Cancelled => {
                self.note("stopped; the conversation keeps what happened");
                self.over(Turn::Idle);
            }
            EndReason::Failed => self.over(Turn::Paused(reason)),
        }
    }

    fn over(&mut self, turn: Turn) {
        let before = std::mem::replace(&mut self.turn, turn);
        self.calls.clear();
        self.cards.clear();
        let text = match (turn, before) {
            (Turn::Paused(_), _) => "the turn stopped and can go on",
            (_, Turn::Summarising(_)) => "the summary is there",
            _ => "the answer is there",
        };
        match (turn, self.queue.pop_front()) {
            (Turn::Idle, Some(next)) => self.send(next),
            (_, Some(next)) => {
                self.queue.push_front(next);
                self.unqueue();
                self.wish(Wish::Notify(text.to_owned()));
            }
            (_, None) => self.wish(Wish::Notify(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
