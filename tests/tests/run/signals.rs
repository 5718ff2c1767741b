//! Signals in the middle of a shell command: stopped and saved at once, nothing left running.

use rustix::process::Signal;
use serde_json::json;
use std::time::{Duration, Instant};
use tah_tests::model::{self, ModelServer};
use tah_tests::tah::{Running, World};
use tah_tests::{processes, wait};

const PATIENCE: Duration = Duration::from_secs(30);

/// tah in the middle of a command that has a child which left its process group.
fn in_a_command(world: &World, server: &ModelServer) -> Running {
    let running = world.tah_with(server, &["run", "--yes", "--json", "sleep"]).spawn();
    let mark = world.mark();
    wait::until("the command runs", PATIENCE, || {
        processes::holding(&mark).iter().filter(|process| process.command.starts_with("sleep 98765")).count()
            == 2
    });
    running
}

fn sleeping() -> ModelServer {
    ModelServer::start(|_, number| match number {
        0 => model::call("execute_command", json!({"command": "setsid sleep 98765 & sleep 98765"})),
        _ => model::say("went on"),
    })
}

#[test]
fn h4_sigint_stops_and_saves() {
    let (world, server) = (World::new(), sleeping());
    let running = in_a_command(&world, &server);
    let began = Instant::now();
    running.signal(Signal::INT);
    let ran = running.finish();
    ran.expect_code(130);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(ran.events().last().unwrap()["reason"], "cancelled");
    world.nothing_lives();
    let ran = world.tah_with(&server, &["run", "--continue", "go on"]).run();
    ran.expect_code(0);
    assert_eq!(ran.stdout, "went on\n");
    assert!(model::last_result(&server.bodies()[1]).contains("may have happened"));
    assert_eq!(server.faults(), Vec::<String>::new());
}

#[test]
fn h4_a_second_sigint_exits_now() {
    let (world, server) = (World::new(), sleeping());
    let running = in_a_command(&world, &server);
    running.signal(Signal::INT);
    running.signal(Signal::INT);
    running.finish().expect_code(130);
    world.nothing_lives();
}

#[test]
fn h4_sigterm_and_sigkill_leave_nothing_and_the_session_goes_on() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::KILL, 137)] {
        let (world, server) = (World::new(), sleeping());
        let running = in_a_command(&world, &server);
        running.signal(signal);
        running.finish().expect_code(code);
        world.nothing_lives();
        let ran = world.tah_with(&server, &["run", "--continue", "go on"]).run();
        ran.expect_code(0);
        assert_eq!(server.faults(), Vec::<String>::new());
        assert!(model::last_result(&server.bodies()[1]).contains("may have happened"));
    }
}
