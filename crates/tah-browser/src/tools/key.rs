//! `browser_key`: presses a key, with modifiers where asked.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::error::{BrowserError, Code};
use crate::input::{Key, Modifiers};
use crate::page::PageError;

#[derive(Deserialize)]
struct Args {
    key: String,
    #[serde(default)]
    modifiers: Vec<String>,
}

/// Name, code, number, text.
const NAMED: &[(&str, &str, i64, Option<&str>)] = &[
    ("Enter", "Enter", 13, Some("\r")),
    ("Tab", "Tab", 9, None),
    ("Escape", "Escape", 27, None),
    ("Backspace", "Backspace", 8, None),
    ("Delete", "Delete", 46, None),
    ("ArrowUp", "ArrowUp", 38, None),
    ("ArrowDown", "ArrowDown", 40, None),
    ("ArrowLeft", "ArrowLeft", 37, None),
    ("ArrowRight", "ArrowRight", 39, None),
    ("Home", "Home", 36, None),
    ("End", "End", 35, None),
    ("PageUp", "PageUp", 33, None),
    ("PageDown", "PageDown", 34, None),
    ("Space", "Space", 32, Some(" ")),
];

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let mut held = Modifiers::default();
    for name in &args.modifiers {
        held = held.with(match name.as_str() {
            "Control" => Modifiers::CONTROL,
            "Shift" => Modifiers::SHIFT,
            "Alt" => Modifiers::ALT,
            _ => Modifiers::META,
        });
    }
    let key = key_of(&args.key, held)?;
    let tab = call.tab().await?;
    let frame = tab.main_frame()?;
    let watch = tab.watch_frame(&frame).await?;
    match tab.press_key(&key, held, commands(&args.key, held), call.left()).await {
        Ok(()) | Err(PageError::Dialog(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let outcome = tab.outcome(&frame, &watch, call.left()).await?;
    let mut result = Map::new();
    let mut pressed = args.modifiers.clone();
    pressed.push(args.key.clone());
    result.insert(String::from("pressed"), json!(pressed.join("+")));
    // Moving the caret changes nothing in the document: that is no news.
    if !(outcome.seen.is_nothing() && outcome.lines.is_empty()) {
        call.tell(&tab, &outcome, &mut result).await?;
    }
    Ok(Value::Object(result))
}

fn key_of(name: &str, held: Modifiers) -> Result<Key, BrowserError> {
    let plain = held == Modifiers::default() || held == Modifiers::SHIFT;
    let wanted = name.to_ascii_lowercase();
    let alias = match wanted.as_str() {
        "up" | "down" | "left" | "right" => format!("arrow{wanted}"),
        "return" => String::from("enter"),
        "esc" => String::from("escape"),
        " " => String::from("space"),
        _ => wanted,
    };
    if let Some((key, code, virtual_code, text)) =
        NAMED.iter().find(|row| row.0.to_ascii_lowercase() == alias)
    {
        let key = if *key == "Space" { " " } else { key };
        return Ok(Key {
            key: key.to_owned(),
            code: (*code).to_owned(),
            virtual_code: *virtual_code,
            text: text.filter(|_| plain).map(str::to_owned),
        });
    }
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(sign), None) if held != Modifiers::default() && sign.is_ascii_graphic() => {
            Ok(sign_key(sign, held, plain))
        }
        (Some(sign), None) if sign.is_ascii_graphic() => {
            Err(unsupported(name).hint("browser_type types text"))
        }
        _ => Err(unsupported(name)),
    }
}

fn unsupported(name: &str) -> BrowserError {
    let names: Vec<&str> = NAMED.iter().map(|row| row.0).collect();
    BrowserError::new(
        Code::KeyUnsupported,
        format!(
            "{name:?} is no key here; there are {}, and with modifiers a letter, digit or sign",
            names.join(", ")
        ),
    )
}

/// A letter, digit or sign of the US layout.
fn sign_key(sign: char, held: Modifiers, types: bool) -> Key {
    const SIGNS: &[(char, char, &str, i64)] = &[
        ('-', '_', "Minus", 189),
        ('=', '+', "Equal", 187),
        ('[', '{', "BracketLeft", 219),
        (']', '}', "BracketRight", 221),
        ('\\', '|', "Backslash", 220),
        (';', ':', "Semicolon", 186),
        ('\'', '"', "Quote", 222),
        (',', '<', "Comma", 188),
        ('.', '>', "Period", 190),
        ('/', '?', "Slash", 191),
        ('`', '~', "Backquote", 192),
    ];
    const OVER_DIGITS: &str = ")!@#$%^&*(";
    let (code, virtual_code) = if sign.is_ascii_alphabetic() {
        let upper = sign.to_ascii_uppercase();
        (format!("Key{upper}"), i64::from(u32::from(upper)))
    } else if let Some(digit) =
        sign.to_digit(10).or_else(|| OVER_DIGITS.find(sign).and_then(|at| u32::try_from(at).ok()))
    {
        (format!("Digit{digit}"), 48 + i64::from(digit))
    } else {
        match SIGNS.iter().find(|row| row.0 == sign || row.1 == sign) {
            Some((_, _, code, number)) => ((*code).to_owned(), *number),
            None => (String::new(), 0),
        }
    };
    let shifted = held == Modifiers::SHIFT && sign.is_ascii_lowercase();
    let shown = if shifted { sign.to_ascii_uppercase() } else { sign };
    Key { key: shown.to_string(), code, virtual_code, text: types.then(|| shown.to_string()) }
}

/// What a Mac binds to its command key, which does not come with the event.
fn commands(key: &str, held: Modifiers) -> Vec<String> {
    let command =
        match (key.to_ascii_lowercase().as_str(), cfg!(target_os = "macos") && held == Modifiers::META) {
            ("a", true) => "selectAll",
            ("c", true) => "copy",
            ("x", true) => "cut",
            ("v", true) => "paste",
            ("z", true) => "undo",
            _ => return Vec::new(),
        };
    vec![command.to_owned()]
}
