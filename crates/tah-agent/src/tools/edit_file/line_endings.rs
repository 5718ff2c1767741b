//! A text seen with `\n` only, and the way back to its own line endings (E1).

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Lf,
    CrLf,
    Cr,
}

impl Ending {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Ending::Lf => "\n",
            Ending::CrLf => "\r\n",
            Ending::Cr => "\r",
        }
    }
}

/// A text with `\n` at the end of each line, and how each of its lines really ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lines {
    pub text: String,
    /// One for each `\n` of `text`, in order.
    pub endings: Vec<Ending>,
}

impl Lines {
    pub(crate) fn of(original: &str) -> Self {
        let mut lines = Lines { text: String::with_capacity(original.len()), endings: Vec::new() };
        let mut rest = original;
        while let Some(at) = rest.find(['\r', '\n']) {
            let ending = match &rest[at..] {
                crlf if crlf.starts_with("\r\n") => Ending::CrLf,
                cr if cr.starts_with('\r') => Ending::Cr,
                _ => Ending::Lf,
            };
            lines.text.push_str(&rest[..at]);
            lines.text.push('\n');
            lines.endings.push(ending);
            rest = &rest[at + ending.text().len()..];
        }
        lines.text.push_str(rest);
        lines
    }

    /// The text with its own endings.
    pub(crate) fn original(&self) -> String {
        let mut text = String::with_capacity(self.text.len() + self.endings.len());
        let mut endings = self.endings.iter();
        for piece in self.text.split_inclusive('\n') {
            match piece.strip_suffix('\n') {
                Some(line) => {
                    text.push_str(line);
                    text.push_str(endings.next().copied().unwrap_or(Ending::Lf).text());
                }
                None => text.push_str(piece),
            }
        }
        text
    }

    /// Replaces a range of `text`. Lines that stay keep their ending; a new line ends like the line it stands
    /// for, or else like its neighbour.
    pub(crate) fn replace(&mut self, start: usize, end: usize, with: &str) {
        let old = &self.text[start..end];
        // What old and new share at both sides is not touched, so its endings stay as they are.
        let head = shared(old.split_inclusive('\n'), with.split_inclusive('\n'));
        let (old_rest, new_rest) = (&old[head..], &with[head..]);
        let tail = shared_from_behind(old_rest, new_rest);
        let (old_middle, new_middle) =
            (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
        let first = newlines(&self.text[..start + head]);
        let gone = newlines(old_middle);
        let fresh: Vec<Ending> = (0..newlines(new_middle))
            .map(|index| match index < gone {
                true => self.endings[first + index],
                false => self.neighbour(first, gone),
            })
            .collect();
        self.endings.splice(first..first + gone, fresh);
        self.text.replace_range(start..end, with);
    }

    /// As [`Lines::replace`] at each of these places (in order, none in another), in one pass: a letter that is there
    /// a million times must not move the text a million times.
    pub(crate) fn replace_each(&mut self, places: &[usize], old: &str, with: &str) {
        let head = shared(old.split_inclusive('\n'), with.split_inclusive('\n'));
        let tail = shared_from_behind(&old[head..], &with[head..]);
        let kept = newlines(&old[..head]);
        let gone = newlines(&old[head..old.len() - tail]);
        let fresh = newlines(&with[head..with.len() - tail]);
        let mut text = String::with_capacity(self.text.len());
        let mut endings = Vec::with_capacity(self.endings.len());
        let (mut from, mut line) = (0, 0);
        for &at in places {
            let between = &self.text[from..at];
            text.push_str(between);
            text.push_str(with);
            let first = line + newlines(between) + kept;
            endings.extend_from_slice(&self.endings[line..first]);
            endings.extend((0..fresh).map(|index| match index < gone {
                true => self.endings[first + index],
                false => self.neighbour(first, gone),
            }));
            line = first + gone;
            from = at + old.len();
            let rest = newlines(&old[old.len() - tail..]);
            endings.extend_from_slice(&self.endings[line..line + rest]);
            line += rest;
        }
        text.push_str(&self.text[from..]);
        endings.extend_from_slice(&self.endings[line..]);
        (self.text, self.endings) = (text, endings);
    }

    /// How lines around here end.
    fn neighbour(&self, first: usize, gone: usize) -> Ending {
        let inside = gone.checked_sub(1).and_then(|last| self.endings.get(first + last));
        let before = first.checked_sub(1).and_then(|index| self.endings.get(index));
        inside.or(before).or_else(|| self.endings.get(first)).copied().unwrap_or(Ending::Lf)
    }

    /// The one ending all lines have, if there is one.
    pub(crate) fn uniform(&self) -> Option<Ending> {
        let first = *self.endings.first()?;
        self.endings.iter().all(|ending| *ending == first).then_some(first)
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Bytes of whole lines that both begin with.
fn shared<'a>(old: impl Iterator<Item = &'a str>, new: impl Iterator<Item = &'a str>) -> usize {
    old.zip(new).take_while(|(a, b)| a == b && a.ends_with('\n')).map(|(a, _)| a.len()).sum()
}

/// Bytes of whole lines, from the first `\n` on, that both end with.
fn shared_from_behind(old: &str, new: &str) -> usize {
    let common = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let tail = &old.as_bytes()[old.len() - common..];
    match tail.iter().position(|byte| *byte == b'\n') {
        Some(at) => common - at,
        None => 0,
    }
}
