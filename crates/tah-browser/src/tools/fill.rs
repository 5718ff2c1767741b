//! `browser_fill`: many fields in order, each found, filled and read back by itself; then, if asked, the form is sent.

use std::time::Instant;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::{Call, Caller};
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::page::fields::{Checked, plain};
use crate::page::{Element, Frame, Loan, Needs, PageError};

#[derive(Deserialize)]
struct Args {
    fields: Vec<Map<String, Value>>,
    submit: Option<bool>,
}

#[derive(Deserialize)]
struct Matches {
    #[serde(default)]
    matches: Vec<Match>,
    invalid: Option<String>,
    used: u64,
}

#[derive(Debug, Clone, Deserialize)]
struct Match {
    number: u64,
    kind: String,
    value: String,
    label: String,
    shown: bool,
}

#[derive(Deserialize)]
struct Group {
    radios: Vec<Radio>,
    used: u64,
}

#[derive(Deserialize)]
struct Radio {
    number: u64,
    value: String,
    label: String,
}

#[derive(Deserialize)]
struct Submitted {
    ok: bool,
    #[serde(default)]
    detail: String,
}

/// How often the page is asked again for a field.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(60);
const KEYS: [&str; 4] = ["selector", "name", "label", "placeholder"];

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    if args.fields.is_empty() {
        return Err(BrowserError::argument("fields is empty"));
    }
    let tab = call.tab().await?;
    let main = tab.main_frame()?;
    let watch = tab.watch_frame(&main).await?;
    let (mut lines, mut first) = (Vec::new(), None);
    for field in &args.fields {
        let (line, element) = one(&call, &tab, field).await?;
        first = first.or(element);
        lines.push(line);
    }
    let mut result = Map::new();
    result.insert(String::from("fields"), Value::Array(lines));
    let submit = args.submit.unwrap_or(false);
    if !submit {
        result.insert(String::from("submitted"), json!(false));
        let outcome = tab.outcome(&main, &watch, call.left()).await?;
        // What was filled is known; only what came beside it is news.
        if !outcome.seen.is_nothing() {
            call.tell(&tab, &outcome, &mut result).await?;
        }
        return Ok(Value::Object(result));
    }
    let Some(element) = first else {
        result.insert(String::from("submitted"), json!(false));
        result.insert(String::from("why"), json!("no field was found, so there is no form to send"));
        return Ok(Value::Object(result));
    };
    let watch = tab.watch_frame(&element.frame).await?;
    let submitted: Submitted = element.frame.call("submit", (element.number,), call.left()).await?;
    result.insert(String::from("submitted"), json!(submitted.ok));
    if !submitted.ok {
        result.insert(String::from("why"), json!(submitted.detail));
        return Ok(Value::Object(result));
    }
    let outcome = tab.outcome(&element.frame, &watch, call.left()).await?;
    call.tell(&tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}

/// Fills one field: its line of the result, and the element. Only what ends the whole call is an error here.
async fn one(
    call: &Call,
    tab: &Tab,
    field: &Map<String, Value>,
) -> Result<(Value, Option<Element>), BrowserError> {
    let named = KEYS.iter().find_map(|key| Some(format!("{key} {}", field.get(*key)?)));
    let mut line = Map::new();
    let (mut element, mut what) = (None, None);
    let filled = async {
        let Some(named) = &named else {
            return Err(BrowserError::argument("a field needs a selector, name, label or placeholder"));
        };
        let value = field.get("value").cloned().unwrap_or_default();
        let (frame, matches) = find(tab, field, named, call).await?;
        let chosen =
            matches.first().cloned().ok_or_else(|| BrowserError::new(Code::TargetNotFound, named.clone()))?;
        let at =
            |number: u64| Element { frame: frame.clone(), number, count: matches.len(), what: named.clone() };
        element = Some(at(chosen.number));
        put(call, tab, &at, &matches, &chosen, &value, &mut what).await
    };
    let outcome = filled.await;
    let what = match &element {
        Some(_) if what.is_some() => what,
        Some(element) => element.frame.call::<String>("describe", (element.number,), call.left()).await.ok(),
        None => None,
    };
    let target = what.or(named).unwrap_or_default();
    match outcome {
        Ok((method, value)) => {
            line.insert(String::from("ok"), json!(true));
            line.insert(String::from("target"), json!(target));
            line.insert(String::from("method"), json!(method));
            line.insert(String::from("value"), value);
        }
        Err(error) => {
            // These are not the field's fault, and the next one would meet them too.
            if matches!(error.code, Code::DialogOpen | Code::Crashed) {
                return Err(error);
            }
            line.insert(String::from("ok"), json!(false));
            line.insert(String::from("target"), json!(target));
            let hint = error.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
            line.insert(
                String::from("error"),
                json!(format!("{}: {}{hint}", error.code.as_str(), error.message)),
            );
        }
    }
    Ok((Value::Object(line), element))
}

/// The controls a field means, in the first frame that has any.
async fn find(
    tab: &Tab,
    field: &Map<String, Value>,
    named: &str,
    call: &Call,
) -> Result<(Frame, Vec<Match>), BrowserError> {
    let end = Instant::now() + limits::FIND.min(call.left());
    loop {
        let mut hidden = None;
        for frame in tab.frames() {
            for closed in [false, true] {
                if closed && frame.open_closed_roots(call.left()).await.unwrap_or(0) == 0 {
                    break;
                }
                let (loan, document) = (Loan::take(), frame.document());
                let found: Matches =
                    match frame.call("fieldsFor", (field, loan.start(), loan.end()), call.left()).await {
                        Ok(found) => found,
                        Err(PageError::Gone) => break,
                        Err(error) => return Err(error.into()),
                    };
                frame.record(loan, found.used, document);
                if let Some(why) = found.invalid {
                    return Err(BrowserError::new(Code::SelectorInvalid, why));
                }
                if found.matches.first().is_some_and(|first| first.shown) {
                    return Ok((frame, found.matches));
                }
                if !found.matches.is_empty() {
                    hidden = hidden.or(Some((frame.clone(), found.matches)));
                    break;
                }
            }
        }
        if let Some(hidden) = hidden {
            return Ok(hidden);
        }
        if Instant::now() + AGAIN > end {
            let mut error = BrowserError::new(Code::TargetNotFound, format!("no field matches {named}"));
            let word = KEYS.iter().find_map(|key| field.get(*key)?.as_str()).unwrap_or_default();
            if let Ok(near) =
                tab.main_frame()?.call::<Vec<(f64, String)>>("nearest", (word,), call.left()).await
            {
                let near: Vec<String> = near.into_iter().map(|(_, what)| what).collect();
                if !near.is_empty() {
                    error = error.hint(format!("nearest: {}", near.join("; ")));
                }
            }
            return Err(error);
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Puts a value into the control that was found, by its kind; how, and what it holds then. `what` is what the control
/// calls itself, where that came to be known.
async fn put(
    call: &Call,
    tab: &Tab,
    at: &impl Fn(u64) -> Element,
    matches: &[Match],
    chosen: &Match,
    value: &Value,
    what: &mut Option<String>,
) -> Result<(String, Value), BrowserError> {
    let element = at(chosen.number);
    match chosen.kind.as_str() {
        "file" => Err(BrowserError::argument("it takes files").hint("use browser_upload")),
        "radio" => radio(call, tab, &element, value).await,
        "checkbox" => match value {
            Value::Bool(_) | Value::Null => tick(tab, &element, value.as_bool().unwrap_or(false)).await,
            // A group of boxes of one name: those listed are on, the others off.
            Value::Array(wanted) => {
                let wanted: Vec<String> = wanted.iter().map(plain).collect();
                let known = |one: &Match| wanted.iter().any(|w| *w == one.value || *w == one.label);
                if let Some(missing) =
                    wanted.iter().find(|w| !matches.iter().any(|m| **w == m.value || **w == m.label))
                {
                    let there: Vec<&str> = matches.iter().map(|one| one.label.as_str()).collect();
                    let message = format!("no checkbox {missing:?} here; there are: {}", there.join(", "));
                    return Err(BrowserError::new(Code::OptionUnknown, message));
                }
                for one in matches.iter().filter(|one| one.kind == "checkbox") {
                    tick(tab, &at(one.number), known(one)).await?;
                }
                Ok((String::from("check"), json!(wanted)))
            }
            other => {
                let text = plain(other);
                if let Some(one) = matches.iter().find(|one| one.value == text || one.label == text) {
                    return tick(tab, &at(one.number), true).await;
                }
                match text.to_lowercase().as_str() {
                    "true" | "on" | "yes" | "1" => tick(tab, &element, true).await,
                    "false" | "off" | "no" | "0" | "" => tick(tab, &element, false).await,
                    _ => Err(BrowserError::argument("a checkbox takes true or false")),
                }
            }
        },
        "select" => {
            element.ready(Needs::CHANGE, call.left()).await?;
            let wanted: Vec<Value> = match value {
                Value::Array(many) => many.iter().map(|one| json!({ "any": plain(one) })).collect(),
                one => vec![json!({ "any": plain(one) })],
            };
            let put = element.choose(&wanted, limits::FIND.min(call.left())).await?;
            Ok((put.method, put.value))
        }
        _ => {
            element.ready(Needs::EDIT, call.left()).await?;
            let text = plain(value);
            let filled = call.options().secrets.fill(&text, &element.frame.address())?;
            let field = element.field().await?;
            if field.password || filled != text {
                call.hide(&filled);
            }
            let put = element.put_into(tab, &field, &json!(filled)).await?;
            let hidden = field.password && call.caller == Caller::Model;
            *what = Some(field.what);
            Ok((put.method, if hidden { json!("•••") } else { put.value }))
        }
    }
}

async fn tick(tab: &Tab, element: &Element, on: bool) -> Result<(String, Value), BrowserError> {
    let wanted = if on { Checked::Yes } else { Checked::No };
    let checked = element.check(tab, wanted).await?;
    Ok((String::from("check"), json!(checked)))
}

/// The radio of the group whose value or label it is; `true` means the one that was named.
async fn radio(
    call: &Call,
    tab: &Tab,
    element: &Element,
    value: &Value,
) -> Result<(String, Value), BrowserError> {
    if value == &Value::Bool(true) {
        return tick(tab, element, true).await;
    }
    let (loan, document) = (Loan::take(), element.frame.document());
    let group: Group =
        element.frame.call("group", (element.number, loan.start(), loan.end()), call.left()).await?;
    element.frame.record(loan, group.used, document);
    let wanted = plain(value);
    let found = group
        .radios
        .iter()
        .find(|radio| radio.value == wanted)
        .or_else(|| group.radios.iter().find(|radio| radio.label.eq_ignore_ascii_case(&wanted)));
    let Some(found) = found else {
        let there: Vec<String> =
            group.radios.iter().map(|radio| format!("{} (value {})", radio.label, radio.value)).collect();
        return Err(BrowserError::new(
            Code::OptionUnknown,
            format!("no radio button {wanted:?} here; there are: {}", there.join(", ")),
        ));
    };
    let chosen = Element { number: found.number, ..element.clone() };
    tick(tab, &chosen, true).await?;
    Ok((String::from("radio"), json!(found.value)))
}
