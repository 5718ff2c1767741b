//! What we know of the running browser: tabs, frames, dialogs, downloads, traffic, kept true by the protocol's events.
//! Events change it in order in the reader task; everybody else reads it or waits until it has some shape.
//! Deciding what to do is left to `tab`, `navigate` and the tools.

mod dialog;
mod download;
mod events;
mod frame_events;
mod frames;
mod traffic;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::cdp::Session;
use crate::guard::HostRules;

pub use dialog::{Dialog, DialogKind, Held};
pub use download::{Download, DownloadPhase, Landing};
pub use events::WORLD;
pub use frames::{Context, FrameId, FrameState, Navigating, Phase};
pub use traffic::{ConsoleLine, Request, RequestEnd};

/// Short and stable: `t1`, `t2`; never used twice in one browser session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct TabId(pub String);

impl std::fmt::Display for TabId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a tab is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Attached, its frame tree not read yet.
    Starting,
    Live,
    /// Its renderer is gone; a reload or a navigation starts a new one.
    Crashed,
}

/// Whom a tab is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Shown,
    /// Made for a download, closed with it.
    Inner,
}

/// One page target.
pub struct TabState {
    pub id: TabId,
    pub target: String,
    pub session: Session,
    pub main_frame: FrameId,
    pub opener: Option<TabId>,
    pub life: Life,
    pub role: Role,
    pub url: String,
    pub title: String,
    pub dialog: Option<Dialog>,
    /// Counts the main frame's documents; what was remembered of an older one (refs) is void.
    pub generation: u64,
    pub console: VecDeque<ConsoleLine>,
    pub requests: VecDeque<Request>,
    /// Counts all requests ever seen, so that "since then" can be asked.
    pub request_seq: u64,
    /// A file chooser the page wanted to show: the input's node, in the session of its frame.
    pub chooser: Option<Chooser>,
    /// The data of a drag that the page started, while drags are intercepted.
    pub drag: Option<serde_json::Value>,
    /// An answer of a server that is held before it becomes a page.
    pub answer: Option<crate::cdp::wire::RequestPaused>,
}

/// A file chooser the page asked for.
#[derive(Clone)]
pub struct Chooser {
    pub session: Session,
    pub frame: FrameId,
    pub node: Option<i64>,
    pub multiple: bool,
}

/// What a session is attached to.
pub enum TargetKind {
    Page,
    Frame,
    Worker,
}

/// One attached session.
pub struct Attachment {
    pub session: Session,
    pub target: String,
    pub kind: TargetKind,
    pub tab: Option<TabId>,
}

/// Something that happened without being asked for; the result of the call during which it happened tells it.
#[derive(Debug, Clone)]
pub enum Happening {
    TabOpened { tab: TabId, opener: Option<TabId> },
    TabClosed { tab: TabId, url: String },
    TabCrashed { tab: TabId, url: String },
    Dialog { tab: TabId, kind: DialogKind, message: String, answer: &'static str },
    DownloadStarted { guid: String },
    RequestBlocked { url: String, why: String },
}

/// What was seen so far.
#[derive(Default)]
pub struct State {
    pub tabs: Vec<TabState>,
    pub active: Option<TabId>,
    pub frames: HashMap<FrameId, FrameState>,
    pub attached: HashMap<String, Attachment>,
    pub downloads: Vec<Download>,
    pub closed: Option<String>,
    happenings: VecDeque<(u64, Happening)>,
    happening_seq: u64,
    /// Set while a tab of our own is being made: the next one without an opener is it.
    pub(crate) expecting: Option<Role>,
    next_tab: u32,
    next_frame: u64,
}

impl State {
    pub fn tab(&self, id: &TabId) -> Option<&TabState> {
        self.tabs.iter().find(|tab| tab.id == *id)
    }

    pub fn tab_mut(&mut self, id: &TabId) -> Option<&mut TabState> {
        self.tabs.iter_mut().find(|tab| tab.id == *id)
    }

    /// The tabs a caller knows of: all but our own helpers.
    pub fn visible_tabs(&self) -> impl Iterator<Item = &TabState> {
        self.tabs.iter().filter(|tab| tab.role == Role::Shown)
    }

    /// The frames of a tab: the main frame first, then children in the order they appeared, depth first.
    pub fn tab_frames(&self, tab: &TabId) -> Vec<FrameId> {
        let mut ordered = Vec::new();
        if let Some(tab) = self.tab(tab) {
            self.collect_frames(&tab.main_frame, &mut ordered);
        }
        ordered
    }

    fn collect_frames(&self, id: &FrameId, into: &mut Vec<FrameId>) {
        if !self.frames.contains_key(id) || into.contains(id) {
            return;
        }
        into.push(id.clone());
        let mut children: Vec<&FrameState> =
            self.frames.values().filter(|f| f.parent.as_ref() == Some(id)).collect();
        children.sort_by_key(|frame| frame.order);
        for child in children {
            self.collect_frames(&child.id, into);
        }
    }

    /// Where "since now" starts for [`State::happened_since`].
    pub fn happening_mark(&self) -> u64 {
        self.happening_seq
    }

    pub fn happened_since(&self, mark: u64) -> impl Iterator<Item = &Happening> {
        self.happenings.iter().filter(move |(seq, _)| *seq > mark).map(|(_, happening)| happening)
    }

    pub(crate) fn happen(&mut self, happening: Happening) {
        self.happening_seq += 1;
        self.happenings.push_back((self.happening_seq, happening));
        while self.happenings.len() > crate::limits::HAPPENINGS {
            self.happenings.pop_front();
        }
    }
}

/// Whose browser it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Ours,
    /// Somebody else's: only the tabs we open, and what they open, are ours (B68).
    Shared,
}

/// How the world answers by itself; fixed at launch.
pub struct Policy {
    pub whose: Whose,
    pub held: Held,
    pub rules: HostRules,
    pub landing: Landing,
}

/// The state and those who wait for it to change.
pub struct World {
    state: Mutex<State>,
    version: watch::Sender<u64>,
    policy: Policy,
    myself: std::sync::Weak<World>,
}

/// The browser ended while something waited for a state.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the browser is gone: {0}")]
pub struct Gone(pub String);

impl World {
    pub fn new(policy: Policy) -> Arc<World> {
        Arc::new_cyclic(|myself| World {
            state: Mutex::default(),
            version: watch::Sender::new(0),
            policy,
            myself: myself.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn read<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    pub fn change<T>(&self, alter: impl FnOnce(&mut State) -> T) -> T {
        let value = alter(&mut self.lock());
        self.version.send_modify(|version| *version += 1);
        value
    }

    /// Waits until `look` finds what it wants; `Ok(None)` when `limit` passed first.
    pub async fn until<T>(
        &self,
        limit: Duration,
        mut look: impl FnMut(&State) -> Option<T>,
    ) -> Result<Option<T>, Gone> {
        let mut version = self.version.subscribe();
        let waiting = async {
            loop {
                {
                    let state = self.lock();
                    if let Some(found) = look(&state) {
                        return Ok(Some(found));
                    }
                    if let Some(reason) = &state.closed {
                        return Err(Gone(reason.clone()));
                    }
                }
                if version.changed().await.is_err() {
                    return Ok(None);
                }
            }
        };
        tokio::time::timeout(limit, waiting).await.unwrap_or(Ok(None))
    }
}
