//! The few styles everything is drawn with. Meaning is never told by colour alone (`NO_COLOR`).

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Whether colours are written; bold, dim and underline always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    On,
    Off,
}

pub const PLAIN: Style = Style::new();
pub const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub const ITALIC: Style = Style::new().add_modifier(Modifier::ITALIC);
pub const ACCENT: Style = Style::new().fg(Color::Cyan);
pub const GOOD: Style = Style::new().fg(Color::Green);
pub const BAD: Style = Style::new().fg(Color::Red);
pub const WARN: Style = Style::new().fg(Color::Yellow);
pub const CODE: Style = Style::new().fg(Color::Cyan);
pub const LINK: Style = Style::new().fg(Color::Blue).add_modifier(Modifier::UNDERLINED);
pub const USER: Style = Style::new().fg(Color::Magenta).add_modifier(Modifier::BOLD);
pub const CHOSEN: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);

/// A span of it.
pub fn span(text: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(text.into(), style)
}

/// A line of one style.
pub fn line(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(span(text, style))
}
