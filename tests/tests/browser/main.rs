//! The browser plugin with the real Playwright MCP and a real Chromium, and with a line-framed fake in its place
//! for what the real one does only by accident. Points are named after the plugin's requirements (`bp_…`).
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests look at tah from outside and fail loudly"
)]

mod approval;
mod door;
mod fake;
mod install;
mod lifetime;
mod native;
mod profile;
mod results;
mod window;

use serde_json::{Value, json};
use tah_tests::model;

/// The tools the Playwright engine mounts behind the door, in their order.
pub const MOUNTED: [&str; 18] = [
    "browser_navigate",
    "browser_navigate_back",
    "browser_snapshot",
    "browser_find",
    "browser_click",
    "browser_type",
    "browser_fill_form",
    "browser_select_option",
    "browser_press_key",
    "browser_hover",
    "browser_drag",
    "browser_wait_for",
    "browser_tabs",
    "browser_take_screenshot",
    "browser_handle_dialog",
    "browser_file_upload",
    "browser_console_messages",
    "browser_close",
];

/// The names of a request's browser tools.
pub fn browser_tools(body: &Value) -> Vec<String> {
    model::tool_names(body).into_iter().filter(|name| name.starts_with("browser_")).collect()
}

/// A call of the door.
pub fn open(url: &str) -> model::Reply {
    model::call("browser_open", json!({"url": url}))
}
