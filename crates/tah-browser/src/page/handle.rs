//! Something that lives in a page's memory (an element, mostly), held from here and let go when dropped.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cdp::{Session, wire};

use super::{CALLER, Frame, PageError, Return, arguments, read_value, thrown_text};

struct Held {
    session: Session,
    object: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.session.post(wire::ReleaseObject { object_id: std::mem::take(&mut self.object) });
    }
}

/// Cheap to clone; the object is released with the last clone.
#[derive(Clone)]
pub struct Handle {
    frame: Frame,
    held: Arc<Held>,
}

impl Handle {
    pub(super) fn new(frame: Frame, session: Session, object: String) -> Handle {
        Handle { frame, held: Arc::new(Held { session, object }) }
    }

    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    pub fn session(&self) -> &Session {
        &self.held.session
    }

    pub fn object_id(&self) -> &str {
        &self.held.object
    }

    /// As an argument of a call in the same frame.
    pub fn argument(&self) -> wire::CallArgument {
        wire::CallArgument { value: None, object_id: Some(self.held.object.clone()) }
    }

    /// Calls `tah.<function>` with this object as `this`.
    pub async fn call<T: DeserializeOwned>(
        &self,
        function: &str,
        args: impl Serialize,
        within: Duration,
    ) -> Result<T, PageError> {
        read_value(self.call_raw(function, args, Return::Value, within).await?)
    }

    /// As [`Handle::call`], but the result stays in the page.
    pub async fn call_handle(
        &self,
        function: &str,
        args: impl Serialize,
        within: Duration,
    ) -> Result<Option<Handle>, PageError> {
        let result = self.call_raw(function, args, Return::Handle, within).await?;
        Ok(result.object_id.map(|object| Handle::new(self.frame.clone(), self.held.session.clone(), object)))
    }

    async fn call_raw(
        &self,
        function: &str,
        args: impl Serialize,
        back: Return,
        within: Duration,
    ) -> Result<wire::RemoteObject, PageError> {
        let mut all = vec![wire::CallArgument { value: Some(function.into()), object_id: None }];
        all.extend(arguments(args)?);
        let command = wire::CallFunctionOn {
            function_declaration: CALLER.to_owned(),
            object_id: Some(self.held.object.clone()),
            arguments: all,
            return_by_value: Some(back == Return::Value),
            await_promise: Some(true),
            user_gesture: Some(true),
            ..Default::default()
        };
        let reply = self
            .frame
            .chrome
            .unless_dialog(&self.frame.tab, self.held.session.call_within(within, command))
            .await?;
        match reply.exception_details {
            Some(details) => Err(PageError::Thrown(thrown_text(&details))),
            None => Ok(reply.result),
        }
    }
}
