//! Cells and styles as bytes.

use crate::chat::style::Colours;
use crate::chat::wrap;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use std::fmt::Write;
use unicode_segmentation::UnicodeSegmentation;

/// What is in force at the terminal while a piece is written.
pub struct Pen {
    colours: Colours,
    style: Style,
    column: usize,
}

impl Pen {
    pub fn new(colours: Colours, column: usize) -> Self {
        Pen { colours, style: Style::new(), column }
    }

    /// Writes a text in a style; the text holds no control characters.
    pub fn text(&mut self, out: &mut String, text: &str, style: Style) {
        self.switch(out, style);
        if text.is_ascii() {
            out.extend(text.chars().filter(|c| !c.is_control()));
            self.column += text.len();
            return;
        }
        for grapheme in text.graphemes(true) {
            self.grapheme(out, grapheme);
        }
    }

    fn grapheme(&mut self, out: &mut String, grapheme: &str) {
        if grapheme.chars().any(char::is_control) {
            return;
        }
        out.push_str(grapheme);
        self.column += wrap::width(grapheme);
        if grapheme.chars().nth(1).is_some() {
            // U2: terminals disagree about the width of joined characters, so the column is set and not trusted.
            let _ = write!(out, "\x1b[{}G", self.column + 1);
        }
    }

    /// Ends the line's styles.
    pub fn reset(&mut self, out: &mut String) {
        self.switch(out, Style::new());
    }

    fn switch(&mut self, out: &mut String, style: Style) {
        let style = match self.colours {
            Colours::On => style,
            Colours::Off => Style { fg: None, bg: None, underline_color: None, ..style },
        };
        let style = clean(style);
        if style == self.style {
            return;
        }
        out.push_str("\x1b[0");
        let modifiers = style.add_modifier;
        for (flag, code) in [
            (Modifier::BOLD, 1),
            (Modifier::DIM, 2),
            (Modifier::ITALIC, 3),
            (Modifier::UNDERLINED, 4),
            (Modifier::REVERSED, 7),
            (Modifier::CROSSED_OUT, 9),
        ] {
            if modifiers.contains(flag) {
                let _ = write!(out, ";{code}");
            }
        }
        if let Some(colour) = style.fg {
            colour_code(out, colour, 30);
        }
        if let Some(colour) = style.bg {
            colour_code(out, colour, 40);
        }
        out.push('m');
        self.style = style;
    }
}

/// The same look written one way, so that equal looks compare equal.
fn clean(style: Style) -> Style {
    let shown = |colour: Option<Color>| colour.filter(|&colour| colour != Color::Reset);
    Style {
        fg: shown(style.fg),
        bg: shown(style.bg),
        underline_color: None,
        sub_modifier: Modifier::empty(),
        ..style
    }
}

fn colour_code(out: &mut String, colour: Color, base: u8) {
    let simple = match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Indexed(index) => {
            let _ = write!(out, ";{};5;{index}", base + 8);
            return;
        }
        Color::Rgb(red, green, blue) => {
            let _ = write!(out, ";{};2;{red};{green};{blue}", base + 8);
            return;
        }
        Color::Reset => return,
    };
    let _ = write!(out, ";{}", base + simple);
}

/// A whole line as it goes to the scrollback.
pub fn line(out: &mut String, line: &Line<'_>, colours: Colours) {
    let mut pen = Pen::new(colours, 0);
    for span in &line.spans {
        pen.text(out, &span.content, line.style.patch(span.style));
    }
    pen.reset(out);
}

/// Cells `from..to` of a row; the cursor stands at `from`.
pub fn cells(out: &mut String, buffer: &Buffer, row: u16, from: u16, to: u16, colours: Colours) {
    let mut pen = Pen::new(colours, usize::from(from));
    let mut column = from;
    while column < to {
        let cell = &buffer[(column, row)];
        pen.text(out, cell.symbol(), cell.style());
        column += u16::try_from(wrap::width(cell.symbol()).max(1)).unwrap_or(1);
    }
    pen.reset(out);
}

/// Columns of a row up to its last visible cell.
pub fn used(buffer: &Buffer, row: u16) -> u16 {
    let mut end = 0;
    let mut column = 0;
    while column < buffer.area.width {
        let cell = &buffer[(column, row)];
        let wide = u16::try_from(wrap::width(cell.symbol()).max(1)).unwrap_or(1);
        let blank = cell.symbol() == " " && clean(cell.style()) == Style::new();
        column += wide;
        if !blank {
            end = column;
        }
    }
    end.min(buffer.area.width)
}
