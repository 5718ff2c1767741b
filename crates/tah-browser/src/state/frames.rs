//! A frame as the events describe it: its place in the tree, its document, its script contexts.

use std::sync::Arc;

use crate::cdp::{Session, wire};

use super::{State, TabId};

/// The protocol's frame id; equal to the target id for a page's first document and for cross-origin frames.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub Arc<str>);

impl From<&str> for FrameId {
    fn from(id: &str) -> FrameId {
        FrameId(Arc::from(id))
    }
}

/// How far a document has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Loading,
    /// Parsed: `DOMContentLoaded`.
    Interactive,
    /// `load` fired.
    Complete,
}

/// A script context, by the id that is unique across processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Missing where the context is known from a reply that gives only its number.
    pub unique_id: Option<String>,
    pub numeric_id: i64,
    /// The session it belongs to: a frame that changes its process leaves contexts behind.
    pub session: Option<String>,
    /// Whether our functions are there already (isolated world only).
    pub installed: bool,
}

/// A navigation that was asked for and has neither committed nor ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Navigating {
    pub url: String,
    pub loader: Option<String>,
}

pub struct FrameState {
    pub id: FrameId,
    pub parent: Option<FrameId>,
    pub tab: TabId,
    pub session: Session,
    pub url: String,
    pub name: String,
    pub loader: String,
    /// Set when the document is the browser's own error page: the address that could not be reached.
    pub unreachable: Option<String>,
    pub mime_type: String,
    pub phase: Phase,
    /// Counts the documents this frame has had.
    pub document: u64,
    pub navigating: Option<Navigating>,
    /// Counts same-document navigations (`#hash`, history API).
    pub hops: u64,
    /// Our isolated world and the page's own.
    pub isolated: Option<Context>,
    pub main_world: Option<Context>,
    /// The `<iframe>` element in the parent's document.
    pub owner: Option<i64>,
    pub order: u64,
}

/// How sure it is that a frame is in the session that speaks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// Its target attached there, or a document of it was committed there.
    Certain,
    /// It was in the tree; true for a frame not known yet.
    Mentioned,
}

impl FrameState {
    /// Our isolated world in the process the frame is in now.
    pub fn our_world(&self) -> Option<&Context> {
        self.isolated.as_ref().filter(|context| context.session.as_deref() == self.session.id())
    }

    /// The page's own world in the process the frame is in now.
    pub fn page_world(&self) -> Option<&Context> {
        self.main_world.as_ref().filter(|context| context.session.as_deref() == self.session.id())
    }

    pub(super) fn learn(&mut self, context: Context, world: ContextOf) {
        let here = context.session.as_deref() == self.session.id();
        let slot = match world {
            ContextOf::Us => &mut self.isolated,
            ContextOf::Page => &mut self.main_world,
        };
        let kept = slot.as_ref().is_some_and(|known| known.session.as_deref() == self.session.id());
        if here || !kept {
            *slot = Some(context);
        }
    }
}

/// Whose world a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContextOf {
    Us,
    Page,
}

impl Context {
    /// Its number, where that is the only way to name it.
    pub fn number(&self) -> Option<i64> {
        self.unique_id.is_none().then_some(self.numeric_id)
    }
}

impl State {
    /// Takes the reply to a request for our world.
    pub(crate) fn world_made(&mut self, id: &FrameId, session: &Session, number: i64) {
        let Some(frame) = self.frames.get_mut(id) else { return };
        if frame.our_world().is_none() {
            let session = session.id().map(str::to_owned);
            frame.learn(
                Context { unique_id: None, numeric_id: number, session, installed: false },
                ContextOf::Us,
            );
        }
    }

    pub(super) fn put_frame(
        &mut self,
        id: &FrameId,
        parent: Option<FrameId>,
        tab: &TabId,
        session: &Session,
        claim: Claim,
    ) {
        let order = self.next_frame;
        let known = |session: &Session| session.id().is_some_and(|id| self.attached.contains_key(id));
        let ended = self.frames.get(id).is_some_and(|frame| !known(&frame.session));
        if let Some(frame) = self.frames.get_mut(id) {
            if parent.is_some() {
                frame.parent = parent;
            }
            // A frame that moved to a process of its own is still mentioned by its parent's session for a while.
            if claim == Claim::Certain || ended {
                frame.session = session.clone();
            }
            return;
        }
        self.next_frame += 1;
        let frame = FrameState {
            id: id.clone(),
            parent,
            tab: tab.clone(),
            session: session.clone(),
            url: String::new(),
            name: String::new(),
            loader: String::new(),
            unreachable: None,
            mime_type: String::new(),
            phase: Phase::Loading,
            document: 0,
            navigating: None,
            hops: 0,
            isolated: None,
            main_world: None,
            owner: None,
            order,
        };
        self.frames.insert(id.clone(), frame);
    }

    /// Takes what a frame tree or a navigation says about a frame.
    pub(super) fn describe_frame(
        &mut self,
        info: &wire::FrameInfo,
        tab: &TabId,
        session: &Session,
        claim: Claim,
    ) {
        let id = FrameId::from(info.id.as_str());
        self.put_frame(&id, info.parent_id.as_deref().map(FrameId::from), tab, session, claim);
        let here = |frame: &&mut FrameState| frame.session.id() == session.id();
        if let Some(frame) = self.frames.get_mut(&id).filter(here) {
            frame.url = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or(""));
            frame.name = info.name.clone().unwrap_or_default();
            frame.unreachable = info.unreachable_url.clone();
            frame.mime_type = info.mime_type.clone();
            if frame.loader != info.loader_id {
                frame.loader = info.loader_id.clone();
                frame.document += 1;
            }
        }
    }

    pub(super) fn describe_tree(&mut self, tree: &wire::FrameTree, tab: &TabId, session: &Session) {
        self.describe_frame(&tree.frame, tab, session, Claim::Mentioned);
        for child in &tree.child_frames {
            self.describe_tree(child, tab, session);
        }
    }

    pub(super) fn remove_children(&mut self, parent: &FrameId) {
        let children: Vec<FrameId> = self
            .frames
            .values()
            .filter(|f| f.parent.as_ref() == Some(parent))
            .map(|f| f.id.clone())
            .collect();
        for child in children {
            self.remove_frame(&child);
        }
    }

    pub(super) fn remove_frame(&mut self, id: &FrameId) {
        self.remove_children(id);
        self.frames.remove(id);
    }
}
