//! Many small calls in a row against as many lines through a bare pipe.

use crate::{judge, median};
use anyhow::{Context, Result};
use serde_json::json;
use std::time::Instant;
use tah_os::process::{Input, Launcher, Output, Spawn};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const ROUNDS: usize = 3;

pub async fn run(count: usize) -> Result<bool> {
    let spawn = Spawn::new(std::env::current_exe()?, &Launcher::None).arg("serve-echo");
    let mut child = spawn.stdin(Input::Pipe).stdout(Output::Pipe).spawn().await?;
    let mut stdin = child.stdin.take().context("no stdin")?;
    let mut stdout = BufReader::new(child.stdout.take().context("no stdout")?);
    let client = crate::client().await?;
    let (mut echoes, mut calls) = (Vec::new(), Vec::new());
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}}}\n";
    // both in turns, so that the machine's mood is the same for both
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut reply = Vec::new();
        for _ in 0..count {
            stdin.write_all(line).await?;
            reply.clear();
            stdout.read_until(b'\n', &mut reply).await?;
        }
        echoes.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let (args, options) = (json!({"text": "hello"}), Default::default());
        for _ in 0..count {
            let result = client.call("echo", &args, &options).await?;
            anyhow::ensure!(result.text() == "hello", "a wrong answer");
        }
        calls.push(begun.elapsed().as_secs_f64());
    }
    client.close(tah_mcp::CloseOrder::StdinFirst).await;
    let (echo, call) = (median(echoes) / count as f64 * 1e3, median(calls) / count as f64 * 1e3);
    println!(
        "{count} in a row, median of {ROUNDS}: bare pipe echo {echo:.4} ms each, mcp call {call:.4} ms each"
    );
    Ok(judge("ms per call over the echo", call - echo, 0.2))
}
