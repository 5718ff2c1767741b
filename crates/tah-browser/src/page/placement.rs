//! Where a frame's viewport lies in the tab's: input events and results speak of the top viewport, page code of its own.

use std::time::Duration;

use crate::cdp::wire;
use crate::state::FrameId;

use super::{Frame, PageError};

/// A point in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// An affine map from a frame's viewport to the top one (a frame may be scaled or turned by CSS).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    pub origin: Point,
    /// What one pixel to the right, and one down, is at the top.
    pub right: Point,
    pub down: Point,
}

impl Placement {
    pub const TOP: Placement = Placement {
        origin: Point { x: 0.0, y: 0.0 },
        right: Point { x: 1.0, y: 0.0 },
        down: Point { x: 0.0, y: 1.0 },
    };

    pub fn to_top(&self, point: Point) -> Point {
        Point {
            x: self.origin.x + point.x * self.right.x + point.y * self.down.x,
            y: self.origin.y + point.x * self.right.y + point.y * self.down.y,
        }
    }

    /// The way back; `None` for a frame squeezed to nothing.
    pub fn from_top(&self, point: Point) -> Option<Point> {
        let determinant = self.right.x * self.down.y - self.right.y * self.down.x;
        if determinant.abs() < 1e-9 {
            return None;
        }
        let (dx, dy) = (point.x - self.origin.x, point.y - self.origin.y);
        Some(Point {
            x: (dx * self.down.y - dy * self.down.x) / determinant,
            y: (dy * self.right.x - dx * self.right.y) / determinant,
        })
    }

    /// This placement, seen through that of the frame around it.
    fn within(&self, outer: &Placement) -> Placement {
        let turn = |v: Point| Point {
            x: v.x * outer.right.x + v.y * outer.down.x,
            y: v.x * outer.right.y + v.y * outer.down.y,
        };
        Placement { origin: outer.to_top(self.origin), right: turn(self.right), down: turn(self.down) }
    }
}

impl Frame {
    /// Where this frame's viewport is now.
    pub async fn placement(&self, within: Duration) -> Result<Placement, PageError> {
        let mut placement = Placement::TOP;
        let mut frame = self.clone();
        loop {
            let (parent, session, is_root) = self
                .chrome
                .world
                .read(|state| {
                    let known = state.frames.get(&frame.id)?;
                    let parent = known.parent.clone()?;
                    let above = state.frames.get(&parent)?;
                    Some((parent, above.session.clone(), above.session.id() != known.session.id()))
                })
                .map_or((None, None, false), |(parent, session, root)| (Some(parent), Some(session), root));
            let (Some(parent), Some(session)) = (parent, session) else { return Ok(placement) };
            let _ = is_root;
            let owner = self.owner_of(&frame.id, &session, within).await?;
            let box_model = wire::GetBoxModel { backend_node_id: Some(owner), object_id: None };
            let size = frame.call::<(f64, f64)>("viewport", (), within);
            let (model, size) = tokio::join!(session.call_within(within, box_model), size);
            let (quad, (width, height)) = (model?.model.content, size?);
            let corner = |i: usize| Point {
                x: quad.get(i).copied().unwrap_or(0.0),
                y: quad.get(i + 1).copied().unwrap_or(0.0),
            };
            let (a, b, d) = (corner(0), corner(2), corner(6));
            let per = |p: Point, length: f64| {
                let length = if length > 0.0 { length } else { 1.0 };
                Point { x: (p.x - a.x) / length, y: (p.y - a.y) / length }
            };
            let here = Placement { origin: a, right: per(b, width), down: per(d, height) };
            placement = placement.within(&here);
            // The box is in pixels of the session's root frame, so the frames between are accounted for.
            frame = Frame { id: self.session_root(&parent), ..frame };
        }
    }

    /// The topmost frame of the same session.
    fn session_root(&self, from: &FrameId) -> FrameId {
        self.chrome.world.read(|state| {
            let mut id = from.clone();
            while let Some(frame) = state.frames.get(&id) {
                match frame.parent.as_ref().and_then(|parent| state.frames.get(parent)) {
                    Some(above) if above.session.id() == frame.session.id() => id = above.id.clone(),
                    _ => break,
                }
            }
            id
        })
    }

    async fn owner_of(
        &self,
        id: &FrameId,
        session: &crate::cdp::Session,
        within: Duration,
    ) -> Result<i64, PageError> {
        if let Some(owner) =
            self.chrome.world.read(|state| state.frames.get(id).and_then(|frame| frame.owner))
        {
            return Ok(owner);
        }
        let reply = session.call_within(within, wire::GetFrameOwner { frame_id: id.0.to_string() }).await?;
        self.chrome.world.change(|state| {
            if let Some(frame) = state.frames.get_mut(id) {
                frame.owner = Some(reply.backend_node_id);
            }
        });
        Ok(reply.backend_node_id)
    }

    /// The `<iframe>` element of this frame, in its parent's document; `None` for a tab's main frame.
    pub async fn owner(&self, within: Duration) -> Result<Option<(Frame, i64)>, PageError> {
        let parent = self.chrome.world.read(|state| {
            let parent = state.frames.get(&self.id)?.parent.clone()?;
            Some((parent.clone(), state.frames.get(&parent)?.session.clone()))
        });
        let Some((parent, session)) = parent else { return Ok(None) };
        let owner = self.owner_of(&self.id, &session, within).await?;
        Ok(Some((Frame { id: parent, ..self.clone() }, owner)))
    }
}
