//! Lines in, answers out: piped turns, commands, cards at a terminal, Ctrl+C.

use serde_json::json;
use tah_tests::model::{self, ModelServer, say};
use tah_tests::pty::Pty;
use tah_tests::tah::World;

#[test]
fn a_pipe_of_prompts_is_worked_through_in_one_session() {
    let world = World::new();
    let server = ModelServer::script(vec![say("one"), say("two")]);
    let ran = world.tah_with(&server, &["chat", "--plain"]).stdin("first\n\nsecond\n").run();
    ran.expect_code(0);
    assert_eq!(ran.stdout, "one\ntwo\n");
    let second = &server.bodies()[1];
    let texts: Vec<&str> = second["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["content"].as_str())
        .collect();
    assert!(texts.contains(&"first") && texts.contains(&"one") && texts.contains(&"second"), "{texts:?}");
    assert_eq!(world.sessions().len(), 1);
    assert_eq!(server.faults(), Vec::<String>::new());
}

#[test]
fn without_a_terminal_lines_are_chosen_by_themselves() {
    let world = World::new();
    let ran = world.tah(&["chat", "--mock"]).stdin("hello\n").run();
    ran.expect_code(0);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{ran:?}");
    assert!(ran.stdout.contains("hello"), "{}", ran.stdout);
}

#[test]
fn commands_reset_resume_fork_and_exit() {
    let world = World::new();
    let server = ModelServer::start(|_, number| say(format!("answer {number}")));
    let lines = "first-prompt\n/reset\nsecond-prompt\n/sessions\n/resume 2\nthird-prompt\n/fork\nfourth-prompt\n/nosuch\n/exit\nnever\n";
    let ran = world.tah_with(&server, &["chat", "--plain"]).stdin(lines).run();
    ran.expect_code(0);
    assert_eq!(ran.stdout, "answer 0\nanswer 1\nanswer 2\nanswer 3\n");
    assert!(ran.stderr.contains("there is no command /nosuch"), "{}", ran.stderr);
    let bodies = server.bodies();
    assert!(!bodies[1].to_string().contains("first-prompt"), "a reset begins anew");
    assert!(
        bodies[2].to_string().contains("first-prompt") && !bodies[2].to_string().contains("second-prompt")
    );
    assert!(bodies[3].to_string().contains("third-prompt"), "a fork goes on from a copy");
    assert_eq!(world.sessions().len(), 3);
    let list = world.tah(&["sessions"]).run();
    assert_eq!(list.stdout.lines().count(), 3, "{}", list.stdout);
}

#[test]
fn what_asks_is_refused_in_a_pipe_and_the_exit_code_says_so() {
    let world = World::new();
    let write = model::call("write_file", json!({"path": "a.txt", "content": "x"}));
    let server = ModelServer::script(vec![write, say("could not")]);
    let ran = world.tah_with(&server, &["chat", "--plain"]).stdin("write\n").run();
    ran.expect_code(4);
    assert_eq!(ran.stdout, "could not\n");
    assert!(ran.stderr.contains("nobody is there to ask"), "{}", ran.stderr);
    assert!(!world.work().join("a.txt").exists());
}

#[test]
fn u5_a_card_at_a_terminal_takes_a_no_with_its_reason() {
    let world = World::new();
    let write = model::call("write_file", json!({"path": "a.txt", "content": "x"}));
    let server = ModelServer::script(vec![write, say("understood")]);
    let url = server.url();
    let variables = [("TAH_BASE_URL", url.as_str()), ("TAH_MODEL", "scripted")];
    let mut pty = Pty::start(&world, &["chat", "--plain"], &variables, 40, 120);
    pty.wait_for("> ");
    pty.send("write it\n");
    pty.wait_for("[y]es");
    pty.send("n use b.txt\n");
    pty.wait_for("understood");
    pty.send("/exit\n");
    assert_eq!(pty.finish(), 0);
    let result = model::last_result(&server.bodies()[1]);
    assert!(result.contains("denied by the user: use b.txt"), "{result}");
}

#[test]
fn ctrl_c_stops_the_turn_and_at_an_idle_prompt_exits() {
    let world = World::new();
    let server = ModelServer::start(|_, number| match number {
        0 => model::call("execute_command", json!({"command": "echo started; sleep 60"})),
        _ => say("again"),
    });
    let url = server.url();
    let variables = [("TAH_BASE_URL", url.as_str()), ("TAH_MODEL", "scripted")];
    let mut pty = Pty::start(&world, &["chat", "--plain", "--yes"], &variables, 40, 120);
    pty.wait_for("> ");
    pty.send("wait\n");
    tah_tests::wait::until("the command runs", std::time::Duration::from_secs(20), || {
        tah_tests::processes::holding(&world.mark())
            .iter()
            .any(|process| process.command.contains("sleep 60"))
    });
    pty.send("\u{3}");
    pty.wait_for("stopped");
    pty.send("go on\n");
    pty.wait_for("again");
    pty.send("\u{3}");
    assert_eq!(pty.finish(), 0);
    world.nothing_lives();
}

#[test]
fn sessions_are_shown_exported_and_deleted() {
    let world = World::new();
    let server = ModelServer::script(vec![say("the answer")]);
    world.tah_with(&server, &["run", "the question"]).run().expect_code(0);
    let shown = world.tah(&["sessions", "show", "1"]).run();
    assert!(shown.stdout.contains("the question") && shown.stdout.contains("the answer"), "{}", shown.stdout);
    let exported = world.tah(&["sessions", "export", "1", "--format", "json"]).run();
    let value: serde_json::Value = serde_json::from_str(&exported.stdout).unwrap();
    assert_eq!(value["messages"][0]["text"], "the question");
    world.tah(&["sessions", "delete", "1"]).run().expect_code(0);
    assert!(world.sessions().is_empty());
    world.tah(&["sessions", "show", "1"]).run().expect_code(1);
}
