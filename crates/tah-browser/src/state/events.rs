//! What each event of the protocol does to the state. Runs in the reader task: never waits, only posts.

use crate::cdp::{CdpError, Connection, Event, Session, Sink, TargetEnd, wire};
use crate::guard::Destination;
use crate::limits;

use super::frames::Claim;
use super::{
    Attachment, Chooser, FrameId, Happening, Life, RequestEnd, Role, TabId, TabState, TargetKind, Whose,
    World,
};

/// The name of the isolated world our functions live in.
pub const WORLD: &str = "tah";

impl Sink for World {
    fn closed(&self, reason: &str) {
        self.change(|state| {
            state.closed = Some(reason.to_owned());
            for tab in &mut state.tabs {
                tab.dialog = None;
            }
        });
    }

    fn event(&self, connection: &Connection, event: Event<'_>) {
        match event.method.split_once('.').map_or("", |(domain, _)| domain) {
            "Target" => self.target_event(connection, &event),
            "Browser" => self.browser_event(&event),
            "Fetch" => self.fetch_event(connection, &event),
            "Page" | "Runtime" | "Network" | "Inspector" | "Log" | "Input" => {
                let Some(session) = event.session else { return };
                let Some((tab, session)) = self.read(|state| {
                    let attached = state.attached.get(session)?;
                    Some((attached.tab.clone()?, attached.session.clone()))
                }) else {
                    return;
                };
                match event.method.as_bytes().first() {
                    Some(b'N') => self.network_event(&tab, &event),
                    Some(b'R') => self.runtime_event(&tab, &session, &event),
                    Some(b'P') => self.page_event(tab, session, &event),
                    _ => self.other_event(&tab, &session, &event),
                }
            }
            _ => {}
        }
    }
}

impl World {
    fn target_event(&self, connection: &Connection, event: &Event<'_>) {
        match event.method {
            "Target.attachedToTarget" => {
                if let Some(attached) = event.read() {
                    self.attached(connection, event.session, attached);
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(detached) = event.read::<wire::DetachedFromTarget>() {
                    self.detached(connection, &detached.session_id);
                }
            }
            "Target.targetInfoChanged" => {
                if let Some(changed) = event.read::<wire::TargetInfoChanged>() {
                    self.change(|state| {
                        let info = changed.target_info;
                        if let Some(tab) = state.tabs.iter_mut().find(|tab| tab.target == info.target_id) {
                            tab.url = info.url;
                            tab.title = info.title;
                        }
                    });
                }
            }
            _ => {}
        }
    }

    fn attached(&self, connection: &Connection, parent: Option<&str>, attached: wire::AttachedToTarget) {
        let session = connection.session(&attached.session_id);
        let info = attached.target_info;
        let kind = match info.kind.as_str() {
            "page" => TargetKind::Page,
            "iframe" => TargetKind::Frame,
            _ => TargetKind::Worker,
        };
        let twice = self.read(|state| state.attached.values().any(|known| known.target == info.target_id));
        let foreign = matches!(kind, TargetKind::Page)
            && self.policy.whose == Whose::Shared
            && self.read(|state| {
                let opener = info.opener_id.as_ref();
                let by_us = opener.is_some_and(|opener| state.tabs.iter().any(|tab| tab.target == *opener));
                !by_us && state.expecting.is_none()
            });
        if twice || foreign {
            // A service worker arrives at the browser and again at its page; a popup may as well.
            session.post(wire::RunIfWaiting {});
            let detach = wire::DetachFromTarget { session_id: attached.session_id };
            match parent {
                Some(parent) => connection.session(parent).post(detach),
                None => connection.browser().post(detach),
            }
            return;
        }
        let tab = self.change(|state| {
            let tab = match kind {
                TargetKind::Page => {
                    let expected = state.expecting.filter(|_| info.opener_id.is_none());
                    let role = expected.unwrap_or(Role::Shown);
                    if expected.is_some() {
                        state.expecting = None;
                    }
                    let id = if role == Role::Shown {
                        state.next_tab += 1;
                        TabId(format!("t{}", state.next_tab))
                    } else {
                        TabId(format!("inner-{}", info.target_id))
                    };
                    let opener = info.opener_id.as_ref().and_then(|opener| {
                        state.tabs.iter().find(|tab| tab.target == *opener).map(|tab| tab.id.clone())
                    });
                    let main_frame = FrameId::from(info.target_id.as_str());
                    state.put_frame(&main_frame, None, &id, &session, Claim::Certain);
                    state.tabs.push(TabState {
                        id: id.clone(),
                        target: info.target_id.clone(),
                        session: session.clone(),
                        main_frame,
                        opener: opener.clone(),
                        life: Life::Starting,
                        role,
                        url: info.url.clone(),
                        title: info.title.clone(),
                        dialog: None,
                        generation: 0,
                        console: Default::default(),
                        requests: Default::default(),
                        request_seq: 0,
                        chooser: None,
                        drag: None,
                        answer: None,
                    });
                    if role == Role::Shown && state.active.is_none()
                        || (opener.is_some() && opener == state.active)
                    {
                        state.active = Some(id.clone());
                    }
                    if opener.is_some() {
                        state.happen(Happening::TabOpened { tab: id.clone(), opener });
                    }
                    Some(id)
                }
                TargetKind::Frame | TargetKind::Worker => {
                    parent.and_then(|parent| state.attached.get(parent)?.tab.clone())
                }
            };
            if let (TargetKind::Frame, Some(tab)) = (&kind, &tab) {
                let parent = info.parent_frame_id.as_deref().map(FrameId::from);
                state.put_frame(
                    &FrameId::from(info.target_id.as_str()),
                    parent,
                    tab,
                    &session,
                    Claim::Certain,
                );
            }
            let attachment = Attachment {
                session: session.clone(),
                target: info.target_id.clone(),
                kind,
                tab: tab.clone(),
            };
            state.attached.insert(attached.session_id.clone(), attachment);
            tab
        });
        let is_document = matches!(info.kind.as_str(), "page" | "iframe");
        match tab {
            Some(tab) if is_document => self.prime(&session, tab, info.kind == "page"),
            _ => session.post(self.auto_attach()),
        }
        session.post(wire::RunIfWaiting {});
    }

    /// Auto-attach for one session; workers only where their requests are watched.
    pub fn auto_attach(&self) -> wire::SetAutoAttach {
        let take = |kind: &str| wire::TargetFilter { kind: Some(kind.to_owned()), exclude: false };
        let filter =
            if self.policy.rules.is_open() { Some(vec![take("page"), take("iframe")]) } else { None };
        wire::SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true, filter }
    }

    /// Switches on what we listen to. The order matters: the frame tree before the replay of life cycle events and
    /// contexts, which are about frames that must be known by then.
    fn prime(&self, session: &Session, tab: TabId, is_tab: bool) {
        session.post(wire::PageEnable {});
        let world = self.myself.clone();
        let owned = session.clone();
        let id = tab.clone();
        session.post_then(wire::GetFrameTree {}, move |_, tree: Result<wire::FrameTreeReply, CdpError>| {
            let (Some(world), Ok(tree)) = (world.upgrade(), tree) else { return };
            world.change(|state| {
                state.describe_tree(&tree.frame_tree, &id, &owned);
                if let Some(tab) = state.tab_mut(&id).filter(|_| is_tab) {
                    tab.life = Life::Live;
                    tab.main_frame = FrameId::from(tree.frame_tree.frame.id.as_str());
                    tab.url = tree.frame_tree.frame.url.clone();
                }
            });
        });
        session.post(wire::SetLifecycleEvents { enabled: true });
        session.post(wire::RuntimeEnable {});
        session.post(wire::AddScript {
            source: String::from("0"),
            world_name: Some(WORLD.to_owned()),
            run_immediately: Some(true),
        });
        session.post(wire::NetworkEnable {
            max_total_buffer_size: Some(limits::NETWORK_BUFFER),
            max_resource_buffer_size: Some(limits::NETWORK_BUFFER),
        });
        session.post(wire::InspectorEnable {});
        session.post(wire::LogEnable {});
        if is_tab {
            // A page in the background still runs its timers and takes focus, as if it were looked at.
            session.post(wire::SetFocusEmulation { enabled: true });
            session.post(wire::InterceptFileChooser { enabled: true });
        }
        session.post(self.auto_attach());
    }

    fn detached(&self, connection: &Connection, session: &str) {
        let end = self.change(|state| {
            let attached = state.attached.remove(session)?;
            match attached.kind {
                TargetKind::Page => {
                    let at = state.tabs.iter().position(|tab| tab.target == attached.target)?;
                    let gone = state.tabs.remove(at);
                    state.frames.retain(|_, frame| frame.tab != gone.id);
                    state.attached.retain(|_, other| other.tab.as_ref() != Some(&gone.id));
                    if state.active.as_ref() == Some(&gone.id) {
                        let opener = gone.opener.clone().filter(|opener| state.tab(opener).is_some());
                        let beside =
                            state.tabs.get(at).or_else(|| state.tabs.last()).map(|tab| tab.id.clone());
                        state.active = opener.or(beside);
                    }
                    if gone.role == Role::Shown {
                        state.happen(Happening::TabClosed { tab: gone.id, url: gone.url });
                    }
                }
                TargetKind::Frame => {
                    // A frame that went back into its parent's process has another session by now.
                    let id = FrameId::from(attached.target.as_str());
                    if state.frames.get(&id).is_some_and(|frame| frame.session.id() == Some(session)) {
                        state.remove_frame(&id);
                    }
                }
                TargetKind::Worker => {}
            }
            Some(TargetEnd::Closed)
        });
        if let Some(end) = end {
            connection.end_session(session, end);
        }
    }

    fn browser_event(&self, event: &Event<'_>) {
        match event.method {
            "Browser.downloadWillBegin" => {
                if let Some(begin) = event.read() {
                    self.download_begins(begin);
                }
            }
            "Browser.downloadProgress" => {
                if let Some(progress) = event.read() {
                    self.download_progresses(progress);
                }
            }
            _ => {}
        }
    }

    fn fetch_event(&self, connection: &Connection, event: &Event<'_>) {
        if event.method != "Fetch.requestPaused" {
            return;
        }
        let Some(paused) = event.read::<wire::RequestPaused>() else { return };
        let session = match event.session {
            Some(id) => connection.session(id),
            None => connection.browser(),
        };
        // An answer is only held where a download waits for it.
        if paused.response_status_code.is_some() || paused.response_error_reason.is_some() {
            self.change(|state| {
                let tab = event.session.and_then(|id| state.attached.get(id)?.tab.clone());
                if let Some(tab) = tab.and_then(|tab| state.tab_mut(&tab)) {
                    tab.answer = Some(paused);
                }
            });
            return;
        }
        let main = self.read(|state| {
            let frame = paused.frame_id.as_deref().map(FrameId::from);
            paused.resource_type == "Document"
                && frame.is_none_or(|id| state.frames.get(&id).is_none_or(|frame| frame.parent.is_none()))
        });
        let destination = if main { Destination::Navigation } else { Destination::Request };
        match self.policy.rules.judge(&paused.request.url, destination) {
            Ok(()) => session.post(wire::FetchContinue { request_id: paused.request_id }),
            Err(why) => {
                session.post(wire::FetchFail {
                    request_id: paused.request_id,
                    error_reason: String::from("BlockedByClient"),
                });
                self.change(|state| {
                    state.happen(Happening::RequestBlocked { url: paused.request.url, why: why.to_string() });
                });
            }
        }
    }

    fn page_event(&self, tab: TabId, session: Session, event: &Event<'_>) {
        match event.method {
            "Page.javascriptDialogOpening" => {
                if let Some(opening) = event.read() {
                    self.dialog_opened(tab, session, opening);
                }
            }
            "Page.javascriptDialogClosed" => self.dialog_closed(&tab),
            "Page.fileChooserOpened" => {
                if let Some(opened) = event.read::<wire::FileChooserOpened>() {
                    self.change(|state| {
                        if let Some(tab) = state.tab_mut(&tab) {
                            tab.chooser = Some(Chooser {
                                session,
                                frame: FrameId::from(opened.frame_id.as_str()),
                                node: opened.backend_node_id,
                                multiple: opened.mode == "selectMultiple",
                            });
                        }
                    });
                }
            }
            _ => self.frame_event(&tab, &session, event),
        }
    }

    fn network_event(&self, tab: &TabId, event: &Event<'_>) {
        match event.method {
            "Network.requestWillBeSent" => {
                if let Some(sent) = event.read() {
                    self.request_starts(tab, sent);
                }
            }
            "Network.responseReceived" => {
                if let Some(received) = event.read() {
                    self.request_answered(tab, received);
                }
            }
            "Network.loadingFinished" => {
                if let Some(done) = event.read::<wire::LoadingFinished>() {
                    self.request_ended(
                        tab,
                        &done.request_id,
                        done.encoded_data_length as u64,
                        RequestEnd::Finished,
                    );
                }
            }
            "Network.loadingFailed" => {
                if let Some(failed) = event.read::<wire::LoadingFailed>() {
                    let why = failed.blocked_reason.unwrap_or(failed.error_text);
                    self.request_ended(tab, &failed.request_id, 0, RequestEnd::Failed(why));
                }
            }
            _ => {}
        }
    }

    fn other_event(&self, tab: &TabId, session: &Session, event: &Event<'_>) {
        match event.method {
            "Inspector.targetCrashed" => {
                // Told twice, the second time maybe to whoever asked for a new page already: only the first counts.
                let first = self.change(|state| {
                    let mut first = true;
                    if let Some(known) = state.tab_mut(tab).filter(|known| known.session.id() == session.id())
                    {
                        first = known.life != Life::Crashed;
                        known.life = Life::Crashed;
                        known.dialog = None;
                        let url = known.url.clone();
                        if first {
                            state.happen(Happening::TabCrashed { tab: tab.clone(), url });
                        }
                    }
                    for frame in
                        state.frames.values_mut().filter(|frame| first && frame.session.id() == session.id())
                    {
                        frame.isolated = None;
                        frame.main_world = None;
                        frame.navigating = None;
                    }
                    first
                });
                if let Some(id) = session.id().filter(|_| first) {
                    session.connection().end_session(id, TargetEnd::Crashed);
                }
            }
            "Log.entryAdded" => {
                if let Some(added) = event.read::<wire::LogEntryAdded>() {
                    let entry = added.entry;
                    // Nobody asked for the little picture that most sites lack.
                    if entry.url.as_ref().is_some_and(|url| url.ends_with("/favicon.ico")) {
                        return;
                    }
                    let source = entry.url.map(|url| match entry.line_number {
                        Some(line) => format!("{url}:{}", line + 1),
                        None => url,
                    });
                    self.console_line(tab, &entry.level, entry.text, source);
                }
            }
            "Input.dragIntercepted" => {
                if let Some(intercepted) = event.read::<wire::DragIntercepted>() {
                    self.change(|state| {
                        if let Some(tab) = state.tab_mut(tab) {
                            tab.drag = Some(intercepted.data);
                        }
                    });
                }
            }
            _ => {}
        }
    }
}
