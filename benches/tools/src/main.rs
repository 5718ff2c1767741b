//! `cargo run --release -p tah-bench-tools -- grep [FILES] | pages [MB] | fetch [MB]`
//!
//! What the file tools cost: `grep` against `rg` on a tree this program makes, a large file read in pages with the
//! peak of memory, and web pages that are made to take long. Exit status 1 means that a limit was missed.
#![allow(clippy::print_stdout, reason = "a measuring program prints")]
#![allow(clippy::disallowed_methods, reason = "it makes the files it measures with")]

mod fetch;
mod grep;
mod pages;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tah_agent::event::EventSink;
use tah_agent::id::CallId;
use tah_agent::tool::{Output, Tool, ToolContext, Vision};
use tah_agent::tools::{PrivateHosts, Setup, WebSetup, standard};
use tah_os::path::Roots;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |default: usize| -> Result<usize> {
        words.get(1).map_or(Ok(default), |word| word.parse().with_context(|| format!("{word} is no number")))
    };
    let good = match words.first().map(String::as_str) {
        Some("grep") => grep::run(number(50_000)?).await?,
        Some("pages") => pages::run(number(200)?).await?,
        Some("fetch") => fetch::run(number(5)?).await?,
        _ => bail!("say grep [FILES], pages [MB] or fetch [MB]"),
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The standard tools on a folder.
struct Tools {
    tools: Vec<Arc<dyn Tool>>,
    context: ToolContext,
}

impl Tools {
    fn on(folder: &Path) -> Result<Self> {
        let web = Some(WebSetup { private: PrivateHosts::Allow });
        let setup = Setup { files: Some(Roots::open(folder)?), web, ..Setup::default() };
        let (events, _) = EventSink::channel();
        let call_id = CallId::new("bench");
        let context = ToolContext { call_id, cancel: CancellationToken::new(), events, vision: Vision::Off };
        Ok(Tools { tools: standard(&setup), context })
    }

    async fn call(&self, name: &str, input: Value) -> Result<Output> {
        let tool = self.tools.iter().find(|tool| tool.name() == name).context("no such tool")?;
        let input = input.as_object().cloned().context("an object")?;
        tool.run(input, &self.context).await.map_err(|error| anyhow!(error.for_model()))
    }
}

/// The middle of some measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Prints a measured value with its limit; says whether it is within.
fn judge(what: &str, value: f64, limit: f64) -> bool {
    let good = value <= limit;
    println!("{what}: {value:.3} (limit {limit}) {}", if good { "ok" } else { "MISSED" });
    good
}
