//! Code in pages: one isolated world per frame, our functions in it, and calls from Rust to them.
//! The functions live in `page/*.js`; they are installed in a frame's document at its first call, in the same round trip.

pub(crate) mod acting;
pub(crate) mod fields;
mod handle;
pub(crate) mod look;
mod lookup;
mod placement;
mod refs;
mod target;
pub(crate) mod told;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cdp::{CdpError, wire};
use crate::chrome::Chrome;
use crate::limits;
use crate::state::{Context, Dialog, FrameId, FrameState, Gone, Life, TabId};

pub(crate) use acting::Needs;
pub use handle::Handle;
pub use look::{Form, Look};
pub(crate) use lookup::{Element, NamedFrames};
pub use placement::{Placement, Point};
pub(crate) use refs::{Loan, RefBook};
pub use target::{By, Target};

/// All functions, in the order they are installed; each file adds to the object `tah`. They are sent with each document,
/// so without what only people read.
static BUNDLE: LazyLock<String> = LazyLock::new(|| {
    let whole = concat!(
        "globalThis.tah ??= {};\n",
        include_str!("base.js"),
        "\n",
        include_str!("dom.js"),
        "\n",
        include_str!("snapshot.js"),
        "\n",
        include_str!("target.js"),
        "\n",
        include_str!("act.js"),
        "\n",
        include_str!("forms.js"),
        "\n",
        include_str!("scroll.js"),
        "\n",
        include_str!("content.js"),
        "\n",
        "0"
    );
    let lines = whole.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
});

/// Calls one of our functions; `this` is the handle's object where there is one.
const CALLER: &str = "function(name, ...args) { return globalThis.tah[name].call(this, ...args) }";

/// Why a call into a page has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PageError {
    /// The frame or its document went away; what was remembered of it is void.
    #[error("the frame or its document is gone")]
    Gone,
    /// A confirm or prompt is open and holds the page's scripts.
    #[error("a {} dialog is open", kind_name(.0))]
    Dialog(Box<Dialog>),
    /// The page did not answer in time.
    #[error("the page did not answer within {} ms", .0.as_millis())]
    Busy(Duration),
    /// Our function threw: a message meant for people.
    #[error("{0}")]
    Thrown(String),
    #[error("the tab crashed")]
    Crashed,
    #[error(transparent)]
    Cdp(CdpError),
}

fn kind_name(dialog: &Dialog) -> String {
    format!("{:?}", dialog.kind).to_lowercase()
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> PageError {
        match error {
            CdpError::TargetGone(crate::cdp::TargetEnd::Crashed) => PageError::Crashed,
            CdpError::TargetGone(crate::cdp::TargetEnd::Closed) => PageError::Gone,
            CdpError::Deadline { within, .. } => PageError::Busy(within),
            CdpError::Refused { ref error, .. }
                if [
                    "context",
                    "Context",
                    "Inspected target",
                    "Session with given id",
                    "Could not find object",
                    "Cannot find object",
                ]
                .iter()
                .any(|part| error.message.contains(part)) =>
            {
                PageError::Gone
            }
            other => PageError::Cdp(other),
        }
    }
}

impl From<Gone> for PageError {
    fn from(gone: Gone) -> PageError {
        PageError::Cdp(CdpError::Gone(gone.0))
    }
}

/// An argument of a call: plain data or something that lives in the page.
pub enum Argument {
    Value(Value),
    Handle(Handle),
}

/// One frame of one tab, by name: it may hold another document at the next call, or be gone.
#[derive(Clone)]
pub struct Frame {
    pub(crate) chrome: Arc<Chrome>,
    pub(crate) id: FrameId,
    pub(crate) tab: TabId,
}

impl Frame {
    pub fn id(&self) -> &FrameId {
        &self.id
    }

    pub fn tab(&self) -> &TabId {
        &self.tab
    }

    /// Calls `tah.<function>(…args)` in the frame's isolated world and reads its JSON result. `args` is a tuple, slice or
    /// array; promises are awaited.
    pub async fn call<T: DeserializeOwned>(
        &self,
        function: &str,
        args: impl Serialize,
        within: Duration,
    ) -> Result<T, PageError> {
        let result = self.call_raw(function, arguments(args)?, Return::Value, within).await?;
        read_value(result)
    }

    /// As [`Frame::call`], with handles among the arguments.
    pub async fn call_with<T: DeserializeOwned>(
        &self,
        function: &str,
        args: Vec<wire::CallArgument>,
        within: Duration,
    ) -> Result<T, PageError> {
        read_value(self.call_raw(function, args, Return::Value, within).await?)
    }

    /// As [`Frame::call`], but the result stays in the page; `None` for null and undefined.
    pub async fn call_handle(
        &self,
        function: &str,
        args: impl Serialize,
        within: Duration,
    ) -> Result<Option<Handle>, PageError> {
        let result = self.call_raw(function, arguments(args)?, Return::Handle, within).await?;
        let session = self.session()?;
        Ok(result.object_id.map(|object| Handle::new(self.clone(), session, object)))
    }

    async fn call_raw(
        &self,
        function: &str,
        mut args: Vec<wire::CallArgument>,
        back: Return,
        within: Duration,
    ) -> Result<wire::RemoteObject, PageError> {
        let (session, context) = self.context(within).await?;
        if !context.installed {
            // Sent ahead of the call on the same pipe: no waiting in between.
            session.post(wire::Evaluate {
                expression: BUNDLE.clone(),
                unique_context_id: context.unique_id.clone(),
                context_id: context.number(),
                return_by_value: Some(true),
                ..Default::default()
            });
            self.chrome.world.change(|state| {
                let isolated = state.frames.get_mut(&self.id).and_then(|frame| frame.isolated.as_mut());
                if let Some(isolated) = isolated.filter(|known| known.numeric_id == context.numeric_id) {
                    isolated.installed = true;
                }
            });
        }
        args.insert(0, wire::CallArgument { value: Some(Value::from(function)), object_id: None });
        let command = wire::CallFunctionOn {
            function_declaration: CALLER.to_owned(),
            execution_context_id: context.number(),
            unique_context_id: context.unique_id,
            arguments: args,
            return_by_value: Some(back == Return::Value),
            await_promise: Some(true),
            user_gesture: Some(true),
            ..Default::default()
        };
        let reply = self.chrome.unless_dialog(&self.tab, session.call_within(within, command)).await?;
        match reply.exception_details {
            Some(details) => Err(PageError::Thrown(thrown_text(&details))),
            None => Ok(reply.result),
        }
    }

    /// The session and isolated world of the document that is there now.
    pub(crate) async fn context(
        &self,
        within: Duration,
    ) -> Result<(crate::cdp::Session, Context), PageError> {
        let now = self.chrome.world.read(|state| {
            let frame = state.frames.get(&self.id)?;
            Some((
                frame.session.clone(),
                frame.our_world().cloned(),
                state.tab(&self.tab).map(|tab| tab.life),
            ))
        });
        let Some((session, isolated, life)) = now else { return Err(PageError::Gone) };
        if life == Some(Life::Crashed) {
            return Err(PageError::Crashed);
        }
        if let Some(context) = isolated {
            return Ok((session, context));
        }
        // A world that is there already is not announced again, so what counts is the reply.
        let (world, id, owned) = (Arc::downgrade(&self.chrome.world), self.id.clone(), session.clone());
        let create = wire::CreateIsolatedWorld {
            frame_id: self.id.0.to_string(),
            world_name: crate::state::WORLD.to_owned(),
        };
        session.post_then(create, move |_, made| {
            if let (Some(world), Ok(made)) = (world.upgrade(), made) {
                world.change(|state| state.world_made(&id, &owned, made.execution_context_id));
            }
        });
        self.wait_for_world(FrameState::our_world, within).await
    }

    /// Waits for one of the frame's script contexts, unless there will be none.
    async fn wait_for_world(
        &self,
        which: impl Fn(&FrameState) -> Option<&Context>,
        within: Duration,
    ) -> Result<(crate::cdp::Session, Context), PageError> {
        let found = self.chrome.world.until(within, |state| {
            if state.tab(&self.tab).is_some_and(|tab| tab.life == Life::Crashed) {
                return Some(Err(PageError::Crashed));
            }
            match state.frames.get(&self.id) {
                None => Some(Err(PageError::Gone)),
                Some(frame) => which(frame).map(|context| Ok((frame.session.clone(), context.clone()))),
            }
        });
        let found = self.chrome.unless_dialog(&self.tab, async { Ok(found.await) }).await?;
        found?.unwrap_or(Err(PageError::Busy(within)))
    }

    pub fn session(&self) -> Result<crate::cdp::Session, PageError> {
        self.chrome
            .world
            .read(|state| state.frames.get(&self.id).map(|f| f.session.clone()))
            .ok_or(PageError::Gone)
    }

    /// The page's own script context, for code of the user's.
    pub async fn main_world(&self, within: Duration) -> Result<(crate::cdp::Session, Context), PageError> {
        self.wait_for_world(FrameState::page_world, within).await
    }

    /// The protocol's number of a node behind one of our handles, for commands that want it.
    pub async fn node_id(&self, handle: &Handle) -> Result<i64, PageError> {
        let command =
            wire::DescribeNode { object_id: Some(handle.object_id().to_owned()), ..Default::default() };
        let described = handle.session().call_within(limits::COMMAND, command).await?;
        described.node.get("backendNodeId").and_then(Value::as_i64).ok_or(PageError::Gone)
    }

    /// A handle in our world to a node known by the protocol's number.
    pub async fn resolve(&self, backend_node_id: i64, within: Duration) -> Result<Handle, PageError> {
        let (session, context) = self.context(within).await?;
        let command = wire::ResolveNode {
            backend_node_id: Some(backend_node_id),
            execution_context_id: Some(context.numeric_id),
            object_group: None,
        };
        let resolved = self.chrome.unless_dialog(&self.tab, session.call_within(within, command)).await?;
        let object = resolved.object.object_id.ok_or(PageError::Gone)?;
        Ok(Handle::new(self.clone(), session, object))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Return {
    Value,
    Handle,
}

/// Serialises a tuple, slice or array into call arguments.
fn arguments(args: impl Serialize) -> Result<Vec<wire::CallArgument>, PageError> {
    match serde_json::to_value(args) {
        Ok(Value::Array(items)) => Ok(items
            .into_iter()
            .map(|value| wire::CallArgument { value: Some(value), object_id: None })
            .collect()),
        Ok(Value::Null) => Ok(Vec::new()),
        Ok(single) => Ok(vec![wire::CallArgument { value: Some(single), object_id: None }]),
        Err(error) => Err(PageError::Thrown(error.to_string())),
    }
}

fn read_value<T: DeserializeOwned>(result: wire::RemoteObject) -> Result<T, PageError> {
    serde_json::from_value(result.value.unwrap_or(Value::Null)).map_err(|error| {
        PageError::Cdp(CdpError::Unreadable { method: "Runtime.callFunctionOn", detail: error.to_string() })
    })
}

/// The message of an exception, without the stack.
pub fn thrown_text(details: &wire::ExceptionDetails) -> String {
    let described = details.exception.as_ref().map(|thrown| match (&thrown.description, &thrown.value) {
        (Some(text), _) => text.split("\n    at ").next().unwrap_or(text).to_owned(),
        (None, Some(Value::String(text))) => text.clone(),
        (None, Some(value)) => value.to_string(),
        (None, None) => thrown.kind.clone(),
    });
    described.unwrap_or_else(|| details.text.clone())
}
