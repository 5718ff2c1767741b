//! Every number of this crate with its unit.

use std::time::Duration;

/// The longest any protocol command waits for its reply.
pub const COMMAND: Duration = Duration::from_secs(30);
/// From the start of the browser's process to its first answer.
pub const LAUNCH: Duration = Duration::from_secs(30);
/// How long a browser may take to end by itself before it is signalled.
pub const GRACEFUL_END: Duration = Duration::from_secs(5);
/// How long a confirm or prompt waits for `browser_dialog`.
pub const DIALOG_HELD: Duration = Duration::from_secs(60);
/// How long a navigation waits for the new document to be parsed before it goes on and says so.
pub const NEW_DOCUMENT: Duration = Duration::from_secs(5);
/// How long a page whose script was terminated gets to answer again before its tab is closed.
pub const AFTER_TERMINATE: Duration = Duration::from_secs(2);

/// Happenings and downloads remembered, in entries.
pub const HAPPENINGS: usize = 500;
/// Console lines kept per tab.
pub const CONSOLE_LINES: usize = 500;
/// One console line, in bytes.
pub const CONSOLE_LINE: usize = 4_000;
/// Requests kept per tab.
pub const REQUESTS: usize = 500;
/// One request's address, in chars.
pub const REQUEST_URL: usize = 2_000;
/// What Chrome keeps of response bodies for us, in bytes: nothing is ever read back.
pub const NETWORK_BUFFER: i64 = 1_024;
/// Between TERM and KILL.
pub const TERM_GRACE: Duration = Duration::from_secs(3);
/// How long after an aborted navigation its download may show.
pub const DOWNLOAD_NOTICE: Duration = Duration::from_millis(500);
/// How long a page that is left may take to answer a trifle before its script is stopped.
pub const SUSPECT_LOOP: Duration = Duration::from_secs(1);

/// The longest any call works; with [`RECOVERY`] it answers within 60 s.
pub const CALL: Duration = Duration::from_secs(54);
/// Beyond its budget a call may take this long to stop what hangs and say so.
pub const RECOVERY: Duration = Duration::from_secs(5);
/// Navigation, evaluation, snapshot, content, fill, one press.
pub const LOOK: Duration = Duration::from_secs(30);
/// Challenge, scroll, key, tabs.
pub const SHORT: Duration = Duration::from_secs(15);
/// `browser_wait`, which ends by itself before.
pub const WAIT: Duration = Duration::from_secs(33);
/// Downloads and cookies: as long as bytes flow, so this only ends what hangs for ever.
pub const FLOW: Duration = Duration::from_secs(24 * 3600);
/// Without any byte for this long, a download is over.
pub const FLOW_IDLE: Duration = Duration::from_secs(60);
/// Finding a target: click and type.
pub const FIND_TO_ACT: Duration = Duration::from_secs(10);
/// Finding a target: set_value, check, select, clear, get_value, scrape.
pub const FIND: Duration = Duration::from_secs(5);
/// Entries of the history.
pub const HISTORY: usize = 500;
/// Typed text in the history, in bytes.
pub const HISTORY_TEXT: usize = 32 * 1024;
/// All of the history in one result, in bytes.
pub const HISTORY_RESULT: usize = 25_000;
/// How long requests that an action started may keep its result waiting.
pub const REQUESTS_SETTLE: Duration = Duration::from_millis(1_500);
/// A cancelled call answers within this.
pub const CANCEL: Duration = Duration::from_millis(100);
/// A script's value, in chars of JSON.
pub const EXECUTE_VALUE: usize = 50_000;
/// The biggest download, in bytes.
pub const DOWNLOAD: u64 = 1 << 28;
