//! Bringing an element under the mouse or the keyboard: waiting until it can be acted on, finding the point of the top
//! viewport that really reaches it, pressing, and knowing what was pressed.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::input::{Button, Modifiers};
use crate::settle::{Ran, SETTLE_TICKS, Seen, Watch};

use super::lookup::{Element, FRAME_ANSWER};
use super::refs::Loan;
use super::{Frame, PageError, Point, Target};

/// How long an element may take to become visible, enabled, uncovered and still.
pub const ACTIONABLE: Duration = Duration::from_secs(5);
/// How long the page may go on changing after an action before its changes are told.
const QUIET: Duration = Duration::from_millis(300);
/// What changed, in chars.
const CHANGES: usize = 1_600;
/// Between two tries of a press that missed or was covered in an outer frame.
const AGAIN: Duration = Duration::from_millis(40);

/// What must hold before an action.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Needs {
    /// A point that reaches it.
    pub hit: bool,
    pub enabled: bool,
    pub editable: bool,
    /// Its visible label may stand for it.
    pub stand: bool,
    /// The next press must reach it, or is held back.
    pub guard: bool,
    /// Its middle will do even where something lies over it.
    pub anyway: bool,
}

impl Needs {
    pub const PRESS: Needs =
        Needs { hit: true, enabled: true, editable: false, stand: true, guard: true, anyway: false };
    pub const POINT: Needs =
        Needs { hit: true, enabled: false, editable: false, stand: true, guard: false, anyway: false };
    pub const EDIT: Needs =
        Needs { hit: false, enabled: true, editable: true, stand: false, guard: false, anyway: false };
    pub const CHANGE: Needs =
        Needs { hit: false, enabled: true, editable: false, stand: true, guard: false, anyway: false };
    pub const DROP: Needs =
        Needs { hit: true, enabled: false, editable: false, stand: false, guard: false, anyway: true };
}

/// An element that can be acted on now.
#[derive(Debug, Clone, Deserialize)]
pub struct Ready {
    #[serde(default)]
    problem: Option<String>,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default)]
    pub what: String,
    #[serde(default)]
    pub kind: Option<String>,
}

#[derive(Deserialize)]
struct IntoFrame {
    ok: bool,
    #[serde(default)]
    coverer: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Reached {
    verdict: Option<String>,
    #[serde(default)]
    what: String,
}

#[derive(Deserialize)]
struct Changes {
    lines: Vec<String>,
    more: usize,
    used: u64,
}

/// What an action brought about, inside the document and outside.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub seen: Seen,
    pub lines: Vec<String>,
    /// Changes that did not fit.
    pub more: usize,
}

impl Element {
    /// Waits until the element can be acted on.
    pub(crate) async fn ready(&self, needs: Needs, within: Duration) -> Result<Ready, BrowserError> {
        let budget = ACTIONABLE.min(within);
        let ask = self.frame.call::<Ready>(
            "ready",
            (self.number, needs, budget.as_millis() as u64),
            budget + FRAME_ANSWER,
        );
        let ready = ask.await.map_err(|error| match error {
            PageError::Gone => gone(&self.what),
            other => other.into(),
        })?;
        match ready.problem.as_deref() {
            None => Ok(ready),
            Some(problem) => Err(self.refusal(problem, &ready.detail, budget)),
        }
    }

    fn refusal(&self, problem: &str, detail: &str, waited: Duration) -> BrowserError {
        let what = &self.what;
        let after = format!("waited {:.1} s", waited.as_secs_f64());
        let new = BrowserError::new;
        match problem {
            "gone" => gone(what),
            "hidden" => new(Code::TargetHidden, format!("{what} is not visible: it {detail} ({after})")),
            "disabled" => new(Code::TargetDisabled, format!("{what} {detail} ({after})")),
            "readonly" => new(Code::TargetDisabled, format!("{what} {detail} ({after})")),
            "covered" => new(Code::TargetCovered, format!("{what} is covered by {detail} ({after})"))
                .hint("close or scroll away what covers it, then try again"),
            "outside" => new(Code::TargetOutside, format!("{what} {detail}")),
            "option" => new(Code::TargetHidden, format!("{what} is an option of the closed {detail}"))
                .hint("use browser_select"),
            _ => new(Code::TargetHidden, format!("{what} {detail} ({after})")),
        }
    }
}

pub(crate) fn gone(what: &str) -> BrowserError {
    BrowserError::new(Code::TargetGone, format!("{what} was removed from the page"))
        .hint("the page replaced it; look again with browser_snapshot")
}

impl Tab {
    /// Finds, waits and returns the element with its point in the top viewport. Something that is replaced meanwhile is
    /// looked for again (behaviour 9), save refs, which mean one node.
    pub(crate) async fn aim(
        &self,
        target: &Target,
        needs: Needs,
        find: Duration,
    ) -> Result<(Element, Ready, Point), BrowserError> {
        if let Some((element, ready)) = self.find_ready::<Ready>(target, &needs, ACTIONABLE).await? {
            match ready.problem.as_deref() {
                None => {
                    let point = Point { x: ready.x, y: ready.y };
                    return Ok((element, ready, point));
                }
                // It was replaced: looked for again below.
                Some("gone") => {}
                Some(problem) => return Err(element.refusal(problem, &ready.detail, ACTIONABLE)),
            }
        }
        let end = Instant::now() + find + ACTIONABLE;
        loop {
            let element = self.locate(target, find).await?;
            match self.aim_at(&element, needs).await {
                Ok((ready, point)) => return Ok((element, ready, point)),
                Err(error)
                    if error.code == Code::TargetGone
                        && matches!(target, Target::Query { .. })
                        && Instant::now() < end =>
                {
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// As [`Tab::aim`], with the mouse brought there: what moves when the mouse comes or goes has moved by then
    /// (behaviour 26).
    pub(crate) async fn aim_under_mouse(
        &self,
        target: &Target,
        needs: Needs,
        find: Duration,
    ) -> Result<(Element, Ready, Point), BrowserError> {
        let end = Instant::now() + find + ACTIONABLE;
        loop {
            let (element, ready, point) = self.aim(target, needs, find).await?;
            self.move_mouse(point, None, Modifiers::default(), ACTIONABLE).await?;
            if self.still_at(&element, &ready).await? || Instant::now() > end {
                return Ok((element, ready, point));
            }
        }
    }

    /// As [`Tab::aim`], for an element that is known already.
    pub(crate) async fn aim_at(
        &self,
        element: &Element,
        needs: Needs,
    ) -> Result<(Ready, Point), BrowserError> {
        let end = Instant::now() + ACTIONABLE;
        loop {
            let ready = element.ready(needs, ACTIONABLE).await?;
            let local = Point { x: ready.x, y: ready.y };
            if element.frame.is_main() || !needs.hit {
                return Ok((ready, local));
            }
            let point = element.frame.placement(FRAME_ANSWER).await?.to_top(local);
            match self.reaches(&element.frame, point).await? {
                None => return Ok((ready, point)),
                Some(_) if Instant::now() < end => tokio::time::sleep(AGAIN).await,
                Some(coverer) => return Err(element.refusal("covered", &coverer, ACTIONABLE)),
            }
        }
    }

    /// Whether a point of the top viewport goes into a frame, through all frames around it; else what is in the way.
    async fn reaches(&self, frame: &Frame, point: Point) -> Result<Option<String>, PageError> {
        self.name_frames(&self.frames(), FRAME_ANSWER).await;
        let mut inner = frame.clone();
        while let Some((outer, _)) = inner.owner(FRAME_ANSWER).await? {
            let place = outer.placement(FRAME_ANSWER).await?;
            let local = place.from_top(point).unwrap_or(point);
            let into: IntoFrame =
                outer.call("intoFrame", (inner.id.0.as_ref(), local.x, local.y), FRAME_ANSWER).await?;
            if !into.ok {
                outer.call::<bool>("showFrame", (inner.id.0.as_ref(),), FRAME_ANSWER).await?;
                return Ok(Some(into.coverer));
            }
            inner = outer;
        }
        Ok(None)
    }

    /// Starts noting what an action changes in a frame.
    pub(crate) async fn watch_frame(&self, frame: &Frame) -> Result<Watch, PageError> {
        let watch = self.watch();
        frame.call::<bool>("arm", (), FRAME_ANSWER).await?;
        Ok(watch)
    }

    /// Clicks an element and waits for what comes of it. A press that would have reached something else is not sent.
    pub(crate) async fn press(
        &self,
        target: &Target,
        find: Duration,
        count: i64,
        within: Duration,
    ) -> Result<(Element, Ready, Outcome), BrowserError> {
        let end = Instant::now() + find + ACTIONABLE;
        let mut missed = false;
        loop {
            // The mouse waits for a frame of the page, which mostly shows nothing new: only what has moved away once is
            // brought under it first.
            let (element, ready, point) = match missed {
                false => self.aim(target, Needs::PRESS, find).await?,
                true => self.aim_under_mouse(target, Needs::PRESS, find).await?,
            };
            // What changes is noted since the press.
            let watch = self.watch();
            let clicked = self.click_at(point, Button::Left, count, Modifiers::default(), within).await;
            let reached = match clicked {
                // The page stands still; its press was made.
                Err(PageError::Dialog(_)) => None,
                Err(error) => return Err(error.into()),
                Ok(()) => element.frame.call::<Reached>("pressed", (SETTLE_TICKS,), FRAME_ANSWER).await.ok(),
            };
            let ran = if reached.is_some() { Ran::Already } else { Ran::NotYet };
            if let Some(reached) = reached.filter(|reached| reached.verdict.as_deref() == Some("missed")) {
                if Instant::now() < end {
                    missed = true;
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                return Err(element.refusal("covered", &reached.what, ACTIONABLE));
            }
            let outcome = self.outcome_after(&element.frame, &watch, ran, within).await?;
            return Ok((element, ready, outcome));
        }
    }

    /// Whether an element is still where the mouse has just come to: hovering may have moved it (behaviour 26).
    async fn still_at(&self, element: &Element, ready: &Ready) -> Result<bool, BrowserError> {
        let ask =
            element.frame.call::<bool>("stillAt", (element.number, ready.x, ready.y, true), FRAME_ANSWER);
        match ask.await {
            Ok(still) => Ok(still),
            Err(PageError::Gone) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for what an action started, and collects what changed.
    pub(crate) async fn outcome(
        &self,
        frame: &Frame,
        watch: &Watch,
        within: Duration,
    ) -> Result<Outcome, BrowserError> {
        self.outcome_after(frame, watch, Ran::NotYet, within).await
    }

    async fn outcome_after(
        &self,
        frame: &Frame,
        watch: &Watch,
        ran: Ran,
        within: Duration,
    ) -> Result<Outcome, BrowserError> {
        let document = frame.document();
        let seen = watch.settle(ran, within).await?;
        let mut outcome = Outcome { seen, lines: Vec::new(), more: 0 };
        if outcome.seen.arrival.is_some() || outcome.seen.dialog.is_some() || outcome.seen.tab_closed {
            return Ok(outcome);
        }
        let budget = QUIET.min(within);
        let told = async {
            let loan = Loan::take();
            let changes: Changes = frame
                .call(
                    "changes",
                    (loan.start(), loan.end(), CHANGES, budget.as_millis() as u64),
                    budget + FRAME_ANSWER,
                )
                .await?;
            frame.record(loan, changes.used, document);
            Ok::<_, PageError>(changes)
        };
        match told.await {
            Ok(changes) => {
                outcome.lines = changes.lines;
                outcome.more = changes.more;
            }
            // The document went away while it was asked: that is the change.
            Err(PageError::Gone | PageError::Dialog(_)) => {
                outcome.seen = watch.settle(Ran::NotYet, within).await?
            }
            Err(error) => return Err(error.into()),
        }
        Ok(outcome)
    }
}
