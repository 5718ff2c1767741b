//! `browser_execute`: the user's own JavaScript in the page's world, past its CSP.

use serde_json::{Value, json};

use crate::browser::Call;
use crate::cdp::{CdpError, wire};
use crate::chrome::Broken;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::page::{PageError, thrown_text};
use crate::settle;

/// Runs the script and makes its value JSON: cycles, nodes and functions are described.
const WRAP: &str = r#"async function(...given) {
  const value = await (async function() { BODY }).apply(globalThis, given);
  const seen = [];
  let left = 20000;
  const plain = (v, depth) => {
    if (left-- <= 0) return "[more]";
    if (v === null || typeof v === "string" || typeof v === "boolean") return v;
    if (typeof v === "number") return Number.isFinite(v) ? v : String(v);
    if (typeof v === "bigint") return String(v) + "n";
    if (typeof v === "undefined") return null;
    if (typeof v === "symbol") return String(v);
    if (typeof v === "function") return `[function ${v.name || "anonymous"}]`;
    if (seen.includes(v)) return "[circular]";
    if (depth > 30) return "[deep]";
    if (v instanceof Window) return "[window]";
    if (v instanceof Node) return v.nodeType === 1 ? v.cloneNode(false).outerHTML.slice(0, 300) : `[${v.nodeName}] ${(v.nodeValue || "").slice(0, 200)}`;
    if (v instanceof Date) return Number.isNaN(+v) ? "Invalid Date" : v.toISOString();
    if (v instanceof RegExp) return String(v);
    if (v instanceof Error) return String(v.stack || v);
    seen.push(v);
    try {
      if (Array.isArray(v) || v instanceof Set || v instanceof NodeList || v instanceof HTMLCollection || ArrayBuffer.isView(v))
        return Array.from(v.byteLength === undefined || v.length !== undefined ? v : [], (x) => plain(x, depth + 1));
      if (v instanceof Map) return Array.from(v, ([k, x]) => [plain(k, depth + 1), plain(x, depth + 1)]);
      if (typeof v.toJSON === "function") return plain(v.toJSON(), depth + 1);
      const out = {};
      for (const key of Object.keys(v)) {
        try { out[key] = plain(v[key], depth + 1); } catch (error) { out[key] = `[threw ${error}]`; }
      }
      return out;
    } finally {
      seen.pop();
    }
  };
  return { value: plain(value, 0), none: value === undefined };
}"#;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let script = call.text("script").unwrap_or_default().trim().trim_end_matches(';').to_owned();
    let args: Vec<Value> = call.args.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
    let tab = call.tab().await?;
    let watch = tab.watch();
    let statements = script
        .strip_prefix("return")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'));
    let as_body = format!("{script}\n;");
    let as_expression = format!("return (\n{script}\n)");
    let mut attempt = evaluate(&call, &tab, if statements { &as_body } else { &as_expression }, &args).await;
    if !statements && matches!(&attempt, Ok(Ran::Threw { text, syntax: Syntax::Wrong }) if !text.is_empty()) {
        // Not an expression: statements, perhaps with a return of their own.
        attempt = evaluate(&call, &tab, &as_body, &args).await;
    }
    let mut result = match attempt {
        Ok(Ran::Value(value)) => shown(value),
        Ok(Ran::Threw { text, .. }) => json!({"ok": false, "exception": text}),
        Err(PageError::Dialog(dialog)) => json!({
            "ok": false,
            "exception": format!("the script waits for a {} dialog: {:?}; answer it with browser_dialog", dialog.kind.as_str(), dialog.message),
        }),
        // The script went to another page, and took its own context with it.
        Err(PageError::Gone) => json!({"ok": true, "value": null}),
        Err(PageError::Busy(within)) => {
            let stopped = match tab.main_frame()?.call::<bool>("tick", (), limits::AFTER_TERMINATE).await {
                Err(PageError::Busy(_)) => match tab.break_loop().await {
                    Broken::Terminated => "it looped and was stopped",
                    Broken::Closed => "it could not be stopped, so its tab was closed",
                },
                _ => "what it waits for did not come",
            };
            return Err(BrowserError::new(
                Code::ExecuteTimeout,
                format!("the script did not end within {} s: {stopped}", within.as_secs()),
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let seen = watch.settle(settle::Ran::NotYet, call.left().min(limits::NEW_DOCUMENT)).await?;
    if let Some(url) = seen.url_changed {
        result["url"] = json!(url);
    }
    Ok(result)
}

enum Ran {
    Value(Value),
    Threw { text: String, syntax: Syntax },
}

#[derive(Clone, Copy)]
enum Syntax {
    Right,
    Wrong,
}

async fn evaluate(
    call: &Call,
    tab: &crate::chrome::Tab,
    body: &str,
    args: &[Value],
) -> Result<Ran, PageError> {
    let within = limits::LOOK.min(call.left());
    let (session, context) = tab.main_frame()?.main_world(within).await?;
    let command = wire::CallFunctionOn {
        function_declaration: WRAP.replacen("BODY", body, 1),
        unique_context_id: context.unique_id,
        arguments: args
            .iter()
            .map(|value| wire::CallArgument { value: Some(value.clone()), object_id: None })
            .collect(),
        return_by_value: Some(true),
        await_promise: Some(true),
        user_gesture: Some(true),
        ..Default::default()
    };
    let reply = match tab.chrome().unless_dialog(tab.id(), session.call_within(within, command)).await {
        // How the protocol says that a promise died with its page.
        Err(PageError::Cdp(CdpError::Refused { error, .. }))
            if error.message.contains("Promise was collected") =>
        {
            return Err(PageError::Gone);
        }
        other => other?,
    };
    Ok(match reply.exception_details {
        None => Ran::Value(reply.result.value.unwrap_or(Value::Null)),
        Some(details) => {
            let syntax = match details.exception.as_ref().and_then(|thrown| thrown.class_name.as_deref()) {
                Some("SyntaxError") => Syntax::Wrong,
                _ => Syntax::Right,
            };
            Ran::Threw { text: thrown_text(&details), syntax }
        }
    })
}

fn shown(mut wrapped: Value) -> Value {
    let value = wrapped["value"].take();
    let text = value.to_string();
    let length = text.chars().count();
    if length <= limits::EXECUTE_VALUE {
        if wrapped["none"] == Value::Bool(true) {
            return json!({"ok": true});
        }
        return json!({"ok": true, "value": value});
    }
    let kept: String = match &value {
        Value::String(text) => text.chars().take(limits::EXECUTE_VALUE).collect(),
        _ => text.chars().take(limits::EXECUTE_VALUE).collect(),
    };
    json!({"ok": true, "value": kept, "truncated": format!("{} more chars; return less", length - limits::EXECUTE_VALUE)})
}
