//! Passwords that stand in a page are no business of a model: Playwright prints the value of a password field in
//! its snapshots and echoes what was typed (P8a). The page is asked for the values, and they are masked.

/// What a masked value reads as.
pub const MASK: &str = "••••••";

/// Run in the page: the values of its password fields, through open shadow roots and frames of the same origin.
pub const ASK: &str = "() => { const found = []; const walk = root => { \
    for (const e of root.querySelectorAll('*')) { \
      if (e instanceof e.ownerDocument.defaultView.HTMLInputElement && e.type === 'password' && e.value) found.push(e.value); \
      if (e.shadowRoot) walk(e.shadowRoot); \
      if (e.tagName === 'IFRAME') { try { if (e.contentDocument) walk(e.contentDocument); } catch {} } } }; \
    walk(document); return JSON.stringify(found); }";

/// Words of a label behind which a secret is typed.
const LABELS: [&str; 9] = [
    "password",
    "passwort",
    "passphrase",
    "passcode",
    "mot de passe",
    "contraseña",
    "密码",
    "口令",
    "パスワード",
];

/// Below this many characters a secret is masked only where a field or a call shows it, not anywhere in a text.
const ANYWHERE_CHARS: usize = 6;

/// Whether a result may show the value of a field.
pub fn may_show(text: &str) -> bool {
    text.contains("textbox") || text.contains(".fill(") || text.contains("pressSequentially(")
}

/// The values in the answer of [`ASK`].
pub fn values(answer: &str) -> Vec<String> {
    let Some(line) = answer.lines().find(|line| line.starts_with('"')) else { return Vec::new() };
    let list: Option<Vec<String>> =
        serde_json::from_str::<String>(line).ok().and_then(|text| serde_json::from_str(&text).ok());
    list.unwrap_or_default()
}

/// The text with the secrets masked.
pub fn mask(text: &str, secrets: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        lines.push(mask_line(line, secrets));
    }
    let mut masked = lines.join("\n");
    for secret in secrets.iter().filter(|secret| secret.chars().count() >= ANYWHERE_CHARS) {
        masked = masked.replace(secret.as_str(), MASK);
        // As it stands in quoted YAML and in JavaScript.
        let quoted = secret.replace('\\', "\\\\").replace('"', "\\\"");
        masked = masked.replace(&quoted, MASK);
        masked = masked.replace(&secret.replace('\\', "\\\\").replace('\'', "\\'"), MASK);
    }
    masked
}

fn mask_line(line: &str, secrets: &[String]) -> String {
    let trimmed = line.trim_start();
    if trimmed.starts_with("- textbox") || trimmed.starts_with("textbox") {
        // `- textbox "Pass" [active] [ref=e31]: value`
        if let Some(at) = value_start(line) {
            let value = line[at..].trim().trim_matches(['"', '\'']);
            let head = line[..at].to_lowercase();
            let labelled = LABELS.iter().any(|label| head.contains(label));
            if !value.is_empty() && (labelled || secrets.iter().any(|secret| secret == value)) {
                return format!("{} {MASK}", line[..at].trim_end());
            }
        }
        return line.to_owned();
    }
    let mut masked = line.to_owned();
    for call in [".fill(", ".pressSequentially("] {
        let Some(at) = masked.find(call).map(|at| at + call.len()) else { continue };
        let labelled = LABELS.iter().any(|label| masked[..at].to_lowercase().contains(label));
        let quoted = |secret: &String| format!("'{}'", secret.replace('\\', "\\\\").replace('\'', "\\'"));
        let known = secrets.iter().any(|secret| masked[at..].starts_with(&quoted(secret)));
        if labelled || known {
            let end = masked[at..].rfind(')').map_or(masked.len(), |end| at + end);
            masked = format!("{}'{MASK}'{}", &masked[..at], &masked[end..]);
        }
    }
    masked
}

/// Where the value of a snapshot line begins: after the `: ` that follows its last `[…]` or its quoted name.
fn value_start(line: &str) -> Option<usize> {
    let after = line.rfind("]:").map(|at| at + 2).or_else(|| line.rfind("\":").map(|at| at + 2))?;
    Some(after)
}
