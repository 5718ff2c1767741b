//! Repository tasks: `cargo xtask test | setup | tidy | cases`. The README's test command is the first.

mod cases;
mod setup;
mod steps;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <task>
  test [--full]  set up, then format, lints, build, all tests and tidy; --full adds the long runs
  setup [--full] what the tests need: Chromium by apt, pinned npm and Python packages; --full adds the real sites
  tidy           the repository's own rules
  cases          name the tests of each case in docs/field-cases.md";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            steps::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<()> {
    match words {
        ["test"] => test(),
        ["test", "--full"] => {
            test()?;
            steps::cargo("long runs", &["test", "--workspace", "--", "--ignored"])?;
            for what in ["big", "calls", "kills"] {
                steps::cargo("mcp measures", &["run", "-q", "--release", "-p", "tah-bench-mcp", "--", what])?;
            }
            steps::run("mcp conformance", "sh", &["tests/conformance/run.sh"], &steps::root())?;
            steps::cargo("release", &["build", "-q", "--release", "--locked", "--bin", "tah"])?;
            for soak in [["browser-kills", "500"], ["browser-calls", "2000"]] {
                let run = ["run", "-q", "--release", "-p", "tah-bench-soak", "--"];
                steps::cargo("browser soak", &[&run[..], &soak].concat())?;
            }
            setup::sites()?;
            let browser = ["run", "-q", "--release", "-p", "tah-bench-browser", "--"];
            steps::cargo("real sites", &[&browser[..], &["sites"]].concat())?;
            steps::cargo("browser measures", &browser)
        }
        ["setup"] => setup::run(),
        ["setup", "--full"] => setup::run().and_then(|()| setup::sites()),
        ["tidy"] => tidy::run(),
        ["cases"] => cases::run(),
        _ => bail!("{USAGE}"),
    }
}

fn test() -> Result<()> {
    setup::run()?;
    steps::cargo("format", &["fmt", "--all", "--", "--check"])?;
    steps::cargo("lints", &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])?;
    // The end-to-end tests run the binary. It is built here with the tests and their features, so that nothing below
    // it is compiled twice.
    steps::cargo("build", &["test", "--workspace", "--locked", "--no-run"])?;
    steps::cargo("tests", &["test", "--workspace", "--locked", "--no-fail-fast"])?;
    tidy::run()
}
