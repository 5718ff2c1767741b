//! `cargo run --release -p tah-bench-mcp -- big [MB] | calls [N] | kills [ROUNDS]`
//!
//! What the MCP client costs, each time against a probe of the same run: a 50 MB result against its plain JSON parse,
//! small calls against a bare pipe echo; and that a killed server leaves no waiter and no zombie. Exit status 1 means
//! that a limit was missed. The servers are this program too (`serve-…`).
#![allow(clippy::print_stdout, reason = "a measuring program prints")]

mod big;
mod calls;
mod kills;
mod serve;

use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use tah_mcp::{Client, Reach, ServerSpec};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |default: usize| -> Result<usize> {
        words.get(1).map_or(Ok(default), |word| word.parse().with_context(|| format!("{word} is no number")))
    };
    let good = match words.first().map(String::as_str) {
        Some("big") => big::run(number(50)? * 1_000_000).await?,
        Some("calls") => calls::run(number(10_000)?).await?,
        Some("kills") => kills::run(number(100)?).await?,
        Some("serve-echo") => serve::echo()?,
        Some("serve-mcp") => serve::mcp()?,
        Some("serve-line") => serve::line(number(0)?)?,
        _ => bail!("say big [MB], calls [N] or kills [ROUNDS]"),
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A client of this program in its role as an MCP server.
async fn client() -> Result<Client> {
    let reach = Reach::Stdio {
        command: std::env::current_exe()?,
        args: vec!["serve-mcp".into()],
        env: vec![],
        hidden_env: vec![],
        cwd: None,
    };
    let spec = ServerSpec::new("bench", reach, std::env::temp_dir());
    Ok(Client::start(&spec, &Launcher::None, &CancellationToken::new()).await?)
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
