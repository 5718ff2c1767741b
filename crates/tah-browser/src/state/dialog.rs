//! JavaScript dialogs: an alert or a beforeunload is answered here and now, a confirm or a prompt is held for
//! `browser_dialog` and dismissed after a minute (B35–B45: a dialog never hangs a call).

use crate::cdp::{Session, wire};
use crate::limits;

use super::{Happening, TabId, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DialogKind {
    Alert,
    Confirm,
    Prompt,
    Beforeunload,
}

impl DialogKind {
    pub fn as_str(self) -> &'static str {
        match self {
            DialogKind::Alert => "alert",
            DialogKind::Confirm => "confirm",
            DialogKind::Prompt => "prompt",
            DialogKind::Beforeunload => "beforeunload",
        }
    }
}

/// Whether confirms and prompts wait for somebody to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    ForDialogTool,
    /// No `browser_dialog` there: dismissed at once.
    Dismissed,
}

/// A dialog that is open now.
#[derive(Debug, Clone)]
pub struct Dialog {
    pub kind: DialogKind,
    pub message: String,
    pub default_prompt: Option<String>,
    /// Tells one dialog from the next on the same tab.
    pub seq: u64,
    /// The session it must be answered on.
    pub session: Session,
    /// An answer is on its way; the closing event removes the dialog.
    pub answered: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({:?})", self.id())
    }
}

impl World {
    pub(super) fn dialog_opened(&self, tab: TabId, session: Session, opening: wire::DialogOpening) {
        let kind = match opening.kind.as_str() {
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::Beforeunload,
            _ => DialogKind::Alert,
        };
        let answer = match (kind, self.policy.held) {
            (DialogKind::Alert | DialogKind::Beforeunload, _) => Some(true),
            (_, Held::Dismissed) => Some(false),
            (_, Held::ForDialogTool) => None,
        };
        let message = opening.message;
        let seq = self.change(|state| {
            let seq = state.happening_mark() + 1;
            if let Some(known) = state.tab_mut(&tab) {
                known.dialog = Some(Dialog {
                    kind,
                    message: message.clone(),
                    default_prompt: opening.default_prompt,
                    seq,
                    session: session.clone(),
                    answered: answer.is_some(),
                });
            }
            let answer = match answer {
                Some(true) => "accepted",
                Some(false) => "dismissed",
                None => "waiting for browser_dialog",
            };
            state.happen(Happening::Dialog { tab: tab.clone(), kind, message, answer });
            seq
        });
        match answer {
            Some(accept) => session.post(wire::HandleDialog { accept, prompt_text: None }),
            None => self.dismiss_later(tab, seq),
        }
    }

    fn dismiss_later(&self, tab: TabId, seq: u64) {
        let world = self.myself.clone();
        tokio::spawn(async move {
            tokio::time::sleep(limits::DIALOG_HELD).await;
            let Some(world) = world.upgrade() else { return };
            let left = world.change(|state| {
                let dialog = state.tab_mut(&tab)?.dialog.as_mut().filter(|d| d.seq == seq && !d.answered)?;
                dialog.answered = true;
                let (session, kind, message) = (dialog.session.clone(), dialog.kind, dialog.message.clone());
                state.happen(Happening::Dialog {
                    tab,
                    kind,
                    message,
                    answer: "dismissed after 60 s without an answer",
                });
                Some(session)
            });
            if let Some(session) = left {
                session.post(wire::HandleDialog { accept: false, prompt_text: None });
            }
        });
    }

    pub(super) fn dialog_closed(&self, tab: &TabId) {
        // B41: also when a person clicked it away.
        self.change(|state| {
            if let Some(tab) = state.tab_mut(tab) {
                tab.dialog = None;
            }
        });
    }
}
