//! How it ends, in whatever way: the browser with it, nothing left behind, the profile ready for the next.

use rustix::process::Signal;
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tah_tests::served::Served;
use tah_tests::site::{Page, Site, html};
use tah_tests::tah::World;
use tah_tests::wait;

/// Logs in at `/login`; `/me` says who is logged in.
fn login_site() -> Site {
    Site::builder()
        .on("/login", |_| {
            html("<title>in</title>welcome").header("set-cookie", "who=ada; Max-Age=86400; Path=/")
        })
        .on("/me", |visit| {
            let cookie =
                visit.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or("nobody");
            html(format!("<title>me</title><button>{cookie}</button>"))
        })
        .start()
}

fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn bp_p7_the_end_of_stdin_ends_the_browser_and_leaves_nothing() {
    let (world, site) = (World::new(), Site::with_form());
    let mut served = Served::start(&world, &[]);
    served.text("browser_open", json!({"url": site.url("/")}));
    assert!(served.browser().is_some());
    assert!(!entries(&world.temporary()).is_empty());
    served.close();
    world.nothing_lives();
    assert_eq!(entries(&world.temporary()), Vec::<String>::new(), "temporary files");
    assert_eq!(entries(&world.work()), Vec::<String>::new(), "files in the working folder");
}

#[test]
fn bp_p7_every_signal_ends_the_browser_also_during_a_call() {
    for (signal, code) in [(Signal::INT, Some(130)), (Signal::TERM, Some(143)), (Signal::KILL, None)] {
        let (world, site) = (World::new(), Site::with_form());
        let mut served = Served::start(&world, &[]);
        served.text("browser_open", json!({"url": site.url("/")}));
        let id = served.begin("browser_wait", json!({"selector": "#never", "timeoutMs": 25000}));
        served.signal(signal);
        assert_eq!(served.ended().code(), code, "{}", served.stderr());
        world.nothing_lives();
        assert_eq!(served.answer_within(id, Duration::ZERO), None);
        // What a killed one could not remove, the next one does.
        let mut next = Served::start(&world, &[]);
        next.text("browser_open", json!({"url": site.url("/")}));
        wait::until("one temporary folder, that of the living", Duration::from_secs(10), || {
            entries(&world.temporary()).len() == 1
        });
        next.close();
        assert_eq!(entries(&world.temporary()), Vec::<String>::new(), "after {signal:?}");
    }
}

#[test]
fn bp_p8a_a_named_profile_keeps_its_logins() {
    let (world, site) = (World::new(), login_site());
    let profile = world.home().join("work-profile");
    let args = ["--profile", profile.to_str().unwrap()];
    let mut served = Served::start(&world, &args);
    served.text("browser_open", json!({"url": site.url("/login")}));
    served.close();
    let mut served = Served::start(&world, &args);
    let me = served.text("browser_open", json!({"url": site.url("/me")}));
    assert!(me.contains("who=ada"), "{me}");
    served.close();
    // Without a profile nobody is logged in, and the named one is untouched.
    let mut served = Served::start(&world, &[]);
    let me = served.text("browser_open", json!({"url": site.url("/me")}));
    assert!(me.contains("nobody"), "{me}");
    served.close();
    world.nothing_lives();
}

#[test]
fn bp_p8_two_clients_at_one_profile_the_second_is_told() {
    let (world, site) = (World::new(), login_site());
    let profile = world.home().join("work-profile");
    let args = ["--profile", profile.to_str().unwrap()];
    let mut first = Served::start(&world, &args);
    first.text("browser_open", json!({"url": site.url("/login")}));
    let mut second = Served::start(&world, &args);
    let refused = second.call("browser_open", json!({"url": site.url("/me")}));
    assert!(refused.is_error, "{}", refused.text);
    let wanted = format!(
        "the browser profile {} is in use by another tah — close that tah (or its browser) and try again",
        profile.display()
    );
    assert!(refused.text.contains(&wanted), "{}", refused.text);
    assert!(first.text("browser_snapshot", json!({})).contains("\"url\""), "the first goes on");
    first.close();
    let me = second.text("browser_open", json!({"url": site.url("/me")}));
    assert!(me.contains("who=ada"), "once it is free it works: {me}");
    second.close();
    world.nothing_lives();
}

#[test]
fn bp_p8_two_clients_that_start_at_once_get_one_browser_and_one_clear_answer() {
    let (world, site) = (World::new(), login_site());
    let profile = world.home().join("work-profile");
    let args = ["--profile", profile.to_str().unwrap()];
    let mut both = [Served::start(&world, &args), Served::start(&world, &args)];
    let asked: Vec<u64> = both
        .iter_mut()
        .map(|served| served.begin("browser_open", json!({"url": site.url("/login")})))
        .collect();
    let answers: Vec<_> = both
        .iter()
        .zip(asked)
        .map(|(served, id)| tah_tests::served::Result::of(&served.answer(id)))
        .collect();
    let refused: Vec<&str> =
        answers.iter().filter(|answer| answer.is_error).map(|answer| answer.text.as_str()).collect();
    assert_eq!(refused.len(), 1, "{answers:?}");
    assert!(refused[0].contains("is in use by another tah"), "{}", refused[0]);
    for served in both {
        served.close();
    }
    world.nothing_lives();
}

#[test]
fn downloads_go_where_they_should() {
    let world = World::new();
    let file = |_: &_| Page {
        status: 200,
        headers: vec![
            ("content-type".into(), "application/octet-stream".into()),
            ("content-disposition".into(), "attachment; filename=\"report.bin\"".into()),
        ],
        body: vec![7; 100_000],
    };
    let site = Site::builder()
        .page("/", "<title>files</title><a href=/get>Get the report</a>")
        .on("/get", file)
        .start();
    let folder = world.home().join("fetched");
    let mut served = Served::start(&world, &["--download-dir", folder.to_str().unwrap()]);
    served.text("browser_open", json!({"url": site.url("/")}));
    let clicked = served.text("browser_click", json!({"target": "text=Get the report"}));
    assert!(clicked.contains("report.bin"), "{clicked}");
    // A big one may still be coming when the click is told.
    wait::until("the report is there", Duration::from_secs(10), || {
        std::fs::read(folder.join("report.bin")).is_ok_and(|bytes| bytes.len() == 100_000)
    });
    let path = folder.join("second.bin");
    let got = served.call("browser_download", json!({"url": site.url("/get"), "savePath": path}));
    assert_eq!(got.json()["path"], json!(path), "{}", got.text);
    let outside = json!({"url": site.url("/get"), "savePath": world.home().join("elsewhere.bin")});
    let refused = served.call("browser_download", outside);
    assert!(refused.is_error && refused.text.contains("BROWSER_PATH_REFUSED"), "{}", refused.text);
    served.close();
    let mut names = entries(&folder);
    names.sort();
    assert_eq!(names, ["report.bin", "second.bin"]);
    assert_eq!(entries(&world.temporary()), Vec::<String>::new());
}

#[test]
fn b73_kills_at_random_moments_of_calls_leave_no_hang_no_orphan_and_no_lock() {
    let seed = fastrand::u64(..);
    let seen = tah_tests::serve_soak::kills(6, seed).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(seen.kills, 6);
}

#[test]
fn many_calls_of_all_kinds_are_answered_and_leave_only_what_they_name() {
    let seed = fastrand::u64(..);
    let seen = tah_tests::serve_soak::mixed(60, seed).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(seen.calls, 60);
}
