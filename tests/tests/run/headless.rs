//! How `tah run` starts and ends: stdin, settings, the mock model, exit codes.

use serde_json::json;
use std::time::{Duration, Instant};
use tah_tests::model::{self, ModelServer};
use tah_tests::tah::World;

#[test]
fn mock_works_offline_without_a_key_and_without_a_browser() {
    let world = World::new();
    world.file("README.md", "# Teapot\n\nA small kettle of tea.\n");
    world.file("src/main.rs", "fn main() {}\n");
    let ran = world.tah(&["run", "--mock", "describe this folder"]).run();
    ran.expect_code(0);
    assert!(ran.stdout.contains("Teapot"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("browser=on"), "{}", ran.stderr);
    assert!(!ran.stdout.contains('\x1b'), "{:?}", ran.stdout);
}

#[test]
fn mock_answers_in_the_prompts_language() {
    let world = World::new();
    world.file("README.md", "# Teapot\n");
    let ran = world.tah(&["run", "--mock", "介绍一下这个文件夹"]).run();
    ran.expect_code(0);
    assert!(ran.stdout.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{}", ran.stdout);
}

#[test]
fn without_a_key_it_says_in_one_line_which_variables_to_set() {
    let world = World::new();
    let ran = world.tah(&["run", "hi"]).run();
    ran.expect_code(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("DEEPSEEK_API_KEY"), "{}", ran.stderr);
    assert!(ran.stderr.contains("OPENAI_API_KEY"), "{}", ran.stderr);
}

#[test]
fn h1_a_prompt_argument_never_reads_stdin() {
    let world = World::new();
    let began = Instant::now();
    world.tah(&["run", "hi", "--mock"]).stdin_left_open().run().expect_code(0);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn h1_a_dash_or_no_prompt_reads_the_pipe() {
    let world = World::new();
    let server = ModelServer::start(|body, _| {
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let last = messages.last().cloned().unwrap_or_default();
        model::say(format!("you said {}", last["content"]))
    });
    for args in [&["run", "-"][..], &["run"][..]] {
        let ran = world.tah_with(&server, args).stdin("hello from a pipe\n").run();
        ran.expect_code(0);
        assert!(ran.stdout.contains("hello from a pipe"), "{}", ran.stdout);
    }
    let ran = world.tah_with(&server, &["run", "the argument"]).stdin("the pipe").run();
    assert!(ran.stdout.contains("the argument") && !ran.stdout.contains("the pipe"), "{}", ran.stdout);
    world.tah_with(&server, &["run", "-"]).stdin("  \n").run().expect_code(2);
}

#[test]
fn h1_a_prompt_that_is_not_utf8_is_a_clear_error() {
    let world = World::new();
    let ran = world.tah(&["run", "-", "--mock"]).stdin(vec![0xff, 0xfe, 0x00, 0x80]).run();
    ran.expect_code(2);
    assert!(ran.stderr.contains("UTF-8"), "{}", ran.stderr);
}

#[test]
fn stdout_is_exactly_the_answer() {
    let world = World::new();
    world.file("a.txt", "alpha\n");
    let server = ModelServer::script(vec![
        model::Reply::Stream(model::Streamed {
            text: "Let me look.".to_owned(),
            calls: vec![("read_file".to_owned(), json!({"path": "a.txt"}))],
            ..Default::default()
        }),
        model::say("It says alpha. 你好🎉"),
    ]);
    let ran = world.tah_with(&server, &["run", "what is in a.txt?"]).run();
    ran.expect_code(0);
    assert_eq!(ran.stdout, "It says alpha. 你好🎉\n");
    assert!(ran.stderr.contains("Let me look."), "text between calls goes to stderr: {}", ran.stderr);
    assert!(model::last_result(&server.bodies()[1]).contains("alpha"));
    assert_eq!(server.faults(), Vec::<String>::new());
}

#[test]
fn json_is_one_event_a_line_and_ends_with_the_reason() {
    let world = World::new();
    world.file("a.txt", "alpha\n");
    let script = || vec![model::call("read_file", json!({"path": "a.txt"})), model::say("alpha")];
    let server = ModelServer::script(script());
    let ran = world.tah_with(&server, &["run", "--json", "read"]).run();
    ran.expect_code(0);
    let events = ran.events();
    assert_eq!(events[0]["type"], "session");
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    for kind in ["user", "tool.start", "tool.end", "text", "usage", "turn.end"] {
        assert!(kinds.contains(&kind), "{kind} is missing of {kinds:?}");
    }
    assert_eq!(events.last().unwrap()["reason"], "finished");
    let start = events.iter().find(|event| event["type"] == "tool.start").unwrap();
    let end = events.iter().find(|event| event["type"] == "tool.end").unwrap();
    assert_eq!(start["callId"], end["callId"]);
    assert_eq!(end["ok"], true);
}

#[test]
fn h2_a_denied_tool_ends_with_4_and_says_so() {
    let world = World::new();
    let server = ModelServer::script(vec![
        model::call("write_file", json!({"path": "new.txt", "content": "x"})),
        model::say("I was not allowed to."),
    ]);
    let ran = world.tah_with(&server, &["run", "write"]).run();
    ran.expect_code(4);
    assert!(ran.stderr.contains("write_file"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "I was not allowed to.\n");
    assert!(!world.work().join("new.txt").exists());
    let server = ModelServer::script(vec![
        model::call("write_file", json!({"path": "new.txt", "content": "x"})),
        model::say("done"),
    ]);
    world.tah_with(&server, &["run", "--yes", "write"]).run().expect_code(0);
    assert_eq!(std::fs::read_to_string(world.work().join("new.txt")).unwrap(), "x");
}

#[test]
fn h2_the_step_limit_ends_with_3_and_can_go_on() {
    let world = World::new();
    let server = ModelServer::start(|_, number| {
        if number < 4 { model::call("list_files", json!({})) } else { model::say("there") }
    });
    let ran = world.tah_with(&server, &["run", "--max-steps", "3", "walk"]).run();
    ran.expect_code(3);
    assert!(ran.stderr.contains("stopped after 3 steps; --continue goes on"), "{}", ran.stderr);
    let ran = world.tah_with(&server, &["run", "--continue", "go on"]).run();
    ran.expect_code(0);
    assert_eq!(ran.stdout, "there\n");
    assert_eq!(server.faults(), Vec::<String>::new());
}

#[test]
fn h2_a_provider_that_fails_ends_with_1_and_an_empty_stdout() {
    let world = World::new();
    let server = ModelServer::start(|_, _| model::refuse(400, "the model is on strike"));
    let ran = world.tah_with(&server, &["run", "hi"]).run();
    ran.expect_code(1);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("the model is on strike"), "{}", ran.stderr);
    let ran = world.tah_with(&server, &["run", "--json", "hi"]).run();
    ran.expect_code(1);
    assert_eq!(ran.events().last().unwrap()["reason"], "failed");
}

#[test]
fn h2_an_answer_that_was_cut_ends_with_5() {
    let world = World::new();
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"half an ans\"}}]}\n\n\
                data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    let server = ModelServer::start(move |_, _| model::Reply::Raw {
        status: 200,
        content_type: "text/event-stream".to_owned(),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    });
    let ran = world.tah_with(&server, &["run", "hi"]).run();
    ran.expect_code(5);
    assert_eq!(ran.stdout, "half an ans\n");
    assert!(ran.stderr.contains("the answer was cut off"), "{}", ran.stderr);
}

#[test]
fn s6_a_stream_that_stops_without_an_end_is_said_to_be_cut() {
    let world = World::new();
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"half an ans\"}}]}\n\n";
    let server = ModelServer::start(move |_, _| model::Reply::Raw {
        status: 200,
        content_type: "text/event-stream".to_owned(),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    });
    let ran = world.tah_with(&server, &["run", "--quiet", "hi"]).run();
    ran.expect_code(5);
    assert_eq!(ran.stdout, "half an ans\n");
    assert_eq!(ran.stderr, "warning: the answer was cut off\n");
}

#[test]
fn h2_bad_usage_ends_with_2() {
    let world = World::new();
    for args in [
        &["run", "--no-such-flag"][..],
        &["run", "--mock", "--cwd", "/no/such/folder", "hi"],
        &["run", "--mock", "--max-steps", "0", "hi"],
        &["run", "--mock", "--allow", "(((", "hi"],
        &["run", "--mock", "--session", "nothing", "hi"],
        &["nonsense"],
    ] {
        let ran = world.tah(args).run();
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_session_is_kept_listed_and_gone_on_with() {
    let world = World::new();
    let server = ModelServer::start(|body, _| {
        let count = body["messages"].as_array().map_or(0, Vec::len);
        model::say(format!("{count} messages"))
    });
    world.tah_with(&server, &["run", "remember the teapot"]).run().expect_code(0);
    let path = world.sessions().pop().expect("a session file");
    let id = path.file_stem().unwrap().to_str().unwrap().rsplit('-').next().unwrap().to_owned();
    let ran = world.tah(&["sessions"]).run();
    assert!(ran.stdout.contains(&id) && ran.stdout.contains("remember the teapot"), "{}", ran.stdout);
    let ran = world.tah_with(&server, &["run", "--session", &id, "and now?"]).run();
    assert_eq!(ran.stdout, "4 messages\n", "system, prompt, answer, prompt");
    assert_eq!(world.sessions().len(), 1);
    let ran = world.tah_with(&server, &["run", "--no-persist", "secret"]).run();
    ran.expect_code(0);
    assert_eq!(world.sessions().len(), 1);
}

#[test]
fn the_key_goes_only_where_the_user_sent_it() {
    let world = World::new();
    let server = ModelServer::script(vec![model::say("hi")]);
    world.file("tah.config.json", json!({"baseUrl": server.url()}).to_string());
    world.file(".env", format!("OPENAI_BASE_URL={}\n", server.url()));
    let ran = world.tah(&["run", "hi"]).env("OPENAI_API_KEY", "sk-secret").run();
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("trust"), "{}", ran.stderr);
    assert_eq!(server.bodies().len(), 0, "an untrusted folder may not choose where the key is sent");
}
