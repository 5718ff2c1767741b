//! The snapshot: one pass per frame, put together into one text (or list), within a number of characters.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cdp::wire;
use crate::chrome::Tab;

use super::lookup::FRAME_ANSWER;
use super::refs::Loan;
use super::{Frame, PageError};

/// What a snapshot takes at most, in chars of its JSON.
pub const SNAPSHOT: usize = 11_000;
/// Of which headings and plain text.
const TEXTS: usize = 2_600;
/// How deep frames in frames are looked into.
const DEPTH: usize = 8;

/// Whether entries are wanted as objects or as lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Lines,
    Objects,
}

/// The page as it is now.
#[derive(Debug, Clone, Default)]
pub struct Look {
    pub url: String,
    pub title: String,
    pub lines: String,
    pub objects: Vec<Value>,
    /// What was left out, and how to get it.
    pub cut: Option<String>,
    pub loading: bool,
}

impl Look {
    /// `url, title, elements, truncated`, in this order.
    pub fn to_json(&self, form: Form) -> serde_json::Map<String, Value> {
        let mut map = serde_json::Map::new();
        map.insert(String::from("url"), json!(self.url));
        map.insert(String::from("title"), json!(self.title));
        let elements = match form {
            Form::Lines if self.lines.is_empty() => json!("(nothing to act on)"),
            Form::Lines => json!(self.lines),
            Form::Objects => json!(self.objects),
        };
        map.insert(String::from("elements"), elements);
        map.insert(String::from("truncated"), json!(self.cut.is_some()));
        if let Some(cut) = &self.cut {
            map.insert(String::from("more"), json!(cut));
        }
        if self.loading {
            map.insert(String::from("loading"), json!("the page is still loading; browser_wait"));
        }
        map
    }
}

#[derive(Deserialize)]
struct Shot {
    parts: Vec<Part>,
    objects: Vec<Value>,
    used: u64,
    folded: usize,
    dropped: usize,
    #[serde(rename = "droppedText")]
    dropped_text: usize,
    left: i64,
    suspects: usize,
    url: String,
    title: String,
    ready: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Lines(String),
    Frame(InnerFrame),
}

#[derive(Deserialize)]
struct InnerFrame {
    frame: Option<String>,
    level: usize,
    name: String,
    src: String,
    left: f64,
    top: f64,
    scale: f64,
    /// What of it is on the screen, in its own pixels.
    view: [f64; 4],
}

/// What is collected over all frames.
struct Sum {
    look: Look,
    budget: i64,
    folded: usize,
    dropped: usize,
    dropped_text: usize,
    form: Form,
}

/// Where a frame's viewport lies, and which part of it is on the screen, in its own pixels.
#[derive(Clone, Copy)]
struct Spot {
    left: f64,
    top: f64,
    scale: f64,
    view: Option<[f64; 4]>,
}

/// Elements with listeners of their own (B18), by their place among all elements; asked in the page's own world, since
/// listeners of other worlds are not told. Names in the page can't get in the way: nothing is stored.
const LISTENING: &str = "(() => { const all = document.querySelectorAll('*'), found = []; \
    for (let i = 0; i < all.length && found.length < 2000; i++) { const el = all[i], tag = el.localName; \
    if (/^(a|button|input|select|textarea|option|script|style|link|meta|html|body|head)$/.test(tag)) continue; \
    const on = getEventListeners(el); \
    if (on.click || on.mousedown || on.pointerdown || on.pointerup || on.mouseup) found.push(i); } return found; })()";
/// On a page with more elements than this nobody waits for listeners.
const LISTENING_LIMIT: &str = "document.querySelectorAll('*').length > 4000 ? [] : ";

impl Tab {
    /// Looks at the page.
    pub async fn look(&self, form: Form, budget: usize, within: Duration) -> Result<Look, PageError> {
        let frames = self.frames();
        self.name_frames(&frames, FRAME_ANSWER.min(within)).await;
        let budget = i64::try_from(budget).unwrap_or(i64::MAX);
        let mut sum = Sum { look: Look::default(), budget, folded: 0, dropped: 0, dropped_text: 0, form };
        let spot = Spot { left: 0.0, top: 0.0, scale: 1.0, view: None };
        let main = self.main_frame()?;
        sum.look.lines = self.look_into(&main, spot, 0, &mut sum, within).await?;
        let mut cut = Vec::new();
        if sum.dropped > 0 {
            cut.push(format!("{} elements did not fit", sum.dropped));
        }
        if sum.folded > 0 {
            cut.push(format!("{} alike are folded", sum.folded));
        }
        if !cut.is_empty() {
            let cut =
                format!("{}: browser_find searches all, browser_scroll shows others first", cut.join(", "));
            sum.look.cut = Some(cut);
        }
        Ok(sum.look)
    }

    async fn look_into(
        &self,
        frame: &Frame,
        spot: Spot,
        depth: usize,
        sum: &mut Sum,
        within: Duration,
    ) -> Result<String, PageError> {
        let listened = frame.listening(within).await;
        let shot = frame.shoot(sum, spot, &listened, within).await?;
        sum.folded += shot.folded;
        sum.dropped += shot.dropped;
        sum.dropped_text += shot.dropped_text;
        sum.budget = shot.left.max(0);
        if depth == 0 {
            sum.look.url = shot.url;
            sum.look.title = shot.title;
            sum.look.loading = shot.ready == "loading";
        }
        let address = if depth == 0 { String::new() } else { frame.address() };
        for mut object in shot.objects {
            for (axis, at) in [("x", spot.left), ("y", spot.top)] {
                let here = object[axis].as_f64().unwrap_or(0.0) * spot.scale + at;
                object[axis] = json!(here.round());
            }
            if depth > 0 {
                object["frame"] = json!(address);
            }
            sum.look.objects.push(object);
        }
        let mut text = String::new();
        for part in shot.parts {
            let inner = match part {
                Part::Lines(lines) => {
                    push(&mut text, &lines);
                    continue;
                }
                Part::Frame(inner) => inner,
            };
            let shown =
                if inner.name.is_empty() { inner.src.chars().take(60).collect() } else { inner.name.clone() };
            let pad = " ".repeat(inner.level);
            let child = inner.frame.as_deref().and_then(|id| self.frame(id));
            let Some(child) = child.filter(|_| depth < DEPTH) else {
                push(&mut text, &format!("{pad}frame {shown:?} not readable yet"));
                continue;
            };
            let place = Spot {
                left: spot.left + inner.left * spot.scale,
                top: spot.top + inner.top * spot.scale,
                scale: spot.scale * inner.scale,
                view: Some(inner.view),
            };
            let patience = FRAME_ANSWER.min(within);
            match Box::pin(self.look_into(&child, place, depth + 1, sum, patience)).await {
                Ok(lines) if lines.is_empty() => {}
                Ok(lines) => {
                    push(&mut text, &format!("{pad}frame {shown:?}:"));
                    for line in lines.lines() {
                        push(&mut text, &format!("{pad} {line}"));
                    }
                }
                Err(PageError::Dialog(dialog)) => return Err(PageError::Dialog(dialog)),
                // B20: what can't be read is said, not skipped.
                Err(error) => push(&mut text, &format!("{pad}frame {shown:?} not readable: {error}")),
            }
        }
        Ok(text)
    }
}

impl Frame {
    async fn listening(&self, within: Duration) -> Vec<u64> {
        let ask = async {
            let (session, context) = self.main_world(within).await?;
            let ask = wire::Evaluate {
                expression: format!("{LISTENING_LIMIT}{LISTENING}"),
                unique_context_id: context.unique_id.clone(),
                return_by_value: Some(true),
                include_command_line_a_p_i: Some(true),
                ..Default::default()
            };
            let reply = self.chrome.unless_dialog(&self.tab, session.call_within(within, ask)).await?;
            Ok::<_, PageError>(reply.result.value)
        };
        match ask.await {
            Ok(Some(value)) => serde_json::from_value(value).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    async fn shoot(
        &self,
        sum: &Sum,
        spot: Spot,
        listened: &[u64],
        within: Duration,
    ) -> Result<Shot, PageError> {
        let mut opened = false;
        loop {
            let loan = Loan::take();
            let document = self.document();
            let options = json!({
                "start": loan.start(), "end": loan.end(), "budget": sum.budget,
                "texts": if sum.form == Form::Lines { TEXTS } else { 0 },
                "view": spot.view, "objects": sum.form == Form::Objects, "listened": listened,
            });
            let shot: Shot = self.call("snapshot", (options,), within).await?;
            self.record(loan, shot.used, document);
            if shot.suspects == 0 || opened {
                return Ok(shot);
            }
            opened = true;
            if self.open_closed_roots(within).await? == 0 {
                return Ok(shot);
            }
        }
    }
}

fn push(text: &mut String, lines: &str) {
    if lines.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(lines);
}
