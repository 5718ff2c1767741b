//! Colours of code, in the sixteen colours of the user's own palette. Grammars are loaded at the first use.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use std::sync::OnceLock;
use syntect::easy::HighlightLines;
use syntect::highlighting::{FontStyle, Theme};
use syntect::parsing::SyntaxSet;

struct Grammars {
    syntaxes: SyntaxSet,
    theme: Theme,
}

fn grammars() -> &'static Grammars {
    static LOADED: OnceLock<Grammars> = OnceLock::new();
    LOADED.get_or_init(|| {
        let themes = two_face::theme::extra();
        Grammars {
            syntaxes: two_face::syntax::extra_newlines(),
            theme: themes.get(two_face::theme::EmbeddedThemeName::Ansi).clone(),
        }
    })
}

/// Colours one block of code, line by line.
pub struct Highlighter {
    lines: Option<HighlightLines<'static>>,
    /// Bytes it may still colour.
    left: usize,
}

impl Highlighter {
    /// For a language as it is named behind a fence, or as a file's ending; unknown ones stay plain.
    pub fn new(language: &str) -> Self {
        let name = language.split([',', ' ', '{']).next().unwrap_or("").trim();
        let lines = (!name.is_empty()).then(grammars).and_then(|grammars| {
            let syntax = grammars.syntaxes.find_syntax_by_token(name)?;
            (syntax.name != "Plain Text").then(|| HighlightLines::new(syntax, &grammars.theme))
        });
        Highlighter { lines, left: crate::chat::limits::COLOURED_BYTES }
    }

    /// The spans of the next line, without its line end.
    pub fn line(&mut self, text: &str) -> Vec<Span<'static>> {
        let plain = || vec![Span::raw(text.to_owned())];
        let Some(lines) = &mut self.lines else { return plain() };
        if text.len() > self.left {
            self.lines = None;
            return plain();
        }
        self.left -= text.len();
        let with_end = format!("{text}\n");
        match lines.highlight_line(&with_end, &grammars().syntaxes) {
            Ok(pieces) => pieces
                .into_iter()
                .map(|(style, piece)| Span::styled(piece.trim_end_matches('\n').to_owned(), convert(style)))
                .filter(|span| !span.content.is_empty())
                .collect(),
            Err(_) => plain(),
        }
    }
}

/// The theme writes palette numbers: an alpha of 0 means the number is in `r`, of 1 the terminal's own colour.
fn convert(style: syntect::highlighting::Style) -> Style {
    let colour = style.foreground;
    let mut out = Style::new();
    match colour.a {
        0 => out = out.fg(palette(colour.r)),
        1 => {}
        _ => out = out.fg(Color::Rgb(colour.r, colour.g, colour.b)),
    }
    for (flag, modifier) in [
        (FontStyle::BOLD, Modifier::BOLD),
        (FontStyle::ITALIC, Modifier::ITALIC),
        (FontStyle::UNDERLINE, Modifier::UNDERLINED),
    ] {
        if style.font_style.contains(flag) {
            out = out.add_modifier(modifier);
        }
    }
    out
}

fn palette(number: u8) -> Color {
    match number {
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        // Black and white are invisible on one of the two backgrounds.
        0 | 7 => Color::Reset,
        8 => Color::DarkGray,
        other => Color::Indexed(other),
    }
}
