//! Secrets: `{{secret:NAME}}` in typed text becomes its value at the last moment, only on the hosts listed for it, and
//! every value is masked in what comes back.

use std::fmt;
use std::path::Path;

use serde_json::Value;
use url::Url;

use crate::error::{BrowserError, Code};

#[cfg(test)]
mod tests;

/// One secret.
#[derive(Clone)]
struct Secret {
    name: String,
    value: String,
    hosts: Vec<String>,
}

/// All secrets of a user.
#[derive(Clone, Default)]
pub struct Secrets {
    all: Vec<Secret>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|secret| &secret.name)).finish()
    }
}

/// Why a secrets file is not used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    #[error("{path} may be read by others; run: chmod 600 {path}")]
    Readable { path: String },
    #[error("{path}: {detail}")]
    Unreadable { path: String, detail: String },
}

const OPEN: &str = "{{secret:";
const CLOSE: &str = "}}";

impl Secrets {
    /// Reads a file of `{"NAME": {"hosts": ["example.com"], "value": "…"}}`; where `value` is missing, the variable
    /// named by `env` (or by the secret's own name) is asked. No file: no secrets.
    pub async fn load(path: &Path, env: impl Fn(&str) -> Option<String>) -> Result<Secrets, SecretsError> {
        use std::os::unix::fs::PermissionsExt;
        let shown = path.display().to_string();
        let unreadable = |detail: String| SecretsError::Unreadable { path: shown.clone(), detail };
        let meta = match tokio::fs::metadata(path).await {
            Ok(meta) => meta,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Secrets::default()),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        if meta.permissions().mode() & 0o077 != 0 {
            return Err(SecretsError::Readable { path: shown });
        }
        let text = tokio::fs::read_to_string(path).await.map_err(|error| unreadable(error.to_string()))?;
        Secrets::parse(&text, env).map_err(unreadable)
    }

    pub fn parse(text: &str, env: impl Fn(&str) -> Option<String>) -> Result<Secrets, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let map = file.as_object().ok_or("must be an object of secrets")?;
        let mut all = Vec::new();
        for (name, entry) in map {
            let hosts: Vec<String> = entry
                .get("hosts")
                .and_then(Value::as_array)
                .ok_or_else(|| format!("{name}: hosts is missing"))?
                .iter()
                .filter_map(|host| host.as_str().map(str::to_owned))
                .collect();
            let value = match entry.get("value") {
                Some(Value::String(value)) => Some(value.clone()),
                Some(_) => return Err(format!("{name}: value must be a string")),
                None => env(entry.get("env").and_then(Value::as_str).unwrap_or(name)),
            };
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                all.push(Secret { name: name.clone(), value, hosts });
            }
        }
        Ok(Secrets { all })
    }

    /// Puts values in for `{{secret:NAME}}`, for a document at `url`.
    pub fn fill(&self, text: &str, url: &str) -> Result<String, BrowserError> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(OPEN) {
            let after = &rest[start + OPEN.len()..];
            let Some(end) = after.find(CLOSE) else { break };
            out.push_str(&rest[..start]);
            out.push_str(self.value(&after[..end], url)?);
            rest = &after[end + CLOSE.len()..];
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&self, name: &str, url: &str) -> Result<&str, BrowserError> {
        let refused = |message: String| BrowserError::new(Code::SecretRefused, message);
        let Some(secret) = self.all.iter().find(|secret| secret.name == name) else {
            return Err(refused(format!("there is no secret {name}"))
                .hint("secrets are in secrets.json of tah's folder, with the hosts they are for"));
        };
        let parsed = Url::parse(url).ok();
        let host = parsed.as_ref().and_then(Url::host_str).unwrap_or_default();
        let allowed = !host.is_empty()
            && secret.hosts.iter().any(|pattern| crate::guard::matches_host(pattern, parsed.as_ref()));
        if allowed {
            return Ok(&secret.value);
        }
        Err(refused(format!("the secret {name} is not for {}", if host.is_empty() { url } else { host }))
            .hint(format!("it is for {}", secret.hosts.join(", "))))
    }

    pub fn mask_text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        // Longer ones first, so that one that contains another is masked whole.
        let mut by_length: Vec<&Secret> = self.all.iter().collect();
        by_length.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
        for secret in by_length {
            let mask = format!("{OPEN}{}{CLOSE}", secret.name);
            let encoded: String = url::form_urlencoded::byte_serialize(secret.value.as_bytes()).collect();
            let percent = encoded.replace('+', "%20");
            for form in [&secret.value, &encoded, &percent] {
                if out.contains(form.as_str()) {
                    out = out.replace(form.as_str(), &mask);
                }
            }
        }
        out
    }

    /// Masks every string in a result.
    pub fn mask(&self, value: &mut Value) {
        if self.all.is_empty() {
            return;
        }
        match value {
            Value::String(text) => *text = self.mask_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(map) => {
                let keys: Vec<String> =
                    map.keys().filter(|key| self.mask_text(key) != **key).cloned().collect();
                for key in keys {
                    if let Some(item) = map.remove(&key) {
                        map.insert(self.mask_text(&key), item);
                    }
                }
                map.values_mut().for_each(|item| self.mask(item));
            }
            _ => {}
        }
    }
}
