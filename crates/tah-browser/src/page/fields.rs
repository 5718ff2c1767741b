//! Fields: what they hold, and putting something else in, each time read back. Typing goes through the keyboard, values
//! through the browser's own setters with the events frameworks listen to.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::input::{Button, Key, Modifiers};

use super::acting::{ACTIONABLE, Needs, gone};
use super::lookup::{Element, FRAME_ANSWER};
use super::{PageError, Point};

/// What a field is and holds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Field {
    pub gone: bool,
    pub number: u64,
    pub tag: String,
    #[serde(rename = "type")]
    pub type_: String,
    pub kind: String,
    pub what: String,
    pub value: Value,
    pub checked: Option<bool>,
    pub mixed: bool,
    pub selected_text: Option<String>,
    pub multiple: bool,
    pub password: bool,
    pub editor: bool,
    pub text: Option<String>,
}

/// How a value was put in.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Put {
    problem: Option<String>,
    pub method: String,
    pub value: Value,
    pub text: String,
    what: String,
    detail: String,
    wanted: Value,
}

#[derive(Deserialize)]
struct Caret {
    ok: bool,
    #[serde(default)]
    active: String,
}

pub(crate) fn enter_key() -> Key {
    Key {
        key: String::from("Enter"),
        code: String::from("Enter"),
        virtual_code: 13,
        text: Some(String::from("\r")),
    }
}

fn backspace_key() -> Key {
    Key { key: String::from("Backspace"), code: String::from("Backspace"), virtual_code: 8, text: None }
}

impl Element {
    pub(crate) async fn field(&self) -> Result<Field, BrowserError> {
        let field: Field = self.frame.call("field", (self.number,), ACTIONABLE).await?;
        if field.gone { Err(gone(&self.what)) } else { Ok(field) }
    }

    /// Puts a value into an input, textarea, select or editor, and reads it back.
    pub(crate) async fn put(&self, tab: &Tab, value: &Value) -> Result<Put, BrowserError> {
        let field = self.field().await?;
        self.put_into(tab, &field, value).await
    }

    /// As [`Element::put`], where it is known already what the field is.
    pub(crate) async fn put_into(
        &self,
        tab: &Tab,
        field: &Field,
        value: &Value,
    ) -> Result<Put, BrowserError> {
        if field.checked.is_some() {
            return Err(BrowserError::argument(format!("{} is a {}", field.what, field.kind))
                .hint("use browser_check"));
        }
        if field.editor {
            return self.rewrite(tab, &plain(value)).await;
        }
        let put: Put = self.frame.call("setValue", (self.number, value), ACTIONABLE).await?;
        self.judged(put, value)
    }

    /// Chooses options of a select.
    pub(crate) async fn choose(&self, wanted: &[Value], budget: Duration) -> Result<Put, BrowserError> {
        let ask = self.frame.call(
            "choose",
            (self.number, wanted, budget.as_millis() as u64),
            budget + FRAME_ANSWER,
        );
        let put: Put = ask.await?;
        self.judged(put, &Value::Null)
    }

    fn judged(&self, put: Put, wanted: &Value) -> Result<Put, BrowserError> {
        let Some(problem) = put.problem.as_deref() else { return Ok(put) };
        let what = &put.what;
        Err(match problem {
            "gone" => gone(&self.what),
            "refused" => {
                let detail = if put.detail.is_empty() { String::new() } else { format!(" ({})", put.detail) };
                BrowserError::new(
                    Code::ValueRefused,
                    format!(
                        "{what} refused {}: it holds {}{detail}",
                        json!(plain(wanted)),
                        json!(plain(&put.value))
                    ),
                )
            }
            "unknown" => {
                let asked =
                    put.wanted.as_object().and_then(|map| map.values().next().cloned()).unwrap_or_default();
                BrowserError::new(
                    Code::OptionUnknown,
                    format!("{what} has no option {asked}; there are: {}", put.detail),
                )
            }
            "option disabled" => BrowserError::new(
                Code::TargetDisabled,
                format!("the option {:?} of {what} is disabled", put.detail),
            ),
            "single" => BrowserError::argument(format!("{what} takes one option, not several")),
            "no select" => BrowserError::argument(format!("{what} is not a <select>"))
                .hint("open it with browser_click and click the option that shows"),
            "file" => BrowserError::argument(format!("{what} takes files")).hint("use browser_upload"),
            "no field" => BrowserError::argument(format!("{what} is no field that holds a value"))
                .hint("browser_click and browser_key work on custom controls"),
            other => BrowserError::argument(format!("{what}: {other}")),
        })
    }

    /// Focuses for typing; `All` selects what is there.
    pub(crate) async fn caret(&self, select: Select) -> Result<(), BrowserError> {
        let caret: Caret = self.frame.call("caret", (self.number, select == Select::All), ACTIONABLE).await?;
        if caret.ok {
            return Ok(());
        }
        Err(BrowserError::new(
            Code::TargetHidden,
            format!("{} does not take the focus; it is at {}", self.what, caret.active),
        ))
    }

    /// Replaces the text of an editor as a person would: select all, type.
    async fn rewrite(&self, tab: &Tab, text: &str) -> Result<Put, BrowserError> {
        self.caret(Select::All).await?;
        // Editors learn of a new selection by an event that comes a little later.
        self.frame.call::<bool>("tick", (), ACTIONABLE).await?;
        if text.is_empty() {
            tab.press_key(&backspace_key(), Modifiers::default(), Vec::new(), ACTIONABLE).await?;
        } else {
            tab.type_lines(text).await?;
        }
        self.frame.call::<bool>("quiet", (100,), ACTIONABLE).await?;
        let field = self.field().await?;
        let value = plain(&field.value);
        if folded(&value) != folded(text) {
            return Err(BrowserError::new(
                Code::ValueRefused,
                format!("{} refused {}: it holds {}", field.what, json!(text), json!(value)),
            ));
        }
        Ok(Put { method: String::from("typed"), value: json!(value), ..Put::default() })
    }

    /// Brings a checkbox or radio to a state and reads it back (B13: through its label where it has no surface).
    pub(crate) async fn check(&self, tab: &Tab, wanted: Checked) -> Result<bool, BrowserError> {
        let goal = wanted == Checked::Yes;
        let field = self.field().await?;
        let Some(now) = field.checked else {
            return Err(BrowserError::argument(format!(
                "{} is neither a checkbox nor a radio button",
                field.what
            )));
        };
        if now == goal && !field.mixed {
            return Ok(now);
        }
        if !goal && (field.kind == "radio") {
            return Err(BrowserError::argument(format!(
                "{} is a radio button, which can't be unchecked",
                field.what
            ))
            .hint("choose another one of its group"));
        }
        let state = |field: &Field| field.checked == Some(goal) && !field.mixed;
        // A mixed box may need two presses.
        for _ in 0..2 {
            let (_, point) = tab.aim_at(self, Needs::PRESS).await?;
            self.press_at(tab, point).await?;
            let field = self.field().await?;
            if state(&field) {
                return Ok(goal);
            }
            // The page may change it a little later.
            self.frame.call::<bool>("quiet", (200,), ACTIONABLE).await?;
            let field = self.field().await?;
            if state(&field) {
                return Ok(goal);
            }
            if !field.mixed {
                break;
            }
        }
        let said = |checked| if checked { "checked" } else { "unchecked" };
        Err(BrowserError::new(
            Code::ValueRefused,
            format!("{} was pressed, but stayed {} instead of {}", field.what, said(!goal), said(goal)),
        ))
    }

    async fn press_at(&self, tab: &Tab, point: Point) -> Result<(), BrowserError> {
        match tab.click_at(point, Button::Left, 1, Modifiers::default(), ACTIONABLE).await {
            Ok(()) => {}
            Err(PageError::Dialog(dialog)) => return Err(PageError::Dialog(dialog).into()),
            Err(error) => return Err(error.into()),
        }
        let _: Value = self.frame.call("pressed", (1,), FRAME_ANSWER).await?;
        Ok(())
    }
}

/// What becomes of the text that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    Nothing,
    All,
}

/// The state of a checkbox or radio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    Yes,
    No,
}

impl Tab {
    /// Types text with line breaks into an editor: a break is the Enter key, which editors make a paragraph of.
    pub(crate) async fn type_lines(&self, text: &str) -> Result<(), PageError> {
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.press_key(&enter_key(), Modifiers::default(), Vec::new(), ACTIONABLE).await?;
            }
            let line = line.trim_end_matches('\r');
            if !line.is_empty() {
                self.insert_text(line, ACTIONABLE).await?;
            }
        }
        Ok(())
    }
}

/// A JSON value as a field would show it: "007" stays a string.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Text without what editors do to white space.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
