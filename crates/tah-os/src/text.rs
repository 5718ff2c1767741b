//! Foreign text made safe to show (U8), and cutting that never splits a character.
//!
//! Nothing a model, tool, server or page wrote reaches a terminal except through [`sanitise`] or a
//! [`Sanitiser`]. They work on characters, so that UTF-8 stays whole.

use std::borrow::Cow;

/// What of the control sequences stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Sequences are dropped, other controls become marks: model text, titles, notices.
    Text,
    /// As `Text`, but colours (SGR) stay and a lone CR begins a new line: command output.
    Colours,
    /// Nothing is dropped, every control becomes a mark: what a card says will run.
    Exact,
}

/// The safe form of a whole text. Borrowed where nothing had to change.
pub fn sanitise(text: &str, keep: Keep) -> Cow<'_, str> {
    if text.chars().all(|c| !needs_care(c)) {
        return Cow::Borrowed(text);
    }
    let mut sanitiser = Sanitiser::new(keep);
    let mut out = sanitiser.push(text);
    out.push_str(&sanitiser.finish());
    Cow::Owned(out)
}

fn needs_care(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t' || is_invisible_order(c)
}

/// Characters that change the order in which others are seen, or hide where a line ends.
fn is_invisible_order(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}'
        | '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

/// How long a colour sequence may be; no real one comes near.
const SGR_BYTES: usize = 64;

/// [`sanitise`] for text in pieces: a sequence cut between two pieces is still one.
#[derive(Clone, Debug)]
pub struct Sanitiser {
    keep: Keep,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Text,
    /// After a CR: what comes decides what it was.
    Cr,
    /// After ESC.
    Escape,
    /// In a CSI sequence; its parameters so far.
    Csi(String),
    /// In an OSC, DCS, APC, PM or SOS string.
    Control,
    /// In such a string, after an ESC.
    ControlEscape,
    /// After ESC and an intermediate byte: one more character belongs to it.
    Short,
}

impl Sanitiser {
    /// One per stream.
    pub fn new(keep: Keep) -> Self {
        Self { keep, state: State::Text }
    }

    /// The safe form of the next piece. A sequence that is still open gives nothing yet.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            self.step(c, &mut out);
        }
        out
    }

    /// The rest at the end of the stream.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        match std::mem::replace(&mut self.state, State::Text) {
            State::Cr => self.lone_cr(&mut out),
            State::Escape => mark('\u{1b}', &mut out),
            _ => {}
        }
        out
    }

    fn step(&mut self, c: char, out: &mut String) {
        match std::mem::replace(&mut self.state, State::Text) {
            State::Text => self.plain(c, out),
            State::Cr => {
                if c != '\n' || self.keep == Keep::Exact {
                    self.lone_cr(out);
                }
                self.plain(c, out);
            }
            State::Escape => match c {
                '[' => self.state = State::Csi(String::new()),
                ']' | 'P' | '_' | '^' | 'X' => self.state = State::Control,
                ' '..='/' => self.state = State::Short,
                '0'..='~' => {}
                // No sequence at all: the ESC is shown, and the character counts for itself.
                _ => {
                    mark('\u{1b}', out);
                    self.plain(c, out);
                }
            },
            State::Csi(mut seen) => match c {
                ' '..='?' => {
                    // Too long to be a colour, so all of it is dropped: the rest of it need not be kept.
                    if seen.len() <= SGR_BYTES {
                        seen.push(c);
                    }
                    self.state = State::Csi(seen);
                }
                'm' if self.keep == Keep::Colours && is_colour(&seen) => {
                    out.push_str("\u{1b}[");
                    out.push_str(&seen);
                    out.push('m');
                }
                '@'..='~' => {}
                _ => self.plain(c, out),
            },
            State::Control => match c {
                '\u{7}' | '\u{9c}' => {}
                '\u{1b}' => self.state = State::ControlEscape,
                // A string nobody ends must not swallow the rest of the text.
                '\n' => out.push('\n'),
                _ => self.state = State::Control,
            },
            State::ControlEscape => match c {
                '\\' => {}
                _ => {
                    self.state = State::Escape;
                    self.step(c, out);
                }
            },
            State::Short => {
                if !('0'..='~').contains(&c) {
                    self.plain(c, out);
                }
            }
        }
    }

    fn plain(&mut self, c: char, out: &mut String) {
        match c {
            '\r' => self.state = State::Cr,
            '\u{1b}' if self.keep != Keep::Exact => self.state = State::Escape,
            _ if needs_care(c) => mark(c, out),
            _ => out.push(c),
        }
    }

    fn lone_cr(&self, out: &mut String) {
        match self.keep {
            // A progress line that overwrites itself; overwriting is what must not happen.
            Keep::Colours => out.push('\n'),
            Keep::Text | Keep::Exact => mark('\r', out),
        }
    }
}

fn is_colour(parameters: &str) -> bool {
    parameters.len() <= SGR_BYTES && parameters.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'))
}

/// A control as something to see: its picture, or its number.
fn mark(c: char, out: &mut String) {
    let number = u32::from(c);
    match number {
        0..=0x1f => out.extend(char::from_u32(0x2400 + number)),
        0x7f => out.push('\u{2421}'),
        _ => out.push_str(&format!("⟨U+{number:04X}⟩")),
    }
}

/// A text that may have been cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// What is kept of the beginning.
    pub head: &'a str,
    /// What is kept of the end; empty if only the beginning was wanted.
    pub tail: &'a str,
    /// Bytes left out between the two; 0 if nothing was cut.
    pub left_out: usize,
}

/// The beginning of `text`, at most `bytes` long, ended between two characters.
pub fn cut_end(text: &str, bytes: usize) -> Cut<'_> {
    cut_middle(text, bytes, 0)
}

/// Beginning and end of `text`, at most `head` and `tail` bytes long, cut between characters.
pub fn cut_middle(text: &str, head: usize, tail: usize) -> Cut<'_> {
    if text.len() <= head.saturating_add(tail) {
        return Cut { head: text, tail: "", left_out: 0 };
    }
    let first = text.floor_char_boundary(head);
    let last = text.ceil_char_boundary(text.len() - tail.min(text.len())).max(first);
    Cut { head: &text[..first], tail: &text[last..], left_out: last - first }
}

/// The first `most` characters, with `…` in place of the last if there were more. For one-line summaries.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    let mut ends = text.char_indices().map(|(at, _)| at).skip(most.saturating_sub(1));
    match (ends.next(), ends.next()) {
        (Some(end), Some(_)) => Cow::Owned(format!("{}…", &text[..end])),
        _ => Cow::Borrowed(text),
    }
}

/// A number of bytes for people, like `1.5 MB`; steps of 1,000 as disks count.
pub fn bytes_for_people(bytes: u64) -> String {
    let mut step = ("B", 1u64);
    for next in [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)] {
        if bytes >= next.1 {
            step = next;
        }
    }
    let (unit, size) = step;
    let tenths = bytes / (size / 10).max(1);
    match (size, tenths % 10) {
        (1, _) => format!("{bytes} B"),
        (_, 0) => format!("{} {unit}", tenths / 10),
        (_, tenth) => format!("{}.{tenth} {unit}", tenths / 10),
    }
}

#[cfg(test)]
mod tests;
