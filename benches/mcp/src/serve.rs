//! The other side: a bare echo, an MCP server without ballast, one long line. Written for speed, not for all cases.

use anyhow::Result;
use serde_json::{Value, json};
use std::io::{BufRead, Write};

/// Gives back each line.
pub fn echo() -> Result<bool> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        output.write_all(&line)?;
        output.flush()?;
        line.clear();
    }
    Ok(true)
}

/// The text of a result: mostly plain, with a newline and a quote now and then, as pages have them.
pub fn text(bytes: usize) -> String {
    let line = "the quick brown fox jumps over the lazy dog and says \"hello\" to the 狗 beside it, over and over again\n";
    line.repeat(bytes / line.len() + 1)
}

/// The line of a big result for request `id`.
pub fn big_line(id: &Value, bytes: usize) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text(bytes)}]}})
        .to_string()
}

/// Writes one such line for each line it reads.
pub fn line(bytes: usize) -> Result<bool> {
    let big = big_line(&json!(1), bytes) + "\n";
    let mut output = std::io::stdout().lock();
    for _ in std::io::stdin().lock().lines() {
        output.write_all(big.as_bytes())?;
        output.flush()?;
    }
    Ok(true)
}

/// An MCP server: `echo` gives its text back, `big` as many bytes as asked for, `hang` nothing.
pub fn mcp() -> Result<bool> {
    let mut output = std::io::stdout().lock();
    let mut kept = (0, String::new());
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let id = &message["id"];
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                json!({"protocolVersion": "2025-11-25", "serverInfo": {"name": "bench", "version": std::process::id().to_string()}})
            }
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            "tools/call" => match message["params"]["name"].as_str().unwrap_or_default() {
                "hang" => continue,
                "big" => {
                    let bytes = message["params"]["arguments"]["bytes"].as_u64().unwrap_or_default() as usize;
                    if kept.0 != bytes {
                        kept = (bytes, serde_json::to_string(&text(bytes))?);
                    }
                    let text = &kept.1;
                    writeln!(
                        output,
                        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#
                    )?;
                    output.flush()?;
                    continue;
                }
                _ => json!({"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}),
            },
            _ => continue,
        };
        writeln!(output, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)?;
        output.flush()?;
    }
    Ok(true)
}
