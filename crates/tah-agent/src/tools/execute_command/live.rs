//! A command's output for people while it runs: throttled, sanitised, and never more than they can read.

use super::running::{Heard, Running};
use crate::event::EventSink;
use crate::id::CallId;
use crate::limits;
use crate::tool::ToolContext;
use tah_os::text::{Keep, Sanitiser};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The task that shows output.
pub(super) struct Live {
    task: JoinHandle<()>,
    last: CancellationToken,
}

impl Live {
    pub(super) fn show(running: &Running, context: &ToolContext) -> Self {
        let last = CancellationToken::new();
        let mut shown = Shown {
            heard: running.heard(),
            events: context.events.clone(),
            call_id: context.call_id.clone(),
            sanitiser: Sanitiser::new(Keep::Colours),
            rest: Vec::new(),
        };
        let (end, cancel) = (last.clone(), context.cancel.clone());
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return,
                    () = end.cancelled() => break,
                    () = tokio::time::sleep(limits::LIVE_INTERVAL) => shown.next().await,
                }
            }
            shown.next().await;
            let rest = shown.sanitiser.finish();
            shown.emit(rest).await;
        });
        Live { task, last }
    }

    /// Shows what is left, and returns when that is done, so that nothing follows the call's end.
    pub(super) async fn finish(self) {
        self.last.cancel();
        let _ = self.task.await;
    }
}

struct Shown {
    heard: Heard,
    events: EventSink,
    call_id: CallId,
    sanitiser: Sanitiser,
    /// The beginning of a character whose other bytes have not come yet.
    rest: Vec<u8>,
}

impl Shown {
    async fn next(&mut self) {
        let (fresh, skipped) = self.heard.fresh();
        let mut text = String::new();
        if skipped > 0 {
            // What was open before the gap is not closed behind it.
            self.rest.clear();
            self.sanitiser = Sanitiser::new(Keep::Colours);
            text = format!("\n[… {skipped} bytes not shown …]\n");
        }
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.extend(fresh);
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            self.rest = bytes.split_off(error.valid_up_to());
        }
        text.push_str(&self.sanitiser.push(&String::from_utf8_lossy(&bytes)));
        self.emit(text).await;
    }

    async fn emit(&self, text: String) {
        if !text.is_empty() {
            self.events.output(&self.call_id, text).await;
        }
    }
}
