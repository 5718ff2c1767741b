//! Passwords, which Playwright shows in clear: the values of the page's password fields are asked for by ourselves
//! and masked wherever they stand in a result (P8a).

use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;
use std::time::Duration;

/// What stands in a secret's place.
const MASK: &str = "••••••••";

/// Values shorter than this are masked only where they stand as a value: everywhere, they would eat other text.
const LONG: usize = 5;

/// For the question what the password fields hold.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// Reads the values of all password fields, through open shadow roots and frames of the same origin.
pub const SCRIPT: &str = "() => {
  const found = [];
  const look = root => {
    for (const input of root.querySelectorAll('input[type=password]')) if (input.value) found.push(input.value);
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.localName === 'iframe') {
        try { if (element.contentDocument) look(element.contentDocument); } catch {}
      }
    }
  };
  look(document);
  return found;
}";

static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = "pass|passwort|passwd|pwd|pin|secret|token|密码|口令|contraseña|mot de passe|senha";
    Regex::new(&format!("(?i)(- '?textbox \"[^\"]*(?:{names})[^\"]*\"[^:\n]*): (.+)")).ok()
});

/// Any field with a value.
static ANY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?m)^(\s*- '?textbox(?: "(?:[^"\\]|\\.)*")?[^:\n]*): (.+)$"#).ok());

/// Whether it is known which fields hold passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Known,
    /// The page did not say, so no field's value is shown.
    Unknown,
}

static FIELD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("(?i)pass|passwort|passwd|pwd|\\bpin\\b|secret|token|密码|口令|senha").ok());

/// Whether the answer is of a kind that shows values: a snapshot, a match in one, or the code of a fill.
pub fn may_show(text: &str) -> bool {
    text.contains("textbox") || text.contains(".fill(") || text.contains("pressSequentially(")
}

/// The values out of the answer to [`SCRIPT`].
pub fn read(text: &str) -> Vec<String> {
    let Some(start) = text.find('[') else { return Vec::new() };
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Vec<String>>();
    match values.next() {
        Some(Ok(found)) => found,
        _ => Vec::new(),
    }
}

/// The text without the secrets.
pub fn mask(text: &str, input: &Value, secrets: &[String], shown: Shown) -> String {
    let mut masked = text.to_owned();
    let typed = typed_into_password_fields(input);
    for secret in secrets.iter().chain(&typed).filter(|secret| !secret.is_empty()) {
        masked = mask_one(&masked, secret);
    }
    // Fields of frames that can't be asked: by their name.
    let fields = if shown == Shown::Known { &NAMED } else { &ANY };
    match fields.as_ref() {
        Some(fields) => fields.replace_all(&masked, format!("$1: {MASK}")).into_owned(),
        None => masked,
    }
}

fn mask_one(text: &str, secret: &str) -> String {
    // As JavaScript and as YAML would quote it, too.
    let quoted = secret.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.trim_matches('"');
    if secret.chars().count() >= LONG {
        return text.replace(secret, MASK).replace(&quoted, MASK).replace(json, MASK);
    }
    let mut masked = text.replace(&format!("'{quoted}'"), &format!("'{MASK}'"));
    masked = masked
        .lines()
        .map(|line| match line.rsplit_once(": ") {
            Some((head, value)) if head.contains("textbox") && value.trim_matches('"') == secret => {
                format!("{head}: {MASK}")
            }
            _ => line.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("\n");
    masked
}

/// What this very call typed into something that is called a password.
fn typed_into_password_fields(input: &Value) -> Vec<String> {
    let is_secret = |object: &Value| {
        ["element", "name"]
            .iter()
            .filter_map(|key| object.get(*key)?.as_str())
            .any(|name| FIELD.as_ref().is_some_and(|field| field.is_match(name)))
    };
    let mut typed = Vec::new();
    if is_secret(input) {
        typed.extend(input.get("text").and_then(Value::as_str).map(str::to_owned));
    }
    for field in input.get("fields").and_then(Value::as_array).into_iter().flatten() {
        if is_secret(field) {
            typed.extend(field.get("value").and_then(Value::as_str).map(str::to_owned));
        }
    }
    typed
}

#[cfg(test)]
mod tests;
