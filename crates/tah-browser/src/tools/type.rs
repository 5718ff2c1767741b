//! `browser_type`: inserts text at the caret and looks whether it arrived. It does not replace what is there.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::{Call, Caller};
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::input::Modifiers;
use crate::limits;
use crate::page::fields::{Field, Select, enter_key, folded, plain};
use crate::page::{Element, Loan, Needs, Target};

#[derive(Deserialize)]
struct Args {
    text: String,
    target: Option<Value>,
}

#[derive(Deserialize)]
struct Focused {
    number: u64,
    #[serde(default)]
    types: bool,
    #[serde(default)]
    what: String,
    frame: Option<String>,
    used: u64,
}

/// Typed text in the result, in chars.
const SHOWN: usize = 200;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let tab = call.tab().await?;
    let element = match &args.target {
        Some(target) => {
            let target = Target::read(target)?;
            let (element, ..) = tab.aim(&target, Needs::EDIT, limits::FIND_TO_ACT).await?;
            element.caret(Select::Nothing).await?;
            element
        }
        None => focused(&call, &tab).await?,
    };
    let text = call.options().secrets.fill(&args.text, &element.frame.address())?;
    if text != args.text {
        call.hide(&text);
    }
    let before = element.field().await?;
    if before.password {
        call.hide(&text);
    }
    if !before.editor && before.tag != "input" && before.tag != "textarea" {
        return Err(BrowserError::argument(format!("{} takes no text", before.what))
            .hint("give a field, or click what opens one"));
    }
    let watch = tab.watch_frame(&element.frame).await?;
    // A break at the end of a one-line field is the Enter that sends it.
    let (body, enter) = match (before.tag.as_str(), text.strip_suffix('\n')) {
        ("input", Some(body)) => (body, true),
        _ => (text.as_str(), false),
    };
    if before.editor {
        tab.type_lines(body).await?;
    } else if !body.is_empty() {
        tab.insert_text(body, call.left()).await?;
    }
    element.frame.call::<bool>("tick", (), call.left()).await?;
    let after = element.field().await?;
    let arrived = judge(&before, &after, body)?;
    if enter {
        tab.press_key(&enter_key(), Modifiers::default(), Vec::new(), call.left()).await?;
    }
    let outcome = tab.outcome(&element.frame, &watch, call.left()).await?;
    let mut result = Map::new();
    let shown: String = args.text.chars().take(SHOWN).collect();
    let hidden = before.password && call.caller == Caller::Model;
    result.insert(String::from("typed"), json!(if hidden { "•••" } else { shown.as_str() }));
    if args.text.chars().count() > SHOWN {
        result.insert(String::from("chars"), json!(args.text.chars().count()));
    }
    if arrived == Arrived::Changed && !hidden {
        result.insert(String::from("value"), after.value.clone());
    }
    result.insert(String::from("into"), json!(after.what));
    if outcome.seen.is_nothing() && outcome.lines.is_empty() {
        return Ok(Value::Object(result));
    }
    call.tell(&tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}

/// What has the focus, through frames.
async fn focused(call: &Call, tab: &Tab) -> Result<Element, BrowserError> {
    tab.name_frames(&tab.frames(), call.left()).await;
    let mut frame = tab.main_frame()?;
    loop {
        let (loan, document) = (Loan::take(), frame.document());
        let focused: Focused = frame.call("focused", (loan.start(), loan.end()), call.left()).await?;
        frame.record(loan, focused.used, document);
        if let Some(inner) = focused.frame.as_deref().and_then(|id| tab.frame(id)) {
            frame = inner;
            continue;
        }
        if focused.number == 0 || !focused.types {
            let what = if focused.what.is_empty() { String::from("nothing") } else { focused.what };
            return Err(BrowserError::new(
                Code::TargetNotFound,
                format!("no field has the focus ({what} has it)"),
            )
            .hint("name a target, or click the field first"));
        }
        return Ok(Element { frame, number: focused.number, count: 1, what: focused.what });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrived {
    AsTyped,
    /// The page made something else of it (a mask, a completion).
    Changed,
}

/// B15: text that did not arrive was not typed.
fn judge(before: &Field, after: &Field, text: &str) -> Result<Arrived, BrowserError> {
    let (old, new) = (plain(&before.value), plain(&after.value));
    let wanted = folded(text);
    if wanted.is_empty() {
        return Ok(Arrived::AsTyped);
    }
    // The page may have emptied the field because it took the text (a chat, a tag list).
    let taken = new.is_empty() && !old.is_empty();
    if new == old && !taken && !folded(&new).contains(&wanted) {
        let secret = before.password;
        let show = |text: &str| if secret { String::from("•••") } else { json!(text).to_string() };
        return Err(BrowserError::new(
            Code::ValueRefused,
            format!("{} did not take {}: it still holds {}", after.what, show(text), show(&new)),
        )
        .hint("browser_set_value sets dates, ranges and colours; a mask may want other characters"));
    }
    if folded(&new).contains(&wanted) { Ok(Arrived::AsTyped) } else { Ok(Arrived::Changed) }
}
