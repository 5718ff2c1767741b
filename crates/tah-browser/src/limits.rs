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
/// How long a navigation may stand still before the old page is suspected to loop.
pub const SUSPECT_LOOP: Duration = Duration::from_secs(2);
