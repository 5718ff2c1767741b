//! One running browser: its process, its connection, and what is known of it.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tah_os::process::Child;

use crate::cdp::{CdpError, Connection, Session, wire};
use crate::limits;
use crate::page::{Frame, NamedFrames, PageError, RefBook};
use crate::scratch::Scratch;
use crate::state::{Gone, Life, Role, TabId, World};

pub struct Chrome {
    /// Tells this browser from the one before and after.
    pub id: String,
    pub(crate) connection: Connection,
    pub(crate) world: Arc<World>,
    child: Option<Child>,
    /// Removed when the browser is.
    scratch: Scratch,
    /// What a person should know about how it was started.
    pub notices: Vec<String>,
    /// The numbers of elements that were shown.
    pub(crate) refs: RefBook,
    pub(crate) named_frames: NamedFrames,
}

impl Chrome {
    pub(crate) fn new(
        connection: Connection,
        world: Arc<World>,
        child: Option<Child>,
        scratch: Scratch,
        notices: Vec<String>,
    ) -> Chrome {
        let id = format!("b{:06x}", fastrand::u32(..1 << 24));
        Chrome {
            id,
            connection,
            world,
            child,
            scratch,
            notices,
            refs: RefBook::default(),
            named_frames: NamedFrames::default(),
        }
    }

    /// The session of the browser itself.
    pub fn browser(&self) -> Session {
        self.connection.browser()
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::pid)
    }

    /// Why it is gone, if it is.
    pub fn gone(&self) -> Option<String> {
        self.connection.closed_reason()
    }

    /// Where a download is written while its bytes come.
    pub fn incoming(&self) -> PathBuf {
        self.scratch.downloads()
    }

    pub fn active_tab(self: &Arc<Chrome>) -> Option<Tab> {
        let id = self.world.read(|state| state.active.clone())?;
        self.tab(&id)
    }

    pub fn tab(self: &Arc<Chrome>, id: &TabId) -> Option<Tab> {
        let session = self.world.read(|state| state.tab(id).map(|tab| tab.session.clone()))?;
        Some(Tab { chrome: self.clone(), id: id.clone(), session })
    }

    /// Asks for the titles and addresses of all tabs: Chrome tells of changed titles only now and then.
    pub async fn refresh_titles(&self) -> Result<(), PageError> {
        let targets = self.browser().call(wire::GetTargets {}).await?.target_infos;
        self.world.change(|state| {
            for tab in &mut state.tabs {
                if let Some(info) = targets.iter().find(|info| info.target_id == tab.target) {
                    tab.url.clone_from(&info.url);
                    tab.title.clone_from(&info.title);
                }
            }
        });
        Ok(())
    }

    /// Opens a blank tab and makes it the active one.
    pub async fn open_tab(self: &Arc<Chrome>) -> Result<Tab, PageError> {
        let tab = self
            .create_tab(wire::CreateTarget { url: String::from("about:blank"), ..Default::default() })
            .await?;
        self.world.change(|state| state.active = Some(tab.id.clone()));
        Ok(tab)
    }

    /// Opens a tab that nobody sees in a list; whoever made it closes it.
    pub(crate) async fn open_inner_tab(self: &Arc<Chrome>) -> Result<Tab, PageError> {
        self.world.change(|state| state.expecting = Some(Role::Inner));
        let create = wire::CreateTarget {
            url: String::from("about:blank"),
            background: Some(true),
            ..Default::default()
        };
        self.create_tab(create).await
    }

    async fn create_tab(self: &Arc<Chrome>, create: wire::CreateTarget) -> Result<Tab, PageError> {
        let created = self.browser().call(create).await?;
        let live = self.world.until(limits::LAUNCH, |state| {
            let tab = state.tabs.iter().find(|tab| tab.target == created.target_id)?;
            (tab.life == Life::Live).then(|| tab.id.clone())
        });
        let id = live.await?.ok_or(PageError::Busy(limits::LAUNCH))?;
        self.tab(&id).ok_or(PageError::Gone)
    }

    /// Closes a tab and waits until it is gone. A page that does not let go is closed all the same: no beforeunload.
    pub async fn close_tab(&self, id: &TabId) -> Result<(), PageError> {
        let Some(target) = self.world.read(|state| state.tab(id).map(|tab| tab.target.clone())) else {
            return Ok(());
        };
        self.browser().call(wire::CloseTarget { target_id: target }).await?;
        let gone = self.world.until(limits::GRACEFUL_END, |state| state.tab(id).is_none().then_some(()));
        gone.await?.ok_or(PageError::Busy(limits::GRACEFUL_END))
    }

    /// Runs `work`, unless a dialog that waits for an answer is or gets open on the tab: scripts stand still then.
    pub async fn unless_dialog<T>(
        &self,
        tab: &TabId,
        work: impl Future<Output = Result<T, CdpError>>,
    ) -> Result<T, PageError> {
        let held = async {
            let open = self.world.until(Duration::MAX, |state| {
                state.tab(tab)?.dialog.as_ref().filter(|dialog| !dialog.answered).cloned()
            });
            match open.await {
                Ok(Some(dialog)) => dialog,
                // The work itself reports that the browser is gone.
                Ok(None) | Err(Gone(_)) => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            done = work => Ok(done?),
            dialog = held => Err(PageError::Dialog(Box::new(dialog))),
        }
    }

    /// Ends the browser: asked first, so that cookies and logins are written, then signalled.
    pub async fn close(&self) {
        if self.gone().is_none() && self.child.is_some() {
            // It may be gone before it answers.
            let _ = self.browser().call_within(limits::GRACEFUL_END, wire::BrowserClose {}).await;
        }
        let Some(child) = &self.child else {
            // Somebody else's browser stays; our tabs go.
            let ours: Vec<TabId> =
                self.world.read(|state| state.tabs.iter().map(|tab| tab.id.clone()).collect());
            for id in &ours {
                let _ = self.close_tab(id).await;
            }
            return;
        };
        let _ = tokio::time::timeout(limits::GRACEFUL_END, child.wait()).await;
        child.terminate(limits::TERM_GRACE).await;
    }
}

/// One tab. Cheap to clone; the tab may be gone at any time.
#[derive(Clone)]
pub struct Tab {
    pub(crate) chrome: Arc<Chrome>,
    pub(crate) id: TabId,
    pub(crate) session: Session,
}

impl Tab {
    pub fn id(&self) -> &TabId {
        &self.id
    }

    pub fn chrome(&self) -> &Arc<Chrome> {
        &self.chrome
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn main_frame(&self) -> Result<Frame, PageError> {
        let id = self.chrome.world.read(|state| state.tab(&self.id).map(|tab| tab.main_frame.clone()));
        Ok(Frame { chrome: self.chrome.clone(), id: id.ok_or(PageError::Gone)?, tab: self.id.clone() })
    }

    /// All frames, the main frame first, each before its children.
    pub fn frames(&self) -> Vec<Frame> {
        let ids = self.chrome.world.read(|state| state.tab_frames(&self.id));
        ids.into_iter().map(|id| Frame { chrome: self.chrome.clone(), id, tab: self.id.clone() }).collect()
    }

    /// Counts this tab's documents: what was remembered under another number is void.
    pub fn generation(&self) -> u64 {
        self.chrome.world.read(|state| state.tab(&self.id).map_or(0, |tab| tab.generation))
    }

    pub fn url(&self) -> String {
        self.chrome.world.read(|state| state.tab(&self.id).map(|tab| tab.url.clone()).unwrap_or_default())
    }

    pub async fn activate(&self) -> Result<(), PageError> {
        let target = self.chrome.world.read(|state| state.tab(&self.id).map(|tab| tab.target.clone()));
        let target_id = target.ok_or(PageError::Gone)?;
        self.chrome.browser().call(wire::ActivateTarget { target_id }).await?;
        self.chrome.world.change(|state| state.active = Some(self.id.clone()));
        Ok(())
    }

    /// Breaks a script that loops for ever; where that does not help, the tab is closed.
    pub async fn break_loop(&self) -> Broken {
        let Ok(frame) = self.main_frame() else { return Broken::Closed };
        self.session.post(wire::TerminateExecution {});
        match frame.call::<bool>("tick", (), limits::AFTER_TERMINATE).await {
            Err(PageError::Busy(_)) => {
                let _ = self.chrome.close_tab(&self.id).await;
                Broken::Closed
            }
            _ => Broken::Terminated,
        }
    }
}

/// How a looping page was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Terminated,
    Closed,
}
