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

/// Bytes of one reply at most: text, reasoning and arguments together.
pub const REPLY_BYTES: usize = 8 << 20;

/// Calls of one reply at most.
pub const REPLY_CALLS: usize = 256;

/// Bytes of one event of a stream at most, and of a reply that is not streamed.
pub const EVENT_BYTES: usize = 16 << 20;

/// Bytes of an error's body that are read.
pub const ERROR_BODY_BYTES: usize = 64 << 10;

/// Arguments that stop in the middle after at least so many bytes were cut at the output limit, whatever the
/// provider says the reason is; shorter ones are the model's mistake (S11).
pub const CUT_ARGUMENT_BYTES: usize = 2_000;

/// How long connecting to a provider may take.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long the usage is waited for after the reply is whole.
pub const USAGE_WAIT: Duration = Duration::from_secs(2);

/// The first pause before a failed request is sent again; each further one is twice as long.
pub const RETRY_FIRST: Duration = Duration::from_millis(500);

/// How often the pause doubles.
pub const RETRY_DOUBLINGS: u32 = 4;

/// How often a failed request is sent again.
pub const RETRIES: u32 = 5;

/// The longest wait a provider may ask for (S10).
pub const RETRY_WAIT: Duration = Duration::from_secs(60);

/// How long a server on this machine may answer 503 while it loads its model.
pub const LOADING_PATIENCE: Duration = Duration::from_secs(180);
