//! Events as lines: the text between calls and what tools do on stderr, the last step's text on stdout once it is
//! known to be the last.

use crate::limits;
use crate::ui::{self, Gone, Verbosity};
use std::collections::HashMap;
use tah_agent::event::{EndReason, Event, Level};
use tah_agent::id::CallId;
use tah_os::text::shorten;

/// Shows the events of one conversation.
pub struct Plain {
    verbosity: Verbosity,
    /// The text of the step that is running.
    text: String,
    /// Calls under way: tool and summary.
    calls: HashMap<CallId, String>,
}

impl Plain {
    pub fn new(verbosity: Verbosity) -> Self {
        Plain { verbosity, text: String::new(), calls: HashMap::new() }
    }

    /// Shows an event.
    pub fn show(&mut self, event: &Event) -> Result<(), Gone> {
        match event {
            Event::Text { text } => self.text.push_str(text),
            Event::Retract {} => self.text.clear(),
            Event::ReplyEnd { calls } if *calls > 0 => self.say_between(),
            Event::ToolStart { call_id, tool, summary } => {
                let summary = one_line(summary);
                let line = if summary.is_empty() { tool.clone() } else { format!("{tool} {summary}") };
                self.calls.insert(call_id.clone(), line);
            }
            Event::ToolEnd { call_id, ok, result, .. } => {
                let line = self.calls.remove(call_id).unwrap_or_default();
                let mark = if *ok { "·" } else { "✗" };
                let result = one_line(result);
                let arrow = if result.is_empty() { "" } else { " → " };
                self.note(&format!("{mark} {line}{arrow}{result}"));
            }
            Event::Notice { level: Level::Info, text } => self.note(text),
            Event::Notice { level: Level::Warning, text } => ui::tell(&format!("warning: {text}")),
            Event::TurnEnd { reason, .. } => {
                let printed = ui::answer(&std::mem::take(&mut self.text));
                // S6, H2: half an answer looks like a whole one, so it is said beside it.
                if *reason == EndReason::Truncated {
                    ui::tell("warning: the answer was cut off");
                }
                return printed;
            }
            Event::TurnError { message, hint, .. } => {
                // What came before the error is no answer.
                self.say_between();
                ui::fail(message, hint.as_deref());
            }
            _ => {}
        }
        Ok(())
    }

    /// Text that turned out not to be the answer.
    fn say_between(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() {
            self.note(text.trim_end());
        }
    }

    fn note(&self, text: &str) {
        if self.verbosity == Verbosity::Normal {
            ui::tell(text);
        }
    }
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&line, limits::SUMMARY_CHARS).into_owned()
}
