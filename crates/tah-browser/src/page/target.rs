//! What a caller means by `target`: parsed, not looked up.

use serde_json::Value;

use crate::error::BrowserError;

use super::Point;

#[cfg(test)]
mod tests;

/// How the page is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    Css,
    Text,
    Xpath,
}

/// An element as a caller names it.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Query {
        by: By,
        value: String,
        index: usize,
    },
    /// A number from a snapshot.
    Ref(u64),
    /// A point of the top viewport, in CSS pixels.
    Point(Point),
}

const FORMS: &str = "a target is a ref (e12), a CSS selector, text=…, xpath=…, or {\"by\": \"css\" | \"text\" | \
    \"xpath\" | \"ref\", \"value\", \"index\"?} or {\"by\": \"point\", \"x\", \"y\"}";

impl Target {
    /// Reads a string or an object.
    pub fn read(value: &Value) -> Result<Target, BrowserError> {
        let refused = |what: String| Err(BrowserError::argument(what).hint(FORMS));
        match value {
            Value::String(text) => Target::from_text(text),
            Value::Object(map) => {
                let text = |key: &str| match map.get(key) {
                    Some(Value::String(text)) => Some(text.clone()),
                    Some(Value::Number(number)) => Some(number.to_string()),
                    _ => None,
                };
                let Some(by) = text("by") else { return refused(String::from("target.by is missing")) };
                if by == "point" {
                    let number = |key: &str| map.get(key).and_then(Value::as_f64);
                    return match (number("x"), number("y")) {
                        (Some(x), Some(y)) => Ok(Target::Point(Point { x, y })),
                        _ => refused(String::from("target by point needs x and y")),
                    };
                }
                let Some(value) = text("value").filter(|value| !value.trim().is_empty()) else {
                    return refused(String::from("target.value is missing"));
                };
                let index = match map.get("index") {
                    None | Some(Value::Null) => 0,
                    Some(index) => match index.as_u64() {
                        Some(index) => usize::try_from(index).unwrap_or(usize::MAX),
                        None => return refused(String::from("target.index must be a whole number from 0")),
                    },
                };
                let by = match by.as_str() {
                    "css" => By::Css,
                    "text" => By::Text,
                    "xpath" => By::Xpath,
                    "ref" => {
                        return match number_of(&value) {
                            Some(number) => Ok(Target::Ref(number)),
                            None => refused(format!("{value:?} is not a ref; refs look like e12")),
                        };
                    }
                    other => return refused(format!("target.by is {other:?}")),
                };
                Ok(Target::Query { by, value, index })
            }
            _ => refused(String::from("target must be a string or an object")),
        }
    }

    fn from_text(text: &str) -> Result<Target, BrowserError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BrowserError::argument("target is empty").hint(FORMS));
        }
        if let Some(number) = number_of(text) {
            return Ok(Target::Ref(number));
        }
        let query = |by, value: &str| Ok(Target::Query { by, value: value.trim().to_owned(), index: 0 });
        if let Some(rest) = text.strip_prefix("css=") {
            return query(By::Css, rest);
        }
        if let Some(rest) = text.strip_prefix("text=") {
            return query(By::Text, unquoted(rest.trim()));
        }
        if let Some(rest) = text.strip_prefix("xpath=") {
            return query(By::Xpath, rest);
        }
        if text.starts_with("//") || text.starts_with("(//") {
            return query(By::Xpath, text);
        }
        query(By::Css, text)
    }

    /// As messages name it.
    pub fn shown(&self) -> String {
        match self {
            Target::Query { by, value, index } => {
                let by = match by {
                    By::Css => "CSS",
                    By::Text => "text",
                    By::Xpath => "XPath",
                };
                let nth = if *index > 0 { format!(" at index {index}") } else { String::new() };
                format!("{by} {value:?}{nth}")
            }
            Target::Ref(number) => format!("e{number}"),
            Target::Point(point) => format!("the point {}, {}", point.x, point.y),
        }
    }
}

/// `e12`, also written `[e12]`, `ref=e12` or `@e12`.
fn number_of(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches("ref=").trim_start_matches(['[', '@']).trim_end_matches(']');
    let digits = text.strip_prefix('e')?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}
