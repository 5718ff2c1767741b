//! `${NAME}` and `${NAME:-default}` in a server's configuration, so that a key stands in the environment and not in
//! a file. `$${` is a plain `${`. Nothing else is special.

use crate::config::ConfigError;

/// `text` with variables put in; `at` is the key, for the error. `lookup` gives a variable's value.
pub fn expand(text: &str, at: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<String, ConfigError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if let Some(before) = rest[..start].strip_suffix('$') {
            out.push_str(before);
            out.push_str("${");
            rest = &rest[start + 2..];
            continue;
        }
        out.push_str(&rest[..start]);
        let Some(length) = rest[start + 2..].find('}') else {
            return Err(ConfigError::new(format!("{at}: a `${{` without its `}}`")));
        };
        let inside = &rest[start + 2..start + 2 + length];
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        match lookup(name).or_else(|| default.map(str::to_owned)) {
            Some(value) => out.push_str(&value),
            None => {
                return Err(ConfigError::new(format!("{at}: the variable {name} is not set"))
                    .hint(format!("set {name}, or write `${{{name}:-default}}`")));
            }
        }
        rest = &rest[start + 3 + length..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_key(text: &str) -> Result<String, ConfigError> {
        expand(text, "extensions.mcp.x.headers", |name| (name == "KEY").then(|| "secret".to_owned()))
    }

    #[test]
    fn variables_defaults_and_plain_dollars() {
        assert_eq!(with_key("Bearer ${KEY}!").unwrap(), "Bearer secret!");
        assert_eq!(with_key("${NONE:-a}${KEY:-b}").unwrap(), "asecret");
        assert_eq!(with_key("$KEY $${KEY} $$ }").unwrap(), "$KEY ${KEY} $$ }");
        let error = with_key("${NONE}").unwrap_err();
        assert_eq!(error.message, "extensions.mcp.x.headers: the variable NONE is not set");
        assert!(with_key("${KEY").is_err());
    }
}
