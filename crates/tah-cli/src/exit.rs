//! How tah ends: one code a reason, the same for a script and in the last line of `--json`.

use tah_agent::event::EndReason;

/// The exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Finished,
    Failed,
    /// A mistake on the command line or in the configuration.
    Usage,
    StepLimit,
    /// Finished, but something it asked for was denied.
    Denied,
    /// The answer was cut off.
    Truncated,
    Interrupted,
    Terminated,
}

/// All of them, with what they mean; `docs/exit-codes.md` is made of it.
pub const TABLE: [(Exit, &str); 8] = [
    (Exit::Finished, "finished"),
    (Exit::Failed, "failed: the model or something it needs did not work"),
    (Exit::Usage, "a mistake on the command line or in the configuration"),
    (Exit::StepLimit, "the step limit was reached; `--continue` goes on"),
    (Exit::Denied, "finished, but something it asked for was denied"),
    (Exit::Truncated, "the answer was cut off"),
    (Exit::Interrupted, "stopped by SIGINT (Ctrl+C)"),
    (Exit::Terminated, "stopped by SIGTERM"),
];

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Finished => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::StepLimit => 3,
            Exit::Denied => 4,
            Exit::Truncated => 5,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }
}

impl From<EndReason> for Exit {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::Finished => Exit::Finished,
            EndReason::Denied => Exit::Denied,
            EndReason::StepLimit => Exit::StepLimit,
            EndReason::Truncated => Exit::Truncated,
            EndReason::Cancelled => Exit::Interrupted,
            EndReason::Failed => Exit::Failed,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit.code())
    }
}
