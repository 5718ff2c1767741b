//! MCP servers inside `tah run`, asked by a scripted model.

use crate::servers;
use serde_json::{Value, json};
use tah_tests::model::{ModelServer, call, calls, last_result, say, tool_names};
use tah_tests::processes;
use tah_tests::tah::World;

#[test]
fn bp_m8_the_seeds_single_object_and_a_flag() {
    let world = World::new();
    world.config(&json!({"extensions": {"mcp": servers::faulty(&["banner"])}}));
    let model = ModelServer::script(vec![call("mcp__echo", json!({"text": "读取"})), say("done")]);
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "done\n"), "{ran:?}");
    assert_eq!(last_result(&model.bodies()[1]), "读取");
    assert!(ran.stderr.contains("no messages"), "the banner is a notice: {ran:?}");
    let script = tah_tests::workspace().join("crates/tah-mcp/tests/it/faults.py");
    let other = World::new();
    let model = ModelServer::script(vec![call("mcp__echo", json!({"text": "by flag"})), say("done")]);
    let args = ["run", "--yes", "--mcp", "python3", "--mcp-arg", script.to_str().unwrap(), "go"];
    let ran = other.tah_with(&model, &args).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(last_result(&model.bodies()[1]), "by flag");
    world.nothing_lives();
    other.nothing_lives();
}

#[test]
fn bp_m6_several_servers_legal_names_and_no_bad_schema() {
    let world = World::new();
    world.config(&json!({"extensions": {"mcp": {
        "one": servers::faulty(&[]),
        "two": servers::faulty(&[]),
        "dead": servers::faulty(&["dies-at-start"]),
    }}}));
    let both = calls(&[("one__say_it", json!({"text": "1"})), ("two__echo", json!({"text": "2"}))]);
    let mut first = true;
    let model = ModelServer::start(move |body, _| {
        let names = tool_names(body);
        // optional servers join when they are ready
        if first && names.contains(&"one__echo".to_owned()) && names.contains(&"two__echo".to_owned()) {
            first = false;
            return both.clone();
        }
        if first { call("list_files", json!({})) } else { say("done") }
    });
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "done\n"), "{ran:?}");
    let last = model.bodies().pop().unwrap();
    let results: Vec<&str> = last["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert!(results.ends_with(&["1", "2"]), "{results:?}");
    for name in model.tool_names().concat() {
        assert!(
            name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'),
            "{name}"
        );
    }
    for tool in last["tools"].as_array().unwrap() {
        assert_eq!(tool["function"]["parameters"]["type"], "object", "{tool}");
    }
    // M3, M8: the dead server and the unusable tool are notices
    assert!(ran.stderr.contains("no module named sqlite") && ran.stderr.contains("array-input"), "{ran:?}");
    world.nothing_lives();
}

#[test]
fn a1_a_call_without_anybody_to_ask_is_refused() {
    let world = World::new();
    let mut server = servers::faulty(&[]);
    server["required"] = json!(true);
    world.config(&json!({"extensions": {"mcp": {"one": server}}}));
    let model = ModelServer::script(vec![call("one__echo", json!({"text": "x"})), say("refused then")]);
    let ran = world.tah_with(&model, &["run", "go"]).run();
    assert_eq!(ran.code, 4, "{ran:?}");
    let model = ModelServer::script(vec![call("one__echo", json!({"text": "x"})), say("done")]);
    let ran = world.tah_with(&model, &["run", "--allow", "one__echo", "go"]).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(last_result(&model.bodies()[1]), "x");
}

#[test]
fn m4_a_server_that_dies_is_an_error_and_then_back() {
    let world = World::new();
    let mut server = servers::faulty(&[]);
    server["required"] = json!(true);
    world.config(&json!({"extensions": {"mcp": {"one": server}}}));
    let model = ModelServer::script(vec![
        call("one__exit", json!({})),
        call("one__echo", json!({"text": "back"})),
        say("done"),
    ]);
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    let bodies = model.bodies();
    assert!(
        last_result(&bodies[1]).contains("exited with status 7\nout of memory"),
        "{}",
        last_result(&bodies[1])
    );
    assert_eq!(last_result(&bodies[2]), "back");
    assert!(ran.stderr.contains("it is started again"), "{ran:?}");
    world.nothing_lives();
}

#[test]
fn m12_a_twenty_megabyte_result_is_cut_and_kept_whole() {
    let world = World::new();
    let mut server = servers::faulty(&[]);
    server["required"] = json!(true);
    world.config(&json!({"extensions": {"mcp": {"one": server}}}));
    let read = json!({"path": ".tah/out/mcp-one__echo.txt", "offset": 1, "limit": 1});
    let model = ModelServer::script(vec![
        call("one__echo", json!({"text": "first line\nmiddle", "repeat": 1_500_000})),
        call("read_file", read),
        say("done"),
    ]);
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    let bodies = model.bodies();
    let result = last_result(&bodies[1]);
    assert!(result.chars().count() < 31_000, "{}", result.len());
    assert!(
        result.contains("characters left out here; the whole is in .tah/out/mcp-one__echo.txt"),
        "{}",
        &result[..200]
    );
    assert!(last_result(&bodies[2]).contains("first line"), "{}", last_result(&bodies[2]));
    let kept = std::fs::metadata(world.work().join(".tah/out/mcp-one__echo.txt")).unwrap();
    assert!(kept.len() > 20_000_000, "{}", kept.len());
}

#[test]
fn many_tools_are_loaded_when_asked_for() {
    let world = World::new();
    let mut server = servers::faulty(&["many-tools"]);
    server["required"] = json!(true);
    world.config(&json!({"extensions": {"mcp": {"big": server}}}));
    let model = ModelServer::script(vec![
        call("tool_search", json!({"query": "big__tool77"})),
        call("big__tool77", json!({"text": "found"})),
        say("done"),
    ]);
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    let names = model.tool_names();
    assert!(
        names[0].contains(&"tool_search".to_owned())
            && !names[0].iter().any(|name| name.starts_with("big__"))
    );
    assert_eq!(names[1].len(), names[0].len() + 1);
    assert!(names[1].contains(&"big__tool77".to_owned()), "{names:?}");
    assert_eq!(last_result(&model.bodies()[2]), "found");
}

#[test]
fn bp_o4_what_a_search_mounts_stands_behind_the_door_and_changes_nothing_before_it() {
    let world = World::new();
    let mut server = servers::faulty(&["many-tools"]);
    server["required"] = json!(true);
    world.config(&json!({"extensions": {"mcp": {"big": server}}}));
    let model = ModelServer::script(vec![
        call("tool_search", json!({"query": "big__tool77"})),
        call("tool_search", json!({"query": "big__tool5, big__tool6"})),
        say("done"),
    ]);
    world.tah_with(&model, &["run", "--yes", "--browser", "native", "go"]).run().expect_code(0);
    let bodies = model.bodies();
    assert_eq!(tool_names(&bodies[0]).last().unwrap(), "browser_open");
    // To the letter, descriptions too: a provider's cache holds what the request begins with.
    for pair in bodies.windows(2) {
        let (before, after) = (pair[0]["tools"].as_array().unwrap(), pair[1]["tools"].as_array().unwrap());
        assert_eq!(after[..before.len()], before[..]);
        assert_eq!(pair[0]["messages"][0], pair[1]["messages"][0]);
    }
    assert!(
        tool_names(&bodies[2]).ends_with(&["big__tool77", "big__tool5", "big__tool6"].map(str::to_owned))
    );
}

#[test]
fn m3_a_server_that_was_not_there_at_the_start_joins_later() {
    let world = World::new();
    let marker = world.home().join("tried").display().to_string();
    world.config(&json!({"extensions": {"mcp": {"late": servers::faulty(&["fails-once", &marker])}}}));
    let model = ModelServer::start(|body, number| {
        if tool_names(body).contains(&"late__echo".to_owned()) {
            return if last_result(body) == "here" {
                say("done")
            } else {
                call("late__echo", json!({"text": "here"}))
            };
        }
        assert!(number < 30, "it never joined");
        call("execute_command", json!({"command": "sleep 0.5"}))
    });
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "done\n"), "{ran:?}");
    assert!(ran.stderr.contains("not yet") && ran.stderr.contains("late is there now"), "{ran:?}");
    assert_eq!(ran.stderr.matches("not yet").count(), 1, "{ran:?}");
    world.nothing_lives();
}

#[test]
fn bp_p7_a_killed_tah_leaves_no_server() {
    let world = World::new();
    let mut server = servers::faulty(&["ignores-term"]);
    server["required"] = json!(true);
    world.config(&json!({"extensions": {"mcp": {"one": server}}}));
    for signal in [rustix::process::Signal::KILL, rustix::process::Signal::TERM] {
        let model = ModelServer::script(vec![call("one__hang", json!({})), say("never")]);
        let running = world.tah_with(&model, &["run", "--yes", "go"]).spawn();
        tah_tests::wait::until("the call is under way", std::time::Duration::from_secs(30), || {
            !model.bodies().is_empty()
                && processes::holding(&world.mark())
                    .iter()
                    .any(|process| process.command.contains("faults.py"))
        });
        processes::signal(running.pid(), signal);
        let ran = running.finish();
        assert!(ran.code > 128, "{ran:?}");
        world.nothing_lives();
    }
}

#[test]
fn m11_an_image_is_omitted_without_vision() {
    let world = World::new();
    let mut server = servers::node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"]);
    server["required"] = json!(true);
    server["tools"] = json!({"allow": ["get-tiny-image"]});
    world.config(&json!({"extensions": {"mcp": {"all": server}}}));
    let model = ModelServer::script(vec![call("all__get-tiny-image", json!({})), say("done")]);
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(last_result(&model.bodies()[1]).contains("[image omitted]"));
    let mounted: Vec<String> = model.tool_names().remove(0);
    let of_server: Vec<&String> = mounted.iter().filter(|name| name.starts_with("all__")).collect();
    assert_eq!(of_server, ["all__get-tiny-image"]);
    let body: Value = model.bodies().remove(1);
    assert!(!body.to_string().contains("iVBOR"), "no picture is sent to a model that can't see it");
    world.nothing_lives();
}

#[test]
fn bp_m7_every_public_server_answers_in_a_run() {
    let world = World::new();
    let git = std::process::Command::new("git").args(["init", "-q"]).arg(world.work()).status().unwrap();
    assert!(git.success());
    world.file("a.txt", "inside");
    let mut config = servers::public(&world.work());
    for (_, server) in config["extensions"]["mcp"].as_object_mut().unwrap() {
        server["required"] = json!(true);
    }
    world.config(&config);
    let path = world.work().display().to_string();
    let wanted = [
        ("everything__echo", json!({"message": "hi"}), "Echo: hi"),
        ("files__read_text_file", json!({"path": format!("{path}/a.txt")}), "inside"),
        ("memory__read_graph", json!({}), "entities"),
        (
            "thinking__sequentialthinking",
            json!({"thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}),
            "thoughtNumber",
        ),
        ("git__git_status", json!({"repo_path": path}), "a.txt"),
        ("time__get_current_time", json!({"timezone": "Asia/Shanghai"}), "Asia/Shanghai"),
        ("fetch__fetch", json!({"url": "http://127.0.0.1:1/"}), "Failed to fetch"),
    ];
    // whatever lies beyond the budget of tools is asked for first
    let names: Vec<&str> = wanted.iter().map(|(name, ..)| *name).collect();
    let mut script = vec![call("tool_search", json!({"query": names.join(" ")}))];
    script.extend(wanted.iter().map(|(name, arguments, _)| call(name, arguments.clone())));
    script.push(say("done"));
    let model = ModelServer::script(script);
    let ran = world.tah_with(&model, &["run", "--yes", "go"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "done\n"), "{ran:?}");
    let bodies = model.bodies();
    for (at, (name, _, words)) in wanted.iter().enumerate() {
        let result = last_result(&bodies[at + 2]);
        assert!(result.contains(words), "{name}: {result}");
    }
    world.nothing_lives();
}
