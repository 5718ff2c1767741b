//! One profile: held by one tah at a time, its logins kept, stale locks no obstacle.

use crate::open;
use serde_json::json;
use std::time::Duration;
use tah_tests::model::{self, ModelServer, Streamed};
use tah_tests::site::{Site, html};
use tah_tests::tah::World;
use tah_tests::{processes, wait};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn bp_p8_profile_in_use() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    // The first tah holds the browser: its model goes silent in the middle of a reply.
    let url = site.url("/");
    let holder = ModelServer::start(move |_, number| match number {
        0 => open(&url),
        _ => model::Reply::Stream(Streamed {
            text: "thinking".into(),
            hang_after: Some(80),
            ..Default::default()
        }),
    });
    let first = world.tah_with(&holder, &["run", "--yes", "hold it"]).spawn();
    wait::until("the first tah has its browser", PATIENCE, || holder.bodies().len() == 2);
    let before = processes::holding(&world.mark()).len();
    let server = ModelServer::script(vec![open(&site.url("/")), model::say("busy")]);
    let ran = world.tah_with(&server, &["run", "--yes", "me too"]).run();
    ran.expect_code(0);
    let result = model::last_result(&server.bodies()[1]);
    let profile = world.home().join("browser-profile");
    let wanted = format!(
        "the browser profile {} is in use by another tah — close that tah (or its browser) and try again",
        profile.display()
    );
    assert!(result.contains(&wanted), "{result}");
    assert_eq!(crate::browser_tools(&server.bodies()[1]), ["browser_open"]);
    wait::until("the second left nothing running", PATIENCE, || {
        processes::holding(&world.mark()).len() <= before
    });
    first.signal(rustix::process::Signal::TERM);
    first.finish().expect_code(143);
    let server = ModelServer::script(vec![open(&site.url("/")), model::say("free")]);
    world.tah_with(&server, &["run", "--yes", "now"]).run().expect_code(0);
    assert!(model::last_result(&server.bodies()[1]).contains("Order form"));
    world.nothing_lives();
}

#[test]
fn bp_p8a_logins_are_there_in_the_next_run_however_the_last_one_ended() {
    let world = World::new();
    let site = Site::builder()
        .on("/login", |_| {
            html("<title>in</title>welcome").header("set-cookie", "who=ada; Max-Age=86400; Path=/")
        })
        .on("/me", |visit| {
            let cookie =
                visit.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or("nobody");
            html(format!("<title>me</title><h1>you are {cookie}</h1>"))
        })
        .start();
    world.config_playwright(json!({}));
    for end in [None, Some(rustix::process::Signal::INT)] {
        let url = site.url("/login");
        let server = ModelServer::start(move |_, number| match (number, end) {
            (0, _) => open(&url),
            (1, Some(_)) => model::call("browser_wait_for", json!({"time": 25})),
            _ => model::say("in"),
        });
        let running = world.tah_with(&server, &["run", "--yes", "--json", "log in"]).spawn();
        if let Some(signal) = end {
            wait::until("the browser works", PATIENCE, || {
                running.stdout().contains("\"tool\":\"browser_wait_for\"")
            });
            running.signal(signal);
        }
        running.finish().expect_code(if end.is_some() { 130 } else { 0 });
        let server = ModelServer::script(vec![open(&site.url("/me")), model::say("me")]);
        world.tah_with(&server, &["run", "--yes", "who am I"]).run().expect_code(0);
        let page = model::last_result(&server.bodies()[1]);
        assert!(page.contains("you are who=ada"), "ended by {end:?}: {page}");
        std::fs::remove_dir_all(world.home().join("browser-profile")).unwrap();
    }
}

#[test]
fn bp_p8a_locks_p8a_hosts_a_stale_one_is_no_obstacle_and_a_foreign_one_is_named() {
    let (world, site) = (World::new(), Site::with_form());
    world.config_playwright(json!({}));
    let profile = world.home().join("browser-profile");
    std::fs::create_dir_all(&profile).unwrap();
    let lock = profile.join("SingletonLock");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    // Pid 1 lives and is no browser: the pid of the one that died was given to another.
    for owner in [format!("{host}-1"), format!("{host}-999999")] {
        std::os::unix::fs::symlink(&owner, &lock).unwrap();
        let server = ModelServer::script(vec![open(&site.url("/")), model::say("open")]);
        world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
        let result = model::last_result(&server.bodies()[1]);
        assert!(result.contains("Order form"), "{owner}: {result}");
        let _ = std::fs::remove_file(&lock);
    }
    std::os::unix::fs::symlink("elsewhere-17", &lock).unwrap();
    let server = ModelServer::script(vec![open(&site.url("/")), model::say("no")]);
    world.tah_with(&server, &["run", "--yes", "look"]).run().expect_code(0);
    let result = model::last_result(&server.bodies()[1]);
    assert!(result.contains("elsewhere") && result.contains("SingletonLock"), "{result}");
    assert!(lock.read_link().is_ok(), "a lock of another host is never cleared silently");
    world.nothing_lives();
}
