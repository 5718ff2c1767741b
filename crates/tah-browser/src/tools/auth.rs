//! `browser_auth`: cookies out of the browser and back. A model gets the path of a file only its owner can read, not the
//! cookies, unless the user wants it otherwise.

use serde_json::{Map, Value, json};

use crate::browser::{AuthCookies, Call, Caller};
use crate::cdp::wire;
use crate::error::{BrowserError, Code};

use super::landing;

const FILE: &str = "cookies.json";

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    match call.text("action") {
        Some("flush") => flush(&call).await,
        _ => restore(&call).await,
    }
}

async fn flush(call: &Call) -> Result<Value, BrowserError> {
    let cookies = call.chrome()?.browser().call(wire::GetCookies {}).await?.cookies;
    for cookie in &cookies {
        call.hide(cookie["value"].as_str().unwrap_or_default());
    }
    if call.caller == Caller::Program || call.options().auth == AuthCookies::Inline {
        return Ok(json!({ "cookies": cookies }));
    }
    if cookies.is_empty() {
        // B71: an empty state never replaces a good one.
        return Ok(json!({"count": 0, "note": "there are no cookies; nothing was written"}));
    }
    let failed = |error: std::io::Error| {
        BrowserError::new(Code::AuthFailed, format!("can't write the cookies: {error}"))
    };
    let folder = &call.options().output;
    tokio::fs::create_dir_all(folder).await.map_err(failed)?;
    let (path, fresh) = (folder.join(FILE), folder.join(format!("{FILE}.{:08x}", fastrand::u32(..))));
    let bytes = serde_json::to_vec_pretty(&cookies).unwrap_or_default();
    landing::write_private(&fresh, &bytes).await.map_err(failed)?;
    tokio::fs::rename(&fresh, &path).await.map_err(failed)?;
    Ok(json!({"path": path, "count": cookies.len()}))
}

async fn restore(call: &Call) -> Result<Value, BrowserError> {
    let given = match call.args.get("cookies") {
        Some(Value::Array(cookies)) => cookies.clone(),
        _ => {
            let path = call.options().output.join(FILE);
            let bytes = tokio::fs::read(&path).await.map_err(|error| {
                BrowserError::new(
                    Code::AuthFailed,
                    format!("no cookies given, and {} can't be read: {error}", path.display()),
                )
                .hint("flush writes that file")
            })?;
            serde_json::from_slice(&bytes).map_err(|error| {
                BrowserError::new(Code::AuthFailed, format!("{} holds no cookies: {error}", path.display()))
            })?
        }
    };
    let browser = call.chrome()?.browser();
    let (mut restored, mut failed) = (0, Vec::new());
    for cookie in &given {
        call.hide(cookie["value"].as_str().unwrap_or_default());
        let name = cookie["name"].as_str().unwrap_or("(without a name)").to_owned();
        let outcome = match parameter(cookie) {
            Ok(parameter) => {
                browser.call(wire::SetCookie { cookies: json!([parameter]) }).await.map_err(|e| e.to_string())
            }
            Err(why) => Err(why),
        };
        match outcome {
            Ok(_) => restored += 1,
            Err(error) => failed.push(json!({"name": name, "error": error})),
        }
    }
    let mut result = json!({ "restored": restored });
    if !failed.is_empty() {
        result["failed"] = json!(failed);
    }
    Ok(result)
}

/// A cookie as the protocol gives it, made into one as the protocol takes it.
fn parameter(cookie: &Value) -> Result<Value, String> {
    let map = cookie.as_object().ok_or("a cookie must be an object")?;
    let text = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
    if text("name").is_empty() && text("value").is_empty() {
        return Err(String::from("name and value are missing"));
    }
    let mut out = Map::new();
    for key in [
        "name",
        "value",
        "path",
        "secure",
        "httpOnly",
        "sameSite",
        "priority",
        "sourceScheme",
        "sourcePort",
        "partitionKey",
        "url",
    ] {
        if let Some(value) = map.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(expires) = map.get("expires").and_then(Value::as_f64).filter(|expires| *expires > 0.0) {
        out.insert(String::from("expires"), json!(expires));
    }
    let domain = text("domain");
    if domain.starts_with('.') {
        out.insert(String::from("domain"), json!(domain));
    } else if !domain.is_empty() {
        // Named by its domain it would be given to the subdomains too; an address keeps it to the host.
        let scheme = if map.get("secure") == Some(&Value::Bool(true)) { "https" } else { "http" };
        let path = if text("path").is_empty() { "/" } else { text("path") };
        out.insert(String::from("url"), json!(format!("{scheme}://{domain}{path}")));
    } else if !out.contains_key("url") {
        return Err(String::from("domain is missing"));
    }
    Ok(Value::Object(out))
}
