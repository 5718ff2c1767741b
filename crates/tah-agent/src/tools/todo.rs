//! `todo`: the plan the model keeps, shown to the user each time it changes.

use super::arguments;
use super::files::count;
use crate::card::Card;
use crate::event::{Event, TodoItem, TodoState};
use crate::message::Input;
use crate::tool::{Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

const NAME: &str = "todo";

pub(crate) struct Todo {
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    items: Vec<TodoItem>,
}

impl Todo {
    pub(crate) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {"type": "string"},
                            "state": {"enum": ["pending", "in_progress", "done"]}
                        },
                        "required": ["text", "state"]
                    }
                }
            },
            "required": ["items"]
        });
        Todo { schema }
    }
}

#[async_trait]
impl Tool for Todo {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Keeps a plan the user sees, for work of several steps. Send all items each time."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    // It touches nothing outside the conversation, but two plans of one reply must come in order.
    fn effect(&self, _input: &Input) -> Effect {
        Effect::Write
    }

    async fn approval(&self, _input: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn summary(&self, input: &Input) -> String {
        count(input.get("items").and_then(Value::as_array).map_or(0, Vec::len), "item")
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let Arguments { items } = arguments::read(NAME, &input)?;
        let done = items.iter().filter(|item| item.state == TodoState::Done).count();
        let brief = format!("{done} of {} done", items.len());
        context.events.emit(Event::Todo { items }).await;
        Ok(Output::new(format!("noted: {brief}"), brief))
    }
}
