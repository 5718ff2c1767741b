//! Every number of this crate, with its unit and why it is that one.

use std::time::Duration;

/// How long a launcher may take to say that its program started. It needs a few ms; a loaded machine more.
pub const START_WAIT: Duration = Duration::from_secs(20);
/// Grace between TERM and KILL when a `Child` is dropped or tah dies.
pub const DROP_GRACE: Duration = Duration::from_millis(500);
/// After KILL: how long `terminate` waits to see everything gone before it answers anyway (a process in
/// uninterruptible sleep can't be killed).
pub const KILL_WAIT: Duration = Duration::from_secs(3);
/// How often the remains of a tree are looked for again while it is being ended.
pub const SWEEP_EVERY: Duration = Duration::from_millis(10);
/// The same after [`SWEEP_FAST_ROUNDS`] rounds, for processes that can't be killed yet.
pub const SWEEP_SLOW: Duration = Duration::from_millis(500);
/// Rounds of [`SWEEP_EVERY`] before [`SWEEP_SLOW`].
pub const SWEEP_FAST_ROUNDS: u32 = 200;

/// Lines kept of a drained stderr.
pub const RING_LINES: usize = 40;
/// Bytes kept of a drained stderr, all lines together.
pub const RING_BYTES: usize = 16 * 1024;
/// Bytes read at once from a pipe.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// Bytes of command output kept from the beginning.
pub const CAPTURE_HEAD_BYTES: usize = 12 * 1024;
/// Bytes of command output kept from the end.
pub const CAPTURE_TAIL_BYTES: usize = 20 * 1024;
/// Bytes of command output written to its log file at most.
pub const CAPTURE_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of a path string that are looked at; Linux takes 4,096.
pub const PATH_BYTES: usize = 4096;
/// Links followed in one path before it counts as a loop, as in the kernel.
pub const PATH_LINKS: usize = 40;
