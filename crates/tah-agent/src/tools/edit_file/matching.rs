//! Finding what an edit replaces: exactly, in a text with `\n` only, and with an error that helps where it is not
//! there (E5).

use super::super::files::count;
use super::line_endings::Lines;
use crate::limits;
use crate::tool::ToolError;
use serde::Deserialize;

/// One replacement.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Edit {
    pub old: String,
    pub new: String,
    /// Every place instead of the only one.
    #[serde(default)]
    pub all: bool,
}

/// Applies the edits one after the other; the first that does not fit is the error, and nothing was changed.
pub(crate) fn apply(original: &str, edits: &[Edit]) -> Result<String, ToolError> {
    let mut lines = Lines::of(original);
    for (index, edit) in edits.iter().enumerate() {
        apply_one(&mut lines, edit).map_err(|error| match edits.len() {
            1 => error,
            many => ToolError {
                message: format!("edit {} of {many}: {}; no edit was made", index + 1, error.message),
                hint: error.hint,
            },
        })?;
    }
    Ok(lines.original())
}

fn apply_one(lines: &mut Lines, edit: &Edit) -> Result<(), ToolError> {
    let mut old = Lines::of(edit.old.trim_start_matches('\u{FEFF}')).text;
    let mut new = Lines::of(edit.new.trim_start_matches('\u{FEFF}')).text;
    if old.is_empty() {
        if lines.text.is_empty() && !new.is_empty() {
            lines.replace(0, 0, &new);
            return Ok(());
        }
        return Err(ToolError::new("old is empty")
            .hint("give the text to replace; to write a whole file use write_file"));
    }
    let mut places = places(&lines.text, &old);
    if places.is_empty()
        && let Some(bare) = without_numbers(&old)
    {
        // Copied from read_file with its line numbers (E5).
        places = self::places(&lines.text, &bare);
        if !places.is_empty() {
            new = without_numbers(&new).unwrap_or(new);
            old = bare;
        }
    }
    if old == new {
        return Err(ToolError::new("old and new are the same"));
    }
    match places.len() {
        0 => Err(not_found(&lines.text, &old)),
        1 => {
            lines.replace(places[0], places[0] + old.len(), &new);
            Ok(())
        }
        _ if edit.all => {
            let whole: Vec<usize> = lines.text.match_indices(&old).map(|(at, _)| at).collect();
            let longer = whole.len().saturating_mul(new.len().saturating_sub(old.len()));
            if lines.text.len().saturating_add(longer) as u64 > limits::EDIT_BYTES {
                return Err(ToolError::new(format!(
                    "the file would become larger than {} MiB",
                    limits::EDIT_BYTES >> 20
                )));
            }
            lines.replace_each(&whole, &old, &new);
            Ok(())
        }
        many => Err(ToolError::new(format!(
            "old is there {many}{} times, at lines {}",
            if many == PLACES { " or more" } else { "" },
            numbers(&lines.text, &places)
        ))
        .hint("add the lines around it to old so that it is the only one, or set all to change every one")),
    }
}

/// Places that are counted; nobody needs to know of more.
const PLACES: usize = 1_000;

/// Every place, overlapping ones too: two ways to read it are not one.
fn places(text: &str, old: &str) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old)) {
        places.push(from + at);
        if places.len() == PLACES {
            break;
        }
        from += at + step;
    }
    places
}

/// The text without the numbers of `read_file`, if every line has one.
fn without_numbers(text: &str) -> Option<String> {
    let mut bare = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (number, rest) = line.trim_start_matches(' ').split_once(['\t', '→'])?;
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        bare.push_str(rest);
    }
    (!bare.is_empty()).then_some(bare)
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

fn numbers(text: &str, places: &[usize]) -> String {
    let shown: Vec<String> = places.iter().take(10).map(|&at| line_of(text, at).to_string()).collect();
    let more = if places.len() > 10 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Lines of the file that are looked at for something similar.
const COMPARED: usize = 50_000;
const NEAREST: usize = 3;
const SHOWN_CHARS: usize = 200;

fn not_found(text: &str, old: &str) -> ToolError {
    let wanted: Vec<&str> = old.lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().take(COMPARED).collect();
    if lines.is_empty() {
        return ToolError::new("old is not in the file: the file is empty").hint("use write_file to fill it");
    }
    if let Some(at) = same_but_for_blanks(&lines, &wanted) {
        let shown: Vec<String> =
            lines[at..at + wanted.len()].iter().take(20).map(|line| format!("{}\n", quoted(line))).collect();
        return ToolError::new(format!(
            "old is not in the file as given; {} from line {} on differ only in white space:\n{}",
            count(wanted.len(), "line"),
            at + 1,
            shown.concat().trim_end_matches('\n')
        ))
        .hint("use exactly this white space");
    }
    let nearest = nearest(&lines, &wanted);
    let error = ToolError::new(match nearest.is_empty() {
        true => format!("old is not in the file, nor anything like it ({})", count(lines.len(), "line")),
        false => {
            let shown: Vec<String> =
                nearest.iter().map(|&at| format!("{}\t{}", at + 1, shortened(lines[at]))).collect();
            format!("old is not in the file; the nearest lines are\n{}", shown.join("\n"))
        }
    });
    error.hint("read the file again and copy the text exactly, without line numbers")
}

fn quoted(line: &str) -> String {
    format!("{:?}", shortened(line))
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(SHOWN_CHARS) {
        None => line.to_owned(),
        Some((at, _)) => format!("{}…", &line[..at]),
    }
}

fn same_but_for_blanks(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    if wanted.is_empty() || wanted.iter().all(|line| line.is_empty()) || wanted.len() > lines.len() {
        return None;
    }
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: Vec<String> = wanted.iter().map(|line| squeezed(line)).collect();
    let lines: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    lines.windows(wanted.len()).position(|window| window == wanted)
}

/// The lines most like the longest wanted one, best first.
fn nearest(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    let Some(key) = wanted.iter().max_by_key(|line| line.len()) else { return Vec::new() };
    let key = pairs(key);
    let mut scored: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            let line = pairs(line.trim());
            let both = common(&key, &line) * 2;
            // Hundredths of the pairs both have; under half there is no likeness.
            let score = both * 100 / (key.len() + line.len()).max(1);
            (score >= 50).then_some((score, at))
        })
        .collect();
    scored.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
    scored.into_iter().take(NEAREST).map(|(_, at)| at).collect()
}

/// The pairs of neighbouring characters of a line, sorted.
fn pairs(line: &str) -> Vec<(char, char)> {
    let chars = line.chars().take(SHOWN_CHARS);
    let mut pairs: Vec<(char, char)> = chars.clone().zip(chars.skip(1)).collect();
    pairs.sort_unstable();
    pairs
}

fn common(a: &[(char, char)], b: &[(char, char)]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, both) = (i + 1, j + 1, both + 1),
        }
    }
    both
}
