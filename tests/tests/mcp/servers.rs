//! The servers the tests configure: the public ones, and a faulty one of our own.

use serde_json::{Value, json};
use std::path::Path;
use tah_tests::{node_module, workspace};

/// A node server of the test packages.
pub fn node(script: &str, args: &[&str]) -> Value {
    let mut all = vec![node_module(script).display().to_string()];
    all.extend(args.iter().map(ToString::to_string));
    json!({"command": "node", "args": all})
}

/// A Python server of the test environment.
pub fn python(script: &str, args: &[&str]) -> Value {
    let file = workspace().join("target/test-deps/venv/bin").join(script);
    assert!(file.exists(), "{} is missing: run `cargo xtask setup`", file.display());
    json!({"command": file.display().to_string(), "args": args})
}

/// A server that fails in a certain way (see its head).
pub fn faulty(way: &[&str]) -> Value {
    let script = workspace().join("crates/tah-mcp/tests/it/faults.py").display().to_string();
    let mut args = vec![script];
    args.extend(way.iter().map(ToString::to_string));
    json!({"command": "python3", "args": args})
}

/// All the public servers, with what they need in `folder`, which is a git repository.
pub fn public(folder: &Path) -> Value {
    let path = folder.display().to_string();
    json!({"extensions": {"mcp": {
        "everything": node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"]),
        "files": node("@modelcontextprotocol/server-filesystem/dist/index.js", &[&path]),
        "memory": {
            "command": "node",
            "args": [node_module("@modelcontextprotocol/server-memory/dist/index.js")],
            "env": {"MEMORY_FILE_PATH": format!("{path}/memory.jsonl")},
        },
        "thinking": node("@modelcontextprotocol/server-sequential-thinking/dist/index.js", &[]),
        "fetch": python("mcp-server-fetch", &["--ignore-robots-txt", "--allow-private-ips"]),
        "git": python("mcp-server-git", &["--repository", &path]),
        "time": python("mcp-server-time", &["--local-timezone", "UTC"]),
    }}})
}
