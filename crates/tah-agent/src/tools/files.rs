//! What the file tools share: the roots they see, which state of each file the model has seen (E6), and how a
//! refused path becomes an answer.

use crate::message::Input;
use crate::tool::ToolError;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tah_os::path::{PathError, Roots, Stamp, WorkPath};

/// States and plans kept before old ones are forgotten; a forgotten one is only checked less.
const KEPT: usize = 10_000;

/// The file tools' shared view of the disk. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Files {
    roots: Roots,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// By real path: the state of a file the model has read, or left behind by writing.
    seen: HashMap<PathBuf, Stamp>,
    /// By call: what was on disk when its card was made. `None` is nothing.
    planned: HashMap<String, Option<Stamp>>,
}

impl Files {
    pub(crate) fn new(roots: Roots) -> Self {
        Files { roots, state: Arc::default() }
    }

    pub(crate) fn resolve(&self, path: &str) -> Result<WorkPath, ToolError> {
        self.roots.resolve(path).map_err(refused)
    }

    /// A folder argument; without one, the working folder.
    pub(crate) fn folder(&self, path: Option<&str>) -> Result<WorkPath, ToolError> {
        self.resolve(path.filter(|path| !path.is_empty()).unwrap_or("."))
    }

    /// What rules are matched against: the path from the working folder, and where it leads if that is another.
    pub(crate) fn subjects(&self, path: &str) -> Vec<String> {
        let Ok(place) = self.roots.resolve(path) else { return vec![path.to_owned()] };
        let mut subjects = vec![place.to_string()];
        if let Ok(real) = place.real()
            && let Some(real) = real.to_str()
            && let Ok(real) = self.roots.resolve(real)
            && real != place
        {
            subjects.push(real.to_string());
        }
        subjects
    }

    /// The model has seen the file in this state.
    pub(crate) fn saw(&self, path: &WorkPath, stamp: Stamp) {
        if let Ok(real) = path.real() {
            let mut state = self.lock();
            if state.seen.len() >= KEPT {
                state.seen.clear();
            }
            state.seen.insert(real, stamp);
        }
    }

    /// Refuses if the file is not as the model has seen it (E6). A file it never saw is no fault here.
    pub(crate) fn check_seen(&self, path: &WorkPath, now: Option<&Stamp>) -> Result<(), ToolError> {
        let Ok(real) = path.real() else { return Ok(()) };
        match (self.lock().seen.get(&real), now) {
            (Some(seen), Some(now)) if seen != now => Err(changed(path)),
            _ => Ok(()),
        }
    }

    /// Remembers what a card was made from.
    pub(crate) fn plan(&self, tool: &str, input: &Input, stamp: Option<Stamp>) {
        let mut state = self.lock();
        if state.planned.len() >= KEPT {
            state.planned.clear();
        }
        state.planned.insert(key(tool, input), stamp);
    }

    /// Refuses if the file is not as the card showed it: what runs is exactly what was approved.
    pub(crate) fn check_planned(
        &self,
        tool: &str,
        input: &Input,
        path: &WorkPath,
        now: Option<&Stamp>,
    ) -> Result<(), ToolError> {
        match self.lock().planned.remove(&key(tool, input)) {
            Some(planned) if planned.as_ref() != now => Err(changed(path)),
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(tool: &str, input: &Input) -> String {
    format!("{tool} {}", Value::Object(input.clone()))
}

fn changed(path: &WorkPath) -> ToolError {
    refused(PathError::Changed { path: path.to_string() })
}

/// A path error as the model reads it.
pub(crate) fn refused(error: PathError) -> ToolError {
    let tool_error = ToolError::new(error.to_string());
    match error.hint() {
        Some(hint) => tool_error.hint(hint),
        None => tool_error,
    }
}

/// Runs what blocks on a thread for it.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(ToolError::new("the tool failed inside (a defect of tah)")),
    }
}

/// `1 line`, `2 lines`
pub(crate) fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// A name on one line: names may hold line breaks and escapes.
pub(crate) fn one_line(name: &str) -> String {
    if !name.contains(char::is_control) {
        return name.to_owned();
    }
    name.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
