//! Every number of this crate, with its unit.

use std::time::Duration;

/// Bytes of a configuration file, `.env` or `trust.json`.
pub const CONFIG_BYTES: u64 = 1024 * 1024;

/// Bytes of one `AGENTS.md`.
pub const INSTRUCTIONS_BYTES: u64 = 64 * 1024;

/// Bytes of a prompt from stdin.
pub const PROMPT_BYTES: u64 = 16 * 1024 * 1024;

/// How long the end of a run waits for what it started (servers, a browser).
pub const CLOSE_WAIT: Duration = Duration::from_secs(8);

/// How long a stopped turn may take to end before tah goes without it.
pub const STOP_WAIT: Duration = Duration::from_secs(3);

/// How often a wait for a key looks whether its question is still open.
pub const KEY_POLL: Duration = Duration::from_millis(50);

/// Characters of a tool's summary shown in one line.
pub const SUMMARY_CHARS: usize = 200;

/// How long the last events and the session's last write are waited for.
pub const SAVE_WAIT: Duration = Duration::from_secs(1);

/// A browser call without an answer for so long has its tab closed; Playwright itself gives a navigation 60 s.
pub const BROWSER_CALL_TIMEOUT: Duration = Duration::from_secs(70);

/// How long Playwright waits after an action for what it set off (its own default is 500 ms).
pub const BROWSER_SETTLE: Duration = Duration::from_millis(100);

/// How long the first turn waits for MCP servers that are not required, so that quick ones are in it.
pub const MCP_START_GRACE: Duration = Duration::from_millis(1500);

/// How long `tah mcp test` waits for the answer to a ping.
pub const PING_WAIT: Duration = Duration::from_secs(5);

/// Characters of a server's result a model gets, unless configured; the whole is kept in a file.
pub const MCP_RESULT_CHARS: usize = 30_000;

/// Characters of MCP tools (names, descriptions, schemas) in a request; what goes beyond is found by `tool_search`.
pub const MCP_TOOL_CHARS: usize = 40_000;

/// Tools that one search by words makes usable.
pub const SEARCH_MOUNTS: usize = 8;

/// Characters of a tool's line in the list of `tool_search`.
pub const SEARCH_LINE_CHARS: usize = 100;

/// Characters of that whole list.
pub const SEARCH_LIST_CHARS: usize = 12_000;
