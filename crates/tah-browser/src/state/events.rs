//! What each event of the protocol does to the state. Runs in the reader task: never waits, only posts.

use crate::cdp::{CdpError, Connection, Event, Session, Sink, TargetEnd, wire};
use crate::guard::Destination;
use crate::limits;

use super::frames::{Claim, ContextOf};
use super::traffic::spell;
use super::{
    Attachment, Chooser, Context, FrameId, Happening, Life, Navigating, Phase, RequestEnd, Role, TabId,
    TabState, TargetKind, World,
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
        if twice {
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

    fn frame_event(&self, tab: &TabId, session: &Session, event: &Event<'_>) {
        match event.method {
            "Page.frameAttached" => {
                let Some(attached) = event.read::<wire::FrameAttached>() else { return };
                self.change(|state| {
                    let parent = Some(FrameId::from(attached.parent_frame_id.as_str()));
                    state.put_frame(
                        &FrameId::from(attached.frame_id.as_str()),
                        parent,
                        tab,
                        session,
                        Claim::Mentioned,
                    );
                });
            }
            "Page.frameDetached" => {
                let Some(detached) = event.read::<wire::FrameDetached>() else { return };
                self.change(|state| {
                    let id = FrameId::from(detached.frame_id.as_str());
                    // One that is swapped lives on in another process: the target that comes has the same id.
                    if detached.reason != "swap" {
                        state.remove_frame(&id);
                    }
                });
            }
            "Page.frameNavigated" => {
                let Some(navigated) = event.read::<wire::FrameNavigated>() else { return };
                self.change(|state| {
                    let info = navigated.frame;
                    let id = FrameId::from(info.id.as_str());
                    state.remove_children(&id);
                    state.describe_frame(&info, tab, session, Claim::Certain);
                    if let Some(frame) = state.frames.get_mut(&id) {
                        frame.phase = Phase::Loading;
                        frame.navigating = None;
                        frame.owner = frame.owner.filter(|_| info.parent_id.is_some());
                    }
                    if let Some(known) = state.tab_mut(tab).filter(|known| known.session.id() == session.id())
                        && info.parent_id.is_none()
                    {
                        known.main_frame = id;
                        known.generation += 1;
                        known.life = Life::Live;
                        known.url = format!("{}{}", info.url, info.url_fragment.unwrap_or_default());
                        known.chooser = None;
                    }
                });
            }
            "Page.navigatedWithinDocument" => {
                let Some(within) = event.read::<wire::NavigatedWithinDocument>() else { return };
                self.change(|state| {
                    let id = FrameId::from(within.frame_id.as_str());
                    if let Some(frame) = state.frames.get_mut(&id) {
                        frame.url = within.url.clone();
                        frame.hops += 1;
                        frame.navigating = None;
                    }
                    if let Some(tab) = state.tab_mut(tab).filter(|tab| tab.main_frame == id) {
                        tab.url = within.url;
                    }
                });
            }
            "Page.frameRequestedNavigation" => {
                let Some(requested) = event.read::<wire::FrameRequestedNavigation>() else { return };
                if requested.disposition != "currentTab" && !requested.disposition.is_empty() {
                    return;
                }
                self.navigation_begins(&requested.frame_id, requested.url, None);
            }
            "Page.frameStartedNavigating" => {
                let Some(started) = event.read::<wire::FrameStartedNavigating>() else { return };
                if !started.navigation_type.contains("ameDocument")
                    || started.navigation_type.contains("ifferent")
                {
                    self.navigation_begins(&started.frame_id, started.url, Some(started.loader_id));
                }
            }
            "Page.frameStoppedLoading" => {
                let Some(stopped) = event.read::<wire::FrameOnly>() else { return };
                self.change(|state| {
                    if let Some(frame) = state.frames.get_mut(&FrameId::from(stopped.frame_id.as_str())) {
                        frame.navigating = None;
                    }
                });
            }
            "Page.lifecycleEvent" => {
                let Some(life) = event.read::<wire::LifecycleEvent>() else { return };
                let phase = match life.name.as_str() {
                    "DOMContentLoaded" => Phase::Interactive,
                    "load" => Phase::Complete,
                    _ => return,
                };
                self.change(|state| {
                    let id = FrameId::from(life.frame_id.as_str());
                    if let Some(frame) =
                        state.frames.get_mut(&id).filter(|frame| frame.loader == life.loader_id)
                    {
                        frame.phase = frame.phase.max(phase);
                    }
                });
            }
            _ => {}
        }
    }

    fn navigation_begins(&self, frame: &str, url: String, loader: Option<String>) {
        self.change(|state| {
            if let Some(frame) = state.frames.get_mut(&FrameId::from(frame)) {
                // The commit may have been reported before the start.
                if loader.as_ref().is_none_or(|loader| *loader != frame.loader) {
                    frame.navigating = Some(Navigating { url, loader });
                }
            }
        });
    }

    fn runtime_event(&self, tab: &TabId, session: &Session, event: &Event<'_>) {
        match event.method {
            "Runtime.executionContextCreated" => {
                let Some(created) = event.read::<wire::ContextCreated>() else { return };
                let context = created.context;
                let Some(aux) = context.aux_data else { return };
                let Some(frame) = aux.frame_id else { return };
                let whose = match (aux.is_default, context.name.as_str()) {
                    (true, _) => ContextOf::Page,
                    (false, WORLD) => ContextOf::Us,
                    _ => return,
                };
                self.change(|state| {
                    let Some(frame) = state.frames.get_mut(&FrameId::from(frame.as_str())) else { return };
                    let session = session.id().map(str::to_owned);
                    let known = Context {
                        unique_id: Some(context.unique_id),
                        numeric_id: context.id,
                        session,
                        installed: false,
                    };
                    frame.learn(known, whose);
                });
            }
            "Runtime.executionContextDestroyed" => {
                let Some(destroyed) = event.read::<wire::ContextDestroyed>() else { return };
                self.change(|state| {
                    let id = destroyed.execution_context_unique_id;
                    let is_it = |context: &Option<Context>| {
                        context.as_ref().is_some_and(|c| c.unique_id.as_deref() == Some(id.as_str()))
                    };
                    for frame in state.frames.values_mut() {
                        if is_it(&frame.isolated) {
                            frame.isolated = None;
                        }
                        if is_it(&frame.main_world) {
                            frame.main_world = None;
                        }
                    }
                });
            }
            "Runtime.executionContextsCleared" => self.change(|state| {
                let theirs = |context: &Context| context.session.as_deref() == session.id();
                for frame in state.frames.values_mut() {
                    frame.isolated = frame.isolated.take().filter(|context| !theirs(context));
                    frame.main_world = frame.main_world.take().filter(|context| !theirs(context));
                }
            }),
            "Runtime.consoleAPICalled" => {
                let Some(called) = event.read::<wire::ConsoleCalled>() else { return };
                let text = called.args.iter().map(spell).collect::<Vec<_>>().join(" ");
                let source = called.stack_trace.and_then(|stack| {
                    stack.call_frames.first().map(|top| format!("{}:{}", top.url, top.line_number + 1))
                });
                self.console_line(tab, &called.kind, text, source);
            }
            "Runtime.exceptionThrown" => {
                let Some(thrown) = event.read::<wire::ExceptionThrown>() else { return };
                let details = thrown.exception_details;
                let text = details.exception.as_ref().map_or_else(|| details.text.clone(), spell);
                let source = details.url.map(|url| format!("{url}:{}", details.line_number + 1));
                self.console_line(tab, "error", text, source);
            }
            _ => {}
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
