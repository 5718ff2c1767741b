//! What joins comes last, whatever source it is from.

use super::*;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tah_agent::card::Card;
use tah_agent::message::Input;
use tah_agent::tool::{Effect, Output, ToolContext, ToolError};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| json!({"type": "object"}));

struct Named(&'static str);

#[async_trait]
impl Tool for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &str {
        ""
    }

    fn schema(&self) -> &Value {
        &SCHEMA
    }

    fn effect(&self, _: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, _: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn summary(&self, _: &Input) -> String {
        String::new()
    }

    async fn run(&self, _: Input, _: &ToolContext) -> Result<Output, ToolError> {
        Ok(Output::new(String::new(), String::new()))
    }
}

#[derive(Default)]
struct Changing(Mutex<Vec<&'static str>>);

impl Changing {
    fn has(&self, names: &[&'static str]) {
        *self.0.lock().unwrap() = names.to_vec();
    }
}

impl ToolSource for Changing {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.lock().unwrap().iter().map(|name| Arc::new(Named(name)) as Arc<dyn Tool>).collect()
    }
}

#[test]
fn what_joins_stands_last_and_what_leaves_moves_nothing_before_it() {
    let (servers, browser) = (Arc::new(Changing::default()), Arc::new(Changing::default()));
    let order = MountOrder::new(vec![servers.clone(), browser.clone()]);
    let names = || order.tools().iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
    servers.has(&["a", "search"]);
    browser.has(&["door"]);
    assert_eq!(names(), ["a", "search", "door"]);
    servers.has(&["a", "search", "found"]);
    assert_eq!(names(), ["a", "search", "door", "found"], "found by a search behind the door");
    browser.has(&["door", "click", "close"]);
    servers.has(&["a", "search", "found", "late"]);
    assert_eq!(names(), ["a", "search", "door", "found", "late", "click", "close"]);
    browser.has(&["door"]);
    assert_eq!(names(), ["a", "search", "door", "found", "late"]);
    // A second source's tool of the same name is not there twice, and one that comes back comes last.
    servers.has(&["search", "found", "late"]);
    browser.has(&["door", "late"]);
    assert_eq!(names(), ["search", "door", "found", "late"]);
    servers.has(&["a", "search", "found", "late"]);
    assert_eq!(names(), ["search", "door", "found", "late", "a"]);
}
