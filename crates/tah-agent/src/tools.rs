//! The tools every tah has, one file each: files, then the shell, then the web, then the plan.
//!
//! File tools reach the disk only through [`tah_os::path`], and share what they have seen of it ([`files`]).

mod arguments;
mod diff;
mod edit_file;
mod encoding;
mod execute_command;
mod files;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod glob;
mod grep;
mod jobs;
mod list_files;
mod pattern;
mod read_file;
mod rewriting;
mod shell_line;
mod todo;
mod walk;
mod web_fetch;
mod write_file;

use crate::tool::Tool;
use files::Files;
use std::sync::Arc;
use tah_os::path::Roots;

pub use execute_command::ShellSetup;
pub use web_fetch::{PrivateHosts, WebSetup};

/// What the tools work with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The folders file tools see; without them (`capabilities.coding` is off) there are no file tools.
    pub files: Option<Roots>,
    /// How commands run; without it there is no shell.
    pub shell: Option<ShellSetup>,
    /// How pages are fetched; without it there is no `web_fetch`.
    pub web: Option<WebSetup>,
}

/// The tools, in the order a model is told of them.
pub fn standard(setup: &Setup) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    if let Some(roots) = &setup.files {
        let files = Files::new(roots.clone());
        tools.push(Arc::new(list_files::ListFiles::new(files.clone())));
        tools.push(Arc::new(read_file::ReadFile::new(files.clone())));
        tools.push(Arc::new(glob::Glob::new(files.clone())));
        tools.push(Arc::new(grep::Grep::new(files.clone())));
        tools.push(Arc::new(edit_file::EditFile::new(files.clone())));
        tools.push(Arc::new(write_file::WriteFile::new(files)));
    }
    if let Some(shell) = &setup.shell {
        let jobs = jobs::Jobs::default();
        tools.push(Arc::new(execute_command::ExecuteCommand::new(shell.clone(), jobs.clone())));
        tools.push(Arc::new(jobs::JobsTool::new(jobs)));
    }
    if let Some(web) = &setup.web {
        tools.push(Arc::new(web_fetch::WebFetch::new(web.clone())));
    }
    tools.push(Arc::new(todo::Todo::new()));
    tools
}
