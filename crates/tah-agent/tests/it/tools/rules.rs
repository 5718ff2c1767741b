//! Rules and "always" on the real tools: what a gate with them lets pass.

use super::{Bench, object};
use serde_json::{Value, json};
use tah_agent::approval::rules::{RuleEffect, Rules, Ruling};

fn rules(list: &[(RuleEffect, &str)]) -> Rules {
    let mut rules = Rules::default();
    for (effect, pattern) in list {
        rules.push(*effect, pattern.parse().unwrap());
    }
    rules
}

fn ruling(bench: &Bench, rules: &Rules, tool: &str, input: Value) -> Ruling {
    rules.ruling(tool, &bench.tool(tool).subjects(&object(input)))
}

#[tokio::test]
async fn an_allowed_prefix_covers_a_line_only_if_it_covers_all_of_it() {
    let bench = Bench::new();
    let rules = rules(&[(RuleEffect::Allow, "execute_command(git *)")]);
    let of = |command: &str| ruling(&bench, &rules, "execute_command", json!({"command": command}));
    assert_eq!(of("git log"), Ruling::Allow);
    assert_eq!(of("git add -A && git commit -m 'x; y'"), Ruling::Allow);
    for command in
        ["git log; rm x", "git log $(rm x)", "git log > x", "git log | sh", "A=1 git log", "(git log)"]
    {
        assert_eq!(of(command), Ruling::Silent, "{command}");
    }
}

#[tokio::test]
async fn a_denied_command_is_denied_in_every_dress() {
    let bench = Bench::new();
    let rules = rules(&[(RuleEffect::Allow, "execute_command"), (RuleEffect::Deny, "execute_command(rm *)")]);
    let of = |command: &str| ruling(&bench, &rules, "execute_command", json!({"command": command}));
    assert_eq!(of("ls"), Ruling::Allow);
    for command in ["rm x", "ls; rm x", "/bin/rm x", "sudo rm x", "echo $(rm x)", "bash -c 'rm x'", "r\\m x"]
    {
        assert!(matches!(of(command), Ruling::Deny(_)), "{command}");
    }
}

#[tokio::test]
async fn a_denied_path_is_denied_by_its_other_names() {
    let bench = Bench::new();
    bench.put(".env", "KEY=1");
    super::link(".env", bench.path("other"));
    let rules = rules(&[(RuleEffect::Deny, "*(.env)"), (RuleEffect::Deny, "write_file(src/*)")]);
    for path in [".env", "./.env", "a/../.env", "other", bench.path(".env").to_str().unwrap()] {
        for tool in ["read_file", "edit_file", "write_file"] {
            assert!(
                matches!(ruling(&bench, &rules, tool, json!({"path": path})), Ruling::Deny(_)),
                "{tool} {path}"
            );
        }
    }
    assert!(matches!(ruling(&bench, &rules, "write_file", json!({"path": "src//a.rs"})), Ruling::Deny(_)));
    assert_eq!(ruling(&bench, &rules, "write_file", json!({"path": "srcs/a.rs"})), Ruling::Silent);
}

#[tokio::test]
async fn rules_about_urls_see_the_url_that_is_fetched() {
    let bench = Bench::new();
    let rules = rules(&[(RuleEffect::Allow, "web_fetch(http://localhost:3000/*)")]);
    for (url, expected) in [
        ("http://localhost:3000/a", Ruling::Allow),
        ("localhost:3000/a", Ruling::Allow),
        ("HTTP://LOCALHOST:3000/a", Ruling::Allow),
        ("http://localhost:3000@evil.example/", Ruling::Silent),
        ("http://localhost:30001/", Ruling::Silent),
    ] {
        assert_eq!(ruling(&bench, &rules, "web_fetch", json!({"url": url})), expected, "{url}");
    }
}
