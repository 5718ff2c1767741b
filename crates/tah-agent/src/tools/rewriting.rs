//! What `edit_file` and `write_file` have in common: a file as it is, a file as it shall be, the card that shows the
//! difference, and the write that happens only if the card was right (E6).

use super::diff::Change;
use super::encoding::{Extent, Kind, TextEncoding, detect};
use super::files::{Files, refused};
use crate::card::{Card, CardLine, Insistence, Scope};
use crate::limits;
use crate::message::Input;
use crate::tool::ToolError;
use tah_os::path::{Expect, PathError, Stamp, WorkPath, Written};
use tah_os::text::bytes_for_people;

/// What is at a place now.
pub(crate) enum Present {
    Nothing,
    Text {
        text: String,
        encoding: TextEncoding,
        stamp: Stamp,
    },
    /// No text, or text that can't be written back unchanged, or too large: its size.
    Opaque {
        bytes: u64,
        stamp: Stamp,
        why: &'static str,
    },
}

impl Present {
    pub(crate) fn at(path: &WorkPath) -> Result<Self, ToolError> {
        match path.read(limits::EDIT_BYTES) {
            Ok((bytes, stamp)) => Ok(Present::of(&bytes, stamp)),
            Err(PathError::NotFound { .. }) => Ok(Present::Nothing),
            Err(PathError::TooBig { bytes, .. }) => {
                let stamp = path.metadata().map_err(refused)?.stamp;
                Ok(Present::Opaque { bytes, stamp, why: "too large to edit as a whole" })
            }
            Err(error) => Err(refused(error)),
        }
    }

    fn of(bytes: &[u8], stamp: Stamp) -> Self {
        let opaque = |why| Present::Opaque { bytes: bytes.len() as u64, stamp: stamp.clone(), why };
        match detect(bytes, Extent::Whole) {
            Kind::Text(encoding) if !bytes.contains(&0) || encoding != TextEncoding::UTF8 => {
                match encoding.decode_exactly(bytes) {
                    Some(text) => Present::Text { text, encoding, stamp },
                    None => opaque("in no encoding that could be written back unchanged"),
                }
            }
            Kind::Text(_) | Kind::Binary => opaque("binary"),
        }
    }

    pub(crate) fn stamp(&self) -> Option<&Stamp> {
        match self {
            Present::Nothing => None,
            Present::Text { stamp, .. } | Present::Opaque { stamp, .. } => Some(stamp),
        }
    }
}

/// A change that is ready to be shown or made.
pub(crate) struct Rewrite {
    pub path: WorkPath,
    pub present: Present,
    pub bytes: Vec<u8>,
    pub change: Change,
}

impl Rewrite {
    /// The new text in the encoding of what is there.
    pub(crate) fn new(path: WorkPath, present: Present, text: &str) -> Result<Self, ToolError> {
        let (old, encoding) = match &present {
            Present::Text { text, encoding, .. } => (text.as_str(), *encoding),
            Present::Nothing | Present::Opaque { .. } => ("", TextEncoding::UTF8),
        };
        let bytes = encoding.encode(text).map_err(|homeless| {
            let name = encoding.name().unwrap_or_default();
            ToolError::new(format!("{path} is in the encoding {name}, which has no {homeless:?}"))
                .hint("leave that character out, or convert the file first")
        })?;
        let change = Change::between(old, text);
        Ok(Rewrite { path, present, bytes, change })
    }

    /// The card of this change.
    pub(crate) fn card(&self, tool: &str) -> Card {
        let mut lines = vec![CardLine::Path(self.path.to_string())];
        let title = match &self.present {
            Present::Nothing => "Create file",
            Present::Text { .. } => "Change file",
            Present::Opaque { bytes, why, .. } => {
                let size = bytes_for_people(*bytes);
                lines.push(CardLine::Text(format!("replaces a file of {size} that is {why}")));
                "Replace file"
            }
        };
        if let Ok(real) = self.path.real()
            && real != self.path.absolute()
        {
            lines.push(CardLine::Text(format!("through a link, really {}", real.display())));
        }
        lines.push(match self.change.hunks.is_empty() {
            true if self.bytes.is_empty() => CardLine::Text("an empty file".to_owned()),
            true => CardLine::Text("no line changes".to_owned()),
            false => CardLine::Diff(self.change.hunks.clone()),
        });
        Card {
            title: title.to_owned(),
            lines,
            always: Some(Scope::Tool { name: tool.to_owned() }),
            insistence: Insistence::Normal,
        }
    }

    /// Writes it, if the file is still as it was read, as it was shown, and as the model has seen it.
    pub(crate) fn commit(&self, files: &Files, tool: &str, input: &Input) -> Result<(), ToolError> {
        let stamp = self.present.stamp();
        files.check_planned(tool, input, &self.path, stamp)?;
        let expect = match stamp {
            Some(stamp) => Expect::Same(stamp.clone()),
            None => {
                self.path.create_parents().map_err(refused)?;
                Expect::Absent
            }
        };
        let (Written::Created(stamp) | Written::Replaced(stamp)) =
            self.path.write(&self.bytes, &expect).map_err(refused)?;
        files.saw(&self.path, stamp);
        Ok(())
    }
}
