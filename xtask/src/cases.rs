//! `docs/field-cases.md`: each case's row names the tests whose names carry its id.
#![allow(clippy::disallowed_methods, reason = "a task reads and writes the repository")]

use crate::{steps, tidy};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn path() -> PathBuf {
    steps::root().join("docs/field-cases.md")
}

/// Writes the column of tests anew.
pub fn run() -> Result<()> {
    let text = fs::read_to_string(path()).context("docs/field-cases.md")?;
    let tests = tidy::all_tests()?;
    fs::write(path(), filled(&text, &tests)).context("docs/field-cases.md")
}

/// What is wrong with the page.
pub fn faults(tests: &BTreeSet<String>) -> Result<Vec<String>> {
    let text = fs::read_to_string(path()).context("docs/field-cases.md")?;
    let mut faults = Vec::new();
    if filled(&text, tests) != text {
        faults.push("docs/field-cases.md: the tests have changed (run `cargo xtask cases`)".to_owned());
    }
    for id in text.lines().filter_map(case_id) {
        if tests_of(id, tests).is_empty() {
            faults.push(format!("docs/field-cases.md: no test carries {id}"));
        }
    }
    Ok(faults)
}

fn filled(text: &str, tests: &BTreeSet<String>) -> String {
    let line = |line: &str| match case_id(line) {
        None => line.to_owned(),
        Some(id) => {
            let what = line.split('|').nth(2).unwrap_or_default().trim();
            let names: Vec<String> = tests_of(id, tests).iter().map(|name| format!("`{name}`")).collect();
            format!("| {id} | {what} | {} |", names.join(" ")).replace("|  |", "| |")
        }
    };
    let mut lines: Vec<String> = text.lines().map(line).collect();
    lines.push(String::new());
    lines.join("\n")
}

/// `B12` of a row `| B12 | … |`.
fn case_id(line: &str) -> Option<&str> {
    let id = line.strip_prefix("| ")?.split(' ').next()?;
    let number = id.strip_prefix(|c: char| c.is_ascii_uppercase())?;
    number.parse::<u32>().is_ok().then_some(id)
}

/// Tests whose names begin with ids, this one among them: `s7_s8_…`. Names that begin with `bp_` carry points of the
/// browser plugin, which have letters of their own.
fn tests_of<'a>(id: &str, tests: &'a BTreeSet<String>) -> Vec<&'a str> {
    let id = id.to_lowercase();
    tests
        .iter()
        .map(String::as_str)
        .filter(|name| name.split('_').take_while(|word| is_id(word)).any(|word| word == id))
        .collect()
}

fn is_id(word: &str) -> bool {
    let Some(number) = word.strip_prefix(|c: char| c.is_ascii_lowercase()) else { return false };
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
