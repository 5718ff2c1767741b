//! A result as a model reads it, the agent's own or the one behind an MCP client: one JSON object within a number of
//! characters, and what a page wrote marked as such (R2).

use super::fit;
use serde_json::Value;
use tah_browser::registry::PageText;

/// Characters of a result a model gets, in all.
pub(crate) const RESULT_CHARS: usize = 30_000;

/// The result as text, `limit` characters at most beside the mark.
pub(crate) fn marked(result: Value, page_text: PageText, limit: usize) -> String {
    let url = result.get("url").and_then(Value::as_str).unwrap_or_default();
    let url = url.replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
    let text = fit::within(result, limit);
    match page_text {
        PageText::None => text,
        // `<\/` is the same string to a JSON parser, and no end of the mark to a model.
        PageText::Inside => format!("<page url=\"{url}\">\n{}\n</page>", text.replace("</", "<\\/")),
    }
}
