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

/// Percent of the context window that are used when the conversation is made smaller.
pub const COMPACT_PERCENT: u64 = 85;

/// Percent of the context window that are used at most once it was made smaller.
pub const SHRUNK_PERCENT: u64 = 60;

/// Messages that are added before it is made smaller again.
pub const SETTLED_MESSAGES: usize = 4;

/// Messages a conversation has at least for a summary to be worth it.
pub const COMPACT_MESSAGES: usize = 3;

/// Tokens of the window, where it is not known and a summary is asked for.
pub const SUPPOSED_WINDOW: u64 = 32_000;

/// Tokens a message takes beside its text.
pub const MESSAGE_TOKENS: u64 = 4;

/// Tokens a picture takes, roughly, at any provider.
pub const IMAGE_TOKENS: u64 = 1_200;

/// Characters of a tool output that are worth leaving out; half of them stay.
pub const ELIDED_CHARS: usize = 400;

/// Characters of one tool output in the text that is summarised.
pub const TRANSCRIPT_RESULT_CHARS: usize = 2_000;

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

/// Bytes at the beginning of a file that its encoding is judged by.
pub const DETECT_BYTES: u64 = 256 * 1024;

/// Lines of one page of `read_file`.
pub const READ_LINES: u64 = 2_000;

/// Characters of one page of `read_file`.
pub const READ_CHARS: usize = 50_000;

/// Bytes of one line that `read_file` shows.
pub const READ_LINE_BYTES: usize = 2_000;

/// Bytes of a picture that is shown to a model with vision.
pub const PICTURE_BYTES: u64 = 5 * 1024 * 1024;

/// Bytes of a file that can be edited, or shown as a diff on a card.
pub const EDIT_BYTES: u64 = 16 * 1024 * 1024;

/// Entries `list_files` and `glob` show.
pub const LIST_ENTRIES: usize = 1_000;

/// Entries `list_files` looks at before it says that there are more.
pub const LIST_LOOKED_AT: usize = 50_000;

/// Lines of matches and context `grep` shows.
pub const GREP_LINES: usize = 400;

/// Characters `grep` shows, all lines together.
pub const GREP_CHARS: usize = 30_000;

/// Characters of one line `grep` shows, around its match.
pub const GREP_LINE_CHARS: usize = 400;

/// Bytes of one line that `grep` looks at; a file with a longer one is searched up to there.
pub const GREP_HEAP_BYTES: usize = 64 * 1024 * 1024;

/// Bytes `web_fetch` takes, decompressed.
pub const FETCH_BYTES: usize = 5 * 1024 * 1024;

/// Time one `web_fetch` may take, redirects and all.
pub const FETCH_TIME: Duration = Duration::from_secs(30);

/// Redirects `web_fetch` follows.
pub const FETCH_REDIRECTS: usize = 10;

/// Characters of a page `web_fetch` gives without `maxChars`.
pub const FETCH_CHARS: usize = 20_000;

/// Characters of a page `web_fetch` gives at most.
pub const FETCH_CHARS_MOST: usize = 90_000;

/// Nested elements up to which a page is searched for its article; that search takes more than linear time
/// in them.
pub const PAGE_DEPTH: usize = 512;

/// Time a command may take without `timeoutMs`.
pub const COMMAND_TIME: Duration = Duration::from_secs(120);

/// Between the request to end and the kill, for a command that ran out of time.
pub const COMMAND_GRACE: Duration = Duration::from_secs(2);

/// How long output is still read after the shell has ended (X1).
pub const COMMAND_DRAIN: Duration = Duration::from_millis(200);

/// How often a command's output is shown while it runs.
pub const LIVE_INTERVAL: Duration = Duration::from_millis(100);

/// Bytes of output shown in one interval.
pub const LIVE_BYTES: usize = 8 * 1024;

/// Time until a connection of `web_fetch` stands.
pub const FETCH_CONNECT: Duration = Duration::from_secs(10);

/// Private hosts that were asked about and not fetched yet, before old ones are forgotten.
pub const FETCH_ASKED: usize = 1_000;

/// How long a background command is watched before the call returns: what fails at once says so at once.
pub const JOB_FIRST_LOOK: Duration = Duration::from_millis(300);

/// Ended jobs that are remembered.
pub const JOBS_ENDED: usize = 20;

/// Bytes of a job's output shown at once.
pub const JOB_TAIL_BYTES: usize = 16 * 1024;

/// Characters of a job's command in the list.
pub const JOB_COMMAND_CHARS: usize = 100;

/// Nested elements up to which a page is parsed at all; parsing takes time by the square of them.
pub const PAGE_NESTING: usize = 5_000;
