//! A shell line as rules and "always" see it: the simple commands it is made of.
//!
//! This is no shell. It must never call a line simpler than it is: what it can't read for certain becomes the subject
//! `sh -c LINE`, which no rule about another program allows, and such a line is never offered an "always". A denied
//! command is still looked for in the pieces, as well as that can be done.

mod words;

use words::{Token, Trouble};

/// What a line runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShellLine {
    /// Each simple command with its words unquoted, each redirection to a file as `> path`.
    pub subjects: Vec<String>,
    /// The prefixes that "always" would allow; `None` if it must be asked each time.
    pub always: Option<Vec<String>>,
}

/// Programs that run what they are given; to allow them always is to allow anything.
const RUNNERS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "env",
    "nohup",
    "time",
    "timeout",
    "nice",
    "ionice",
    "setsid",
    "stdbuf",
    "xargs",
    "watch",
    "exec",
    "eval",
    "command",
    "builtin",
    "source",
    ".",
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "ssh",
    "find",
    "parallel",
    "script",
    "trap",
    "alias",
    "busybox",
    "chroot",
    "unshare",
    "strace",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "awk",
    "gawk",
    "osascript",
];

/// Programs in front of a command that is worth judging by itself; options and assignments between are skipped.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "nohup", "time", "timeout", "nice", "ionice", "setsid", "stdbuf", "xargs",
    "watch", "exec", "command", "builtin", "busybox", "eval",
];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh"];

/// Words in front of a command that belong to the shell's grammar.
const GRAMMAR: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "for", "case", "esac", "select",
    "function", "{", "}", "!", "[[", "time", "coproc",
];

/// How deep a line within a line is looked at.
const DEPTH: usize = 4;

impl ShellLine {
    /// `inside` says whether a path of a redirection is in the working folders.
    pub(crate) fn read(line: &str, inside: impl Fn(&str) -> bool) -> Self {
        let mut reading = Reading { subjects: Vec::new(), prefixes: Some(Vec::new()) };
        reading.line(line, &inside, 0);
        if reading.subjects.is_empty() {
            reading.subjects.push(format!("sh -c {line}"));
            reading.prefixes = None;
        }
        let prefixes = reading.prefixes.map(|mut prefixes| {
            prefixes.dedup();
            prefixes
        });
        ShellLine { subjects: reading.subjects, always: prefixes }
    }
}

struct Reading {
    subjects: Vec<String>,
    prefixes: Option<Vec<String>>,
}

impl Reading {
    fn line(&mut self, line: &str, inside: &impl Fn(&str) -> bool, depth: usize) {
        let read = words::read(line);
        if read.trouble != Trouble::None || depth > 0 {
            self.prefixes = None;
        }
        if read.trouble == Trouble::Unreadable || depth > DEPTH {
            self.add(format!("sh -c {line}"));
        }
        let mut command: Vec<String> = Vec::new();
        for token in read.tokens {
            match token {
                Token::Word(word) => command.push(word),
                Token::Separator => self.command(std::mem::take(&mut command), line, inside, depth),
                Token::Output(path) => self.output(&path, inside),
                Token::Inner(inner) if depth < DEPTH => self.line(&inner, inside, depth + 1),
                Token::Inner(_) => {}
            }
        }
        self.command(command, line, inside, depth);
    }

    fn output(&mut self, path: &str, inside: &impl Fn(&str) -> bool) {
        if path == "/dev/null" {
            return;
        }
        let subject = format!("> {path}");
        if path.contains(['$', '~', '*', '?', '`']) || path.is_empty() || !inside(path) {
            self.prefixes = None;
        }
        self.prefix(subject.clone());
        self.add(subject);
    }

    fn command(&mut self, mut words: Vec<String>, line: &str, inside: &impl Fn(&str) -> bool, depth: usize) {
        while words.first().is_some_and(|word| GRAMMAR.contains(&word.as_str())) {
            // A loop or a condition: its commands are judged, but what it does as a whole is not known.
            self.prefixes = None;
            self.add(format!("sh -c {line}"));
            words.remove(0);
        }
        let Some(first) = words.first() else { return };
        if first.contains(['$', '`', '{', '*', '?', '[']) {
            // The program's name is only known when it runs.
            self.prefixes = None;
            self.add(format!("sh -c {line}"));
        }
        self.add(words.join(" "));
        let assignments = words.iter().take_while(|word| is_assignment(word)).count();
        if assignments > 0 {
            // `LD_PRELOAD=x git` is not `git`.
            self.prefixes = None;
            words.drain(..assignments);
            if words.is_empty() {
                return;
            }
            self.add(words.join(" "));
        }
        let program = name_of(&words[0]).to_owned();
        if program != words[0] {
            self.add(
                std::iter::once(program.as_str())
                    .chain(words[1..].iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join(" "),
            );
        }
        match always(&program, &words) {
            Some(prefix) => self.prefix(prefix),
            None => self.prefixes = None,
        }
        self.wrapped(&program, &words, inside, depth);
    }

    /// The command behind `sudo`, `env`, `sh -c`, `find -exec` and their like.
    fn wrapped(&mut self, program: &str, words: &[String], inside: &impl Fn(&str) -> bool, depth: usize) {
        if depth >= DEPTH {
            return;
        }
        if SHELLS.contains(&program) || program == "eval" {
            for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
                self.line(word, inside, depth + 1);
            }
        }
        if WRAPPERS.contains(&program) {
            let skipped = |word: &&String| {
                word.starts_with('-') || is_assignment(word) || word.starts_with(|c: char| c.is_ascii_digit())
            };
            let rest: Vec<String> = words[1..].iter().skip_while(skipped).cloned().collect();
            self.command(rest, "", inside, depth + 1);
        }
        if program == "find" {
            for at in words.iter().enumerate().filter(|(_, word)| is_exec(word)).map(|(at, _)| at) {
                self.command(words[at + 1..].to_vec(), "", inside, depth + 1);
            }
        }
    }

    fn add(&mut self, subject: String) {
        if !self.subjects.contains(&subject) {
            self.subjects.push(subject);
        }
    }

    fn prefix(&mut self, prefix: String) {
        if let Some(prefixes) = &mut self.prefixes
            && !prefixes.contains(&prefix)
        {
            prefixes.push(prefix);
        }
    }
}

fn is_exec(word: &str) -> bool {
    matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.trim_end_matches('+').chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// `/bin/rm` and `\rm` are `rm`.
fn name_of(word: &str) -> &str {
    word.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(word)
}

/// The first words of a command: the program, and what it is told to do if that is a word.
fn always(program: &str, words: &[String]) -> Option<String> {
    if RUNNERS.contains(&program) || words[0].contains(['$', '`', '{', '*', '?', '[']) {
        return None;
    }
    match words.get(1) {
        Some(second)
            if !second.starts_with('-') && !second.is_empty() && !second.contains(char::is_whitespace) =>
        {
            // `npm run build`: the second word alone says nothing.
            match (second.as_str(), words.get(2)) {
                ("run" | "exec" | "x", Some(third)) if !third.starts_with('-') => {
                    Some(format!("{} {second} {third}", words[0]))
                }
                _ => Some(format!("{} {second}", words[0])),
            }
        }
        _ => Some(words[0].clone()),
    }
}

#[cfg(test)]
mod tests;
