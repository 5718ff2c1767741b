//! The pages of `docs/` that are made of tables in the code. A test fails when one is stale; run it with
//! `TAH_WRITE_DOCS=1` to write them anew.

use crate::config::keys::{self, Kind, Untrusted};
use crate::exit;

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

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the test reads and writes the repository's pages")]

    #[test]
    fn the_pages_are_as_the_tables() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for (name, text) in
            [("configuration.md", super::configuration()), ("exit-codes.md", super::exit_codes())]
        {
            let path = docs.join(name);
            if std::env::var_os("TAH_WRITE_DOCS").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let there = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(there, text, "docs/{name} is stale: run this test with TAH_WRITE_DOCS=1");
        }
    }
}
