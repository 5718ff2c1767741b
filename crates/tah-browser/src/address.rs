//! What a caller calls an address, made into one the browser may open.

use std::path::Path;

use url::Url;

use crate::error::{BrowserError, Code};
use crate::guard::{Destination, HostRules, PrivateHosts, is_private_address};

#[cfg(test)]
mod tests;

/// Adds the scheme that is meant; `localhost:3000` and addresses of machines are http, other names https.
pub fn complete(text: &str) -> Result<Url, BrowserError> {
    let text = text.trim();
    let blocked = |message: String| BrowserError::new(Code::NavigationBlocked, message);
    if text.is_empty() {
        return Err(BrowserError::argument("argument url is empty"));
    }
    let has_scheme = text.contains("://")
        || ["about:", "data:", "file:", "javascript:", "blob:", "chrome:", "view-source:", "mailto:"]
            .iter()
            .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let whole = if has_scheme {
        text.to_owned()
    } else if text.starts_with("//") {
        format!("https:{text}")
    } else {
        let guess = Url::parse(&format!("http://{text}")).map_err(|error| {
            BrowserError::argument(format!("argument url {text:?} is no address: {error}"))
        })?;
        let local = match guess.host() {
            Some(url::Host::Domain(name)) => {
                name == "localhost" || name.ends_with(".localhost") || !name.contains('.')
            }
            _ => true,
        };
        format!("{}://{text}", if local { "http" } else { "https" })
    };
    let url = Url::parse(&whole)
        .map_err(|error| BrowserError::argument(format!("argument url {text:?} is no address: {error}")))?;
    match url.scheme() {
        "http" | "https" | "data" | "file" => Ok(url),
        "about" if url.path() == "blank" => Ok(url),
        scheme => Err(blocked(format!("addresses with {scheme}: are not opened"))
            .hint("http, https, data, about:blank, and file inside the working folder are")),
    }
}

/// Refuses files outside the working folder, denied hosts and, where configured, private ones.
pub async fn check(url: &Url, rules: &HostRules, work_dir: &Path) -> Result<(), BrowserError> {
    let blocked = |message: String| BrowserError::new(Code::NavigationBlocked, message);
    if url.scheme() == "file" {
        let path = url.to_file_path().map_err(|()| blocked(format!("{url} is no local file")))?;
        let inside = match (tokio::fs::canonicalize(&path).await, tokio::fs::canonicalize(work_dir).await) {
            (Ok(path), Ok(folder)) => path.starts_with(folder),
            (Err(_), Ok(folder)) => {
                return Err(blocked(format!(
                    "there is no file {} inside {}",
                    path.display(),
                    folder.display()
                )));
            }
            _ => false,
        };
        if !inside {
            return Err(blocked(format!(
                "{} is outside the working folder {}",
                path.display(),
                work_dir.display()
            )));
        }
    }
    rules.judge(url.as_str(), Destination::Navigation).map_err(|refusal| {
        blocked(refusal.to_string())
            .hint("capabilities.browser.allowHosts and denyHosts decide this; the user can change them")
    })?;
    if rules.private == PrivateHosts::Denied
        && let Some(host) = url.host_str()
        && let Ok(found) = tokio::net::lookup_host((host, url.port_or_known_default().unwrap_or(80))).await
        && let Some(address) = found.map(|found| found.ip()).find(|ip| is_private_address(*ip))
    {
        return Err(blocked(format!(
            "{host} is at the private address {address}, and those are denied here"
        )));
    }
    Ok(())
}
