//! From settings to the one endpoint a run talks to.

use super::catalog::{self, Provider};
use super::{CallsInText, Profile};
use crate::tool::Vision;
use std::collections::BTreeMap;
use std::fmt;
use url::Url;

#[cfg(test)]
mod tests;

/// What was set, from flags, environment and configuration; the caller has put the layers together.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// Values of the variables in [`KEY_VARIABLES`] that are set.
    pub keys: BTreeMap<String, Key>,
    /// `--base-url` or `TAH_BASE_URL`.
    pub base_url: Option<String>,
    /// `OPENAI_BASE_URL`: belongs to the OpenAI key.
    pub openai_base_url: Option<String>,
    /// `--model` or `TAH_MODEL`.
    pub model: Option<String>,
    /// Tokens the window holds, where the catalog does not know it or is wrong.
    pub window: Option<u64>,
    /// Whether the model can look at pictures, where the catalog does not know it.
    pub vision: Option<Vision>,
}

/// The variables a key is looked for in.
pub const KEY_VARIABLES: [&str; 4] =
    ["DEEPSEEK_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "TAH_API_KEY"];

/// A key, which never shows itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// White space around a key (a pasted line end) is no part of it; an empty one is none.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Key(text.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Where requests go.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub provider: &'static Provider,
    /// Without a slash at its end.
    pub base_url: String,
    pub key: Option<Key>,
    /// Where the key came from, or should come from; for hints.
    pub key_variable: Option<&'static str>,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On this machine: no key needed, no proxy, patience while a model is loaded.
    Loopback,
    Remote,
}

/// The outcome.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub endpoint: Endpoint,
    pub profile: Profile,
    /// What the start-up line says: `deepseek-chat (DeepSeek)`, and why, where two keys are there.
    pub line: String,
}

/// Why there is no model to ask.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ResolveError {
    pub message: String,
    pub hint: String,
}

fn refuse<T>(message: impl Into<String>, hint: impl Into<String>) -> Result<T, ResolveError> {
    Err(ResolveError { message: message.into(), hint: hint.into() })
}

/// Decides which endpoint a run talks to and what is known of its model.
pub fn resolve(settings: &ModelSettings) -> Result<Resolved, ResolveError> {
    if let Some(url) = given(&settings.base_url) {
        return by_url(settings, url);
    }
    let mut there = catalog::BY_KEY.iter().copied().filter(|row| key_of(settings, row).is_some());
    let Some(first) = there.next() else {
        return match given(&settings.openai_base_url) {
            Some(url) => by_url(settings, url),
            None => refuse(
                "no model: no API key is set",
                "set DEEPSEEK_API_KEY or OPENAI_API_KEY (or OPENROUTER_API_KEY), or name a server with \
                 --base-url; --mock needs none",
            ),
        };
    };
    let others: Vec<&Provider> = there.collect();
    // A model that only another provider with a key is known to have is meant for that one.
    let meant = settings.model.as_deref().filter(|model| first.model(model).is_none()).and_then(|model| {
        let fitting = |row: &&&Provider| row.model(model).is_some();
        others.iter().find(fitting).copied()
    });
    let provider = meant.unwrap_or(first);
    let url = match given(&settings.openai_base_url) {
        Some(url) if std::ptr::eq(provider, &catalog::OPENAI) => return by_url(settings, url),
        _ => provider.base_url,
    };
    let mut resolved = finish(settings, provider, parse(url)?, key_of(settings, provider))?;
    if meant.is_none() && !others.is_empty() {
        let also: Vec<&str> = others.iter().filter_map(|row| row.key_variable).collect();
        resolved.line = format!(
            "{}; {} is used though {} is set too",
            resolved.line,
            provider.key_variable.unwrap_or_default(),
            also.join(" and ")
        );
    }
    Ok(resolved)
}

fn by_url(settings: &ModelSettings, url: &str) -> Result<Resolved, ResolveError> {
    let url = parse(url)?;
    let known = catalog::BY_URL.iter().copied().find(|row| same_server(row, &url));
    let place = place_of(&url);
    let provider = match (known, place) {
        (Some(known), _) => known,
        (None, Place::Loopback) => &catalog::LOCAL,
        (None, Place::Remote) => &catalog::OTHER,
    };
    // A provider's key goes to that provider only. To any other server goes the key that was set for it, or the
    // OpenAI key where its owner pointed it there.
    let own = key_of(settings, provider);
    let other = || key_from(settings, "TAH_API_KEY");
    let pointed = || {
        let pointed = given(&settings.openai_base_url).and_then(|own| parse(own).ok()) == Some(url.clone());
        key_from(settings, "OPENAI_API_KEY").filter(|_| pointed)
    };
    let key = own.or_else(other).or_else(pointed);
    if key.is_none() && place == Place::Remote {
        let variable = provider.key_variable.unwrap_or("TAH_API_KEY");
        return refuse(format!("no API key for {url}"), format!("set {variable}"));
    }
    finish(settings, provider, url, key)
}

fn finish(
    settings: &ModelSettings,
    provider: &'static Provider,
    url: Url,
    key: Option<(&'static str, Key)>,
) -> Result<Resolved, ResolveError> {
    let Some(model) = settings.model.as_deref().or(provider.default_model) else {
        return refuse(format!("no model named for {url}"), "name one with --model or TAH_MODEL");
    };
    let row = provider.model(model);
    let profile = Profile {
        name: model.to_owned(),
        window: settings.window.or_else(|| row.and_then(|row| row.window)),
        vision: settings.vision.or_else(|| row.map(|row| row.vision)).unwrap_or(Vision::Off),
        calls_in_text: provider.calls_in_text,
    };
    let place = place_of(&url);
    let (key_variable, key) = match key {
        Some((variable, key)) => (Some(variable), Some(key)),
        None => (provider.key_variable, None),
    };
    let base_url = url.as_str().trim_end_matches('/').to_owned();
    let line = match std::ptr::eq(provider, &catalog::OTHER) || std::ptr::eq(provider, &catalog::LOCAL) {
        true => format!("{model} ({base_url})"),
        false => format!("{model} ({})", provider.name),
    };
    Ok(Resolved { endpoint: Endpoint { provider, base_url, key, key_variable, place }, profile, line })
}

fn parse(text: &str) -> Result<Url, ResolveError> {
    let hint = "it looks like https://host/v1 or http://127.0.0.1:8080/v1";
    // `localhost:8080/v1` parses as the scheme `localhost`.
    let url = match text.contains("://") {
        true => Url::parse(text),
        false => Url::parse(&format!("http://{text}")),
    };
    let Ok(mut url) = url else { return refuse(format!("`{text}` is no base URL"), hint) };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return refuse(format!("`{text}` is no base URL"), hint);
    }
    // People paste the whole address of the call.
    let path = url.path().trim_end_matches('/').trim_end_matches("/chat/completions").to_owned();
    url.set_path(&path);
    url.set_query(None);
    url.set_fragment(None);
    if url.scheme() == "http" && place_of(&url) == Place::Remote && !private(&url) {
        return refuse(
            format!("`{text}` would send the key and the conversation unencrypted"),
            "use https, or a server on this machine or network",
        );
    }
    Ok(url)
}

fn place_of(url: &Url) -> Place {
    let loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unspecified(),
        None => false,
    };
    if loopback { Place::Loopback } else { Place::Remote }
}

/// Addresses of the own network, where servers without TLS are usual.
fn private(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_private() || ip.is_link_local(),
        Some(url::Host::Ipv6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
        Some(url::Host::Domain(name)) => {
            !name.contains('.') || name.ends_with(".local") || name.ends_with(".internal")
        }
        None => false,
    }
}

fn same_server(row: &Provider, url: &Url) -> bool {
    let Ok(own) = Url::parse(row.base_url) else { return false };
    let host = match (place_of(&own), place_of(url)) {
        (Place::Loopback, Place::Loopback) => true,
        (Place::Remote, Place::Remote) => own.host_str() == url.host_str(),
        _ => false,
    };
    host && own.scheme() == url.scheme() && own.port_or_known_default() == url.port_or_known_default()
}

fn key_of(settings: &ModelSettings, row: &Provider) -> Option<(&'static str, Key)> {
    key_from(settings, row.key_variable?)
}

fn key_from(settings: &ModelSettings, variable: &'static str) -> Option<(&'static str, Key)> {
    settings.keys.get(variable).map(|key| (variable, key.clone()))
}

fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// A profile for a model that is not in the catalog; tests and the mock use it.
pub fn plain_profile(name: &str) -> Profile {
    Profile { name: name.to_owned(), window: None, vision: Vision::Off, calls_in_text: CallsInText::Never }
}
