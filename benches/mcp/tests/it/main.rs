//! Ten rounds of what the measuring program does by the hundred.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed assumption fails the test")]

use tah_os::process::{Launcher, Output, Spawn};
use tokio::io::AsyncReadExt;

async fn run(args: &[&str]) -> (bool, String) {
    let spawn = Spawn::new(env!("CARGO_BIN_EXE_tah-bench-mcp"), &Launcher::None).args(args.iter().copied());
    let mut child = spawn.stdout(Output::Pipe).stderr(Output::WithStdout).spawn().await.unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).await.unwrap();
    (child.wait().await.succeeded(), said)
}

#[tokio::test]
async fn m4_ten_kills_at_random_moments() {
    let (good, said) = run(&["kills", "10"]).await;
    assert!(good && said.contains("40 waiters told"), "{said}");
}

#[tokio::test]
async fn m12_a_big_line_needs_no_multiple_of_its_memory() {
    // the times of a debug build say nothing; the memory is the same
    let (_, said) = run(&["big", "20"]).await;
    let peak = said.lines().find(|line| line.starts_with("peak memory")).unwrap_or_else(|| panic!("{said}"));
    assert!(peak.ends_with("ok"), "{said}");
}
