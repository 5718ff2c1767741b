//! After an action: waiting on what it really started (a navigation, a window, a dialog, requests), never for a time.

use std::time::{Duration, Instant};

use crate::chrome::Tab;
use crate::limits;
use crate::navigate::{Arrival, Before};
use crate::page::PageError;
use crate::state::{Dialog, Happening, TabId};

/// How often the page runs what is queued before nothing is taken for nothing: what the action queued, and what came of
/// that.
pub const SETTLE_TICKS: u32 = 2;

/// Whether the page ran what an action queued, [`SETTLE_TICKS`] times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    NotYet,
    Already,
}

/// How things were before an action; made right before it.
pub struct Watch {
    tab: Tab,
    before: Before,
    mark: u64,
    requests: u64,
    url: String,
}

/// What an action brought about.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// A new document, a place in the same one, a download, or nothing of the kind.
    pub arrival: Option<Arrival>,
    pub url_changed: Option<String>,
    pub new_tab: Option<TabId>,
    /// A confirm or prompt that waits for an answer.
    pub dialog: Option<Dialog>,
    /// An alert or the like, which was answered.
    pub alerts: usize,
    /// Requests it started.
    pub requests: u64,
    pub tab_closed: bool,
}

impl Seen {
    /// Whether anything at all was seen from outside the document (B7).
    pub fn is_nothing(&self) -> bool {
        self.arrival.is_none()
            && self.url_changed.is_none()
            && self.new_tab.is_none()
            && self.dialog.is_none()
            && self.alerts == 0
            && self.requests == 0
            && !self.tab_closed
    }
}

impl Tab {
    pub fn watch(&self) -> Watch {
        let (mark, requests) = self
            .chrome
            .world
            .read(|state| (state.happening_mark(), state.tab(&self.id).map_or(0, |tab| tab.request_seq)));
        Watch { before: self.before(), mark, requests, url: self.url(), tab: self.clone() }
    }
}

impl Watch {
    /// Waits until what the action started has come to an end, `within` at most, and says what it was.
    pub async fn settle(&self, ran: Ran, within: Duration) -> Result<Seen, PageError> {
        let end = Instant::now() + within;
        let left = || end.saturating_duration_since(Instant::now());
        let mut arrival = None;
        // What the action queued in the page (timers of 0, form submissions) shows after a tick; what comes of the
        // requests it made can start something again, three times at most.
        for round in 0..3 {
            let ticks = if round == 0 { SETTLE_TICKS } else { 1 };
            if (round > 0 || ran == Ran::NotYet) && self.tick(ticks, left()).await == Stop::Yes {
                break;
            }
            if self.moving() {
                let came = self.tab.arrive(&self.before, limits::NEW_DOCUMENT.min(left())).await;
                match came {
                    Ok(Arrival::Dialog(_)) | Err(PageError::Gone) => break,
                    Ok(came) => arrival = Some(came),
                    Err(error) => return Err(error),
                }
                break;
            }
            if !self.requests_end(limits::REQUESTS_SETTLE.min(left())).await? {
                break;
            }
        }
        Ok(self.seen(arrival))
    }

    /// Lets the page run what is queued; stops early where the page can't answer or is left.
    async fn tick(&self, times: u32, within: Duration) -> Stop {
        let Ok(frame) = self.tab.main_frame() else { return Stop::Yes };
        let leaving = self.tab.chrome.world.until(within, |state| {
            let known = state.tab(&self.tab.id);
            let Some(tab) = known else { return Some(Stop::Yes) };
            if tab.dialog.as_ref().is_some_and(|dialog| !dialog.answered) {
                return Some(Stop::Yes);
            }
            self.is_moving(state).then_some(Stop::No)
        });
        let ticked = frame.call::<bool>("tick", (times,), within);
        tokio::select! {
            biased;
            stop = leaving => match stop { Ok(Some(stop)) => stop, _ => Stop::No },
            _ = ticked => Stop::No,
        }
    }

    fn moving(&self) -> bool {
        self.tab.chrome.world.read(|state| self.is_moving(state))
    }

    fn is_moving(&self, state: &crate::state::State) -> bool {
        let frame = state.tab(&self.tab.id).and_then(|tab| state.frames.get(&tab.main_frame));
        frame.is_some_and(|frame| frame.navigating.is_some() || self.before.left(frame))
            || state.happened_since(self.mark).any(|h| matches!(h, Happening::DownloadStarted { .. }))
    }

    /// Waits until the requests made since are answered. True if there were any.
    async fn requests_end(&self, within: Duration) -> Result<bool, PageError> {
        let started = self.tab.chrome.world.read(|state| {
            state.tab(&self.tab.id).is_some_and(|tab| tab.open_requests_since(self.requests) > 0)
        });
        if !started {
            return Ok(false);
        }
        let ended = self.tab.chrome.world.until(within, |state| match state.tab(&self.tab.id) {
            Some(tab) if tab.dialog.is_none() && !self.is_moving(state) => {
                (tab.open_requests_since(self.requests) == 0).then_some(())
            }
            _ => Some(()),
        });
        ended.await?;
        Ok(true)
    }

    fn seen(&self, arrival: Option<Arrival>) -> Seen {
        self.tab.chrome.world.read(|state| {
            let tab = state.tab(&self.tab.id);
            let mut seen = Seen { arrival, tab_closed: tab.is_none(), ..Seen::default() };
            for happening in state.happened_since(self.mark) {
                match happening {
                    Happening::TabOpened { tab, .. } => seen.new_tab = Some(tab.clone()),
                    Happening::Dialog { .. } => seen.alerts += 1,
                    _ => {}
                }
            }
            if let Some(tab) = tab {
                seen.dialog = tab.dialog.clone().filter(|dialog| !dialog.answered);
                seen.url_changed = (tab.url != self.url).then(|| tab.url.clone());
                seen.requests = tab.request_seq - self.requests;
            }
            seen
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Yes,
    No,
}
