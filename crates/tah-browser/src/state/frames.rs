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
    pub unique_id: String,
    pub numeric_id: i64,
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

impl State {
    pub(super) fn put_frame(&mut self, id: &FrameId, parent: Option<FrameId>, tab: &TabId, session: &Session) {
        let order = self.next_frame;
        if let Some(frame) = self.frames.get_mut(id) {
            if parent.is_some() {
                frame.parent = parent;
            }
            frame.session = session.clone();
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
    pub(super) fn describe_frame(&mut self, info: &wire::FrameInfo, tab: &TabId, session: &Session) {
        let id = FrameId::from(info.id.as_str());
        self.put_frame(&id, info.parent_id.as_deref().map(FrameId::from), tab, session);
        if let Some(frame) = self.frames.get_mut(&id) {
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
        self.describe_frame(&tree.frame, tab, session);
        for child in &tree.child_frames {
            self.describe_tree(child, tab, session);
        }
    }

    pub(super) fn remove_children(&mut self, parent: &FrameId) {
        let children: Vec<FrameId> =
            self.frames.values().filter(|f| f.parent.as_ref() == Some(parent)).map(|f| f.id.clone()).collect();
        for child in children {
            self.remove_frame(&child);
        }
    }

    pub(super) fn remove_frame(&mut self, id: &FrameId) {
        self.remove_children(id);
        self.frames.remove(id);
    }
}
