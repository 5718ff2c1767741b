//! `tah run` at a terminal: what a card shows, and what yes, always and no with a reason do.

use serde_json::json;
use std::time::Duration;
use tah_tests::model::{self, ModelServer};
use tah_tests::pty::Pty;
use tah_tests::tah::World;
use tah_tests::wait;

/// Waits for the n-th question and gives the screen then.
fn question(pty: &Pty, number: usize) -> String {
    wait::until("the next question", Duration::from_secs(30), || {
        let screen = pty.screen();
        screen.matches("n and a reason:").count() == number && screen.trim_end().ends_with("reason:")
    });
    pty.screen()
}

#[test]
fn a3_yes_always_and_no_with_a_reason_at_a_terminal() {
    let world = World::new();
    world.file("a.txt", "alpha\n");
    let edit = |old: &str, new: &str| {
        let edits = json!([{"old": old, "new": new}]);
        model::call("edit_file", json!({"path": "a.txt", "edits": edits}))
    };
    let server = ModelServer::script(vec![
        edit("alpha", "beta"),
        model::call("execute_command", json!({"command": "git status --short"})),
        model::call("execute_command", json!({"command": "git status --branch"})),
        model::call("execute_command", json!({"command": "git push --force"})),
        model::say("Then I will not push."),
    ]);
    let variables = [("TAH_BASE_URL", server.url()), ("TAH_MODEL", "scripted".to_owned())];
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut pty = Pty::start(&world, &["run", "--browser", "off", "work"], &variables, 50, 160);

    let screen = question(&pty, 1);
    assert!(screen.contains("-alpha") && screen.contains("+beta"), "the card is a diff:\n{screen}");
    assert!(screen.contains("[a]lways (every edit_file in this session)"), "the scope is shown:\n{screen}");
    assert_eq!(std::fs::read_to_string(world.work().join("a.txt")).unwrap(), "alpha\n");
    pty.send("y\n");

    let screen = question(&pty, 2);
    assert_eq!(std::fs::read_to_string(world.work().join("a.txt")).unwrap(), "beta\n");
    assert!(screen.contains("$ git status --short"), "the command stands there whole:\n{screen}");
    assert!(screen.contains("[a]lways (execute_command of `git status …` in this session)"), "{screen}");
    pty.send("a\n");

    // The second `git status` does not ask; the push is no `git status` and does.
    let screen = question(&pty, 3);
    assert!(screen.contains("$ git push --force"), "{screen}");
    assert!(!screen.contains("$ git status --branch"), "always covers it:\n{screen}");
    pty.send("n not on a Friday\n");

    pty.wait_for("Then I will not push.");
    assert_eq!(pty.finish(), 4, "something was denied");
    assert!(model::last_result(&server.bodies()[4]).contains("not on a Friday"));
    assert_eq!(server.faults(), Vec::<String>::new());
    world.nothing_lives();
}
