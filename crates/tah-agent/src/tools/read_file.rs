//! `read_file`: a text file in pages of numbered lines, whatever its size or encoding; a picture for a model that
//! can look at it; a description of anything else. How lines are cut out of the bytes is in [`pages`].

mod pages;

use super::arguments;
use super::encoding::{Extent, Kind, TextEncoding, detect};
use super::files::{Files, blocking, count, refused};
use crate::card::Card;
use crate::limits;
use crate::message::{Image, Input};
use crate::tool::{Cut, Effect, Output, Tool, ToolContext, ToolError, Vision};
use async_trait::async_trait;
use base64::Engine;
use pages::{Page, Want};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use tah_os::path::WorkPath;
use tah_os::text::bytes_for_people;
use tokio_util::sync::CancellationToken;

const NAME: &str = "read_file";

pub(crate) struct ReadFile {
    files: Files,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    offset: Option<u64>,
    limit: Option<u64>,
}

impl ReadFile {
    pub(crate) fn new(files: Files) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "number of lines"}
            },
            "required": ["path"]
        });
        ReadFile { files, schema }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Reads a file. Each line comes with its number and a tab, which are not part of the file. \
         Long files come in pages: use offset and limit."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, _input: &Input) -> Result<Option<Card>, ToolError> {
        Ok(None)
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        self.files.subjects(arguments::text(input, "path"))
    }

    fn summary(&self, input: &Input) -> String {
        arguments::text(input, "path").to_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let (files, vision, cancel) = (self.files.clone(), context.vision, context.cancel.clone());
        blocking(move || read(&files, &arguments, vision, &cancel)).await
    }
}

fn read(
    files: &Files,
    arguments: &Arguments,
    vision: Vision,
    cancel: &CancellationToken,
) -> Result<Output, ToolError> {
    let path = files.resolve(&arguments.path)?;
    let mut file = path.open().map_err(refused)?;
    let meta = path.metadata().map_err(refused)?;
    let fail = |error: std::io::Error| ToolError::new(format!("can't read {path}: {error}"));
    let mut beginning = Vec::new();
    (&mut file).take(limits::DETECT_BYTES).read_to_end(&mut beginning).map_err(fail)?;
    let extent = match (beginning.len() as u64) < limits::DETECT_BYTES {
        true => Extent::Whole,
        false => Extent::Beginning,
    };
    if let Some(media_type) = picture(&beginning) {
        return show_picture(&path, media_type, beginning, file, vision);
    }
    let Kind::Text(encoding) = detect(&beginning, extent) else {
        let size = bytes_for_people(meta.bytes.max(beginning.len() as u64));
        let text = format!("{path} is a binary file of {size}; it is not shown as text.");
        return Ok(Output::new(text, format!("binary, {size}")));
    };
    files.saw(&path, meta.stamp);
    if meta.bytes == 0 && beginning.is_empty() {
        return Ok(Output::new("[the file is empty]", "empty"));
    }
    file.seek(SeekFrom::Start(0)).map_err(fail)?;
    let first = arguments.offset.unwrap_or(1).max(1);
    let want = Want { first, count: arguments.limit.unwrap_or(limits::READ_LINES).min(limits::READ_LINES) };
    let page = pages::read(file, encoding, want, cancel).map_err(fail)?;
    output(&path, &page, first, encoding)
}

fn output(path: &WorkPath, page: &Page, first: u64, encoding: TextEncoding) -> Result<Output, ToolError> {
    if page.lines.is_empty() {
        let total = page.total;
        return Err(ToolError::new(format!("{path} has {total} lines; there is no line {first}"))
            .hint(format!("use an offset from 1 to {total}")));
    }
    let mut text = String::new();
    for (number, line) in (first..).zip(&page.lines) {
        text.push_str(&format!("{number}\t{line}\n"));
    }
    let shown = page.lines.len();
    let last = first + shown as u64 - 1;
    let mut notes = Vec::new();
    let mut cut = None;
    if last < page.total {
        let remedy = format!("read_file with offset {} for more", last + 1);
        notes.push(format!("lines {first}-{last} of {}; {remedy}", page.total));
        cut = Some(Cut { chars: page.chars_after, remedy });
    } else if first > 1 {
        notes.push(format!("lines {first}-{last} of {}, the end of the file", page.total));
    }
    if page.long_lines > 0 {
        notes
            .push(format!("{} cut; grep shows the part around a match", count(page.long_lines, "long line")));
    }
    if let Some(name) = encoding.name() {
        notes.push(format!("encoding: {name}"));
    }
    if page.crlf {
        notes.push("line endings: CRLF".to_owned());
    }
    if !notes.is_empty() {
        text.push_str(&format!("[{}]\n", notes.join("; ")));
    }
    let mut output = Output::new(text, count(shown, "line"));
    output.cut = cut;
    Ok(output)
}

/// The media type, if the bytes begin like a picture that models can look at.
fn picture(beginning: &[u8]) -> Option<&'static str> {
    match beginning {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn show_picture(
    path: &WorkPath,
    media_type: &str,
    mut bytes: Vec<u8>,
    file: File,
    vision: Vision,
) -> Result<Output, ToolError> {
    let kind = media_type.trim_start_matches("image/");
    file.take(limits::PICTURE_BYTES + 1 - (bytes.len() as u64).min(limits::PICTURE_BYTES))
        .read_to_end(&mut bytes)
        .map_err(|error| ToolError::new(format!("can't read {path}: {error}")))?;
    let size = bytes_for_people(bytes.len() as u64);
    if bytes.len() as u64 > limits::PICTURE_BYTES {
        let most = bytes_for_people(limits::PICTURE_BYTES);
        let text = format!("{path} is a picture ({kind}) of more than {most}, too large to look at.");
        return Ok(Output::new(text, format!("{kind} picture")));
    }
    if vision == Vision::Off {
        let text = format!("{path} is a picture ({kind}, {size}); this model can't look at pictures.");
        return Ok(Output::new(text, format!("{kind} picture, {size}")));
    }
    let text = format!("{path} is a picture ({kind}, {size}); it follows.");
    let mut output = Output::new(text, format!("{kind} picture, {size}"));
    output.images.push(Image {
        media_type: media_type.to_owned(),
        data: base64::engine::general_purpose::STANDARD.encode(&bytes),
        label: path.to_string(),
    });
    Ok(output)
}
