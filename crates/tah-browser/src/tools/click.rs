//! `browser_click`: presses an element or a point, and says what was hit and what came of it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};
use crate::input::{Button, Modifiers};
use crate::limits;
use crate::page::{Element, PageError, Point, Target, told};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    target: Option<Value>,
    x: Option<f64>,
    y: Option<f64>,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let target = match (args.target, args.x, args.y) {
        (Some(target), None, None) => Target::read(&target)?,
        (None, Some(x), Some(y)) => Target::Point(Point { x, y }),
        (Some(_), ..) => {
            return Err(BrowserError::argument("browser_click takes target or x and y, not both"));
        }
        _ => return Err(BrowserError::argument("browser_click needs target, or x and y")),
    };
    match target {
        Target::Point(point) => at_point(&call, point).await,
        target => at_element(&call, &target).await,
    }
}

async fn at_element(call: &Call, target: &Target) -> Result<Value, BrowserError> {
    let tab = call.tab().await?;
    let (element, ready, outcome) = tab.press(target, limits::FIND_TO_ACT, 1, call.left()).await?;
    let mut result = Map::new();
    result.insert(String::from("clicked"), json!(ready.what));
    told::count_note(element.count, &mut result);
    let stayed = outcome.seen.arrival.is_none() && outcome.seen.dialog.is_none() && !outcome.seen.tab_closed;
    if stayed && matches!(ready.kind.as_deref(), Some("checkbox" | "radio")) {
        let field: Value = element.frame.call("field", (element.number,), call.left()).await?;
        if let Some(checked) = field.get("checked") {
            result.insert(String::from("checked"), checked.clone());
        }
    }
    if chooser_open(&tab) {
        result.insert(String::from("fileChooser"), json!("it asks for files: browser_upload with paths"));
    }
    call.tell(&tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}

async fn at_point(call: &Call, point: Point) -> Result<Value, BrowserError> {
    let tab = call.tab().await?;
    let main = tab.main_frame()?;
    let (width, height): (f64, f64) = main.call("viewport", (), call.left()).await?;
    if point.x < 0.0 || point.y < 0.0 || point.x >= width || point.y >= height {
        return Err(outside(call, &tab, point, width, height).await);
    }
    let hit: Option<Element> = match tab.locate(&Target::Point(point), limits::FIND_TO_ACT).await {
        Ok(element) => Some(element),
        Err(error) if error.code == Code::TargetOutside => None,
        Err(error) => return Err(error),
    };
    let frame = hit.as_ref().map_or_else(|| main.clone(), |element| element.frame.clone());
    let watch = tab.watch_frame(&frame).await?;
    match tab.click_at(point, Button::Left, 1, Modifiers::default(), call.left()).await {
        Ok(()) | Err(PageError::Dialog(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let outcome = tab.outcome(&frame, &watch, call.left()).await?;
    let mut result = Map::new();
    let what = hit.map_or_else(|| String::from("nothing"), |element| element.what);
    result.insert(String::from("clicked"), json!(what));
    call.tell(&tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}

/// Names what is there once it is scrolled to.
async fn outside(
    call: &Call,
    tab: &crate::chrome::Tab,
    point: Point,
    width: f64,
    height: f64,
) -> BrowserError {
    let what: Option<String> = match tab.main_frame() {
        Ok(main) => main.call("beyond", (point.x, point.y), call.left()).await.unwrap_or(None),
        Err(_) => None,
    };
    let (x, y) = (point.x, point.y);
    let message = format!("{x}, {y} is outside of the viewport ({width} × {height})");
    let error = BrowserError::new(Code::TargetOutside, message);
    match what {
        Some(what) => {
            error.hint(format!("after scrolling there, {what} is at that place; click it by target"))
        }
        None => error.hint("nothing is there even after scrolling"),
    }
}

fn chooser_open(tab: &crate::chrome::Tab) -> bool {
    tab.chrome().world().read(|state| state.tab(tab.id()).is_some_and(|tab| tab.chooser.is_some()))
}
