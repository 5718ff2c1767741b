//! Cutting a shell line into words, separators, redirections and the lines inside it.

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Unquoted.
    Word(String),
    /// `;`, `&`, `&&`, `||`, `|`, a line break, a bracket.
    Separator,
    /// A file that is written to.
    Output(String),
    /// The line in `$(…)`, in backticks, in `<(…)`.
    Inner(String),
}

/// How far the reading can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    None,
    /// There is a line inside the line.
    Substitution,
    /// Something that is not understood: an open quote, a here-document.
    Unreadable,
}

pub(super) struct Read {
    pub tokens: Vec<Token>,
    pub trouble: Trouble,
}

pub(super) fn read(line: &str) -> Read {
    let mut reader = Reader {
        chars: line.chars().collect(),
        at: 0,
        word: None,
        target: Target::Command,
        read: Read { tokens: Vec::new(), trouble: Trouble::None },
    };
    reader.run();
    reader.read
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Command,
    /// The file of `>`.
    Output,
    /// The file of `<`, the text of `<<<`: read, so of no interest.
    Ignored,
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    word: Option<String>,
    target: Target,
    read: Read,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += usize::from(c.is_some());
        c
    }

    fn trouble(&mut self, trouble: Trouble) {
        self.read.trouble = self.read.trouble.max(trouble);
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.read.tokens.push(match self.target {
                Target::Command => Token::Word(word),
                Target::Output => Token::Output(word),
                Target::Ignored => {
                    self.target = Target::Command;
                    return;
                }
            });
            self.target = Target::Command;
        }
    }

    fn separator(&mut self) {
        self.end_word();
        if self.target != Target::Command {
            self.trouble(Trouble::Unreadable);
            self.target = Target::Command;
        }
        self.read.tokens.push(Token::Separator);
    }

    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c) => self.push(c),
                    None => self.trouble(Trouble::Unreadable),
                },
                '\'' => self.single(),
                '"' => self.double(),
                '`' => self.backticks(),
                '$' => self.dollar(),
                '#' if self.word.is_none() => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '>' | '<' => self.redirection(c),
                '&' if self.peek(0) == Some('>') => {
                    self.end_word();
                    self.at += 1;
                    self.redirection('>');
                }
                ';' | '&' | '|' | '\n' => self.separator(),
                '(' | ')' => {
                    // A group, a function, an array: its commands are read, the rest is not understood.
                    self.trouble(Trouble::Unreadable);
                    self.separator();
                }
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.separator();
    }

    fn single(&mut self) {
        self.word.get_or_insert_default();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.push(c),
                None => return self.trouble(Trouble::Unreadable),
            }
        }
    }

    fn double(&mut self) {
        self.word.get_or_insert_default();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.push(c),
                    Some('\n') => {}
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                    None => return self.trouble(Trouble::Unreadable),
                },
                Some('`') => self.backticks(),
                Some('$') => self.dollar(),
                Some(c) => self.push(c),
                None => return self.trouble(Trouble::Unreadable),
            }
        }
    }

    fn backticks(&mut self) {
        self.trouble(Trouble::Substitution);
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => inner.extend(self.next()),
                Some(c) => inner.push(c),
                None => {
                    self.trouble(Trouble::Unreadable);
                    break;
                }
            }
        }
        self.push('`');
        self.read.tokens.push(Token::Inner(inner));
    }

    fn dollar(&mut self) {
        match self.peek(0) {
            Some('(') => {
                self.at += 1;
                self.inner();
            }
            // `$'…'` has escapes of its own, `${…}` may hold anything.
            Some('\'') => {
                self.trouble(Trouble::Unreadable);
                self.push('$');
            }
            Some('{') => {
                let rest: String = self.chars[self.at..].iter().take_while(|c| **c != '}').collect();
                if rest.chars().skip(1).any(|c| !c.is_ascii_alphanumeric() && c != '_') {
                    self.trouble(Trouble::Unreadable);
                }
                self.push('$');
            }
            _ => self.push('$'),
        }
    }

    /// A line in brackets, of which the opening one has been read.
    fn inner(&mut self) {
        self.trouble(Trouble::Substitution);
        let mut inner = String::new();
        let mut depth = 1;
        let mut quote = None;
        while let Some(c) = self.next() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (Some('"') | None, '\\') => {
                    inner.push(c);
                    inner.extend(self.next());
                    continue;
                }
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            inner.push(c);
        }
        if depth > 0 {
            self.trouble(Trouble::Unreadable);
        }
        self.push('$');
        self.read.tokens.push(Token::Inner(inner));
    }

    fn redirection(&mut self, sign: char) {
        if self.peek(0) == Some('(') {
            self.at += 1;
            self.inner();
            return;
        }
        // `2>`: the number is no word.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if sign == '<' {
            match (self.peek(0), self.peek(1)) {
                (Some('<'), Some('<')) => self.at += 2,
                (Some('<'), _) => {
                    self.trouble(Trouble::Unreadable);
                    self.at += 1;
                }
                // `<>` opens for writing too, `<&` copies a descriptor.
                (Some('>'), _) => {
                    self.at += 1;
                    self.target = Target::Output;
                    return;
                }
                (Some('&'), _) => self.at += 1,
                _ => {}
            }
            self.target = Target::Ignored;
            return;
        }
        match self.peek(0) {
            Some('>' | '|') => {
                self.at += 1;
                self.target = Target::Output;
            }
            Some('&') => {
                self.at += 1;
                // `>&2` copies a descriptor, `>&file` writes a file.
                let rest: String =
                    self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit() || **c == '-').collect();
                let end = self.peek(rest.chars().count());
                let ends =
                    end.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '&' | '|' | ')' | '>' | '<'));
                if !rest.is_empty() && ends {
                    self.at += rest.chars().count();
                } else {
                    self.target = Target::Output;
                }
            }
            _ => self.target = Target::Output,
        }
    }
}
