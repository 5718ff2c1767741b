//! A JSON value within a number of characters: cut inside its fields, so that it stays valid JSON (P4).

use serde_json::Value;

/// What stands at the end of a string that was cut.
fn mark(more: usize) -> String {
    format!("[truncated: {more} more chars — use browser_find to search the page]")
}

/// The value as text. The longest strings are cut first, then the longest lists lose their ends.
pub(super) fn within(mut value: Value, limit: usize) -> String {
    // Each round takes the excess out of the largest field; a few are enough for any shape.
    for _ in 0..64 {
        let text = value.to_string();
        let count = text.chars().count();
        if count <= limit {
            return text;
        }
        if !shrink(&mut value, count - limit) {
            break;
        }
    }
    let text = value.to_string();
    if text.chars().count() <= limit {
        return text;
    }
    let kept: String = text.chars().take(limit / 2).collect();
    let more = text.chars().count() - limit / 2;
    serde_json::json!({"cut": kept, "truncated": mark(more)}).to_string()
}

/// Takes about `excess` characters out of the largest field. False if nothing is left to take.
fn shrink(value: &mut Value, excess: usize) -> bool {
    let room = mark(usize::MAX).chars().count();
    if let Some(Value::String(text)) = largest(value, &|one| match one {
        Value::String(text) => text.chars().count(),
        _ => 0,
    }) && text.chars().count() > 2 * room
    {
        let count = text.chars().count();
        let keep = count.saturating_sub(excess + room).max(room);
        let kept: String = text.chars().take(keep).collect();
        *text = format!("{kept}{}", mark(count - keep));
        return true;
    }
    let is_list = |one: &Value| match one {
        Value::Array(list) => list.len(),
        _ => 0,
    };
    if let Some(Value::Array(list)) = largest(value, &is_list)
        && list.len() > 1
    {
        let each = serde_json::to_string(list).map_or(1, |text| text.chars().count() / list.len()).max(1);
        let drop = (excess / each + 1).min(list.len() - 1);
        list.truncate(list.len() - drop);
        if let Some(object) = value.as_object_mut() {
            let before = object.get("leftOut").and_then(Value::as_u64).unwrap_or(0);
            object.insert("leftOut".to_owned(), (before + drop as u64).into());
            object.insert("truncated".to_owned(), true.into());
        }
        return true;
    }
    false
}

/// The field with the largest measure, wherever it is.
fn largest<'a>(value: &'a mut Value, measure: &dyn Fn(&Value) -> usize) -> Option<&'a mut Value> {
    fn best(value: &Value, measure: &dyn Fn(&Value) -> usize) -> usize {
        let own = measure(value);
        let below = match value {
            Value::Array(list) => list.iter().map(|one| best(one, measure)).max(),
            Value::Object(map) => map.values().map(|one| best(one, measure)).max(),
            _ => None,
        };
        own.max(below.unwrap_or(0))
    }
    let most = best(value, measure);
    if most == 0 {
        return None;
    }
    let mut at = value;
    while measure(at) != most {
        at = match at {
            Value::Array(list) => list.iter_mut().find(|one| best(one, measure) == most)?,
            Value::Object(map) => map.values_mut().find(|one| best(one, measure) == most)?,
            _ => return None,
        };
    }
    Some(at)
}

#[cfg(test)]
mod tests;
