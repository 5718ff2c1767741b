//! `browser_dialog`: answers a confirm or prompt, past the queue (B39, B42: the call that opened it may still run).

use serde_json::{Value, json};

use crate::browser::Call;
use crate::cdp::wire;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::state::DialogKind;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let chrome = call.chrome()?;
    let accept = call.args.get("accept") == Some(&Value::Bool(true));
    let text = call.text("text").map(str::to_owned);
    // The active tab's first, else whichever is open.
    let open = chrome.world().change(|state| {
        let active = state.active.clone();
        let waiting =
            |tab: &crate::state::TabState| tab.dialog.as_ref().is_some_and(|dialog| !dialog.answered);
        let at = state
            .tabs
            .iter()
            .position(|tab| Some(&tab.id) == active.as_ref() && waiting(tab))
            .or_else(|| state.tabs.iter().position(waiting))?;
        let tab = &mut state.tabs[at];
        let dialog = tab.dialog.as_mut()?;
        dialog.answered = true;
        Some((tab.id.clone(), dialog.clone()))
    });
    let Some((id, dialog)) = open else {
        return Err(BrowserError::new(Code::TargetNotFound, "no dialog is open")
            .hint("alerts are accepted at once, and others are dismissed after 60 s without an answer"));
    };
    let prompt_text = (accept && dialog.kind == DialogKind::Prompt)
        .then(|| text.or_else(|| dialog.default_prompt.clone()).unwrap_or_default());
    let answer = wire::HandleDialog { accept, prompt_text: prompt_text.clone() };
    // Somebody may have clicked it away in this very moment (B41): then it is closed as well.
    let refused = dialog.session.call_within(call.left(), answer).await.err();
    let closed = chrome.world().until(limits::AFTER_TERMINATE, |state| {
        let now = state.tab(&id).and_then(|tab| tab.dialog.as_ref());
        now.is_none_or(|now| now.seq != dialog.seq).then_some(())
    });
    if closed.await?.is_none() {
        let why = refused.map_or_else(|| String::from("it stays open"), |error| error.to_string());
        return Err(BrowserError::new(
            Code::OperationTimeout,
            format!("the dialog could not be answered: {why}"),
        ));
    }
    let mut result = json!({
        "dialog": dialog.kind.as_str(), "message": dialog.message, "answer": if accept { "accepted" } else { "dismissed" }, "tab": id,
    });
    if let Some(text) = prompt_text {
        result["text"] = Value::from(text);
    }
    Ok(result)
}
