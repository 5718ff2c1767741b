//! One configuration file: JSON with comments, checked key by key (S1), laid out as values by their path.

use super::ConfigError;
use super::keys::{KEYS, Key, Kind, join};
use crate::limits;
use serde_json::{Map, Value};
use std::path::Path;
use tah_os::disk;

/// Values by their path, in the order of the file.
pub type Values = Vec<(String, Value)>;

/// Reads a file; nothing there is an empty one.
pub fn read(path: &Path) -> Result<Values, ConfigError> {
    let text =
        disk::read_text(path, limits::CONFIG_BYTES).map_err(|error| ConfigError::new(error.to_string()))?;
    match text {
        None => Ok(Vec::new()),
        Some(text) => parse(&text).map_err(|error| ConfigError {
            message: format!("{}: {}", path.display(), error.message),
            hint: error.hint,
        }),
    }
}

/// The values of a text.
pub fn parse(text: &str) -> Result<Values, ConfigError> {
    // A file that was only touched is an empty one; a byte order mark is what some editors leave.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let value: Value = jsonc_parser::parse_to_serde_value(text, &Default::default())
        .map_err(|error| ConfigError::new(error.to_string()))?;
    let mut values = Vec::new();
    match value {
        Value::Object(object) => group("", KEYS, object, &mut values)?,
        // A file of nothing but comments.
        Value::Null => {}
        other => return Err(wrong("the file", "an object", &other)),
    }
    Ok(values)
}

fn group(
    above: &str,
    keys: &'static [Key],
    object: Map<String, Value>,
    into: &mut Values,
) -> Result<(), ConfigError> {
    for (name, value) in object {
        if name == "$schema" && above.is_empty() {
            continue;
        }
        let Some(key) = keys.iter().find(|key| key.name == name) else {
            return Err(unknown(above, keys, &name));
        };
        take(join(above, key.name), key, value, into)?;
    }
    Ok(())
}

fn take(path: String, key: &'static Key, value: Value, into: &mut Values) -> Result<(), ConfigError> {
    match (key.kind, value) {
        (Kind::Group(below) | Kind::Switch(below), Value::Object(object)) => {
            if matches!(key.kind, Kind::Switch(_)) && !object.contains_key("enabled") {
                // A group that configures the browser wants one.
                into.push((join(&path, "enabled"), Value::Bool(true)));
            }
            group(&path, below, object, into)
        }
        (Kind::Switch(_), value @ Value::Bool(_)) => {
            into.push((join(&path, "enabled"), value));
            Ok(())
        }
        (Kind::Servers(below), Value::Object(object)) => servers(&path, below, object, into),
        (kind, value) => {
            check(&path, kind, &value)?;
            into.push((path, value));
            Ok(())
        }
    }
}

/// The seed's single object (a text `command` or `url` at the top) is a server named `mcp`.
fn servers(
    path: &str,
    keys: &'static [Key],
    object: Map<String, Value>,
    into: &mut Values,
) -> Result<(), ConfigError> {
    let single = ["command", "url"].iter().any(|name| object.get(*name).is_some_and(Value::is_string));
    let named: Vec<(String, Value)> =
        if single { vec![("mcp".to_owned(), Value::Object(object))] } else { object.into_iter().collect() };
    for (name, server) in named {
        let at = if single { path.to_owned() } else { join(path, &name) };
        let Value::Object(fields) = server else { return Err(wrong(&at, "an object", &server)) };
        let mut checked = Values::new();
        group(&at, keys, fields.clone(), &mut checked)?;
        if !fields.contains_key("command") && !fields.contains_key("url") {
            return Err(ConfigError::new(format!("{at}: neither `command` nor `url` is set")));
        }
        if fields.contains_key("command") && fields.contains_key("url") {
            return Err(ConfigError::new(format!("{at}: both `command` and `url` are set")));
        }
        // A server is taken or replaced as a whole: half of one file and half of another is nobody's.
        into.push((join(path, &name), Value::Object(fields)));
    }
    Ok(())
}

fn check(path: &str, kind: Kind, value: &Value) -> Result<(), ConfigError> {
    let texts = |list: &Vec<Value>| list.iter().all(Value::is_string);
    let (fits, wanted) = match kind {
        Kind::Bool => (value.is_boolean(), "true or false".to_owned()),
        Kind::Text => (value.as_str().is_some_and(|text| !text.is_empty()), "a text".to_owned()),
        Kind::Number(least) => {
            (value.as_u64().is_some_and(|n| n >= least), format!("a whole number from {least} on"))
        }
        Kind::Texts => (value.as_array().is_some_and(texts), "a list of texts".to_owned()),
        Kind::Word(words) => {
            (value.as_str().is_some_and(|text| words.contains(&text)), format!("one of {}", words.join(", ")))
        }
        Kind::SwitchOrWords(words) => (
            value.is_boolean()
                || value.as_array().is_some_and(|list| {
                    list.iter().all(|one| one.as_str().is_some_and(|text| words.contains(&text)))
                }),
            format!("true, false or a list of {}", words.join(", ")),
        ),
        Kind::TextMap => (
            value.as_object().is_some_and(|map| map.values().all(Value::is_string)),
            "an object of texts".to_owned(),
        ),
        Kind::Group(_) | Kind::Servers(_) => (false, "an object".to_owned()),
        Kind::Switch(_) => (false, "true, false or an object".to_owned()),
    };
    if fits { Ok(()) } else { Err(wrong(path, &wanted, value)) }
}

fn wrong(path: &str, wanted: &str, value: &Value) -> ConfigError {
    let found = match value {
        Value::Null => "null".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        // Never the text itself where it may be a key or an address with one.
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => format!("the text {:?}", tah_os::text::shorten(text, 40)),
        other => other.to_string(),
    };
    ConfigError::new(format!("{path}: expected {wanted}, found {found}"))
}

fn unknown(above: &str, keys: &'static [Key], name: &str) -> ConfigError {
    let error = ConfigError::new(format!("unknown key {}", join(above, name)));
    match tah_agent::tool::nearest(name, keys.iter().map(|key| key.name)) {
        Some(nearest) => error.hint(format!("did you mean `{}`?", join(above, nearest))),
        None => {
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            error.hint(format!("known here: {}", names.join(", ")))
        }
    }
}
