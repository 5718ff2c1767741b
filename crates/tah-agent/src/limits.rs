//! Every number of this crate, with its unit.

use std::time::Duration;

/// Events a front end may be behind before the agent waits for it.
pub const EVENT_QUEUE: usize = 256;

/// Commands a front end may send before they are taken.
pub const COMMAND_QUEUE: usize = 64;

/// Model requests a turn makes at most, unless configured.
pub const MAX_STEPS: usize = 50;

/// Pieces of streamed text are joined for this long before they are written down and shown.
pub const DELTA_INTERVAL: Duration = Duration::from_millis(25);

/// How long a cancelled call is waited for before it gets its result without it.
pub const CANCEL_GRACE: Duration = Duration::from_millis(80);

/// Characters of one tool result the model gets at most, whatever the tool gives (a tool's own limit is lower).
pub const RESULT_CHARS: usize = 100_000;

/// Times a reply whose calls were cut at the output limit is answered with "smaller pieces" before the turn ends.
pub const CUT_REPEATS: usize = 2;

/// Read-only calls of one reply that run at once.
pub const PARALLEL_CALLS: usize = 8;

/// The largest session file that is read, in bytes.
pub const SESSION_BYTES: u64 = 1 << 30;

/// Small files of our own (`.gitignore`), in bytes.
pub const SMALL_FILE_BYTES: u64 = 64 << 10;

/// Characters of a session's title in a list.
pub const TITLE_CHARS: usize = 80;
