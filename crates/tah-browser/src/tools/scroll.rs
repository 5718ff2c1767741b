//! `browser_scroll`: to an element, to an end, or by pixels; says where it is then and what is left.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::chrome::Tab;
use crate::error::BrowserError;
use crate::limits;
use crate::page::{PageError, Point, Target};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    delta_x: Option<f64>,
    delta_y: Option<f64>,
    selector: Option<String>,
    to_top: Option<bool>,
    to_bottom: Option<bool>,
}

#[derive(Deserialize)]
struct Scrolled {
    frame: Option<String>,
    #[serde(default)]
    moved: [i64; 2],
    #[serde(default)]
    position: [i64; 2],
    #[serde(default)]
    left: Value,
    #[serde(default)]
    what: String,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let tab = call.tab().await?;
    if let Some(selector) = &args.selector {
        let target = Target::read(&json!(selector))?;
        let element = tab.locate(&target, limits::FIND).await?;
        let scrolled: Option<Scrolled> =
            element.frame.call("scrollTo", (element.number,), call.left()).await?;
        let Some(scrolled) = scrolled else { return Err(PageError::Gone.into()) };
        return Ok(report(&scrolled, true));
    }
    let how = match (args.to_top, args.to_bottom) {
        (Some(true), _) => json!({"end": "top"}),
        (_, Some(true)) => json!({"end": "bottom"}),
        _ => match (args.delta_x, args.delta_y) {
            (None, None) => json!({}),
            (dx, dy) => json!({"dx": dx.unwrap_or(0.0), "dy": dy.unwrap_or(0.0)}),
        },
    };
    let mut scrolled = inner_or_page(&tab, &how, call.left()).await?;
    if scrolled.moved == [0, 0] && how.get("end").is_none() {
        // Maps and canvases have no scroller: they listen to the wheel.
        wheel(&tab, &how, call.left()).await?;
        scrolled = inner_or_page(&tab, &json!({"dx": 0, "dy": 0}), call.left()).await?;
    }
    Ok(report(&scrolled, false))
}

/// The frame at the middle of the screen has the first say, then the ones around it.
async fn inner_or_page(tab: &Tab, how: &Value, within: Duration) -> Result<Scrolled, PageError> {
    tab.name_frames(&tab.frames(), within).await;
    let mut frame = tab.main_frame()?;
    let mut path = Vec::new();
    loop {
        let scrolled: Scrolled = frame.call("scroll", (how,), within).await?;
        path.push(frame.clone());
        match scrolled.frame.as_deref().and_then(|id| tab.frame(id)) {
            Some(inner) => frame = inner,
            None if scrolled.moved != [0, 0] || path.len() == 1 => return Ok(scrolled),
            None => break,
        }
    }
    let mut how = how.clone();
    how["outer"] = json!(true);
    let mut last = None;
    for outer in path.iter().rev().skip(1) {
        let scrolled: Scrolled = outer.call("scroll", (&how,), within).await?;
        let moved = scrolled.moved != [0, 0];
        last = Some(scrolled);
        if moved {
            break;
        }
    }
    last.ok_or(PageError::Gone)
}

async fn wheel(tab: &Tab, how: &Value, within: Duration) -> Result<(), PageError> {
    let main = tab.main_frame()?;
    let (width, height): (f64, f64) = main.call("viewport", (), within).await?;
    let middle = Point { x: width / 2.0, y: height / 2.0 };
    let dx = how["dx"].as_f64().unwrap_or(0.0);
    let dy = how["dy"].as_f64().unwrap_or(height * 0.85);
    tab.wheel(middle, dx, dy, within).await?;
    main.call::<bool>("quiet", (100,), within).await?;
    Ok(())
}

fn report(scrolled: &Scrolled, to_element: bool) -> Value {
    let mut result = Map::new();
    let moved = scrolled.moved != [0, 0];
    result.insert(String::from("scrolled"), json!(moved || to_element));
    result.insert(String::from("moved"), json!({"x": scrolled.moved[0], "y": scrolled.moved[1]}));
    result.insert(String::from("position"), json!({"x": scrolled.position[0], "y": scrolled.position[1]}));
    result.insert(String::from("left"), scrolled.left.clone());
    if scrolled.what != "page" {
        result.insert(String::from("in"), json!(scrolled.what));
    }
    Value::Object(result)
}
