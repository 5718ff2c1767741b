//! One call of Playwright MCP, with everything a user must not suffer from: pages that never answer, a browser that
//! was silently replaced, errors with escapes, passwords in clear (P8a).

use super::super::{CALL_TIMEOUT, LOAD_TIMEOUT, address, results, secrets};
use super::{LOOK_WAIT, Memory, Playwright, RESCUE_WAIT};
use serde_json::{Value, json};
use std::time::Duration;
use tah_agent::message::Input;
use tah_agent::tool::ToolError;
use tah_mcp::{CallError, CallOptions, CallResult, CloseOrder};

const RESTARTED: &str = "the browser was restarted, the page is lost";

/// What a call gave: its text, and the address of the page it is of.
pub(super) struct Said {
    pub text: String,
    pub url: String,
}

impl Playwright {
    /// Calls a tool while nobody else does.
    pub(super) async fn call_alone(
        &self,
        tool: &str,
        mut input: Input,
        memory: &mut Memory,
    ) -> Result<Said, ToolError> {
        if let Some(Value::String(url)) = input.get_mut("url") {
            *url = address::mend(url);
        }
        let arguments = Value::Object(input);
        let navigates = tool == "browser_navigate";
        let mut result = self.request(tool, &arguments).await?;
        if navigates && memory.navigation_failed && stumbled(&result) {
            result = self.request(tool, &arguments).await?;
        }
        if navigates {
            memory.navigation_failed = result.is_error;
        }
        let failed = result.is_error;
        let mut text = results::without_escapes(&result.into_text());
        if secrets::may_show(&text) {
            text = self.masked(text).await;
        }
        if self.was_restarted(memory) {
            text = format!("{RESTARTED}\n{text}");
            memory.url.clear();
        }
        if let Some(url) = results::url(&text) {
            memory.url = url.to_owned();
        } else if navigates && !failed && memory.url.is_empty() {
            memory.url = arguments["url"].as_str().unwrap_or_default().to_owned();
        }
        if failed { Err(ToolError::new(text)) } else { Ok(Said { text, url: memory.url.clone() }) }
    }

    /// The request with its deadline.
    async fn request(&self, tool: &str, arguments: &Value) -> Result<CallResult, ToolError> {
        let usual = match tool {
            "browser_navigate" | "browser_navigate_back" | "browser_tabs" => LOAD_TIMEOUT,
            _ => CALL_TIMEOUT,
        };
        let timeout = self.setup.settings.call_timeout.unwrap_or(usual);
        match self.quick(tool, arguments, timeout).await {
            Ok(result) => Ok(result),
            Err(CallError::Timeout { .. }) => Err(self.rescue(timeout).await),
            Err(error @ CallError::Ended { .. }) => {
                Err(ToolError::new(format!("the browser's program ended: {error}"))
                    .hint("open it again with browser_open"))
            }
            Err(error) => Err(ToolError { message: error.to_string(), hint: error.hint() }),
        }
    }

    async fn quick(&self, tool: &str, arguments: &Value, timeout: Duration) -> Result<CallResult, CallError> {
        let options = CallOptions { timeout: Some(timeout), ..CallOptions::default() };
        self.client.call(tool, arguments, &options).await
    }

    /// A page that loops for ever answers nothing, but its tab can be closed.
    async fn rescue(&self, after: Duration) -> ToolError {
        let seconds = after.as_secs_f32();
        let close = json!({"action": "close"});
        if self.quick("browser_tabs", &close, RESCUE_WAIT).await.is_ok_and(|result| !result.is_error) {
            return ToolError::new(format!(
                "no answer in {seconds} s (the page may be busy for ever); its tab was closed; may have happened"
            ));
        }
        if self.quick("browser_close", &json!({}), RESCUE_WAIT).await.is_ok() {
            return ToolError::new(format!(
                "no answer in {seconds} s; its tab did not close, so all tabs were closed; may have happened"
            ));
        }
        self.client.close(CloseOrder::SigtermFirst).await;
        ToolError::new(format!("no answer in {seconds} s; the browser was ended; may have happened"))
            .hint("open it again with browser_open")
    }

    /// Chrome that died is replaced without a word: another process holds the profile then.
    fn was_restarted(&self, memory: &mut Memory) -> bool {
        let now = self.holder();
        let changed = matches!((&memory.holder, &now), (Some(before), Some(now)) if before != now);
        if now.is_some() {
            memory.holder = now;
        }
        changed
    }

    /// The text with passwords masked. What the look at the page brings of its own (console events) is kept.
    async fn masked(&self, text: String) -> String {
        if !self.listed.iter().any(|name| name == "browser_evaluate") {
            return secrets::mask(&text, &[]);
        }
        let look = json!({ "function": secrets::ASK });
        let Ok(result) = self.quick("browser_evaluate", &look, LOOK_WAIT).await else {
            return secrets::mask(&text, &[]);
        };
        let answer = result.into_text();
        let mut masked = secrets::mask(&text, &secrets::values(&answer));
        if let (Some(events), None) =
            (results::section(&answer, "### Events"), results::section(&masked, "### Events"))
        {
            masked.push('\n');
            masked.push_str(events);
        }
        masked
    }
}

/// A good navigation right after a failed one fails half the time, over the error page of that one.
fn stumbled(result: &CallResult) -> bool {
    result.is_error && result.text().contains("interrupted by another navigation")
}
