//! Every number of this crate, with its unit. What a user may change is only a default here.

use std::time::Duration;

/// Longest line (bytes) accepted from a server; a 50 MB result fits. Past it the call fails at once.
pub const LINE_BYTES: usize = 96 * 1024 * 1024;
/// How much of an over-long line's head and tail (bytes) is kept to find out whose answer it was.
pub const LINE_EDGE_BYTES: usize = 4096;
/// Bytes asked for in one read; a pipe holds 64 KiB.
pub const READ_BYTES: usize = 64 * 1024;
/// Messages waiting to be written before a caller waits (and before an answer to the server is dropped).
pub const OUTGOING_MESSAGES: usize = 256;
/// Time from the spawn to the end of the first `tools/list`.
pub const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for one call without a sign of life from the server.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// A call that reports progress may take this many times its timeout in all.
pub const PROGRESS_STRETCH: u32 = 10;
/// After a server's exit: how long its last lines may still arrive (a grandchild may hold the pipe for ever).
pub const EXIT_GRACE: Duration = Duration::from_millis(300);
/// After a server closed a pipe without exiting: how long we wait for its exit status.
pub const CLOSED_PIPE_GRACE: Duration = Duration::from_millis(500);
/// How long a closed server may take to end by itself, and again after SIGTERM.
pub const CLOSE_GRACE: Duration = Duration::from_secs(3);
/// Pages of one `tools/list`; a cursor that never ends stops here.
pub const LIST_PAGES: usize = 200;
/// Tools of one server.
pub const LIST_TOOLS: usize = 5000;
/// Quiet time after `list_changed` before the list is read again (servers send it in bursts).
pub const LIST_QUIET: Duration = Duration::from_millis(20);
/// Longest pause between two readings, for a server that announces a change after each of them.
pub const LIST_QUIET_MAX: Duration = Duration::from_secs(5);
/// Notices kept until somebody takes them.
pub const NOTICES: usize = 64;
/// Lines kept of what a server writes beside the protocol (junk on stdout, log messages).
pub const LOG_LINES: usize = 40;
/// Chars kept of one such line.
pub const LOG_LINE_CHARS: usize = 400;
/// HTTP: how long a notification or an answer of ours may take to be taken in.
pub const POST_TIMEOUT: Duration = Duration::from_secs(10);
/// HTTP: wait before a broken stream is taken up again, unless the server names one; doubled at each failure.
pub const RESUME_PAUSE: Duration = Duration::from_millis(500);
/// HTTP: longest such wait.
pub const RESUME_PAUSE_MAX: Duration = Duration::from_secs(30);
/// HTTP: failures in a row to take up the stream of a call before the call fails.
pub const RESUME_TRIES: u32 = 5;
/// HTTP: how long the goodbye at the end may take.
pub const GOODBYE_TIMEOUT: Duration = Duration::from_secs(2);
/// HTTP: chars of an error page shown.
pub const ERROR_PAGE_CHARS: usize = 300;
/// A server that lived this long before it died is no repeated failure.
pub const STEADY: Duration = Duration::from_secs(30);
/// Pause before the third start in a row; doubled from there on.
pub const RESTART_PAUSE: Duration = Duration::from_secs(1);
/// Longest such pause.
pub const RESTART_PAUSE_MAX: Duration = Duration::from_secs(60);
/// A pause up to this is waited out by a call; a longer one is its answer.
pub const RESTART_WAIT: Duration = Duration::from_secs(2);
/// As a server: how long calls may go on after the client closed its end.
pub const SERVE_GRACE: Duration = Duration::from_secs(1);
