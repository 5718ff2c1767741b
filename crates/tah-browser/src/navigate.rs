//! Going somewhere in a tab, and knowing what came of it: a document, a download, a failure, a dialog.

use std::time::Duration;

use crate::cdp::wire;
use crate::chrome::Tab;
use crate::limits;
use crate::page::PageError;
use crate::state::{Dialog, DownloadPhase, FrameId, FrameState, Happening, Phase, State};

/// What came of a navigation.
#[derive(Debug, Clone)]
pub enum Arrival {
    /// A new document, parsed.
    Document,
    /// A new document that is still being parsed when the waiting ended.
    Unfinished,
    /// The same document at another place (`#hash`, history API).
    Within,
    /// Not a page but a file; its guid among the downloads.
    Download(String),
    /// The new page opened a dialog that waits for an answer.
    Dialog(Box<Dialog>),
    /// The browser's own words, `net::ERR_…`.
    Failed(String),
    /// There is nothing to go to.
    Nothing,
}

/// Where a tab's main frame was before something happened.
#[derive(Clone)]
pub struct Before {
    loader: String,
    hops: u64,
    mark: u64,
}

impl Before {
    /// Whether the main frame shows another document or place.
    pub(crate) fn left(&self, frame: &FrameState) -> bool {
        frame.loader != self.loader || frame.hops != self.hops
    }
}

/// Where a frame was.
struct Place {
    id: FrameId,
    loader: String,
    hops: u64,
}

/// A way to another document.
enum Way {
    To(String),
    Again,
    /// An entry of the tab's history.
    Entry(i64),
    /// One with the same address as the page has: what moves may be a frame in it.
    Beside(i64),
}

/// Back or forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Back,
    Forward,
}

impl Tab {
    pub fn before(&self) -> Before {
        self.chrome.world.read(|state| {
            let frame = state.tab(&self.id).and_then(|tab| state.frames.get(&tab.main_frame));
            Before {
                loader: frame.map(|frame| frame.loader.clone()).unwrap_or_default(),
                hops: frame.map_or(0, |frame| frame.hops),
                mark: state.happening_mark(),
            }
        })
    }

    /// Opens an address; returns when its document is parsed, or says what came instead.
    pub async fn navigate(&self, url: &str, within: Duration) -> Result<Arrival, PageError> {
        self.past_loops(&Way::To(url.to_owned()), within).await
    }

    pub async fn reload(&self, within: Duration) -> Result<Arrival, PageError> {
        self.past_loops(&Way::Again, within).await
    }

    /// One step in the tab's history.
    pub async fn step(&self, direction: Direction, within: Duration) -> Result<Arrival, PageError> {
        let history = self.session.call_within(within, wire::GetNavigationHistory {}).await?;
        let step = match direction {
            Direction::Back => -1,
            Direction::Forward => 1,
        };
        let target =
            usize::try_from(history.current_index + step).ok().and_then(|at| history.entries.get(at));
        let here = usize::try_from(history.current_index).ok().and_then(|at| history.entries.get(at));
        match target {
            Some(entry) if here.is_some_and(|here| here.url == entry.url) => {
                self.past_loops(&Way::Beside(entry.id), within).await
            }
            Some(entry) => self.past_loops(&Way::Entry(entry.id), within).await,
            None => Ok(Arrival::Nothing),
        }
    }

    /// Goes one way, and says what came of it.
    async fn attempt(&self, way: &Way, before: &Before, within: Duration) -> Result<Arrival, PageError> {
        let places = if matches!(way, Way::Beside(_)) { self.places() } else { Vec::new() };
        let asked = match way {
            Way::To(url) => return self.attempt_address(url, before, within).await,
            Way::Again => self.ask(wire::Reload {}, within).await.map(drop),
            Way::Entry(entry_id) | Way::Beside(entry_id) => {
                self.ask(wire::NavigateToHistoryEntry { entry_id: *entry_id }, within).await.map(drop)
            }
        };
        match asked {
            Err(PageError::Dialog(dialog)) => Ok(Arrival::Dialog(dialog)),
            Err(error) => Err(error),
            Ok(()) if matches!(way, Way::Beside(_)) => {
                self.page_or_frame_arrives(before, &places, within).await
            }
            Ok(()) => self.leave_and_arrive(before, within).await,
        }
    }

    /// Where each frame of the tab is.
    fn places(&self) -> Vec<Place> {
        self.chrome.world.read(|state| {
            let frames = state.tab_frames(&self.id).into_iter();
            frames
                .filter_map(|id| {
                    let frame = state.frames.get(&id)?;
                    Some(Place { loader: frame.loader.clone(), hops: frame.hops, id })
                })
                .collect()
        })
    }

    /// As [`Tab::leave_and_arrive`], also where the page stays and a frame in it moves.
    async fn page_or_frame_arrives(
        &self,
        before: &Before,
        places: &[Place],
        within: Duration,
    ) -> Result<Arrival, PageError> {
        let moved = self.chrome.world.until(within, |state| {
            if self.is_leaving(state, before) {
                return Some(true);
            }
            let main = &state.tab(&self.id)?.main_frame;
            let frame = places.iter().filter(|place| place.id != *main).any(|place| {
                state.frames.get(&place.id).is_some_and(|frame| {
                    (frame.loader != place.loader || frame.hops != place.hops)
                        && frame.navigating.is_none()
                        && frame.phase >= Phase::Interactive
                })
            });
            frame.then_some(false)
        });
        match moved.await? {
            None => Err(PageError::Busy(within)),
            Some(true) => self.arrive(before, limits::NEW_DOCUMENT).await,
            Some(false) => Ok(Arrival::Within),
        }
    }

    /// Whether the page was left, or something else came of the order to leave it.
    fn is_leaving(&self, state: &State, before: &Before) -> bool {
        let Some(tab) = state.tab(&self.id) else { return true };
        let moved = state.frames.get(&tab.main_frame).is_some_and(|frame| before.left(frame));
        let held = tab.dialog.as_ref().is_some_and(|dialog| !dialog.answered);
        moved || held || started(state, before).is_some()
    }

    async fn attempt_address(
        &self,
        url: &str,
        before: &Before,
        within: Duration,
    ) -> Result<Arrival, PageError> {
        let reply = match self.ask(wire::Navigate { url: url.to_owned() }, within).await {
            Err(PageError::Dialog(dialog)) => return Ok(Arrival::Dialog(dialog)),
            other => other?,
        };
        if let Some(error) = reply.error_text {
            if error.contains("ERR_ABORTED") || reply.is_download == Some(true) {
                // The event may come a moment after the reply.
                let download =
                    self.chrome.world.until(limits::DOWNLOAD_NOTICE, |state| started(state, before));
                if let Some(guid) = download.await? {
                    return Ok(Arrival::Download(guid));
                }
            }
            return Ok(Arrival::Failed(error));
        }
        match reply.loader_id {
            // The event may come a moment after the reply; counted later, it would be taken for the next move.
            None => match self.arrive(before, limits::DOWNLOAD_NOTICE).await? {
                Arrival::Unfinished => Ok(Arrival::Within),
                arrival => Ok(arrival),
            },
            // The reply comes with the server's answer; the old page may still keep the new one out.
            Some(_) => self.leave_and_arrive(before, within).await,
        }
    }

    async fn ask<C: wire::Command>(&self, command: C, within: Duration) -> Result<C::Reply, PageError> {
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, command)).await
    }

    /// Goes somewhere, but first stops an old page that loops: it would keep the new one out, and once a navigation is
    /// about to commit the protocol no longer lets anything through to the page.
    async fn past_loops(&self, way: &Way, within: Duration) -> Result<Arrival, PageError> {
        let ping = wire::Evaluate { expression: String::from("0"), ..Default::default() };
        let asked = self.session.call_within(limits::SUSPECT_LOOP, ping);
        if let Err(PageError::Busy(_)) = self.chrome.unless_dialog(&self.id, asked).await {
            // Its end is waited for: what follows too closely on the order keeps it from being carried out.
            let stopped =
                self.session.call_within(limits::AFTER_TERMINATE, wire::TerminateExecution {}).await;
            tracing::debug!(tab = %self.id, worked = stopped.is_ok(), "stopped a loop before leaving");
        }
        let before = self.before();
        self.attempt(way, &before, within).await
    }

    /// Waits for the commit as long as `within`, then for the document.
    async fn leave_and_arrive(&self, before: &Before, within: Duration) -> Result<Arrival, PageError> {
        let left = self.chrome.world.until(within, |state| self.is_leaving(state, before).then_some(()));
        if left.await?.is_none() {
            return Err(PageError::Busy(within));
        }
        self.arrive(before, limits::NEW_DOCUMENT).await
    }

    /// Waits until the document that replaced the one of `before` is parsed, with all redirects made by scripts.
    pub async fn arrive(&self, before: &Before, within: Duration) -> Result<Arrival, PageError> {
        let arrived = self.chrome.world.until(within, |state| {
            let tab = match state.tab(&self.id) {
                Some(tab) => tab,
                None => return Some(Err(PageError::Gone)),
            };
            if let Some(dialog) = tab.dialog.as_ref().filter(|dialog| !dialog.answered) {
                return Some(Ok(Arrival::Dialog(Box::new(dialog.clone()))));
            }
            if let Some(guid) = started(state, before) {
                return Some(Ok(Arrival::Download(guid)));
            }
            let frame = state.frames.get(&tab.main_frame)?;
            if frame.navigating.is_some() {
                return None;
            }
            if frame.loader != before.loader {
                return (frame.phase >= Phase::Interactive).then_some(Ok(Arrival::Document));
            }
            (frame.hops != before.hops).then_some(Ok(Arrival::Within))
        });
        arrived.await?.unwrap_or(Ok(Arrival::Unfinished))
    }

    /// Waits until a download is complete, as long as bytes come.
    pub async fn landed(
        &self,
        guid: &str,
        idle: Duration,
    ) -> Result<Result<std::path::PathBuf, String>, PageError> {
        let mut received = 0;
        loop {
            let step = self.chrome.world.until(idle, |state| {
                let download = state.downloads.iter().find(|download| download.guid == guid)?;
                match &download.phase {
                    DownloadPhase::Done(path) => Some(Ok(Ok(path.clone()))),
                    DownloadPhase::Failed(why) => Some(Ok(Err(why.clone()))),
                    DownloadPhase::Running if download.received > received => Some(Err(download.received)),
                    DownloadPhase::Running => None,
                }
            });
            match step.await? {
                Some(Ok(end)) => return Ok(end),
                Some(Err(more)) => received = more,
                None => return Ok(Err(format!("no bytes for {} s", idle.as_secs()))),
            }
        }
    }
}

/// A download that began in this tab's main frame or in general since `before`.
fn started(state: &State, before: &Before) -> Option<String> {
    state.happened_since(before.mark).find_map(|happening| match happening {
        Happening::DownloadStarted { guid } => Some(guid.clone()),
        _ => None,
    })
}
