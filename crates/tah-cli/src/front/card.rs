//! A card as text: exactly what will run, in marks where it holds controls.

use tah_agent::card::{Card, CardLine};
use tah_os::text::{Keep, sanitise};

/// The lines of a card.
pub fn lines(card: &Card) -> Vec<String> {
    let mut lines = vec![format!("┌ {}", exact(&card.title))];
    for line in &card.lines {
        let (sign, text) = match line {
            CardLine::Command(text) => ("$ ", text),
            CardLine::Path(text) | CardLine::Url(text) | CardLine::Text(text) | CardLine::Diff(text) => {
                ("", text)
            }
        };
        for (at, part) in text.split('\n').enumerate() {
            let sign = if at == 0 { sign } else { "  " };
            let sign = if matches!(line, CardLine::Command(_)) { sign } else { "" };
            lines.push(format!("│ {sign}{}", exact(part)));
        }
    }
    lines
}

/// The question below it.
pub fn question(card: &Card) -> String {
    match &card.always {
        Some(scope) => {
            format!("└ [y]es  [a]lways ({})  [n]o, or n and a reason: ", exact(&scope.to_string()))
        }
        None => "└ [y]es  [n]o, or n and a reason: ".to_owned(),
    }
}

fn exact(text: &str) -> String {
    sanitise(text, Keep::Exact).into_owned()
}
