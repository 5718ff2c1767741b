//! `grep`: lines that match a regular expression, with ripgrep's own engine. The search of one file is in
//! [`search`]; here it is spread over a folder, and the result is the same each time although files are searched
//! side by side: the first matches in path order are shown, all of them are counted.

mod search;

use super::arguments;
use super::files::{Files, blocking, count, refused};
use super::pattern::Pattern;
use super::walk::Base;
use crate::card::Card;
use crate::limits;
use crate::message::Input;
use crate::tool::{Cut, Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use ignore::WalkState;
use search::{Engine, InFile};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tah_os::path::Kind;
use tokio_util::sync::CancellationToken;

const NAME: &str = "grep";

pub(crate) struct Grep {
    files: Files,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    directory: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    context: usize,
    #[serde(default)]
    mode: Mode,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Lines,
    Files,
    Counts,
}

impl Grep {
    pub(crate) fn new(files: Files) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "regular expression (Rust syntax); (?i) ignores case"},
                "directory": {"type": "string", "description": "folder or file, default: the working folder"},
                "glob": {"type": "string", "description": "only these files: *.rs, !*.lock"},
                "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "lines around a match"},
                "mode": {"enum": ["lines", "files", "counts"]}
            },
            "required": ["pattern"]
        });
        Grep { files, schema }
    }
}

#[async_trait]
impl Tool for Grep {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Searches file contents. Binary files and what .gitignore names are left out."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, _input: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        self.files.subjects(match arguments::text(input, "directory") {
            "" => ".",
            directory => directory,
        })
    }

    fn summary(&self, input: &Input) -> String {
        let pattern = arguments::text(input, "pattern");
        match arguments::text(input, "directory") {
            "" => pattern.to_owned(),
            directory => format!("{pattern} in {directory}"),
        }
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let (files, cancel) = (self.files.clone(), context.cancel.clone());
        blocking(move || grep(&files, &arguments, &cancel)).await
    }
}

/// What was found so far. Of the lines only the first in path order are kept.
#[derive(Default)]
struct Found {
    kept: BTreeMap<PathBuf, InFile>,
    kept_lines: usize,
    files: usize,
    matches: u64,
    unreadable: usize,
}

impl Found {
    fn add(&mut self, below: &Path, found: InFile) {
        self.files += 1;
        self.matches += found.matches;
        self.kept_lines += found.lines.len().max(1);
        self.kept.insert(below.to_owned(), found);
        while let Some(last) = self.kept.last_entry() {
            let lines = last.get().lines.len().max(1);
            if self.kept_lines - lines < limits::GREP_LINES {
                break;
            }
            self.kept_lines -= lines;
            last.remove();
        }
    }
}

fn grep(files: &Files, arguments: &Arguments, cancel: &CancellationToken) -> Result<Output, ToolError> {
    let keep = match arguments.mode {
        Mode::Lines => limits::GREP_LINES,
        Mode::Files | Mode::Counts => 0,
    };
    let engine = Engine::new(&arguments.pattern, arguments.context.min(20), keep)?;
    let pattern = arguments.glob.as_deref().filter(|glob| !glob.is_empty()).map(Pattern::new).transpose()?;
    let base = Base::of(files.folder(arguments.directory.as_deref())?)?;
    let found = Mutex::new(Found::default());
    if base.kind != Kind::Folder {
        let file = base.place.open().map_err(refused)?;
        let in_file = engine
            .searcher()
            .search(&file)
            .map_err(|error| ToolError::new(format!("can't search {}: {error}", base.place)))?;
        if let Some(in_file) = in_file {
            found.lock().unwrap_or_else(PoisonError::into_inner).add(Path::new(""), in_file);
        }
    } else {
        base.parallel().run(|| {
            let mut searcher = engine.searcher();
            let (found, base, pattern) = (&found, &base, &pattern);
            Box::new(move |entry| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                let Ok(entry) = entry else { return WalkState::Continue };
                let below = base.below(entry.path());
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                if !is_file || pattern.as_ref().is_some_and(|pattern| !pattern.matches(below)) {
                    return WalkState::Continue;
                }
                let opened = base.place.join(below).and_then(|path| path.open());
                let outcome = opened.ok().map(|file| searcher.search(&file));
                let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
                match outcome {
                    Some(Ok(Some(in_file))) => lock().add(below, in_file),
                    Some(Ok(None)) => {}
                    None | Some(Err(_)) => lock().unreadable += 1,
                }
                WalkState::Continue
            })
        });
    }
    if cancel.is_cancelled() {
        return Err(ToolError::new("cancelled"));
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(output(&base, arguments.mode, &found))
}

fn output(base: &Base, mode: Mode, found: &Found) -> Output {
    let unreadable = match found.unreadable {
        0 => String::new(),
        many => format!("; {} could not be read", count(many, "file")),
    };
    if found.files == 0 {
        let text = format!("[no matches; binary files and what .gitignore names were left out{unreadable}]");
        return Output::new(text, "no matches");
    }
    let brief = format!(
        "{} in {}",
        count(usize::try_from(found.matches).unwrap_or(usize::MAX), "matching line"),
        count(found.files, "file")
    );
    let mut text = String::new();
    let mut chars = 0;
    let (mut shown_files, mut shown_matches) = (0, 0);
    'files: for (below, in_file) in &found.kept {
        let path = base.shown(below);
        let block: Vec<String> = match mode {
            Mode::Files => vec![path],
            Mode::Counts => vec![format!("{path}: {}", in_file.matches)],
            Mode::Lines => {
                std::iter::once(path).chain(in_file.lines.iter().map(search::Line::shown)).collect()
            }
        };
        for (index, line) in block.into_iter().enumerate() {
            chars += line.chars().count() + 1;
            if chars > limits::GREP_CHARS {
                break 'files;
            }
            text.push_str(&line);
            text.push('\n');
            shown_matches += u64::from(index > 0 && in_file.lines[index - 1].is_match());
        }
        shown_files += 1;
        if mode == Mode::Lines {
            text.push('\n');
        }
    }
    let left_out = match mode {
        Mode::Lines => found.matches.saturating_sub(shown_matches),
        Mode::Files | Mode::Counts => (found.files - shown_files) as u64,
    };
    let mut output = Output::new(text, brief);
    if left_out > 0 {
        let remedy = "use a narrower pattern, glob or directory, or mode \"files\"".to_owned();
        let things = if mode == Mode::Lines { "matching lines" } else { "files" };
        output.text.push_str(&format!(
            "[{left_out} more {things} not shown ({} in all); {remedy}{unreadable}]\n",
            output.brief
        ));
        output.cut = Some(Cut { chars: 0, remedy });
    } else {
        output.text.push_str(&format!("[{}{unreadable}]\n", output.brief));
    }
    output
}
