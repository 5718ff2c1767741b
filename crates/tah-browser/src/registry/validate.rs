//! Arguments against a tool's schema, with messages that name the argument (behaviour 75). Knows just the part of JSON
//! Schema that the table uses.

use serde_json::{Map, Value};

/// The arguments as they are used: checked, `null`s of optional arguments taken as absent.
pub fn validate(schema: &Value, args: Value) -> Result<Map<String, Value>, String> {
    let mut args = match args {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => return Err(format!("the arguments must be an object, not {}", kind(&other))),
    };
    args.retain(|_, value| !value.is_null());
    object("", schema, &args)?;
    Ok(args)
}

fn object(path: &str, schema: &Value, args: &Map<String, Value>) -> Result<(), String> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !args.contains_key(name) {
            return Err(format!("argument {} is missing", at(path, name)));
        }
    }
    for (name, value) in args {
        match (properties.get(name), schema.get("additionalProperties")) {
            (Some(schema), _) => check(&at(path, name), schema, value)?,
            (None, Some(each @ Value::Object(_))) => check(&at(path, name), each, value)?,
            (None, _) if properties.is_empty() && !path.is_empty() => {}
            (None, _) => {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                let known = if known.is_empty() { String::from("none") } else { known.join(", ") };
                return Err(format!("argument {} is unknown; there are: {known}", at(path, name)));
            }
        }
    }
    Ok(())
}

fn check(path: &str, schema: &Value, value: &Value) -> Result<(), String> {
    let allowed: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !allowed.is_empty() && !allowed.iter().any(|allowed| fits(allowed, value)) {
        return Err(format!("argument {path} must be {}, not {}", allowed.join(" or "), kind(value)));
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        let choices: Vec<String> = choices.iter().map(plain).collect();
        return Err(format!("argument {path} must be one of {}, not {}", choices.join(", "), plain(value)));
    }
    if let Some(number) = value.as_f64() {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        if bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").is_some_and(|most| number > most)
        {
            let (least, most) = (bound("minimum"), bound("maximum"));
            let range = match (least, most) {
                (Some(least), Some(most)) => format!("between {least} and {most}"),
                (Some(least), None) => format!("at least {least}"),
                (None, most) => format!("at most {}", most.unwrap_or_default()),
            };
            return Err(format!("argument {path} must be {range}, not {number}"));
        }
    }
    match value {
        Value::Object(map)
            if schema.get("properties").is_some() || schema.get("additionalProperties").is_some() =>
        {
            object(path, schema, map)
        }
        Value::Array(items) => {
            if let Some(most) = schema.get("maxItems").and_then(Value::as_u64)
                && items.len() as u64 > most
            {
                return Err(format!("argument {path} may have {most} entries at most, not {}", items.len()));
            }
            match schema.get("items") {
                Some(each) => items
                    .iter()
                    .enumerate()
                    .try_for_each(|(index, item)| check(&format!("{path}[{index}]"), each, item)),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn at(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn fits(allowed: &str, value: &Value) -> bool {
    match allowed {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
