//! Every number of the interactive chat, with its unit.

use std::time::Duration;

/// Time between two frames at least: 30 a second (U9).
pub const FRAME: Duration = Duration::from_millis(34);

/// One step of the spinner.
pub const SPIN: Duration = Duration::from_millis(120);

/// A window that is being dragged sends many sizes; drawn is the one it keeps this long (U1).
pub const RESIZE_QUIET: Duration = Duration::from_millis(70);

/// A card takes keys once it has been seen this long without a key: what was typed before it appeared, or
/// while it did, goes to the editor (U5).
pub const CARD_ARM: Duration = Duration::from_millis(350);

/// A second Ctrl+C within this time ends tah.
pub const EXIT_AGAIN: Duration = Duration::from_secs(2);

/// How long the end of the host is waited for when tah ends.
pub const CLOSE_GRACE: Duration = Duration::from_secs(3);

/// Rows of the editor that are seen at once.
pub const EDITOR_ROWS: usize = 8;

/// Rows of a menu.
pub const MENU_ROWS: usize = 8;

/// Rows of the unfinished block while it streams.
pub const STREAM_ROWS: usize = 10;

/// Rows of thoughts while they stream.
pub const THOUGHT_ROWS: usize = 3;

/// Rows of a running call's live output.
pub const OUTPUT_ROWS: usize = 5;

/// Bytes kept of a running call's live output; only its end is ever shown.
pub const OUTPUT_BYTES: usize = 16 * 1024;

/// Lines of a diff that stay in the scrollback after the answer.
pub const DIFF_KEPT_LINES: usize = 60;

/// A block longer than this is not waited for: it is printed up to its last line end.
pub const BLOCK_BYTES: usize = 32 * 1024;

/// A paste above this many characters or lines is folded to a tag.
pub const PASTE_CHARS: usize = 1_000;
pub const PASTE_LINES: usize = 8;

/// Finished lines that wait for a frame before the host has to wait for the terminal.
pub const BACKLOG_LINES: usize = 20_000;

/// Prompts of earlier sessions that are kept.
pub const HISTORY_PROMPTS: usize = 1_000;

/// Bytes of the prompt history that are read.
pub const HISTORY_BYTES: u64 = 4 * 1024 * 1024;

/// Steps the editor can undo.
pub const UNDO_STEPS: usize = 200;

/// Files `@` searches at most.
pub const MENTION_FILES: usize = 200_000;

/// Messages of a resumed session that are printed; the rest is counted.
pub const RESUMED_MESSAGES: usize = 40;

/// Bytes of a `!` command's output that are shown and go with the next message.
pub const SHELL_BYTES: usize = 12 * 1024;

/// How long a stopped shell line may take to end by itself.
pub const SHELL_GRACE: Duration = Duration::from_secs(1);

/// How long output is read on after a shell line has ended (X1).
pub const SHELL_DRAIN: Duration = Duration::from_millis(200);

/// Bytes of a picture that may be pasted by its path.
pub const IMAGE_BYTES: u64 = 10 * 1024 * 1024;

/// Bytes of code that are coloured at most in one block; colouring more would be felt.
pub const COLOURED_BYTES: usize = 64 * 1024;
