//! The model of `--mock`: no network, no key, the same every time. It lists the folder, reads the README, and
//! says what it saw, in the prompt's language.

use super::{CallsInText, Delta, Model, ModelError, Profile, Reply, ReplyEnd, Request, Usage};
use crate::id::CallId;
use crate::message::{Input, Message, Origin, ToolCall};
use crate::tool::Vision;
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// Characters of one piece of its stream.
const PIECE: usize = 12;

/// See the module.
pub struct MockModel {
    profile: Profile,
}

impl Default for MockModel {
    fn default() -> Self {
        MockModel {
            profile: Profile {
                name: "mock".to_owned(),
                window: None,
                vision: Vision::Off,
                calls_in_text: CallsInText::Never,
            },
        }
    }
}

/// What it does next.
enum Plan {
    Call(&'static str, Input),
    Answer(String),
}

#[async_trait]
impl Model for MockModel {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    async fn stream(
        &self,
        request: &Request,
        deltas: mpsc::Sender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let mut reply = Reply {
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            usage: None,
            end: ReplyEnd::Complete,
        };
        match plan(request) {
            Plan::Call(name, input) => {
                let id = CallId::new(format!("call_mock_{}", request.messages.len()));
                reply.calls.push(ToolCall { id, name: name.to_owned(), input, fault: None });
            }
            Plan::Answer(text) => {
                let letters: Vec<char> = text.chars().collect();
                for piece in letters.chunks(PIECE) {
                    if cancel.is_cancelled() {
                        return Err(ModelError { partial: Some(Box::new(reply)), ..ModelError::cancelled() });
                    }
                    let piece: String = piece.iter().collect();
                    reply.text.push_str(&piece);
                    let _ = deltas.send(Delta::Text(piece)).await;
                }
            }
        }
        // Rough, but it grows as a real one does.
        let input = request.messages.iter().map(size).sum::<usize>() + request.system.len();
        let (input, output) = ((input / 4) as u64, (reply.text.len() / 4 + 1) as u64);
        reply.usage = Some(Usage { input, output, cached: 0 });
        Ok(reply)
    }
}

fn size(message: &Message) -> usize {
    match message {
        Message::User { text, .. } | Message::Assistant { text, .. } | Message::Tool { text, .. } => {
            text.len()
        }
    }
}

fn plan(request: &Request) -> Plan {
    let begin = request
        .messages
        .iter()
        .rposition(|message| matches!(message, Message::User { origin: Origin::Person, .. }))
        .unwrap_or(0);
    let turn = &request.messages[begin.min(request.messages.len())..];
    let prompt = match turn.first() {
        Some(Message::User { text, .. }) => text.as_str(),
        _ => "",
    };
    let language = Language::of(prompt);
    let result = |tool: &str| {
        turn.iter().find_map(|message| match message {
            Message::Tool { name, text, ok, .. } if name == tool => Some((text.as_str(), *ok)),
            _ => None,
        })
    };
    let has = |tool: &str| request.tools.iter().any(|spec| spec.name == tool);
    let listed = result("list_files");
    if has("list_files") && listed.is_none() {
        return Plan::Call("list_files", Input::new());
    }
    let readme = match listed {
        Some((text, true)) => readme_in(text),
        _ => Some("README.md".to_owned()),
    };
    let read = result("read_file");
    if let Some(path) = &readme
        && has("read_file")
        && read.is_none()
    {
        let mut input = Input::new();
        input.insert("path".to_owned(), json!(path));
        return Plan::Call("read_file", input);
    }
    Plan::Answer(language.summary(prompt, listed, read.filter(|(_, ok)| *ok).map(|(text, _)| text)))
}

/// The README among the names of a listing.
fn readme_in(listing: &str) -> Option<String> {
    let words = listing.split(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '│' | '├' | '└' | '─'));
    words.map(|word| word.trim_start_matches("./")).find(|word| is_readme(word)).map(str::to_owned)
}

fn is_readme(word: &str) -> bool {
    let lower = word.to_lowercase();
    matches!(lower.as_str(), "readme" | "readme.md" | "readme.txt" | "readme.rst" | "readme.zh.md")
}

/// The language of a prompt, as far as the mock speaks it.
enum Language {
    English,
    Chinese,
}

impl Language {
    fn of(prompt: &str) -> Self {
        let chinese = prompt.chars().any(|c| matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}'));
        if chinese { Language::Chinese } else { Language::English }
    }

    fn summary(&self, prompt: &str, listed: Option<(&str, bool)>, readme: Option<&str>) -> String {
        let prompt: String = prompt.chars().take(60).collect();
        let mut lines = vec![match self {
            Language::English => format!("(mock) You asked: {}", prompt.trim()),
            Language::Chinese => format!("（mock）你的问题：{}", prompt.trim()),
        }];
        lines.push(match (self, listed) {
            (Language::English, Some((text, true))) => {
                let (count, names) = (entries(text), first_names(text, ": ", ", "));
                let word = if count == 1 { "entry" } else { "entries" };
                format!("This folder holds {count} {word}{names}.")
            }
            (Language::Chinese, Some((text, true))) => {
                format!("这个文件夹里有 {} 个条目{}。", entries(text), first_names(text, "：", "、"))
            }
            (Language::English, Some((text, false))) => {
                format!("The folder could not be listed: {}", head(text))
            }
            (Language::Chinese, Some((text, false))) => format!("无法列出文件夹：{}", head(text)),
            (Language::English, None) => "There is no tool to list the folder with.".to_owned(),
            (Language::Chinese, None) => "没有可以列出文件夹的工具。".to_owned(),
        });
        lines.push(match (self, readme.and_then(gist)) {
            (Language::English, Some(gist)) => format!("Its README says: {gist}"),
            (Language::Chinese, Some(gist)) => format!("README 写道：{gist}"),
            (Language::English, None) => "I found no README to read.".to_owned(),
            (Language::Chinese, None) => "没有找到可读的 README。".to_owned(),
        });
        lines.join("\n")
    }
}

fn names(listing: &str) -> impl Iterator<Item = &str> {
    // A note in brackets says what was left out; it is no name.
    listing.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['[', '(', '<']))
}

fn entries(listing: &str) -> usize {
    names(listing).count()
}

fn first_names(listing: &str, before: &str, between: &str) -> String {
    let first: Vec<&str> = names(listing).take(5).collect();
    if first.is_empty() { String::new() } else { format!("{before}{}", first.join(between)) }
}

fn head(text: &str) -> String {
    text.lines().next().unwrap_or("").chars().take(120).collect()
}

/// The first line of prose: without line numbers, heading marks and emptiness.
fn gist(readme: &str) -> Option<String> {
    readme.lines().find_map(|line| {
        let line = line.trim_start();
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let line = line.trim_start_matches(['\t', ' ', '|', ':', '→', '#', '│']).trim();
        let letters = line.chars().filter(|c| c.is_alphabetic()).count();
        (letters >= 3 && !line.starts_with('<') && !line.starts_with("!["))
            .then(|| line.chars().take(160).collect())
    })
}
