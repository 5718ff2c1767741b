//! The layers on top of each other: for each path the value that counts, and where it came from.

use super::file::Values;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    User(PathBuf),
    Folder(PathBuf),
    Environment(&'static str),
    DotEnv(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::User(path) | Source::Folder(path) => write!(f, "{}", path.display()),
            Source::Environment(name) => write!(f, "environment {name}"),
            Source::DotEnv(name) => write!(f, ".env {name}"),
            Source::Flag(name) => write!(f, "{name}"),
        }
    }
}

/// All values. Lists that only grow (rules, folders) keep every layer's part.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    values: BTreeMap<String, Vec<(Value, Source)>>,
}

/// Keys of which each layer adds to the ones below, so that a folder can't take away the user's rules.
const ADDED: [&str; 7] = [
    "permissions.allow",
    "permissions.ask",
    "permissions.deny",
    "addDirs",
    "sandbox.writable",
    "capabilities.browser.denyHosts",
    "capabilities.browser.denyRequestHosts",
];

impl Layers {
    /// Puts a layer on top.
    pub fn push(&mut self, values: Values, source: &Source) {
        for (path, value) in values {
            self.set(&path, value, source.clone());
        }
    }

    /// Sets one value on top.
    pub fn set(&mut self, path: &str, value: Value, source: Source) {
        self.values.entry(path.to_owned()).or_default().push((value, source));
    }

    /// The value that counts and its source.
    pub fn get(&self, path: &str) -> Option<&(Value, Source)> {
        self.values.get(path).and_then(|layers| layers.last())
    }

    pub fn bool(&self, path: &str) -> Option<bool> {
        self.get(path).and_then(|(value, _)| value.as_bool())
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.get(path).and_then(|(value, _)| value.as_str())
    }

    pub fn number(&self, path: &str) -> Option<u64> {
        self.get(path).and_then(|(value, _)| value.as_u64())
    }

    /// A list: the topmost, or for growing ones all of them, lowest layer first.
    pub fn texts(&self, path: &str) -> Vec<(String, Source)> {
        let Some(layers) = self.values.get(path) else { return Vec::new() };
        let from = if ADDED.contains(&path) { 0 } else { layers.len() - 1 };
        let mut all = Vec::new();
        for (value, source) in &layers[from..] {
            let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            all.extend(texts.map(|text| (text.to_owned(), source.clone())));
        }
        all
    }

    /// The values right below a path, by their name.
    pub fn below<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a str, &'a Value, &'a Source)> {
        self.values.iter().filter_map(move |(key, layers)| {
            let name = key.strip_prefix(path)?.strip_prefix('.')?;
            let (value, source) = layers.last()?;
            Some((name, value, source))
        })
    }

    /// Everything that is set: path, value, source; growing lists with each layer's part.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Value, &Source)> {
        self.values.iter().flat_map(|(path, layers)| {
            let from = if ADDED.contains(&path.as_str()) { 0 } else { layers.len() - 1 };
            layers[from..].iter().map(move |(value, source)| (path.as_str(), value, source))
        })
    }

    /// Whether the coding tools are there.
    pub fn coding(&self) -> bool {
        self.bool("capabilities.coding").unwrap_or(true)
    }

    /// Whether the web tools are there; they follow the coding tools (S1).
    pub fn web(&self) -> bool {
        self.bool("capabilities.web").unwrap_or_else(|| self.coding())
    }

    /// Whether there is a browser; it follows the web tools (S1).
    pub fn browser(&self) -> bool {
        self.bool("capabilities.browser.enabled").unwrap_or_else(|| self.web())
    }

    /// The effective value of a switch, its default included.
    pub fn switch(&self, path: &str) -> Option<bool> {
        match path {
            "capabilities.coding" => Some(self.coding()),
            "capabilities.web" => Some(self.web()),
            "capabilities.browser.enabled" => Some(self.browser()),
            "sandbox.commands" => Some(self.bool(path).unwrap_or(true)),
            "allowPrivateAddresses" => Some(self.bool(path).unwrap_or(false)),
            _ => self.bool(path),
        }
    }
}
