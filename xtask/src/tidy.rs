//! The repository's own rules, the ones no compiler checks: heads of files, sizes, unfinished work, lock files that
//! name a host, dependencies that must not come back, and the list of cases.
#![allow(clippy::disallowed_methods, reason = "a task reads the repository")]

use crate::{cases, steps};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines a source file may have; tests and pure tables aside.
const LINES: usize = 500;

pub fn run() -> Result<()> {
    let root = steps::root();
    let mut faults = Vec::new();
    let sources = sources()?;
    let mut tests = BTreeSet::new();
    for path in &sources {
        let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let text = fs::read_to_string(path).with_context(|| name.clone())?;
        faults.extend(source(&name, &text));
        tests.extend(test_names(&text));
    }
    faults.extend(locks(&root)?);
    faults.extend(cases::faults(&tests)?);
    if faults.is_empty() {
        steps::say(&format!("── tidy: {} files, {} tests", sources.len(), tests.len()));
        return Ok(());
    }
    bail!("tidy found {}:\n  {}", faults.len(), faults.join("\n  "))
}

/// The names of all functions, tests among them.
pub fn all_tests() -> Result<BTreeSet<String>> {
    let mut tests = BTreeSet::new();
    for path in sources()? {
        tests.extend(test_names(&fs::read_to_string(path)?));
    }
    Ok(tests)
}

fn sources() -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for folder in ["crates", "tests", "xtask", "benches", "fuzz"] {
        collect(&steps::root().join(folder), &mut sources)?;
    }
    Ok(sources)
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | "node_modules" | "corpus" | "artifacts") {
                collect(&path, into)?;
            }
        } else if name.ends_with(".rs") {
            into.push(path);
        }
    }
    Ok(())
}

fn source(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let is_test = name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("tests.rs");
    if !text.starts_with("//!") {
        faults.push(format!("{name}: begins without `//!` (what it is for and what it leaves to others)"));
    }
    let lines = text.lines().count();
    if lines > LINES && !is_test && !text.contains("tidy: a table") {
        faults.push(format!("{name}: {lines} lines, over {LINES}"));
    }
    // Spelt in pieces, so that this file does not find itself.
    for word in
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("todo", "!("), concat!("unimplemented", "!(")]
    {
        if text.contains(word) {
            faults.push(format!("{name}: holds `{word}`"));
        }
    }
    if text.contains(concat!("#[ig", "nore]")) {
        faults.push(format!("{name}: a test that is switched off without a reason"));
    }
    faults
}

fn test_names(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let rest = line.strip_prefix("pub ").unwrap_or(line);
            let rest = rest.strip_prefix("async ").unwrap_or(rest);
            let name = rest.strip_prefix("fn ")?;
            Some(name.split(['(', '<']).next().unwrap_or("").to_owned())
        })
        .collect()
}

fn locks(root: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let cargo = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    for banned in ["aws-lc-rs", "aws-lc-sys", "openssl-sys", "onig_sys"] {
        if cargo.contains(&format!("name = \"{banned}\"")) {
            faults.push(format!("Cargo.lock: {banned} is back (look with `cargo tree -i {banned}`)"));
        }
    }
    let mut found = Vec::new();
    package_locks(root, &mut found)?;
    for path in found {
        let text = fs::read_to_string(&path)?;
        if text.contains("\"resolved\"") {
            faults.push(format!("{}: names a registry host (`resolved`)", path.display()));
        }
    }
    Ok(faults)
}

fn package_locks(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(name.as_str(), "target" | "node_modules" | ".git" | ".tah") {
            package_locks(&path, into)?;
        } else if name == "package-lock.json" {
            into.push(path);
        }
    }
    Ok(())
}
