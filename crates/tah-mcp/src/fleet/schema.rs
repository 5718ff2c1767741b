//! Input schemas as strict providers take them (M8): an object at the root without unions, no references, no keywords
//! they refuse. What a union meant is said in words. The server still gets and checks what its own schema says.

use serde_json::{Map, Value, json};

/// How often a reference may lie within itself before the inner one accepts anything.
const REFERENCE_DEPTH: usize = 3;
/// Deepest nesting kept.
const DEPTH: usize = 24;
/// Most schema nodes written for one tool: references can multiply.
const NODES: usize = 4000;

/// A schema for the wire.
#[derive(Debug, PartialEq)]
pub(crate) struct Repaired {
    pub(crate) schema: Value,
    /// What had to be said in words, for the tool's description.
    pub(crate) remark: Option<String>,
}

/// Repairs a schema; an error says why the tool can't be offered.
pub(crate) fn repair(original: &Map<String, Value>) -> Result<Repaired, String> {
    let mut work = Work { root: original, nodes: 0, open: Vec::new() };
    let Value::Object(mut schema) = work.object(original, 0) else {
        return Err("its schema is no object".into());
    };
    if work.nodes > NODES {
        return Err(format!("its input schema has over {NODES} parts once its references are written out"));
    }
    if !root_takes_objects(schema.get("type")) {
        return Err("its input is no object".into());
    }
    let remark = hoist(&mut schema);
    schema.insert("type".into(), json!("object"));
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".into(), json!({}));
    }
    ease_required(&mut schema);
    Ok(Repaired { schema: Value::Object(schema), remark })
}

fn root_takes_objects(kind: Option<&Value>) -> bool {
    match kind {
        None => true,
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) => true,
    }
}

struct Work<'a> {
    root: &'a Map<String, Value>,
    nodes: usize,
    /// References being written out, outermost first.
    open: Vec<String>,
}

impl Work<'_> {
    fn schema(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::Object(schema) => self.object(schema, depth),
            // `true` takes anything; what `false` stood on was taken out before
            _ => json!({}),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        self.nodes += 1;
        if depth > DEPTH || self.nodes > NODES {
            return json!({});
        }
        let mut out = Map::new();
        if let Some(Value::String(reference)) = schema.get("$ref") {
            self.inline(reference, depth, &mut out);
        }
        for (key, value) in schema {
            let kept = match (&**key, value) {
                ("$ref" | "$schema" | "$id" | "$anchor" | "$comment" | "$defs" | "definitions", _) => {
                    continue;
                }
                ("format", Value::String(format)) if !KNOWN_FORMATS.contains(&&**format) => continue,
                ("const", value) => {
                    out.insert("enum".into(), json!([value]));
                    continue;
                }
                ("properties" | "patternProperties", Value::Object(inner)) => {
                    let inner = inner.iter().filter(|(_, schema)| **schema != Value::Bool(false));
                    Value::Object(
                        inner.map(|(name, schema)| (name.clone(), self.schema(schema, depth + 1))).collect(),
                    )
                }
                ("properties" | "patternProperties", _) => continue,
                ("items", Value::Array(inner))
                | ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(inner)) => {
                    Value::Array(inner.iter().map(|schema| self.schema(schema, depth + 1)).collect())
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", _) => continue,
                ("additionalProperties" | "unevaluatedProperties", Value::Bool(_)) => value.clone(),
                (
                    "items"
                    | "not"
                    | "if"
                    | "then"
                    | "else"
                    | "additionalProperties"
                    | "contains"
                    | "propertyNames",
                    inner,
                ) => self.schema(inner, depth + 1),
                ("required", Value::Array(names)) => {
                    Value::Array(names.iter().filter(|name| name.is_string()).cloned().collect())
                }
                ("required", _) => continue,
                _ => value.clone(),
            };
            out.insert(key.clone(), kept);
        }
        Value::Object(out)
    }

    /// Writes out a reference within the schema; any other is not followed, and then takes anything.
    fn inline(&mut self, reference: &str, depth: usize, out: &mut Map<String, Value>) {
        let target = match reference.strip_prefix('#') {
            Some("") => Some(self.root.clone()),
            Some(path) => pointer(self.root, path).and_then(Value::as_object).cloned(),
            None => None,
        };
        let inside = self.open.iter().filter(|open| *open == reference).count();
        let Some(target) = target.filter(|_| inside < REFERENCE_DEPTH) else { return };
        self.open.push(reference.to_owned());
        if let Value::Object(inlined) = self.object(&target, depth + 1) {
            out.extend(inlined);
        }
        self.open.pop();
    }
}

fn pointer<'a>(root: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let mut parts = path.strip_prefix('/')?.split('/').map(|part| part.replace("~1", "/").replace("~0", "~"));
    let first = root.get(&parts.next()?)?;
    parts.try_fold(first, |value, part| match value {
        Value::Object(inner) => inner.get(&part),
        Value::Array(inner) => inner.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The formats of the JSON schema standard that providers know.
const KNOWN_FORMATS: [&str; 9] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Takes unions off the root: their properties join it, and what they meant is put into words.
fn hoist(schema: &mut Map<String, Value>) -> Option<String> {
    let mut remarks = Vec::new();
    for key in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(parts)) = schema.remove(key) else { continue };
        let parts: Vec<Map<String, Value>> = parts
            .into_iter()
            .filter_map(|part| match part {
                Value::Object(part) => Some(part),
                _ => None,
            })
            .collect();
        let required: Vec<Vec<String>> = parts.iter().map(required_of).collect();
        for part in &parts {
            let Some(Value::Object(properties)) = part.get("properties") else { continue };
            let all = schema.entry("properties").or_insert_with(|| json!({}));
            if let Value::Object(all) = all {
                for (name, property) in properties {
                    all.entry(name.clone()).or_insert_with(|| property.clone());
                }
            }
        }
        if key == "allOf" {
            let mut names = required_of(schema);
            names.extend(required.into_iter().flatten());
            names.dedup();
            schema.insert("required".into(), json!(names));
        } else if parts.len() > 1 {
            let how = if key == "oneOf" { "exactly one" } else { "at least one" };
            let forms: Vec<String> =
                parts.iter().zip(&required).map(|(part, required)| form(part, required)).collect();
            remarks.push(format!("Give {how} of these groups of arguments: {}.", forms.join(" or ")));
        }
    }
    for key in ["enum", "not", "if", "then", "else", "dependentSchemas"] {
        if let Some(rule) = schema.remove(key) {
            remarks
                .push(format!("The arguments must also meet this JSON schema rule: {{\"{key}\": {rule}}}."));
        }
    }
    (!remarks.is_empty()).then(|| remarks.join(" "))
}

/// One form of a union in words: the arguments it needs, or may have where it needs none.
fn form(part: &Map<String, Value>, required: &[String]) -> String {
    if !required.is_empty() {
        return format!("({})", required.join(", "));
    }
    match part.get("properties") {
        Some(Value::Object(properties)) => {
            format!("({}, optional)", properties.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
        }
        _ => "(none)".into(),
    }
}

fn required_of(schema: &Map<String, Value>) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// A property with a default may be left out, whatever `required` says (Playwright lists them).
fn ease_required(schema: &mut Map<String, Value>) {
    let mut names = required_of(schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    names.retain(|name| {
        properties.and_then(|all| all.get(name)).is_some_and(|property| property.get("default").is_none())
    });
    if names.is_empty() {
        schema.remove("required");
    } else {
        schema.insert("required".into(), json!(names));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(schema: Value) -> (Value, Option<String>) {
        let repaired = repair(schema.as_object().unwrap()).unwrap();
        (repaired.schema, repaired.remark)
    }

    #[test]
    fn m8_a_bare_object_gets_its_parts() {
        let whole = json!({"type": "object", "properties": {}});
        assert_eq!(repaired(json!({"type": "object"})).0, whole);
        assert_eq!(repaired(json!({})).0, whole);
        assert_eq!(
            repaired(json!({"type": ["object", "null"], "properties": null, "required": "x"})).0,
            whole
        );
    }

    #[test]
    fn m8_unions_at_the_root_are_said_in_words() {
        let (schema, remark) = repaired(json!({"type": "object", "oneOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "number"}, "c": true}, "required": ["b", "c"]}]}));
        assert_eq!(
            schema,
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {}}})
        );
        assert_eq!(remark.unwrap(), "Give exactly one of these groups of arguments: (a) or (b, c).");
        let (schema, remark) = repaired(json!({"allOf": [
            {"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]}));
        assert_eq!(schema, json!({"properties": {"a": {}, "b": {}}, "required": ["a"], "type": "object"}));
        assert_eq!(remark, None);
        let (schema, remark) = repaired(json!({"properties": {"a": {}}, "not": {"required": ["a"]}}));
        assert_eq!(schema, json!({"properties": {"a": {}}, "type": "object"}));
        assert!(remark.unwrap().contains(r#"{"not": {"required":["a"]}}"#));
    }

    #[test]
    fn m8_references_are_written_out_to_a_depth() {
        let (schema, _) = repaired(json!({"type": "object", "$schema": "x", "$defs": {
                "point": {"type": "object", "properties": {"x": {"type": "number", "format": "double"}}},
                "tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}}},
            "properties": {
                "at": {"$ref": "#/$defs/point", "description": "where"},
                "when": {"type": "string", "format": "date"},
                "tree": {"$ref": "#/$defs/tree"}, "far": {"$ref": "https://x/y"}, "no": false}}));
        assert_eq!(
            schema["properties"]["at"],
            json!({"type": "object", "properties": {"x": {"type": "number"}}, "description": "where"})
        );
        assert_eq!(schema["properties"]["when"]["format"], "date");
        assert_eq!(schema["properties"]["far"], json!({}));
        assert_eq!(schema["properties"].get("no"), None);
        assert_eq!(schema.get("$defs"), None);
        let mut tree = &schema["properties"]["tree"];
        let mut depth = 0;
        while let Some(child) = tree["properties"].get("child") {
            (tree, depth) = (child, depth + 1);
        }
        assert_eq!(depth, REFERENCE_DEPTH);
        assert_eq!(tree, &json!({}));
    }

    #[test]
    fn m8_references_that_multiply_cost_only_their_tool() {
        let mut defs = Map::new();
        for level in 0..20 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), json!({"properties": {"a": next, "b": next}}));
        }
        let schema = json!({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/d0"}}});
        assert!(repair(schema.as_object().unwrap()).is_err());
        assert!(repair(json!({"type": "string"}).as_object().unwrap()).is_err());
    }

    #[test]
    fn m8_defaults_are_not_required() {
        let (schema, _) = repaired(json!({"type": "object", "required": ["a", "b", "gone", 5],
            "properties": {"a": {"type": "string"}, "b": {"default": 1}}}));
        assert_eq!(schema["required"], json!(["a"]));
        let (schema, _) = repaired(json!({"properties": {"kind": {"const": "x"}}}));
        assert_eq!(schema["properties"]["kind"], json!({"enum": ["x"]}));
    }
}
