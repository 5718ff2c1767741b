//! The one table of tools: everything about a tool that is not its doing. Schemas, documents, guard, approval, queue and
//! budget are read from here and nowhere else.

use std::future::Future;
use std::pin::Pin;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;

use crate::browser::Call;
use crate::error::BrowserError;
use crate::limits;

mod habits;
mod table;
mod validate;

#[cfg(test)]
mod tests;

pub use habits::right_name;
pub use table::ROWS;
pub use validate::validate;

/// Whether `browser_restrict` can forbid the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    Checked,
    Free,
}

/// Whether a call asks the user first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    Never,
    /// Every call.
    Always,
    /// When the browser is not open yet.
    WhenClosed,
    /// As the call that is repeated: see [`crate::Browser::replayed`].
    AsRepeated,
    /// When `savePath` lies outside the browser's own output folder.
    WhenSavedElsewhere,
}

/// What the tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read,
    Write,
}

/// How the call waits for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Beside other reads, after the writes before it.
    Shared,
    /// Alone.
    Alone,
    /// Now: it answers what the others wait for, or only looks at our own notes.
    Bypass,
}

/// When the tool is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The 33.
    Core,
    /// Beyond the 33, always there.
    Always,
    /// Unless extras are off.
    Extra,
    /// Only where named.
    Network,
}

/// What must be there before the tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// A browser, and no dialog that holds the page.
    Page,
    /// A browser; an open dialog is no obstacle.
    Browser,
    Nothing,
}

/// Whether the result holds text that a page wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageText {
    Inside,
    None,
}

pub type Running = Pin<Box<dyn Future<Output = Result<Value, BrowserError>> + Send>>;

/// One tool.
pub struct Row {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema of the arguments, as text.
    pub schema: &'static str,
    pub group: Group,
    pub guard: Guard,
    pub ask: Ask,
    pub effect: Effect,
    pub turn: Turn,
    pub needs: Needs,
    pub page_text: PageText,
    pub budget: Duration,
    pub run: fn(Call) -> Running,
}

impl Row {
    /// The schema, parsed.
    pub fn schema(&self) -> &'static Value {
        static PARSED: LazyLock<Vec<(&'static str, Value)>> = LazyLock::new(|| {
            ROWS.iter()
                .map(|row| (row.name, serde_json::from_str(row.schema).unwrap_or(Value::Null)))
                .collect()
        });
        static NULL: Value = Value::Null;
        PARSED.iter().find(|(name, _)| *name == self.name).map_or(&NULL, |(_, schema)| schema)
    }
}

/// The row of a tool.
pub fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// Which of the tools beyond the 33 are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extras {
    Off,
    #[default]
    On,
    OnWithNetwork,
}

/// The tools that are offered.
pub fn offered(extras: Extras) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| match row.group {
        Group::Core | Group::Always => true,
        Group::Extra => extras != Extras::Off,
        Group::Network => extras == Extras::OnWithNetwork,
    })
}

/// The longest a tool of this table may take; the rest of a call is bookkeeping.
pub const LONGEST: Duration = limits::CALL;
