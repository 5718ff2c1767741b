//! `web_fetch`: a page as readable text. Which addresses may be reached is in [`guard`], how bytes become text in
//! [`page`]; here is the request: redirects followed by hand, so that each is judged and shown, and bounded in time
//! and size.

mod guard;
mod page;

use super::arguments;
use super::files::blocking;
use crate::card::{Card, CardLine, Insistence};
use crate::limits;
use crate::message::Input;
use crate::tool::{Cut, Effect, Output, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use guard::{Access, Guard, Reach};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use tah_os::text::{Keep, bytes_for_people, sanitise};
use tokio::time::timeout;
use url::Url;

const NAME: &str = "web_fetch";

/// How pages are fetched.
#[derive(Clone, Debug, Default)]
pub struct WebSetup {
    pub private: PrivateHosts,
}

/// What happens with addresses that are not on the public internet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivateHosts {
    /// A card that names the host.
    #[default]
    Ask,
    Allow,
}

pub(crate) struct WebFetch {
    setup: WebSetup,
    /// For public hosts. Built when it is first needed: that reads the system's certificates.
    public: OnceLock<Client>,
    /// By url: the private host its card named. What is not here when a call runs was not asked for.
    asked: Mutex<HashMap<String, String>>,
    schema: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    url: String,
    max_chars: Option<usize>,
}

impl WebFetch {
    pub(crate) fn new(setup: WebSetup) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "url": {"type": "string"},
                "maxChars": {"type": "integer", "minimum": 1, "description": "default 20000"}
            },
            "required": ["url"]
        });
        WebFetch { setup, public: OnceLock::new(), asked: Mutex::default(), schema }
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client for a call and the guard that judges its urls.
    fn client(&self, access: Access) -> Result<(Client, Guard), ToolError> {
        let guard = Guard::new(access);
        let build = || {
            let configure = |builder: reqwest::ClientBuilder| {
                // A proxy looks names up itself, past the guard.
                let builder = builder.no_proxy().redirect(reqwest::redirect::Policy::none());
                builder.dns_resolver(guard.resolver()).connect_timeout(limits::FETCH_CONNECT)
            };
            crate::http::client(configure)
                .map_err(|error| ToolError::new(format!("the HTTP client can't be made: {error}")))
        };
        if guard.access() != &Access::Public {
            return Ok((build()?, guard));
        }
        if let Some(client) = self.public.get() {
            return Ok((client.clone(), guard));
        }
        let client = build()?;
        Ok((self.public.get_or_init(|| client).clone(), guard))
    }
}

#[async_trait]
impl Tool for WebFetch {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Fetches a web page (GET) and gives its text as Markdown. It runs no JavaScript."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn effect(&self, _input: &Input) -> Effect {
        Effect::Read
    }

    async fn approval(&self, input: &Input) -> Result<Option<Card>, ToolError> {
        let url = parse(&arguments::read::<Arguments>(NAME, input)?.url)?;
        if self.setup.private == PrivateHosts::Allow {
            return Ok(None);
        }
        let Reach::Private { host, address } = guard::reach(&url).await else { return Ok(None) };
        let mut asked = self.asked();
        if asked.len() >= limits::FETCH_ASKED {
            asked.clear();
        }
        asked.insert(url.to_string(), host.clone());
        let text = match address {
            Some(address) if address != host => format!("{host} is {address}, not on the public internet"),
            _ => format!("{host} is not on the public internet"),
        };
        Ok(Some(Card {
            title: "Fetch from a private address".to_owned(),
            lines: vec![CardLine::Url(url.to_string()), CardLine::Text(text)],
            always: None,
            insistence: Insistence::Normal,
        }))
    }

    fn subjects(&self, input: &Input) -> Vec<String> {
        let given = arguments::text(input, "url");
        vec![parse(given).map_or_else(|_| given.to_owned(), |url| url.to_string())]
    }

    fn summary(&self, input: &Input) -> String {
        arguments::text(input, "url").to_owned()
    }

    async fn run(&self, input: Input, context: &ToolContext) -> Result<Output, ToolError> {
        let arguments: Arguments = arguments::read(NAME, &input)?;
        let url = parse(&arguments.url)?;
        let access = match self.setup.private {
            PrivateHosts::Allow => Access::Everything,
            PrivateHosts::Ask => match self.asked().remove(url.as_str()) {
                Some(host) => Access::AlsoHost(host),
                None => Access::Public,
            },
        };
        let (client, guard) = self.client(access)?;
        let most = arguments.max_chars.unwrap_or(limits::FETCH_CHARS).clamp(1, limits::FETCH_CHARS_MOST);
        let work = async {
            let fetched = fetch(&client, &guard, url).await?;
            blocking(move || Ok(present(&fetched, most))).await
        };
        tokio::select! {
            () = context.cancel.cancelled() => Err(ToolError::new("cancelled")),
            outcome = timeout(limits::FETCH_TIME, work) => match outcome {
                Ok(outcome) => outcome?,
                Err(_) => Err(ToolError::new(format!(
                    "the page was not there after {} s", limits::FETCH_TIME.as_secs()
                ))),
            },
        }
    }
}

/// A url as models write it: a name without a scheme is a page on the web.
fn parse(text: &str) -> Result<Url, ToolError> {
    let text = text.trim();
    let fault = |why: &dyn std::fmt::Display| {
        ToolError::new(format!("the url `{text}` can't be used: {why}"))
            .hint("give a whole url, like https://example.org/page")
    };
    let url = match Url::parse(text) {
        Err(url::ParseError::RelativeUrlWithoutBase) if !text.is_empty() && !text.starts_with(['/', '.']) => {
            Url::parse(&format!("https://{text}"))
        }
        // `localhost:3000` reads as the scheme `localhost`.
        Ok(url)
            if url.cannot_be_a_base() && text.split_once(':').is_some_and(|(_, rest)| port_first(rest)) =>
        {
            Url::parse(&format!("http://{text}"))
        }
        parsed => parsed,
    };
    let mut url = url.map_err(|error| fault(&error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(fault(&format!("{} is not http or https", url.scheme())));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(fault(&"it has no host"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn port_first(rest: &str) -> bool {
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && rest[digits..].chars().next().is_none_or(|c| c == '/' || c == '?')
}

/// What a server sent.
struct Fetched {
    url: Url,
    /// The urls before it, if it was reached by redirects.
    through: Vec<Url>,
    status: reqwest::StatusCode,
    content_type: Option<String>,
    body: Vec<u8>,
    cut: bool,
}

async fn fetch(client: &Client, guard: &Guard, start: Url) -> Result<Fetched, ToolError> {
    let mut url = start;
    let mut through: Vec<Url> = Vec::new();
    loop {
        guard.judge(&url).map_err(|error| explained(error, &through))?;
        let accept = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.5";
        let request = client.get(url.clone()).header(ACCEPT, accept);
        let response = request.send().await.map_err(|error| explained(failure(&url, &error), &through))?;
        let next = match response.status().is_redirection() {
            true => {
                response.headers().get(LOCATION).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
            }
            false => None,
        };
        let Some(next) = next else {
            let status = response.status();
            let header = response.headers().get(CONTENT_TYPE);
            let content_type = header.and_then(|value| value.to_str().ok()).map(str::to_owned);
            let (body, cut) = body(response, &url).await?;
            return Ok(Fetched { url, through, status, content_type, body, cut });
        };
        let target =
            url.join(next).map_err(|_| ToolError::new(format!("{url} redirects to nowhere: {next}")))?;
        if through.len() == limits::FETCH_REDIRECTS {
            return Err(ToolError::new(format!("more than {} redirects", limits::FETCH_REDIRECTS)));
        }
        if !matches!(target.scheme(), "http" | "https") {
            return Err(ToolError::new(format!("{url} redirects to {target}, which is not http or https")));
        }
        through.push(std::mem::replace(&mut url, target));
    }
}

async fn body(mut response: Response, url: &Url) -> Result<(Vec<u8>, bool), ToolError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(url, &error))? {
        let room = limits::FETCH_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

fn failure(url: &Url, error: &reqwest::Error) -> ToolError {
    // The innermost cause says what happened; the outer ones only that something did.
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
        if let Some(refused) = cause.downcast_ref::<guard::Refused>() {
            return refused.error();
        }
    }
    ToolError::new(format!("{url} can't be fetched: {cause}"))
}

fn explained(error: ToolError, through: &[Url]) -> ToolError {
    match through.last() {
        None => error,
        Some(from) => ToolError { message: format!("{} (redirected from {from})", error.message), ..error },
    }
}

/// The result as the model reads it. An error status is an error, with what the page says of it.
fn present(fetched: &Fetched, most: usize) -> Result<Output, ToolError> {
    let read = page::read(&fetched.body, fetched.content_type.as_deref(), &fetched.url);
    let size = bytes_for_people(fetched.body.len() as u64);
    let mut facts = vec![format!("HTTP {}", fetched.status.as_u16()), read.kind.clone(), size.clone()];
    if fetched.cut {
        facts.push(format!("only the first {} were read", bytes_for_people(limits::FETCH_BYTES as u64)));
    }
    if !fetched.through.is_empty() {
        let chain: Vec<&str> = fetched.through.iter().chain([&fetched.url]).map(Url::as_str).collect();
        facts.push(format!("redirected: {}", chain.join(" -> ")));
    }
    let facts = facts.join("; ");
    let text = sanitise(read.text.trim(), Keep::Text);
    let (shown, more) = match text.char_indices().nth(most) {
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
        None => (text.as_ref(), 0),
    };
    let title =
        read.title.map(|title| format!("title: {}\n", sanitise(&title, Keep::Text))).unwrap_or_default();
    let marked = page::marked(fetched.url.as_str(), &format!("{title}{shown}"));
    if !fetched.status.is_success() {
        let said: String = marked.chars().take(1_000).collect();
        let said =
            if said.chars().count() < marked.chars().count() { format!("{said}…\n</page>") } else { said };
        return Err(ToolError::new(format!("{facts}\n{said}")));
    }
    let mut text = format!("[{facts}]\n{marked}");
    let mut cut = None;
    if more > 0 {
        let remedy = match most < limits::FETCH_CHARS_MOST {
            true => format!("use maxChars up to {}", limits::FETCH_CHARS_MOST),
            false => "it is beyond what one call gives".to_owned(),
        };
        text.push_str(&format!("\n[{more} more characters; {remedy}]"));
        cut = Some(Cut { chars: more as u64, remedy });
    }
    let mut output = Output::new(text, format!("{} {size}", fetched.status.as_u16()));
    output.cut = cut;
    Ok(output)
}
