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
    let ids: Vec<&str> = text.lines().filter_map(case_id).collect();
    for id in &ids {
        if tests_of(id, tests, &ids).is_empty() {
            faults.push(format!("docs/field-cases.md: no test carries {id}"));
        }
    }
    for name in tests {
        // `bp_p12_…` of no row; what only begins with those letters is something else.
        let first = name.strip_prefix(POINT).and_then(|rest| rest.split('_').next()).unwrap_or_default();
        let is_point = first.starts_with(|c: char| c.is_ascii_lowercase())
            && first.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        if is_point && !ids.iter().any(|id| id.strip_prefix(POINT).is_some_and(|id| id.starts_with(first))) {
            faults.push(format!("{name}: carries no point that docs/field-cases.md lists"));
        }
    }
    Ok(faults)
}

fn filled(text: &str, tests: &BTreeSet<String>) -> String {
    let ids: Vec<&str> = text.lines().filter_map(case_id).collect();
    let line = |line: &str| match case_id(line) {
        None => line.to_owned(),
        Some(id) => {
            let what = line.split('|').nth(2).unwrap_or_default().trim();
            let names: Vec<String> =
                tests_of(id, tests, &ids).iter().map(|name| format!("`{name}`")).collect();
            format!("| {id} | {what} | {} |", names.join(" ")).replace("|  |", "| |")
        }
    };
    let mut lines: Vec<String> = text.lines().map(line).collect();
    lines.push(String::new());
    lines.join("\n")
}

/// `B12` of a row `| B12 | … |`, or a point of the browser plugin, `bp_o1`.
fn case_id(line: &str) -> Option<&str> {
    let id = line.strip_prefix("| ")?.split(' ').next()?;
    if id.starts_with(POINT) {
        return Some(id);
    }
    let number = id.strip_prefix(|c: char| c.is_ascii_uppercase())?;
    number.parse::<u32>().is_ok().then_some(id)
}

/// What names begin with that carry points of the browser plugin, which have letters of their own.
const POINT: &str = "bp_";

/// Tests whose names begin with ids, this one among them: `s7_s8_…`, `bp_o1_o2_…`.
fn tests_of<'a>(id: &str, tests: &'a BTreeSet<String>, ids: &[&str]) -> Vec<&'a str> {
    let tests = tests.iter().map(String::as_str);
    if let Some(point) = id.strip_prefix(POINT) {
        return tests.filter(|name| points_of(name, ids).contains(&point)).collect();
    }
    let id = id.to_lowercase();
    tests.filter(|name| name.split('_').take_while(|word| is_id(word)).any(|word| word == id)).collect()
}

/// The points a name begins with, the longest that fits first: `p8a_locks` and `o1` of `bp_p8a_locks_o1_…`.
fn points_of<'a>(name: &str, ids: &[&'a str]) -> Vec<&'a str> {
    let Some(mut rest) = name.strip_prefix(POINT) else { return Vec::new() };
    let mut found = Vec::new();
    let points = || ids.iter().filter_map(|id| id.strip_prefix(POINT));
    while let Some((point, behind)) = points()
        .filter_map(|point| Some((point, rest.strip_prefix(point)?)))
        .filter(|(_, behind)| behind.is_empty() || behind.starts_with('_'))
        .max_by_key(|(point, _)| point.len())
    {
        found.push(point);
        rest = behind.trim_start_matches('_');
    }
    found
}

fn is_id(word: &str) -> bool {
    let Some(number) = word.strip_prefix(|c: char| c.is_ascii_lowercase()) else { return false };
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
