//! The engine behind the door, whichever it is.

use super::playwright::Playwright;
use serde_json::Value;
use std::sync::Arc;
use tah_agent::message::Input;
use tah_agent::tool::{Output, ToolContext, ToolError};

/// A tool an engine offers.
#[derive(Clone, Debug)]
pub struct EngineTool {
    pub name: String,
    pub description: String,
    pub schema: Value,
}

/// An open browser.
pub enum Engine {
    Playwright(Arc<Playwright>),
}

/// How opening went.
pub struct FirstPage {
    /// What the navigation and the page said, not yet cut.
    pub text: String,
    pub url: String,
}

impl Engine {
    pub fn tools(&self) -> &[EngineTool] {
        match self {
            Engine::Playwright(engine) => engine.tools(),
        }
    }

    /// Whether it has ended by itself.
    pub fn is_over(&self) -> bool {
        match self {
            Engine::Playwright(engine) => engine.is_over(),
        }
    }

    pub async fn call(&self, tool: &str, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        match self {
            Engine::Playwright(engine) => engine.call(tool, input, context).await,
        }
    }

    /// Goes to a page and looks at it; a failed navigation is told in the text.
    pub async fn visit(&self, url: &str, context: &ToolContext) -> Result<FirstPage, ToolError> {
        match self {
            Engine::Playwright(engine) => engine.visit(url, context).await,
        }
    }

    /// Ends it, keeping logins, and waits until it is gone.
    pub async fn close(&self) {
        match self {
            Engine::Playwright(engine) => engine.close().await,
        }
    }
}
