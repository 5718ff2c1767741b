//! Every key of a configuration file, as data: what it takes, what it is when nobody sets it, and how far a
//! folder that is not trusted may set it. The checks, `tah config` and `docs/configuration.md` are made of it.

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool,
    Text,
    /// A whole number, at least the given one.
    Number(u64),
    Texts,
    /// One of these words.
    Word(&'static [&'static str]),
    /// true, false, or a list of these words.
    SwitchOrWords(&'static [&'static str]),
    /// Any text under any name.
    TextMap,
    /// A group of keys.
    Group(&'static [Key]),
    /// A group of keys, or a bool for the key `enabled` in it.
    Switch(&'static [Key]),
    /// One server, or a map of named ones.
    Servers(&'static [Key]),
}

/// How far a folder that the user does not trust may set a key: it may only tighten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untrusted {
    Free,
    /// Only with this value.
    Only(bool),
    /// Only lower than it was.
    Lower,
    Never,
}

/// One key.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub untrusted: Untrusted,
    /// What it is when nobody sets it, for people; empty for nothing.
    pub default: &'static str,
    pub about: &'static str,
}

const fn key(
    name: &'static str,
    kind: Kind,
    untrusted: Untrusted,
    default: &'static str,
    about: &'static str,
) -> Key {
    Key { name, kind, untrusted, default, about }
}

use Kind::{Bool, Group, Number, Servers, Switch, SwitchOrWords, Text, TextMap, Texts, Word};
use Untrusted::{Free, Lower, Never, Only};

/// The names of the engines, as configuration and `--browser` have them.
pub const ENGINES: [&str; 3] = ["auto", "playwright", "native"];

/// The whole file.
pub static KEYS: &[Key] = &[
    key("model", Text, Never, "the provider's", "the model's name, as the provider has it"),
    key("baseUrl", Text, Never, "the provider's", "the address of a server with the OpenAI API"),
    key("contextWindow", Number(1_000), Never, "the catalog's", "tokens the model's window holds"),
    key("maxSteps", Number(1), Lower, "50", "model requests a turn makes at most"),
    key(
        "capabilities",
        Group(&[
            key("coding", Bool, Only(false), "true", "tools for files and commands"),
            key("web", Bool, Only(false), "as coding", "`web_fetch`, and the browser unless set apart"),
            key("browser", Switch(BROWSER), Never, "as web", "the browser: true, false or a group"),
            key("vision", Bool, Only(false), "the catalog's", "the model is shown screenshots"),
        ]),
        Never,
        "",
        "what tah can do",
    ),
    key(
        "permissions",
        Group(&[
            key("allow", Texts, Never, "", "calls that don't ask: `tool` or `tool(pattern)`"),
            key("ask", Texts, Free, "", "calls that always ask"),
            key("deny", Texts, Free, "", "calls that are refused"),
        ]),
        Never,
        "",
        "rules for approval; the last match wins, allow before ask before deny",
    ),
    key(
        "sandbox",
        Group(&[
            key("commands", Bool, Only(true), "true", "commands write only in the folder and temporary ones"),
            key("writable", Texts, Never, "", "further folders commands may write in"),
        ]),
        Never,
        "",
        "what commands may touch (Linux with Landlock)",
    ),
    key("addDirs", Texts, Never, "", "further folders the file tools see"),
    key(
        "allowPrivateAddresses",
        Bool,
        Only(false),
        "false",
        "`web_fetch` may reach this machine and network",
    ),
    key(
        "extensions",
        Group(&[key("mcp", Servers(SERVER), Never, "", "MCP servers by name, or one server")]),
        Never,
        "",
        "programs that bring tools",
    ),
];

static BROWSER: &[Key] = &[
    key("enabled", Bool, Only(false), "as web", "whether there is a browser at all"),
    key("engine", Word(&ENGINES), Never, "auto", "auto takes Playwright where it is installed"),
    key("executablePath", Text, Never, "the first found", "the browser to start"),
    key("headless", Bool, Never, "in `tah run`", "no window"),
    key("callTimeoutMs", Number(1_000), Never, "70000", "a call without an answer closes its tab"),
    key(
        "extras",
        SwitchOrWords(&["network"]),
        Never,
        "true",
        "native: hover, drag, upload, dialog and console too",
    ),
    key(
        "allowHosts",
        Texts,
        Never,
        "all",
        "native: where pages may be opened (`example.com`, `*.example.com`)",
    ),
    key("denyHosts", Texts, Free, "", "native: where nothing may be opened or loaded from"),
    key("allowRequestHosts", Texts, Never, "all", "native: where pages may load from"),
    key("denyRequestHosts", Texts, Free, "", "native: where pages may not load from"),
    key("privateHosts", Bool, Only(false), "true", "native: pages of this machine and network"),
    key("downloadDir", Text, Never, "your download folder", "native: where downloads may be saved"),
    key("authInline", Bool, Never, "false", "native: the model is given cookies themselves, not a file"),
    key(
        "playwright",
        Group(&[
            key(
                "command",
                Texts,
                Never,
                "node and the installed package",
                "the program and its first arguments",
            ),
            key("settleMs", Number(0), Never, "100", "the wait after an action"),
        ]),
        Never,
        "",
        "the Playwright engine",
    ),
];

static SERVER: &[Key] = &[
    key("command", Text, Never, "", "the program to start"),
    key("args", Texts, Never, "", "its arguments"),
    key("env", TextMap, Never, "", "variables set for it"),
    key("cwd", Text, Never, "the working folder", "where it runs"),
    key("url", Text, Never, "", "a server over HTTP, in place of a command"),
    key("headers", TextMap, Never, "", "headers sent to the url"),
    key("startTimeoutMs", Number(1), Never, "30000", "from its start to its first tool list"),
    key("callTimeoutMs", Number(1), Never, "60000", "one call without a sign of life"),
    key(
        "resultChars",
        Number(1_000),
        Never,
        "30000",
        "characters of a result the model gets; the whole is kept in `.tah/out`",
    ),
    key("maxLineBytes", Number(1_024), Never, "100663296", "the longest message"),
    key(
        "tools",
        Group(&[
            key("allow", Texts, Never, "all", "the only tools that are mounted"),
            key("deny", Texts, Never, "", "tools that are not mounted"),
        ]),
        Never,
        "",
        "which of its tools are mounted",
    ),
    key("required", Bool, Never, "false", "tah does not start without it"),
    key("roots", Bool, Never, "false", "tell it the working folder as its root"),
    key("enabled", Bool, Never, "true", "whether it is used"),
];

/// Every key that takes a value, with its whole path (`capabilities.browser.engine`), in the order of the table.
pub fn leaves() -> Vec<(String, &'static Key)> {
    let mut found = Vec::new();
    collect("", KEYS, &mut found);
    found
}

fn collect(above: &str, keys: &'static [Key], into: &mut Vec<(String, &'static Key)>) {
    for key in keys {
        let path = join(above, key.name);
        match key.kind {
            Group(below) | Switch(below) => collect(&path, below, into),
            Servers(below) => {
                into.push((path.clone(), key));
                collect(&format!("{path}.NAME"), below, into);
            }
            _ => into.push((path, key)),
        }
    }
}

/// `above.name`, or `name` at the top.
pub fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
}
