//! From a target to an element: through all frames of a tab, with closed shadow roots asked from the protocol, and the
//! nearest candidates where there is none.

use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cdp::wire;
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::state::FrameId;

use super::refs::Loan;
use super::{By, Frame, PageError, Point, Target};

/// How often a page is asked again for something that isn't there yet.
const AGAIN: Duration = Duration::from_millis(60);
/// How long one frame that does not answer may hold up a search through all of them.
pub(crate) const FRAME_ANSWER: Duration = Duration::from_secs(3);
/// Elements that are asked for a closed shadow root at once.
const SUSPECTS: u32 = 300;

/// One element of one document.
#[derive(Clone)]
pub struct Element {
    pub frame: Frame,
    pub number: u64,
    /// How many were as good.
    pub count: usize,
    /// For messages.
    pub what: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Found {
    count: usize,
    visible: bool,
    /// How good the matches are, 0 the best.
    rank: u32,
    number: u64,
    what: String,
    invalid: Option<String>,
    used: u64,
}

#[derive(Deserialize)]
struct FoundReady<T> {
    found: Found,
    ready: Option<T>,
}

#[derive(Deserialize)]
struct AtPoint {
    number: u64,
    #[serde(default)]
    what: String,
    frame: Option<String>,
    used: u64,
}

/// Why one frame could not be searched.
enum Failed {
    Page(PageError),
    Invalid(String),
}

impl Frame {
    /// Searches this frame; closed shadow roots are asked for where nothing is found otherwise, and not each round.
    async fn search(
        &self,
        target: &Target,
        index: usize,
        within: Duration,
        round: u32,
    ) -> Result<Found, Failed> {
        let Target::Query { by, value, .. } = target else { return Ok(Found::default()) };
        let wanted = json!({"by": by, "value": value, "index": index});
        let mut opened = false;
        loop {
            let (loan, document) = (Loan::take(), self.document());
            let ask = self.call::<Found>("find", (&wanted, loan.start(), loan.end()), within);
            let found = ask.await.map_err(Failed::Page)?;
            self.record(loan, found.used, document);
            if let Some(why) = found.invalid {
                return Err(Failed::Invalid(why));
            }
            if found.count > 0 || opened || !round.is_multiple_of(8) {
                return Ok(found);
            }
            opened = true;
            if self.open_closed_roots(within).await.map_err(Failed::Page)? == 0 {
                return Ok(found);
            }
        }
    }

    /// Counts this frame's documents.
    pub(crate) fn document(&self) -> u64 {
        self.chrome.world.read(|state| state.frames.get(&self.id).map_or(0, |frame| frame.document))
    }

    pub(crate) fn address(&self) -> String {
        self.chrome
            .world
            .read(|state| state.frames.get(&self.id).map(|frame| frame.url.clone()).unwrap_or_default())
    }

    pub(crate) fn is_main(&self) -> bool {
        self.chrome.world.read(|state| state.frames.get(&self.id).is_none_or(|frame| frame.parent.is_none()))
    }

    pub(crate) fn record(&self, loan: Loan, used: u64, document: u64) {
        self.chrome.refs.record(loan, used, &self.id, document);
    }

    /// Hands closed shadow roots (B26) to our functions; how many there were.
    pub(crate) async fn open_closed_roots(&self, within: Duration) -> Result<usize, PageError> {
        let Some(list) = self.call_handle("suspects", (SUSPECTS,), within).await? else { return Ok(0) };
        let session = list.session().clone();
        let ask = wire::GetProperties { object_id: list.object_id().to_owned(), own_properties: Some(true) };
        let members = session.call_within(within, ask).await?;
        let objects: Vec<String> = members
            .result
            .into_iter()
            .filter(|member| member.name.bytes().all(|byte| byte.is_ascii_digit()))
            .filter_map(|member| member.value?.object_id)
            .collect();
        let described = objects.iter().map(|object| {
            let ask = wire::DescribeNode { object_id: Some(object.clone()), ..Default::default() };
            session.call_within(within, ask)
        });
        let described = futures_util::future::join_all(described).await;
        for object_id in objects {
            session.post(wire::ReleaseObject { object_id });
        }
        let mut opened = 0;
        for node in described.into_iter().flatten() {
            let roots =
                node.node.get("shadowRoots").and_then(|roots| roots.as_array()).cloned().unwrap_or_default();
            for root in roots.iter().filter(|root| root["shadowRootType"] == "closed") {
                let Some(id) = root["backendNodeId"].as_i64() else { continue };
                self.resolve(id, within).await?.call::<bool>("adopt", (), within).await?;
                opened += 1;
            }
        }
        // A root may hold others.
        if opened > 0 {
            opened += Box::pin(self.open_closed_roots(within)).await?;
        }
        Ok(opened)
    }
}

impl Tab {
    /// Lets each document know which of its iframes is which frame.
    pub(crate) async fn name_frames(&self, frames: &[Frame], within: Duration) {
        for frame in frames.iter().skip(1) {
            let Ok(Some((parent, owner))) = frame.owner(within).await else { continue };
            let known = (parent.id.clone(), parent.document(), frame.id.clone());
            if self.chrome.named_frames.contains(&known) {
                continue;
            }
            let Ok(handle) = parent.resolve(owner, within).await else { continue };
            if handle.call::<bool>("nameFrame", (frame.id.0.as_ref(),), within).await.is_ok() {
                self.chrome.named_frames.insert(known);
            }
        }
    }

    pub(crate) fn frame(&self, id: &str) -> Option<Frame> {
        self.frames().into_iter().find(|frame| frame.id.0.as_ref() == id)
    }

    /// The common case in one round trip: a page without frames that shows what is looked for. What `findReady` says of
    /// it, or nothing, and the long way is to be taken.
    pub(crate) async fn find_ready<T: DeserializeOwned>(
        &self,
        target: &Target,
        needs: &impl Serialize,
        budget: Duration,
    ) -> Result<Option<(Element, T)>, PageError> {
        let Target::Query { by, value, index } = target else { return Ok(None) };
        let frames = self.frames();
        let [frame] = &frames[..] else { return Ok(None) };
        let wanted = json!({"by": by, "value": value, "index": index});
        let (loan, document) = (Loan::take(), frame.document());
        let args = (&wanted, needs, loan.start(), loan.end(), budget.as_millis() as u64);
        let FoundReady { found, ready } =
            match frame.call::<FoundReady<T>>("findReady", args, budget + FRAME_ANSWER).await {
                Ok(both) => both,
                Err(PageError::Gone) => return Ok(None),
                Err(error) => return Err(error),
            };
        frame.record(loan, found.used, document);
        let (frame, number, count) = (frame.clone(), found.number, found.count);
        Ok(ready.map(|ready| (Element { frame, number, count, what: found.what }, ready)))
    }

    /// Finds an element, waiting for it `within` at most.
    pub(crate) async fn locate(&self, target: &Target, within: Duration) -> Result<Element, BrowserError> {
        match target {
            Target::Ref(number) => self.by_number(*number),
            Target::Point(point) => self.at_point(*point, within).await,
            Target::Query { index, .. } => {
                let end = Instant::now() + within;
                let mut round = 0;
                loop {
                    match self.search(target, *index, within, round).await? {
                        Some(found) => return Ok(found),
                        None if Instant::now() + AGAIN > end => {
                            return Err(self.not_found(target, within).await);
                        }
                        None => tokio::time::sleep(AGAIN).await,
                    }
                    round += 1;
                }
            }
        }
    }

    /// Whether the target is there now; by its text only where that can be seen.
    pub(crate) async fn shows(&self, target: &Target, within: Duration) -> Result<bool, BrowserError> {
        let Target::Query { by, .. } = target else {
            let element = self.locate(target, within).await?;
            return Ok(element.frame.call::<bool>("stands", (element.number,), within).await?);
        };
        for frame in self.frames() {
            match frame.search(target, 0, FRAME_ANSWER.min(within), 1).await {
                Ok(found) if found.count > 0 && (found.visible || *by != By::Text) => return Ok(true),
                Err(Failed::Invalid(why)) => return Err(BrowserError::new(Code::SelectorInvalid, why)),
                Err(Failed::Page(error)) if frame.is_main() => return Err(error.into()),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(false)
    }

    fn by_number(&self, number: u64) -> Result<Element, BrowserError> {
        let what = format!("e{number}");
        let Some((id, document)) = self.chrome.refs.find(number) else {
            return Err(BrowserError::new(Code::TargetNotFound, format!("there is no element {what}"))
                .hint("browser_snapshot lists the elements with their refs"));
        };
        let Some(frame) = self.frames().into_iter().find(|frame| frame.id == id) else {
            return Err(left(&what, "the frame it was in is gone, or in another tab"));
        };
        if frame.document() != document {
            return Err(left(&what, "it was on a page that was left since"));
        }
        Ok(Element { frame, number, count: 1, what })
    }

    async fn at_point(&self, point: Point, within: Duration) -> Result<Element, BrowserError> {
        let frames = self.frames();
        self.name_frames(&frames, within).await;
        let mut frame = self.main_frame()?;
        loop {
            let local = frame.placement(within).await?.from_top(point).unwrap_or(point);
            let loan = Loan::take();
            let document = frame.document();
            let found: AtPoint =
                frame.call("at", (local.x, local.y, loan.start(), loan.end()), within).await?;
            frame.record(loan, found.used, document);
            if let Some(inner) = found.frame.as_deref().and_then(|id| self.frame(id)) {
                frame = inner;
                continue;
            }
            if found.number == 0 {
                let nothing = format!("there is nothing at {}, {}", point.x, point.y);
                return Err(BrowserError::new(Code::TargetOutside, nothing)
                    .hint("the point may lie outside of the viewport: browser_scroll first"));
            }
            return Ok(Element { frame, number: found.number, count: 1, what: found.what });
        }
    }

    /// One search through all frames; the visible before the hidden, the better match before the weaker.
    async fn search(
        &self,
        target: &Target,
        index: usize,
        within: Duration,
        round: u32,
    ) -> Result<Option<Element>, BrowserError> {
        let mut all = Vec::new();
        for frame in self.frames() {
            let patience = if frame.is_main() { within } else { FRAME_ANSWER.min(within) };
            match frame.search(target, index, patience, round).await {
                Ok(found) if found.count > 0 => all.push((frame, found)),
                Ok(_) => {}
                // A frame in motion, or one that hangs, is not where the search ends.
                Err(Failed::Page(PageError::Gone | PageError::Crashed)) => {}
                Err(Failed::Page(PageError::Busy(_))) if !frame.is_main() => {}
                Err(Failed::Page(error)) => return Err(error.into()),
                Err(Failed::Invalid(why)) => return Err(BrowserError::new(Code::SelectorInvalid, why)),
            }
        }
        let Some((visible, rank)) = all
            .iter()
            .map(|(_, found)| (found.visible, found.rank))
            .max_by_key(|(visible, rank)| (*visible, std::cmp::Reverse(*rank)))
        else {
            return Ok(None);
        };
        all.retain(|(_, found)| found.visible == visible && found.rank == rank);
        let total: usize = all.iter().map(|(_, found)| found.count).sum();
        let mut before = 0;
        for (frame, found) in all {
            if index >= before + found.count {
                before += found.count;
                continue;
            }
            // Each frame was asked for the whole index; in later ones it starts anew.
            let (number, what) = if before == 0 {
                (found.number, found.what)
            } else {
                match frame.search(target, index - before, within, 1).await {
                    Ok(found) => (found.number, found.what),
                    Err(_) => return Ok(None),
                }
            };
            return Ok((number != 0).then_some(Element { frame, number, count: total, what }));
        }
        let kind = if visible { "visible " } else { "" };
        Err(BrowserError::new(
            Code::TargetNotFound,
            format!("{} has {total} {kind}matches, so the index goes up to {}", target.shown(), total - 1),
        ))
    }

    async fn not_found(&self, target: &Target, waited: Duration) -> BrowserError {
        let Target::Query { value, .. } = target else {
            return BrowserError::new(Code::TargetNotFound, "not found");
        };
        let mut near: Vec<(f64, String)> = Vec::new();
        for frame in self.frames() {
            if let Ok(found) = frame.call::<Vec<(f64, String)>>("nearest", (value,), FRAME_ANSWER).await {
                near.extend(found);
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near: Vec<String> = near.into_iter().take(3).map(|(_, what)| what).collect();
        let message =
            format!("nothing matches {} (looked for {:.1} s)", target.shown(), waited.as_secs_f64());
        let error = BrowserError::new(Code::TargetNotFound, message);
        match near.is_empty() {
            true => error.hint("the page has nothing to act on; browser_content reads it"),
            false => error.hint(format!("nearest: {}", near.join("; "))),
        }
    }
}

fn left(what: &str, why: &str) -> BrowserError {
    BrowserError::new(Code::TargetGone, format!("{what} is void: {why}"))
        .hint("refs belong to one page; browser_snapshot gives new ones")
}

/// Which frames have been named in which document.
#[derive(Default)]
pub(crate) struct NamedFrames {
    known: std::sync::Mutex<std::collections::HashSet<(FrameId, u64, FrameId)>>,
}

impl NamedFrames {
    fn contains(&self, key: &(FrameId, u64, FrameId)) -> bool {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).contains(key)
    }

    fn insert(&self, key: (FrameId, u64, FrameId)) {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.len() > 5_000 {
            known.clear();
        }
        known.insert(key);
    }
}
