//! `browser_drag`: with the mouse, and where the page starts an HTML5 drag, with its data.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::cdp::wire;
use crate::chrome::Tab;
use crate::error::BrowserError;
use crate::input::{Button, Modifiers, Mouse};
use crate::limits;
use crate::page::{Needs, PageError, Point, Target};

#[derive(Deserialize)]
struct Args {
    from: Value,
    to: Value,
}

/// Moves between start and end: libraries want to see the way, not just its end.
const STEPS: u32 = 8;
/// How far the mouse goes before a drag counts as one, in px.
const START: f64 = 8.0;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let (from, to) = (Target::read(&args.from)?, Target::read(&args.to)?);
    let tab = call.tab().await?;
    // The end is found first, so that nothing is picked up that can't be put down.
    let end = tab.locate(&to, limits::FIND_TO_ACT).await?;
    let (element, ready, start) =
        tab.aim_under_mouse(&from, Needs { guard: false, ..Needs::PRESS }, limits::FIND_TO_ACT).await?;
    let watch = tab.watch_frame(&element.frame).await?;
    let within = call.left();
    tab.session().call_within(within, wire::SetInterceptDrags { enabled: true }).await?;
    tab.chrome().world().change(|state| {
        if let Some(tab) = state.tab_mut(tab.id()) {
            tab.drag = None;
        }
    });
    let held = Modifiers::default();
    let dragged = async {
        tab.mouse(Mouse::Press, start, Button::Left, 1, held, within).await?;
        let towards = Point { x: start.x + START, y: start.y + START };
        for part in [0.5, 1.0] {
            let on = Point { x: start.x + START * part, y: start.y + START * part };
            tab.move_mouse(on, Some(Button::Left), held, within).await?;
        }
        tick(&tab, within).await?;
        let target = match to {
            Target::Point(point) => point,
            _ => tab.aim_at(&end, Needs::DROP).await?.1,
        };
        let data = tab.chrome().world().read(|state| state.tab(tab.id()).and_then(|tab| tab.drag.clone()));
        match data {
            Some(data) => carry(&tab, towards, target, &data, within).await?,
            None => pull(&tab, towards, target, within).await?,
        }
        Ok::<_, BrowserError>(())
    };
    let done = dragged.await;
    // Nothing stays held down, also where it went wrong.
    if done.is_err() {
        let _ = tab.mouse(Mouse::Release, start, Button::Left, 1, held, within).await;
    }
    let _ = tab.session().call_within(within, wire::SetInterceptDrags { enabled: false }).await;
    done?;
    let outcome = tab.outcome(&element.frame, &watch, call.left()).await?;
    let mut result = Map::new();
    result.insert(String::from("dragged"), json!(ready.what));
    let onto: String = end.frame.call("describe", (end.number,), call.left()).await.unwrap_or(end.what);
    result.insert(String::from("to"), json!(onto));
    call.tell(&tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}

async fn tick(tab: &Tab, within: Duration) -> Result<(), PageError> {
    tab.main_frame()?.call::<bool>("tick", (), within).await.map(|_| ())
}

fn between(from: Point, to: Point, step: u32) -> Point {
    let part = f64::from(step) / f64::from(STEPS);
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

/// A drag by mouse moves.
async fn pull(tab: &Tab, from: Point, to: Point, within: Duration) -> Result<(), PageError> {
    let held = Modifiers::default();
    for step in 1..=STEPS {
        tab.move_mouse(between(from, to, step), Some(Button::Left), held, within).await?;
    }
    // Libraries that look once per frame see the end before the release.
    tab.main_frame()?.call::<Value>("frame", (), within).await?;
    tab.move_mouse(to, Some(Button::Left), held, within).await?;
    tab.mouse(Mouse::Release, to, Button::Left, 1, held, within).await
}

/// A drag with data: the browser holds it, we say where it goes.
async fn carry(tab: &Tab, from: Point, to: Point, data: &Value, within: Duration) -> Result<(), PageError> {
    let event = |kind: &str, at: Point| wire::DragEvent {
        r#type: kind.to_owned(),
        x: at.x,
        y: at.y,
        data: data.clone(),
        modifiers: None,
    };
    tab.session().call_within(within, event("dragEnter", from)).await?;
    for step in 1..=STEPS {
        tab.session().call_within(within, event("dragOver", between(from, to, step))).await?;
    }
    tab.main_frame()?.call::<Value>("frame", (), within).await?;
    tab.session().call_within(within, event("dragOver", to)).await?;
    tab.session().call_within(within, event("drop", to)).await?;
    tab.mouse(Mouse::Release, to, Button::Left, 1, Modifiers::default(), within).await
}
