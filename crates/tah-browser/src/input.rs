//! Real input: mouse, wheel, keys and text, as a person's would arrive. Coordinates are of the top viewport, in CSS
//! pixels; the browser finds the frame under them. What to press is decided elsewhere.

use std::time::Duration;

use crate::cdp::wire;
use crate::chrome::Tab;
use crate::page::{PageError, Point};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    Left,
    Middle,
    Right,
}

impl Button {
    fn name(self) -> &'static str {
        match self {
            Button::Left => "left",
            Button::Middle => "middle",
            Button::Right => "right",
        }
    }

    fn bit(self) -> i64 {
        match self {
            Button::Left => 1,
            Button::Right => 2,
            Button::Middle => 4,
        }
    }
}

/// Keys held down, as the protocol's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modifiers(pub i64);

impl Modifiers {
    pub const ALT: Modifiers = Modifiers(1);
    pub const CONTROL: Modifiers = Modifiers(2);
    pub const META: Modifiers = Modifiers(4);
    pub const SHIFT: Modifiers = Modifiers(8);

    pub fn with(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }

    fn wire(self) -> Option<i64> {
        (self.0 != 0).then_some(self.0)
    }
}

/// One step of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    Move,
    Press,
    Release,
}

/// One key of the keyboard, as the protocol wants it described.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Key {
    pub key: String,
    pub code: String,
    pub virtual_code: i64,
    /// What it types, if it types something.
    pub text: Option<String>,
}

impl Tab {
    fn mouse_event(
        &self,
        step: Mouse,
        at: Point,
        button: Button,
        count: i64,
        held: Modifiers,
        dragging: Option<Button>,
    ) -> wire::MouseEvent {
        let (kind, button_name, buttons) = match step {
            Mouse::Move => {
                ("mouseMoved", dragging.map_or("none", Button::name), dragging.map_or(0, Button::bit))
            }
            Mouse::Press => ("mousePressed", button.name(), button.bit()),
            Mouse::Release => ("mouseReleased", button.name(), 0),
        };
        wire::MouseEvent {
            r#type: kind.to_owned(),
            x: at.x,
            y: at.y,
            modifiers: held.wire(),
            button: Some(button_name.to_owned()),
            buttons: Some(buttons),
            click_count: Some(if step == Mouse::Move { 0 } else { count }),
            ..Default::default()
        }
    }

    /// Moves the mouse; `dragging` is the button held meanwhile.
    pub async fn move_mouse(
        &self,
        to: Point,
        dragging: Option<Button>,
        held: Modifiers,
        within: Duration,
    ) -> Result<(), PageError> {
        let event = self.mouse_event(Mouse::Move, to, Button::Left, 0, held, dragging);
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, event)).await?;
        Ok(())
    }

    /// Presses or releases a button. A press that opens a dialog gets [`PageError::Dialog`]: it did happen.
    pub async fn mouse(
        &self,
        step: Mouse,
        at: Point,
        button: Button,
        count: i64,
        held: Modifiers,
        within: Duration,
    ) -> Result<(), PageError> {
        let event = self.mouse_event(step, at, button, count, held, None);
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, event)).await?;
        Ok(())
    }

    /// A whole click: move, press, release, sent together and answered in order. `count` 2 is a double click.
    pub async fn click_at(
        &self,
        at: Point,
        button: Button,
        count: i64,
        held: Modifiers,
        within: Duration,
    ) -> Result<(), PageError> {
        self.session.post(self.mouse_event(Mouse::Move, at, button, 0, held, None));
        for click in 1..count {
            self.session.post(self.mouse_event(Mouse::Press, at, button, click, held, None));
            self.session.post(self.mouse_event(Mouse::Release, at, button, click, held, None));
        }
        self.session.post(self.mouse_event(Mouse::Press, at, button, count, held, None));
        let release = self.mouse_event(Mouse::Release, at, button, count, held, None);
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, release)).await?;
        Ok(())
    }

    /// Turns the wheel over a point.
    pub async fn wheel(
        &self,
        at: Point,
        delta_x: f64,
        delta_y: f64,
        within: Duration,
    ) -> Result<(), PageError> {
        let event = wire::MouseEvent {
            r#type: String::from("mouseWheel"),
            x: at.x,
            y: at.y,
            delta_x: Some(delta_x),
            delta_y: Some(delta_y),
            ..Default::default()
        };
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, event)).await?;
        Ok(())
    }

    /// Presses and releases a key. `commands` are editing commands where the platform binds them (`selectAll`, …).
    pub async fn press_key(
        &self,
        key: &Key,
        held: Modifiers,
        commands: Vec<String>,
        within: Duration,
    ) -> Result<(), PageError> {
        let event = |kind: &str, text: Option<String>| wire::KeyEvent {
            r#type: kind.to_owned(),
            modifiers: held.wire(),
            unmodified_text: text.clone(),
            text,
            key: Some(key.key.clone()),
            code: Some(key.code.clone()),
            windows_virtual_key_code: Some(key.virtual_code),
            native_virtual_key_code: Some(key.virtual_code),
            commands: (!commands.is_empty()).then(|| commands.clone()),
            ..Default::default()
        };
        let down = match &key.text {
            Some(text) => event("keyDown", Some(text.clone())),
            None => event("rawKeyDown", None),
        };
        self.session.post(down);
        let up = wire::KeyEvent { commands: None, ..event("keyUp", None) };
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, up)).await?;
        Ok(())
    }

    /// Inserts text at the caret, as an input method would.
    pub async fn insert_text(&self, text: &str, within: Duration) -> Result<(), PageError> {
        let command = wire::InsertText { text: text.to_owned() };
        self.chrome.unless_dialog(&self.id, self.session.call_within(within, command)).await?;
        Ok(())
    }
}
