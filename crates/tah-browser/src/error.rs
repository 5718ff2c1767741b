//! What a tool says when it can't: a stable code, what happened, and what to do about it.

use serde_json::{Value, json};

use crate::cdp::CdpError;
use crate::launch::LaunchError;
use crate::page::PageError;
use crate::state::Gone;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// The stable codes; a program may branch on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name),* }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$name),*];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }
        }
    };
}

codes! {
    Restricted = "BROWSER_RESTRICTED",
    /// No browser, or it could not be started.
    Unavailable = "BROWSER_UNAVAILABLE",
    NavigationBlocked = "BROWSER_NAVIGATION_BLOCKED",
    NavigationFailed = "BROWSER_NAVIGATION_FAILED",
    TabUnknown = "BROWSER_TAB_UNKNOWN",
    TargetNotFound = "BROWSER_TARGET_NOT_FOUND",
    TargetGone = "BROWSER_TARGET_GONE",
    TargetCovered = "BROWSER_TARGET_COVERED",
    TargetDisabled = "BROWSER_TARGET_DISABLED",
    TargetHidden = "BROWSER_TARGET_HIDDEN",
    TargetOutside = "BROWSER_TARGET_OUTSIDE",
    SelectorInvalid = "BROWSER_SELECTOR_INVALID",
    KeyUnsupported = "BROWSER_KEY_UNSUPPORTED",
    OptionUnknown = "BROWSER_OPTION_UNKNOWN",
    ValueRefused = "BROWSER_VALUE_REFUSED",
    ExecuteTimeout = "BROWSER_EXECUTE_TIMEOUT",
    OperationTimeout = "BROWSER_OPERATION_TIMEOUT",
    ScreenshotFailed = "BROWSER_SCREENSHOT_FAILED",
    PathRefused = "BROWSER_PATH_REFUSED",
    DownloadFailed = "BROWSER_DOWNLOAD_FAILED",
    AuthFailed = "BROWSER_AUTH_FAILED",
    HistoryUnknown = "BROWSER_HISTORY_UNKNOWN",
    NotReplayable = "BROWSER_NOT_REPLAYABLE",
    ArgumentInvalid = "BROWSER_ARGUMENT_INVALID",
    Crashed = "BROWSER_CRASHED",
    /// A confirm or prompt waits for `browser_dialog`.
    DialogOpen = "BROWSER_DIALOG_OPEN",
    /// The caller cancelled; what was asked may have happened.
    Cancelled = "BROWSER_CANCELLED",
    ToolUnknown = "BROWSER_TOOL_UNKNOWN",
    /// A secret that does not exist or is not for this host.
    SecretRefused = "BROWSER_SECRET_REFUSED",
}

/// The error of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BrowserError {
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
}

impl BrowserError {
    pub fn new(code: Code, message: impl Into<String>) -> BrowserError {
        BrowserError { code, message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> BrowserError {
        self.hint = Some(hint.into());
        self
    }

    pub fn argument(message: impl Into<String>) -> BrowserError {
        BrowserError::new(Code::ArgumentInvalid, message)
    }

    /// `{"error": {"code", "message", "hint"?}}`
    pub fn to_json(&self) -> Value {
        let mut inner = json!({"code": self.code.as_str(), "message": self.message});
        if let Some(hint) = &self.hint {
            inner["hint"] = Value::from(hint.as_str());
        }
        json!({ "error": inner })
    }
}

impl From<CdpError> for BrowserError {
    fn from(error: CdpError) -> BrowserError {
        BrowserError::from(PageError::from(error))
    }
}

impl From<Gone> for BrowserError {
    fn from(gone: Gone) -> BrowserError {
        BrowserError::from(PageError::from(gone))
    }
}

impl From<PageError> for BrowserError {
    fn from(error: PageError) -> BrowserError {
        match error {
            PageError::Gone => {
                BrowserError::new(Code::TargetGone, "the page or frame went away while it was used")
                    .hint("look again with browser_snapshot, the page has changed")
            }
            PageError::Dialog(dialog) => BrowserError::new(
                Code::DialogOpen,
                format!("a {} dialog is open: {:?}", dialog.kind.as_str(), dialog.message),
            )
            .hint("answer it with browser_dialog first"),
            PageError::Busy(within) => BrowserError::new(
                Code::OperationTimeout,
                format!("the page did not answer within {} ms", within.as_millis()),
            ),
            PageError::Thrown(message) => BrowserError::new(Code::ArgumentInvalid, message),
            PageError::Crashed => BrowserError::new(Code::Crashed, "the tab's page crashed")
                .hint("browser_refresh or browser_open loads it again"),
            PageError::Cdp(CdpError::Gone(reason)) => {
                BrowserError::new(Code::Crashed, format!("the browser ended ({reason}); the page is lost"))
                    .hint("the next call starts a new browser; open the page again with browser_open")
            }
            PageError::Cdp(error) => BrowserError::new(Code::Unavailable, error.to_string()),
        }
    }
}

impl From<LaunchError> for BrowserError {
    fn from(error: LaunchError) -> BrowserError {
        let hint = match &error {
            LaunchError::Find(_) => {
                Some("install Chrome or Chromium, or name it in capabilities.browser.executable")
            }
            LaunchError::Ended { .. } | LaunchError::Silent { .. } => {
                Some("headed needs a display; --headless needs none")
            }
            _ => None,
        };
        let out = BrowserError::new(Code::Unavailable, error.to_string());
        match hint {
            Some(hint) => out.hint(hint),
            None => out,
        }
    }
}
