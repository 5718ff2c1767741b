//! What is remembered between calls, since Playwright does not say it: whether the browser is still the same one,
//! whether the page is, what blocks it (P8a).

use super::super::display;
use std::path::Path;
use tah_agent::tool::ToolError;

const RESTARTED: &str = "the browser was restarted, the page is lost";
const PAGE_GONE: &str = "the page is gone: its tab crashed or was closed";

/// Tools that only look: if the page is blank after one of them, it was lost.
const LOOKS: [&str; 5] = [
    "browser_snapshot",
    "browser_find",
    "browser_wait_for",
    "browser_take_screenshot",
    "browser_console_messages",
];

/// Whether a tool only looks, so that it can be called twice.
pub(super) fn only_looks(tool: &str) -> bool {
    LOOKS.contains(&tool)
}

/// Tools that a dialog or a file chooser makes useless, and that Playwright lets pass for done.
const GOES_ELSEWHERE: [&str; 2] = ["browser_navigate", "browser_navigate_back"];

#[derive(Default)]
pub(super) struct Track {
    /// Whose lock is on the profile: `host-pid` of the browser.
    owner: Option<String>,
    url: Option<String>,
    modal: Option<String>,
    tab: usize,
    secrets: Vec<String>,
}

impl Track {
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Whether a browser was seen to hold the profile.
    pub fn has_browser(&self) -> bool {
        self.owner.is_some()
    }

    pub fn is_blocked(&self) -> bool {
        self.modal.is_some()
    }

    pub fn current_tab(&self) -> usize {
        self.tab
    }

    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    pub fn remember_secrets(&mut self, found: Vec<String>) {
        for secret in found {
            if !self.secrets.contains(&secret) {
                self.secrets.push(secret);
            }
        }
    }

    pub fn forget_page(&mut self) {
        self.url = None;
        self.modal = None;
        self.tab = 0;
    }

    /// Refuses what Playwright would say it did and would not do.
    pub fn may_run(&self, tool: &str) -> Result<(), ToolError> {
        match &self.modal {
            Some(modal) if GOES_ELSEWHERE.contains(&tool) => {
                Err(ToolError::new(format!("not done: the page waits for an answer\n{modal}"))
                    .hint("answer it with the tool it names, then try again"))
            }
            _ => Ok(()),
        }
    }

    /// Takes in an answer; gives the line to put before it where the page it is about is another one.
    pub fn see(&mut self, tool: &str, text: &str, profile: &Path) -> Option<&'static str> {
        self.modal = section(text, "### Modal state");
        if let Some(tab) = current_tab(text) {
            self.tab = tab;
        }
        let before = self.url.take();
        self.url = display::url(text).map(str::to_owned).or_else(|| before.clone());
        let was_restarted = self.was_restarted(profile);
        if matches!(tool, "browser_close") {
            return None;
        }
        if was_restarted {
            return Some(RESTARTED);
        }
        let is_blank = display::url(text) == Some("about:blank");
        let was_somewhere = before.is_some_and(|url| url != "about:blank");
        (is_blank && was_somewhere && LOOKS.contains(&tool)).then_some(PAGE_GONE)
    }

    fn was_restarted(&mut self, profile: &Path) -> bool {
        let owner = std::fs::read_link(profile.join("SingletonLock")).ok();
        let owner = owner.map(|link| link.to_string_lossy().into_owned());
        let Some(now) = owner else { return false };
        let before = self.owner.replace(now.clone());
        before.is_some_and(|before| before != now)
    }
}

/// The lines below a heading, up to the next.
pub(super) fn section(text: &str, heading: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| *line != heading);
    lines.next()?;
    Some(lines.take_while(|line| !line.starts_with("### ")).collect::<Vec<_>>().join("\n"))
}

/// The number in `- 1: (current) [title](url)`.
fn current_tab(text: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.starts_with("- ") && line.contains(": (current) ["))?;
    line.strip_prefix("- ")?.split(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
