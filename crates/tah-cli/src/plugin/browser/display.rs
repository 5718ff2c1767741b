//! What people see of a browser call: the display table of the plugin.

use serde_json::Value;
use tah_agent::message::Input;
use tah_os::text::shorten;

/// Characters of arguments shown where nothing better stands for the call.
const ARGUMENT_CHARS: usize = 60;

/// A call in a few words: its url, its described element, else its arguments.
pub fn summary(tool: &str, input: &Input) -> String {
    let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    match tool {
        "browser_open" => text("url").unwrap_or("about:blank").to_owned(),
        "browser_navigate" => text("url").unwrap_or_default().to_owned(),
        _ => match text("element") {
            Some(element) => element.to_owned(),
            None if input.is_empty() => String::new(),
            None => shorten(&Value::Object(input.clone()).to_string(), ARGUMENT_CHARS).into_owned(),
        },
    }
}

/// A call of the native engine in a few words: its target, else its arguments.
pub fn native_summary(input: &Input) -> String {
    match input.get("target").or_else(|| input.get("url")) {
        Some(Value::String(text)) => text.clone(),
        Some(target) => shorten(&target.to_string(), ARGUMENT_CHARS).into_owned(),
        None => summary("", input),
    }
}

/// A result in a few words: the page's title, else how long it is.
pub fn brief(result: &str) -> String {
    match title(result) {
        Some(title) => title.to_owned(),
        None => format!("{} characters", result.chars().count()),
    }
}

/// The title a Playwright result names.
pub fn title(result: &str) -> Option<&str> {
    field(result, "- Page Title: ")
}

/// The url a Playwright result names.
pub fn url(result: &str) -> Option<&str> {
    field(result, "- Page URL: ")
}

fn field<'a>(result: &'a str, name: &str) -> Option<&'a str> {
    result.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).filter(|value| !value.is_empty())
}
