//! Kills, loops, silence: each call returns within its budget and says what happened, and the next one works.

use std::time::{Duration, Instant};

use serde_json::json;
use tah_browser::Code;
use tah_browser::cdp::wire;
use tah_browser::launch::Profile;

use crate::support::{Bench, SOON, Site};

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    // Gone already is as good.
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

/// Living processes whose command line names a folder.
fn living_with(folder: &std::path::Path) -> usize {
    let named = |entry: std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&*folder.to_string_lossy())
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .filter(|entry| {
            entry.as_ref().is_ok_and(|e| e.file_name().to_string_lossy().chars().all(|c| c.is_ascii_digit()))
        })
        .filter_map(Result::ok)
        .filter(|e| e.path().join("cmdline").exists())
        .map(named)
        .filter(|is| *is)
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn b73_ten_kills_during_calls_leave_no_hang_no_orphan_and_no_lock() {
    let site = Site::page("<title>one</title><button>b</button>").await;
    let profile = tempfile::tempdir().unwrap();
    let folder = profile.path().to_owned();
    let bench = Bench::with(|options| options.launch.profile = Profile::Folder(folder.clone())).await;
    for round in 0..10_u64 {
        let opened = bench.call("open", json!({"url": site.url("/")})).await;
        assert_eq!(opened["title"], "one", "round {round}");
        let chrome = bench.chrome();
        let tab = chrome.active_tab().unwrap();
        let started = Instant::now();
        let (outcome, ()) =
            tokio::join!(bench.try_call("execute", json!({"script": "new Promise(() => {})"})), async {
                tokio::time::sleep(Duration::from_millis(5 + round * 7)).await;
                match round % 2 {
                    0 => kill(chrome.pid().unwrap()),
                    _ => tab.session().post(wire::CrashPage {}),
                }
            });
        assert_eq!(outcome.unwrap_err().code, Code::Crashed, "round {round}");
        assert!(started.elapsed() < Duration::from_secs(10), "round {round}: {:?}", started.elapsed());
    }
    assert_eq!(bench.call("open", json!({"url": site.url("/")})).await["title"], "one");
    bench.call("close", json!({})).await;
    assert_eq!(living_with(&folder), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loops_is_stopped_and_its_click_says_so() {
    let site = Site::page("<title>one</title><body style=margin:0><button style='width:100px;height:50px' onclick='for(;;);'>loop</button>").await;
    site.html("/two", "<title>two</title>");
    let bench = Bench::with(|options| {
        for tool in ["browser_click", "browser_snapshot", "browser_content"] {
            options.budgets.insert(tool.into(), Duration::from_secs(2));
        }
    })
    .await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let started = Instant::now();
    let (code, message) = bench.fails("click", json!({"x": 20, "y": 20})).await;
    assert_eq!(code, Code::OperationTimeout, "{message}");
    assert!(message.contains("loop") || message.contains("closed"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    assert_eq!(bench.call("execute", json!({"script": "1 + 1"})).await["value"], 2);
    // Leaving a page that loops: its loop is broken, since it keeps the new page out.
    bench.call("open", json!({"url": site.url("/")})).await;
    bench.call("execute", json!({"script": "setTimeout(() => { for (;;); }, 10), 1"})).await;
    let tab = bench.chrome().active_tab().unwrap();
    let ping = || wire::Evaluate { expression: String::from("0"), ..Default::default() };
    while tab.session().call_within(Duration::from_millis(300), ping()).await.is_ok() {}
    assert_eq!(bench.call("open", json!({"url": site.url("/two")})).await["title"], "two");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_costs_the_budget_and_no_more() {
    let site = Site::page("<title>one</title>").await;
    site.later("/never", |_| std::future::pending());
    let bench = Bench::with(|options| {
        options.budgets.insert("browser_open".into(), Duration::from_secs(4));
    })
    .await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let started = Instant::now();
    let (code, message) = bench.fails("open", json!({"url": site.url("/never")})).await;
    assert!(code == Code::NavigationFailed && message.contains("did not answer"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "one");
    assert_eq!(bench.call("open", json!({"url": site.url("/")})).await["title"], "one");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hung_frame_does_not_hang_the_page_around_it() {
    let site = Site::start().await;
    site.html(
        "/",
        &format!(
            "<title>outer</title><button>here</button><iframe src='{}'></iframe>",
            site.foreign("/hung")
        ),
    );
    site.html(
        "/hung",
        "<title>hung</title><script>onload = () => setTimeout(() => { for (;;); }, 0)</script>",
    );
    let bench = Bench::with(|options| {
        options.budgets.insert("browser_snapshot".into(), Duration::from_secs(10));
    })
    .await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let started = Instant::now();
    let snapshot = bench.call("snapshot", json!({})).await;
    assert!(snapshot.to_string().contains("here"), "{snapshot}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "outer");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recovery_tools_work_under_an_open_dialog() {
    let site = Site::page("<title>one</title>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    bench.call("execute", json!({"script": "confirm('a?')"})).await;
    assert_eq!(bench.call("reset", json!({})).await["reset"], true);
    assert_eq!(bench.call("open", json!({"url": site.url("/")})).await["title"], "one");
    bench.call("execute", json!({"script": "prompt('b?')"})).await;
    let closed = bench.call("close_tab", json!({"tabId": "t2"})).await;
    assert_eq!(closed["closed"], true, "{closed}");
    bench.call("open", json!({"url": site.url("/")})).await;
    bench.call("execute", json!({"script": "confirm('c?')"})).await;
    assert_eq!(bench.call("reset_session", json!({})).await["reset"], true);
    assert_eq!(bench.call("open", json!({"url": site.url("/")})).await["title"], "one");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_closed_by_hand_is_nothing_special() {
    let site = Site::page("<title>one</title>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let chrome = bench.chrome();
    let target = chrome.world().read(|state| state.tabs[0].target.clone());
    chrome.browser().call(wire::CloseTarget { target_id: target }).await.unwrap();
    chrome
        .world()
        .until(SOON, |state| (state.tabs.is_empty() || state.closed.is_some()).then_some(()))
        .await
        .ok();
    let again = bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(again["title"], "one");
    assert!(again["notice"].as_str().unwrap().contains("lost"), "{again}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b73_a_launch_that_fails_says_why_and_leaves_nothing() {
    let profile = tempfile::tempdir().unwrap();
    let folder = profile.path().to_owned();
    for _ in 0..5 {
        let bench = Bench::with(|options| {
            options.launch.profile = Profile::Folder(folder.clone());
            options.launch.extra_args = vec![String::from("--ozone-platform=nowhere")];
            options.launch.window = tah_browser::launch::Window::Shown;
        })
        .await;
        let (code, message) = bench.fails("open", json!({})).await;
        assert_eq!(code, Code::Unavailable, "{message}");
        assert!(message.contains("/usr/bin/chromium"), "{message}");
    }
    assert_eq!(living_with(&folder), 0);
}
