//! What the events of `Page` about frames, and of `Runtime` about their contexts, do to the state.

use crate::cdp::{Event, Session, wire};

use super::frames::{Claim, ContextOf};
use super::traffic::spell;
use super::{Context, FrameId, Life, Navigating, Phase, TabId, WORLD, World};

impl World {
    pub(super) fn frame_event(&self, tab: &TabId, session: &Session, event: &Event<'_>) {
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

    pub(super) fn runtime_event(&self, tab: &TabId, session: &Session, event: &Event<'_>) {
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
}
