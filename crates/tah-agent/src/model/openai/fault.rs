//! From what went wrong to what the user is told and whether it is tried again.

use super::retry::Again;
use super::sse::StreamFault;
use super::wire::{self, ApiFault};
use crate::model::resolve::{Endpoint, Place};
use crate::model::{ModelError, ModelErrorKind as Kind, Overflow, Profile};
use reqwest::StatusCode;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// A failed attempt.
#[derive(Debug)]
pub struct Fault {
    pub error: ModelError,
    pub again: Again,
}

impl Fault {
    fn new(kind: Kind, message: impl Into<String>, again: Again) -> Self {
        Fault { error: ModelError::new(kind, message), again }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error.hint = Some(hint.into());
        self
    }
}

/// An answer other than 200.
pub fn of_status(
    status: StatusCode,
    after: Option<Duration>,
    body: &str,
    endpoint: &Endpoint,
    profile: &Profile,
) -> Fault {
    let api = serde_json::from_str(body).ok().and_then(|value| wire::fault(&value)).unwrap_or_else(|| {
        let plain: String = body.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect();
        ApiFault { message: plain, ..ApiFault::default() }
    });
    let name = endpoint.provider.name;
    let said = if api.message.is_empty() { String::new() } else { format!(": {}", shorten(&api.message)) };
    let code = status.as_u16();
    if let Some(fault) = overflow(&api, profile) {
        return fault;
    }
    let wait = after.map(Again::After);
    match code {
        400 | 422 if names_usage(&api) => {
            Fault::new(Kind::Provider, format!("{name} refused the request{said}"), Again::WithoutUsage)
        }
        401 | 403 => key_refused(endpoint, &said),
        402 => {
            Fault::new(Kind::RateLimit, format!("the account at {name} has no balance{said}"), Again::Never)
                .hint("add credit at the provider")
        }
        404 | 400 if is_unknown_model(&api) => unknown_model(endpoint, profile, &said),
        404 => Fault::new(
            Kind::Provider,
            format!("{} was not found (404){said}", endpoint.base_url),
            Again::Never,
        )
        .hint("check the base URL; most end in /v1"),
        413 => Fault::new(
            Kind::ContextOverflow,
            format!("the request is too large for {name}{said}"),
            Again::Never,
        ),
        429 if wait.is_none() && is_quota(&api) => {
            Fault::new(Kind::RateLimit, format!("the quota at {name} is used up{said}"), Again::Never)
                .hint("check plan and billing at the provider")
        }
        429 => Fault::new(
            Kind::RateLimit,
            format!("{name} limits the rate (429){said}"),
            wait.unwrap_or(Again::Soon),
        ),
        // S10: a server that only has no room is not asked for minutes.
        503 if endpoint.place == Place::Loopback && api.message.to_lowercase().contains("loading") => {
            Fault::new(
                Kind::Provider,
                format!("{name} is not ready yet{said}"),
                wait.unwrap_or(Again::Patiently),
            )
        }
        408 | 409 | 425 | 500..=599 => {
            Fault::new(Kind::Provider, format!("{name} answered {code}{said}"), wait.unwrap_or(Again::Soon))
        }
        300..=399 => Fault::new(
            Kind::Provider,
            format!("{} redirects elsewhere ({code})", endpoint.base_url),
            Again::Never,
        )
        .hint("set the base URL to where it really is"),
        _ => Fault::new(Kind::Provider, format!("{name} refused the request ({code}){said}"), Again::Never),
    }
}

/// An error inside a stream, or as the body of a 200.
pub fn of_stream(api: &ApiFault, endpoint: &Endpoint, profile: &Profile) -> Fault {
    let name = endpoint.provider.name;
    if let Some(fault) = overflow(api, profile) {
        return fault;
    }
    let said = format!(": {}", shorten(&api.message));
    let words = format!("{} {}", api.code, api.message).to_lowercase();
    let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
    if is_quota(api) {
        return Fault::new(Kind::RateLimit, format!("the quota at {name} is used up{said}"), Again::Never)
            .hint("check plan and billing at the provider");
    }
    if has(&["rate_limit", "rate limit", "429", "too many requests"]) {
        return Fault::new(Kind::RateLimit, format!("{name} limits the rate{said}"), Again::Soon);
    }
    if has(&["invalid_api_key", "authentication", "unauthorized", "401"]) {
        return key_refused(endpoint, &said);
    }
    if is_unknown_model(api) {
        return unknown_model(endpoint, profile, &said);
    }
    if has(&["invalid_request", "bad_request", " 400"]) {
        return Fault::new(Kind::Provider, format!("{name} refused the request{said}"), Again::Never);
    }
    // Overloaded, timed out, failed inside: it may well work the next time.
    Fault::new(Kind::Provider, format!("{name} failed{said}"), Again::Soon)
}

/// No response at all.
pub fn of_transport(error: &reqwest::Error, endpoint: &Endpoint) -> Fault {
    let cause = root_cause(error);
    let url = &endpoint.base_url;
    if error.is_connect() && endpoint.place == Place::Loopback {
        return Fault::new(Kind::Network, format!("nothing answers at {url}: {cause}"), Again::Never)
            .hint("start the model server, or point --base-url to where it listens");
    }
    if error.is_builder() {
        return Fault::new(
            Kind::Provider,
            format!("the request to {url} can't be built: {cause}"),
            Again::Never,
        )
        .hint("check the base URL and the key for characters that don't belong there");
    }
    let what = if error.is_connect() { "no connection to" } else { "the connection failed to" };
    Fault::new(Kind::Network, format!("{what} {url}: {cause}"), Again::Soon)
        .hint("check the network, and HTTPS_PROXY if there is a proxy")
}

/// The response broke off or fell silent.
pub fn of_body(fault: &StreamFault) -> Fault {
    let again = if *fault == StreamFault::TooLong { Again::Never } else { Again::Soon };
    Fault::new(Kind::Network, fault.to_string(), again)
}

/// The stream ended without an end and before anything was shown (S6).
pub fn unfinished() -> Fault {
    Fault::new(Kind::Provider, "the reply broke off before it said anything", Again::Soon)
}

/// 200, but no model speaks there.
pub fn web_page(endpoint: &Endpoint) -> Fault {
    Fault::new(Kind::Provider, format!("{} answered with a web page", endpoint.base_url), Again::Never)
        .hint("check the base URL; most end in /v1")
}

/// A reply beyond any sense.
pub fn too_long() -> Fault {
    Fault::new(Kind::Provider, "the reply is longer than tah keeps", Again::Never)
}

fn key_refused(endpoint: &Endpoint, said: &str) -> Fault {
    let hint = match endpoint.key_variable {
        Some(variable) => format!("check {variable}"),
        None => "this server wants a key: set TAH_API_KEY".to_owned(),
    };
    Fault::new(Kind::Auth, format!("{} refused the key{said}", endpoint.provider.name), Again::Never)
        .hint(hint)
}

fn unknown_model(endpoint: &Endpoint, profile: &Profile, said: &str) -> Fault {
    let text = format!("{} has no model `{}`{said}", endpoint.provider.name, profile.name);
    Fault::new(Kind::Provider, text, Again::Never).hint("name another with --model or TAH_MODEL")
}

fn is_unknown_model(api: &ApiFault) -> bool {
    let words = format!("{} {}", api.code, api.message).to_lowercase();
    [
        "model_not_found",
        "model not exist",
        "model not found",
        "not a valid model",
        "unknown model",
        "no such model",
    ]
    .iter()
    .any(|word| words.contains(word))
        || (words.contains("model") && (words.contains("does not exist") || words.contains("not found")))
}

fn is_quota(api: &ApiFault) -> bool {
    let words = format!("{} {}", api.code, api.message).to_lowercase();
    [
        "insufficient_quota",
        "exceeded your current quota",
        "billing",
        "insufficient balance",
        "out of credit",
        "insufficient_balance",
    ]
    .iter()
    .any(|word| words.contains(word))
}

fn names_usage(api: &ApiFault) -> bool {
    api.message.contains("stream_options") || api.message.contains("include_usage")
}

/// The conversation is longer than the window; the numbers are in fields or in the text.
fn overflow(api: &ApiFault, profile: &Profile) -> Option<Fault> {
    let words = format!("{} {}", api.code, api.message).to_lowercase();
    let is = [
        "context_length_exceeded",
        "exceed_context_size",
        "maximum context length",
        "context window",
        "context size",
        "context length",
        "prompt is too long",
        "input is too long",
        "too many tokens",
    ]
    .iter()
    .any(|word| words.contains(word))
        && !words.contains("rate");
    if !is {
        return None;
    }
    let numbers = numbers(&api.message);
    // Of two numbers in a text the smaller one is the window; after "length is" stands the window itself.
    let said = words.split_once("length is ").and_then(|(_, rest)| self::numbers(rest).first().copied());
    let window = api.window.or(said).or_else(|| numbers.iter().take(2).min().copied()).or(profile.window);
    let asked = api.asked.or_else(|| numbers.iter().copied().find(|n| Some(*n) > window));
    let text = match (asked, window) {
        (Some(asked), Some(window)) => {
            format!("the conversation has {asked} tokens and the window of {} holds {window}", profile.name)
        }
        (None, Some(window)) => {
            format!("the conversation is longer than the window of {} ({window} tokens)", profile.name)
        }
        _ => format!("the conversation is longer than the window of {}", profile.name),
    };
    let mut fault = Fault::new(Kind::ContextOverflow, text, Again::Never)
        .hint("begin a new session, or use a model with a larger window");
    fault.error.overflow = Overflow { asked, window };
    Some(fault)
}

/// Numbers of a thousand and more: smaller ones are no token counts.
fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit() && c != ',')
        .filter_map(|word| word.replace(',', "").parse().ok())
        .filter(|number| *number >= 500)
        .collect()
}

fn shorten(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
