//! A screen that breaks its lines anew when it is resized, as most terminals do, and forgets nothing. It knows the
//! sequences the inline writer uses and fails at any other.

use std::io;

#[derive(Clone, Default)]
struct Row {
    cells: Vec<char>,
    /// The next row goes on with this one.
    goes_on: bool,
}

pub struct Paper {
    rows: Vec<Row>,
    columns: usize,
    height: usize,
    at: (usize, usize),
}

impl Paper {
    pub fn new(columns: usize, height: usize) -> Self {
        Paper { rows: vec![Row::default()], columns, height, at: (0, 0) }
    }

    /// Scrollback and screen.
    pub fn text(&self) -> String {
        let lines: Vec<String> =
            self.rows.iter().map(|row| row.cells.iter().collect::<String>().trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    pub fn resize(&mut self, columns: usize, height: usize) {
        let mut lines: Vec<Vec<char>> = vec![Vec::new()];
        let mut at = (0, 0);
        for (index, row) in self.rows.iter().enumerate() {
            let last = lines.len() - 1;
            if index == self.at.0 {
                at = (last, lines[last].len() + self.at.1);
            }
            lines[last].extend(&row.cells);
            if !row.goes_on {
                lines.push(Vec::new());
            }
        }
        lines.pop();
        self.rows.clear();
        for (index, line) in lines.into_iter().enumerate() {
            if index == at.0 {
                self.at = (self.rows.len() + at.1 / columns, at.1 % columns);
            }
            let chunks: Vec<Vec<char>> = line.chunks(columns).map(<[char]>::to_vec).collect();
            let count = chunks.len().max(1);
            let mut chunks = chunks.into_iter();
            for number in 0..count {
                self.rows.push(Row { cells: chunks.next().unwrap_or_default(), goes_on: number + 1 < count });
            }
        }
        while self.rows.len() <= self.at.0 {
            self.rows.push(Row::default());
        }
        (self.columns, self.height) = (columns, height);
    }

    fn top(&self) -> usize {
        self.rows.len().saturating_sub(self.height)
    }

    fn put(&mut self, c: char) {
        let (row, column) = self.at;
        assert!(column < self.columns, "a row ran over its edge at {c:?}: {}", self.text());
        let cells = &mut self.rows[row].cells;
        while cells.len() <= column {
            cells.push(' ');
        }
        cells[column] = c;
        self.at.1 += 1;
    }

    fn sequence(&mut self, parameters: &str, last: char) {
        let number = parameters.parse().unwrap_or(1);
        match last {
            'A' => {
                assert!(self.at.0 >= number && self.at.0 - number >= self.top(), "moved above the screen");
                self.at.0 -= number;
            }
            'B' => {
                self.at.0 += number;
                assert!(self.at.0 < self.rows.len(), "moved below the live area");
            }
            'G' => self.at.1 = number - 1,
            'J' => {
                self.rows.truncate(self.at.0 + 1);
                self.rows[self.at.0].cells.truncate(self.at.1);
                self.rows[self.at.0].goes_on = false;
            }
            'K' => self.rows[self.at.0].cells.truncate(self.at.1),
            'm' | 'h' | 'l' => {}
            other => panic!("an unknown sequence: {parameters}{other}"),
        }
    }
}

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).expect("whole characters");
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\x1b' => {
                    assert_eq!(chars.next(), Some('['));
                    let mut parameters = String::new();
                    let last = loop {
                        match chars.next().expect("a whole sequence") {
                            c @ ('0'..='9' | ';' | '?') => parameters.push(c),
                            c => break c,
                        }
                    };
                    self.sequence(&parameters, last);
                }
                '\r' => self.at.1 = 0,
                '\n' => {
                    self.at.0 += 1;
                    if self.at.0 == self.rows.len() {
                        self.rows.push(Row::default());
                    }
                }
                c => self.put(c),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
