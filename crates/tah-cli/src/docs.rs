//! The pages of `docs/` that are made of tables in the code. A test fails when one is stale; run it with
//! `TAH_WRITE_DOCS=1` to write them anew.

use crate::config::keys::{self, Kind, Untrusted};
use crate::exit;
use serde_json::Value;
use std::sync::Arc;
use tah_agent::tool::Tool;
use tah_browser::registry;

/// `docs/configuration.md`.
pub fn configuration() -> String {
    let mut page = String::from(
        "# Configuration\n\n\
         Made from the table in `crates/tah-cli/src/config/keys.rs`.\n\n\
         Settings are put together from, each over the one before: built-in defaults, `~/.tah/config.json` (`TAH_HOME` \
         names another folder), `tah.config.json` of the working folder, the environment and `.env`, flags. Files are \
         JSON; comments and trailing commas are fine. An unknown key or a wrong type ends the start with exit code 2. \
         Lists of rules and folders add up, everything else is replaced. `tah config` prints what is in effect and \
         where it came from.\n\n\
         The files of a folder that you don't trust may only tighten, as the last column says; for the rest run \
         `tah trust` there, or give `--trust` for one run.\n\n\
         | key | takes | default | what it is | an untrusted folder may |\n| --- | --- | --- | --- | --- |\n",
    );
    for (path, key) in keys::leaves() {
        let may = match key.untrusted {
            Untrusted::Free => "set it".to_owned(),
            Untrusted::Only(value) => format!("set it to {value}"),
            Untrusted::Lower => "lower it".to_owned(),
            Untrusted::Never => "not set it".to_owned(),
        };
        let (takes, default) = (takes(key.kind), key.default);
        page.push_str(&format!("| `{path}` | {takes} | {default} | {} | {may} |\n", key.about));
    }
    page.push_str(
        "\nVariables of the environment, and of a trusted folder's `.env`: `DEEPSEEK_API_KEY`, `OPENAI_API_KEY`, \
         `OPENROUTER_API_KEY`, `TAH_API_KEY` (any other server), `TAH_MODEL`, `TAH_BASE_URL`, `OPENAI_BASE_URL`. Of the \
         environment alone: `TAH_HOME`, `TAH_LOG` (a log in `logs/` of tah's folder), `NO_COLOR`.\n",
    );
    page
}

fn takes(kind: Kind) -> String {
    match kind {
        Kind::Bool => "true or false".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::Number(least) => format!("a number from {least}"),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::Word(words) => words.join(", "),
        Kind::SwitchOrWords(words) => format!("true, false or a list of {}", words.join(", ")),
        Kind::TextMap => "an object of texts".to_owned(),
        Kind::Group(_) | Kind::Servers(_) => "an object".to_owned(),
        Kind::Switch(_) => "true, false or an object".to_owned(),
    }
}

/// `docs/exit-codes.md`.
pub fn exit_codes() -> String {
    let mut page = String::from(
        "# Exit codes\n\nMade from the table in `crates/tah-cli/src/exit.rs`. With `--json` the last line says the same \
         as `reason`.\n\n| code | meaning |\n| --- | --- |\n",
    );
    for (exit, meaning) in exit::TABLE {
        page.push_str(&format!("| {} | {meaning} |\n", exit.code()));
    }
    page
}

/// `docs/tools.md`: the agent's own tools, then those of the browser's native engine.
pub fn tools(own: &[Arc<dyn Tool>]) -> String {
    let mut page = String::from(
        "# Tools\n\nMade from the tools themselves. What the model is told of each, with its arguments (`*` must be \
         given).\n\n## Files, commands and the web\n\n| tool | arguments | what it does |\n| --- | --- | --- |\n",
    );
    for tool in own {
        page.push_str(&row(tool.name(), tool.schema(), tool.description()));
    }
    page.push_str(
        "\n## The browser, native engine\n\nThere from `browser_open` on; `tah mcp serve` gives them to other programs. \
         `browser_hover`, `browser_drag`, `browser_upload`, `browser_dialog` and `browser_console` can be switched off \
         (`capabilities.browser.extras`), `browser_network` is there only where it is named. The Playwright engine has \
         18 of Playwright MCP's own tools instead.\n\n| tool | arguments | what it does |\n| --- | --- | --- |\n",
    );
    for tool in registry::ROWS {
        page.push_str(&row(tool.name, tool.schema(), tool.description));
    }
    page
}

fn row(name: &str, schema: &Value, description: &str) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let arguments: Vec<String> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| format!("`{name}`{}", if required.contains(&name.as_str()) { "*" } else { "" }))
        .collect();
    let description = description.replace('|', "\\|").replace('\n', " ");
    format!("| `{name}` | {} | {description} |\n", arguments.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the test reads and writes the repository's pages")]

    use tah_agent::tools::{self, Setup, ShellSetup, WebSetup};
    use tah_os::path::Roots;
    use tah_os::process::Launcher;

    /// The tools as any machine has them: without a launcher nothing depends on its sandbox.
    fn own_tools() -> Vec<std::sync::Arc<dyn tah_agent::tool::Tool>> {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots::open(folder.path()).unwrap();
        let shell = ShellSetup::new(roots.clone(), Launcher::None);
        let web = Some(WebSetup { private: tools::PrivateHosts::Ask });
        tools::standard(&Setup { files: Some(roots), shell: Some(shell), web })
    }

    #[test]
    fn the_pages_are_as_the_tables() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for (name, text) in [
            ("configuration.md", super::configuration()),
            ("events.md", tah_agent::event::catalog::markdown()),
            ("exit-codes.md", super::exit_codes()),
            ("tools.md", super::tools(&own_tools())),
        ] {
            let path = docs.join(name);
            if std::env::var_os("TAH_WRITE_DOCS").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let there = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(there, text, "docs/{name} is stale: run this test with TAH_WRITE_DOCS=1");
        }
    }
}
