//! A coding task from its prompt to a test that passes: look, read, edit, run, answer.

use serde_json::{Value, json};
use tah_agent::message::{Message, ReplyState};
use tah_agent::session::store::SessionStore;
use tah_tests::model::{self, ModelServer};
use tah_tests::tah::World;

const BROKEN: &str =
    "def middle(values):\n    ordered = sorted(values)\n    return ordered[len(ordered) // 2 - 1]\n";
const TEST: &str = "import unittest\nfrom stats import middle\n\n\nclass Middle(unittest.TestCase):\n    \
                    def test_odd(self):\n        self.assertEqual(middle([3, 1, 2]), 2)\n";
const RUN: &str = "python3 -B -m unittest -q test_stats";

/// What a model would do; each step looks at what the one before brought.
fn fixer(body: &Value, number: usize) -> model::Reply {
    let result = model::last_result(body);
    match number {
        0 => model::call("execute_command", json!({"command": RUN})),
        1 => {
            assert!(result.contains("FAILED") && result.contains("1 != 2"), "{result}");
            model::call("grep", json!({"pattern": "def middle"}))
        }
        2 => {
            assert!(result.contains("stats.py"), "{result}");
            model::call("read_file", json!({"path": "stats.py"}))
        }
        3 => {
            assert!(result.contains("// 2 - 1]"), "{result}");
            let edit = json!({"old": "len(ordered) // 2 - 1", "new": "len(ordered) // 2"});
            model::call("edit_file", json!({"path": "stats.py", "edits": [edit]}))
        }
        4 => model::call("execute_command", json!({"command": RUN})),
        _ => {
            assert!(result.contains("OK") && !result.contains("FAILED"), "{result}");
            model::say("The middle was one too far left; the test passes now.")
        }
    }
}

fn project() -> World {
    let world = World::new();
    world.file("stats.py", BROKEN);
    world.file("test_stats.py", TEST);
    world
}

#[test]
fn a_failing_test_is_fixed_from_one_prompt() {
    let world = project();
    let server = ModelServer::start(fixer);
    let ran = world.tah_with(&server, &["run", "--yes", "--json", "fix the failing test"]).run();
    ran.expect_code(0);
    assert_eq!(server.bodies().len(), 6, "{}", ran.stderr);
    assert_eq!(server.faults(), Vec::<String>::new());

    // the file, and nothing beside it
    let fixed = std::fs::read_to_string(world.work().join("stats.py")).unwrap();
    assert_eq!(fixed, BROKEN.replace("// 2 - 1]", "// 2]"));
    let mut names: Vec<String> = std::fs::read_dir(world.work())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".tah", "stats.py", "test_stats.py"]);

    // the events
    let events = ran.events();
    let ends: Vec<bool> = events
        .iter()
        .filter(|event| event["type"] == "tool.end")
        .map(|event| event["ok"].as_bool().unwrap())
        .collect();
    assert_eq!(ends.len(), 5, "{events:?}");
    assert!(ends[1..].iter().all(|ok| *ok), "{ends:?}");
    assert_eq!(events.last().unwrap()["reason"], "finished");

    // the session
    let id = events[0]["id"].as_str().unwrap();
    let stored = SessionStore::beneath(&world.work().join(".tah")).read(id).unwrap();
    let calls: Vec<&str> = stored
        .contents
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(calls, ["execute_command", "grep", "read_file", "edit_file", "execute_command"]);
    assert!(
        matches!(stored.contents.messages.last(), Some(Message::Assistant { state: ReplyState::Whole, text, .. })
            if text.contains("passes now"))
    );
    world.nothing_lives();
}
