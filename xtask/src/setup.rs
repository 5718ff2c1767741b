//! What the tests need beside Rust: Chromium and Xvfb by apt where none is found, npm packages and Python servers
//! at pinned versions in `target/test-deps`. Quick when all of it is there.
#![allow(clippy::disallowed_methods, reason = "a task writes below target/ only")]

use crate::steps;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Debian packages, each with the program that shows it is there.
const APT: [(&str, &str); 2] = [("chromium", "chromium"), ("xvfb", "Xvfb")];

pub fn run() -> Result<()> {
    apt()?;
    packages("target/test-deps", "tests/deps")
}

/// The real sites as well; they are big, and only the long runs need them.
pub fn sites() -> Result<()> {
    packages("target/test-deps/sites", "tests/deps/sites")
}

fn packages(folder: &str, pinned: &str) -> Result<()> {
    let (root, shown) = (steps::root(), folder);
    let folder = root.join(folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {shown}"))?;
    npm(&root.join(pinned), &folder)?;
    python(&root.join(pinned), &folder)
}

fn apt() -> Result<()> {
    let missing: Vec<&str> =
        APT.iter().filter(|(_, program)| !on_path(program)).map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let here = steps::root();
    steps::run("setup", "apt-get", &["update", "-qq"], &here)?;
    let mut args = vec!["install", "-y", "-qq", "--no-install-recommends"];
    args.extend(missing);
    steps::run("setup", "apt-get", &args, &here)
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn npm(pinned: &Path, folder: &Path) -> Result<()> {
    let lock = fs::read(pinned.join("package-lock.json")).context("tests/deps/package-lock.json")?;
    fresh(&folder.join("node_modules/.tah-lock"), &lock, || {
        for name in ["package.json", "package-lock.json"] {
            fs::copy(pinned.join(name), folder.join(name)).with_context(|| name.to_owned())?;
        }
        steps::run("setup", "npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    })
}

fn python(pinned: &Path, folder: &Path) -> Result<()> {
    let list = pinned.join("requirements.txt");
    let wanted = fs::read(&list).context("tests/deps/requirements.txt")?;
    fresh(&folder.join("venv/.tah-requirements"), &wanted, || {
        steps::run("setup", "python3", &["-m", "venv", "--clear", "venv"], folder)?;
        let list = list.display().to_string();
        let args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", &list];
        steps::run("setup", "venv/bin/python", &args, folder)
    })
}

/// Runs `install` unless the marker holds what is wanted; the marker is written only after it went well.
fn fresh(marker: &Path, wanted: &[u8], install: impl FnOnce() -> Result<()>) -> Result<()> {
    if fs::read(marker).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    install()?;
    fs::write(marker, wanted).with_context(|| format!("cannot write {}", marker.display()))
}
