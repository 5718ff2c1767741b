//! `grep` against `rg` on the same tree: a rare word, a word in every file, and a regular expression.

use super::{Tools, judge, median};
use anyhow::{Result, ensure};
use serde_json::json;
use std::path::Path;
use std::time::Instant;
use tah_os::process::{Launcher, Output, Spawn};
use tokio::io::AsyncReadExt;

const ROUNDS: usize = 7;

pub async fn run(files: usize) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    make(folder.path(), files)?;
    println!("{files} files made in {:.1} s", began.elapsed().as_secs_f64());
    let tools = Tools::on(folder.path())?;
    let mut good = true;
    for (what, pattern) in
        [("rare", "needle_of_the_tree"), ("common", "fn value"), ("regex", r"let \w+ = [a-z_]+\(\d+7\);")]
    {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut matches = String::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            matches = tools.call("grep", json!({"pattern": pattern})).await?.brief;
            ours.push(began.elapsed().as_secs_f64() * 1e3);
            let began = Instant::now();
            rg(folder.path(), pattern).await?;
            theirs.push(began.elapsed().as_secs_f64() * 1e3);
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!("{what}: {ours:.0} ms, rg {theirs:.0} ms ({matches})");
        good &= judge(&format!("{what}, times rg"), ours / theirs, 1.5);
    }
    Ok(good)
}

async fn rg(folder: &Path, pattern: &str) -> Result<()> {
    let mut child = Spawn::new("rg", &Launcher::None)
        .args(["--hidden", "--line-number", "--no-heading", "-e", pattern, "."])
        .cwd(folder)
        .stdout(Output::Pipe)
        .spawn()
        .await?;
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.as_mut() {
        stdout.read_to_end(&mut bytes).await?;
    }
    ensure!(child.wait().await.succeeded(), "rg failed");
    Ok(())
}

fn make(folder: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let sub = folder.join(format!("crate{}/src/part{}", number / 2_500, number / 50 % 50));
        if number % 50 == 0 {
            std::fs::create_dir_all(&sub)?;
        }
        let mut text = format!("//! File {number} of the tree.\n\nfn value{number}() {{\n");
        for line in 0..40 {
            text.push_str(&format!("    let line_{line} = compute_something({});\n", number * line));
        }
        text.push_str("}\n");
        if number % 10_000 == 77 {
            text.push_str("// needle_of_the_tree\n");
        }
        std::fs::write(sub.join(format!("file{number}.rs")), text)?;
    }
    std::fs::write(folder.join(".gitignore"), "target/\n*.log\n")?;
    Ok(())
}
