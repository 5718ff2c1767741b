//! Dialogs, tabs, downloads, cookies, guard, history, pictures, console.

use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use serde_json::json;
use tah_browser::launch::Profile;
use tah_browser::registry::Extras;
use tah_browser::state::Held;
use tah_browser::{Caller, Code};

use crate::support::{Bench, SOON, Site, attachment, redirect};

const DIALOGS: &str = "<body style=margin:0><title>d</title>\
  <script>const b = (x, f) => { const e = document.createElement('button'); e.style = `position:absolute;left:${x}px;top:0;width:80px;height:40px`; e.onclick = f; document.body.append(e) };\
  b(0, () => { alert('hello'); document.title = 'alerted' }); b(100, () => document.title = 'c' + confirm('sure?'));\
  b(200, () => document.title = 'p' + prompt('name?', 'bob')); </script>";

/// Presses a point as the tools do, below them.
async fn press(bench: &Bench, x: f64) {
    let tab = bench.chrome().active_tab().unwrap();
    let at = tah_browser::page::Point { x, y: 20.0 };
    // A dialog ends the press early, which is what is looked at next.
    let _ = tab.click_at(at, tah_browser::input::Button::Left, 1, Default::default(), SOON).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b35_b36_b41_b43_b45_all_four_kinds_of_dialogs() {
    let site = Site::page(DIALOGS).await;
    site.html(
        "/leave",
        "<title>leave</title><body onclick='1'><script>onbeforeunload = e => e.preventDefault()</script>",
    );
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    press(&bench, 20.0).await;
    let told = bench.call("wait", json!({})).await;
    assert_eq!(
        (&told["dialogs"][0]["type"], &told["dialogs"][0]["message"]),
        (&json!("alert"), &json!("hello")),
        "{told}"
    );

    press(&bench, 120.0).await;
    let (code, message) = bench.fails("execute", json!({"script": "1"})).await;
    assert_eq!(code, Code::DialogOpen);
    assert!(message.contains("confirm") && message.contains("sure?"), "{message}");
    // Recovery tools work all the same.
    assert_eq!(bench.call("list_tabs", json!({})).await["tabs"][0]["dialog"], "confirm");
    let answered = bench.call("dialog", json!({"accept": false})).await;
    assert_eq!(answered["answer"], "dismissed");
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "cfalse");

    press(&bench, 220.0).await;
    bench.call("dialog", json!({"accept": true, "text": "ann"})).await;
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "pann");
    assert_eq!(bench.fails("dialog", json!({"accept": true})).await.0, Code::TargetNotFound);

    bench.call("open", json!({"url": site.url("/leave")})).await;
    press(&bench, 300.0).await;
    let left = bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(left["title"], "d");
    assert_eq!(left["dialogs"][0]["type"], "beforeunload", "{left}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b38_b39_b42_a_dialog_while_the_page_loads() {
    let site = Site::page("<script>alert('x')</script><title>after</title><h1>").await;
    site.html("/confirm", "<script>window.said = confirm('go?')</script><title>after</title>");
    let bench = Bench::start().await;
    let opened = bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(
        (&opened["title"], &opened["dialogs"][0]["message"]),
        (&json!("after"), &json!("x")),
        "{opened}"
    );
    let held = bench.call("open", json!({"url": site.url("/confirm")})).await;
    assert_eq!(held["dialog"]["type"], "confirm", "{held}");
    assert_eq!(bench.fails("open", json!({"url": site.url("/")})).await.0, Code::DialogOpen);
    bench.call("dialog", json!({"accept": true})).await;
    assert_eq!(bench.call("execute", json!({"script": "window.said"})).await["value"], true);
    // B42: the answer goes past a call that is held by the dialog.
    let (script, answer) =
        tokio::join!(bench.call("execute", json!({"script": "confirm('both?')"})), async {
            let chrome = bench.chrome();
            let open = chrome.world().until(SOON, |state| state.tabs[0].dialog.is_some().then_some(()));
            open.await.unwrap().expect("a dialog");
            bench.call("dialog", json!({"accept": true})).await
        });
    assert_eq!(answer["answer"], "accepted");
    // Which of the two saw the dialog first is open; both ends are right.
    let said = script.to_string();
    assert!(script["value"] == true || said.contains("both?"), "{said}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_dialog_tool_a_confirm_is_dismissed_at_once() {
    let site = Site::page("<title>x</title>").await;
    let bench = Bench::with(|options| {
        options.extras = Extras::Off;
        options.launch.held = Held::Dismissed;
    })
    .await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let out = bench.call("execute", json!({"script": "confirm('?')"})).await;
    assert_eq!((&out["value"], &out["dialogs"][0]["answer"]), (&json!(false), &json!("dismissed")), "{out}");
    let (code, _) = bench.fails("dialog", json!({"accept": true})).await;
    assert_eq!(code, Code::ToolUnknown);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b67_tabs_come_and_go() {
    let site = Site::page("<title>one</title>").await;
    site.html("/two", "<title>two</title>");
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let second = bench.call("open", json!({"url": site.url("/two"), "newTab": true})).await;
    assert_eq!(second["tab"], "t2");
    // B65: a window opened by script is followed, and said.
    let opened = bench.call("execute", json!({"script": "window.w = open('/'), 1"})).await;
    assert_eq!(opened["newTab"], "t3", "{opened}");
    let tabs = bench.call("list_tabs", json!({})).await;
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 3, "{tabs}");
    assert_eq!(tabs["tabs"][2]["active"], true);
    // The window closes itself: its opener is active again.
    bench.call("execute", json!({"script": "setTimeout(() => close(), 0), 1"})).await;
    bench
        .chrome()
        .world()
        .until(SOON, |state| (state.tabs.len() == 2).then_some(()))
        .await
        .unwrap()
        .expect("closed");
    let tabs = bench.call("session", json!({})).await;
    assert_eq!((&tabs["tabs"][1]["id"], &tabs["tabs"][1]["active"]), (&json!("t2"), &json!(true)), "{tabs}");
    assert_eq!(bench.call("switch_tab", json!({"tabId": "t1"})).await["title"], "one");
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "one");
    let (code, message) = bench.fails("switch_tab", json!({"tabId": "t9"})).await;
    assert!(code == Code::TabUnknown && message.contains("t1, t2"), "{message}");
    let closed = bench.call("close_tab", json!({"tabId": "t1"})).await;
    assert_eq!((&closed["closed"], &closed["active"]), (&json!(true), &json!("t2")), "{closed}");
    let closed = bench.call("close_tab", json!({"tabId": "t2"})).await;
    assert_eq!(closed["active"], "t4", "{closed}");
    assert_eq!(bench.call("execute", json!({"script": "location.href"})).await["value"], "about:blank");
    bench.call("open", json!({"newTab": true})).await;
    assert_eq!(bench.call("reset", json!({})).await["reset"], true);
    assert_eq!(bench.call("list_tabs", json!({})).await["tabs"].as_array().unwrap().len(), 1);
    bench.call("close", json!({})).await;
}

fn cookie_site(site: &Site) {
    site.on("/login", |_| {
        let login = Response::builder()
            .header("set-cookie", "sid=s3cret; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict");
        login.header("content-type", "text/html").body(Body::from("<title>in</title>")).unwrap()
    });
    site.on("/private", |seen| {
        let cookie =
            seen.headers.get("cookie").map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
        attachment("data.bin", format!("cookie:{cookie}").as_bytes())
    });
    site.on("/hop", |_| redirect("/private"));
}

#[tokio::test(flavor = "multi_thread")]
async fn b62_b64_downloads_with_the_sessions_cookies_into_their_folder_only() {
    let site = Site::page("<title>x</title>").await;
    cookie_site(&site);
    site.on("/broken", |_| Response::builder().status(500).body(Body::from("no")).unwrap());
    site.body("/page", "text/html", "<title>a page is a file too</title>");
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/login")})).await;
    let folder = bench.folder.path().join("downloads");
    let target = folder.join("sub/a.bin");
    let done = bench.call("download", json!({"url": site.url("/hop"), "savePath": target})).await;
    assert_eq!(done["path"], json!(std::fs::canonicalize(&target).unwrap()));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "cookie:sid=s3cret");
    bench.call("download", json!({"url": site.url("/page"), "savePath": folder.join("p.html")})).await;
    for (path, code) in [
        (target.clone(), Code::PathRefused),
        ("/outside/x.bin".into(), Code::PathRefused),
        (folder.join("sub/../../x.bin"), Code::PathRefused),
        ("relative.bin".into(), Code::PathRefused),
    ] {
        assert_eq!(
            bench.fails("download", json!({"url": site.url("/hop"), "savePath": path})).await.0,
            code,
            "{path:?}"
        );
    }
    let (code, message) =
        bench.fails("download", json!({"url": site.url("/broken"), "savePath": folder.join("b")})).await;
    assert!(code == Code::DownloadFailed && message.contains("500"), "{message}");
    assert_eq!(
        bench.fails("download", json!({"url": "data:,x", "savePath": folder.join("b")})).await.0,
        Code::DownloadFailed
    );
    // A link out of the folder is no way out, and nothing partial stays.
    std::os::unix::fs::symlink("/tmp", folder.join("way-out")).unwrap();
    assert_eq!(
        bench
            .fails("download", json!({"url": site.url("/hop"), "savePath": folder.join("way-out/x")}))
            .await
            .0,
        Code::PathRefused
    );
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["p.html", "sub", "way-out"]);
    assert_eq!(bench.call("list_tabs", json!({})).await["tabs"].as_array().unwrap().len(), 1);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b71_cookies_out_and_back() {
    let site = Site::page("<title>x</title>").await;
    cookie_site(&site);
    let mut bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/login")})).await;
    let flushed = bench.call("auth", json!({"action": "flush"})).await;
    let cookies = flushed["cookies"].as_array().unwrap().clone();
    assert_eq!(
        (cookies.len(), &cookies[0]["name"], &cookies[0]["sameSite"]),
        (1, &json!("sid"), &json!("Strict"))
    );
    bench.caller = Caller::Model;
    let to_file = bench.call("auth", json!({"action": "flush"})).await;
    assert!(to_file.get("cookies").is_none() && to_file["count"] == 1, "{to_file}");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(to_file["path"].as_str().unwrap()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A new, empty profile: an empty flush does not replace the file, and restore brings the login back.
    bench.call("reset_session", json!({})).await;
    let empty = bench.call("auth", json!({"action": "flush"})).await;
    assert_eq!(empty["count"], 0, "{empty}");
    assert_eq!(bench.call("auth", json!({"action": "restore"})).await["restored"], 1);
    let bad = bench.call("auth", json!({"action": "restore", "cookies": [{"value": "x"}, cookies[0]]})).await;
    assert_eq!((&bad["restored"], bad["failed"].as_array().unwrap().len()), (&json!(1), 1), "{bad}");
    bench.caller = Caller::Program;
    let back = bench.call("auth", json!({"action": "flush"})).await["cookies"][0].clone();
    for key in ["name", "value", "domain", "path", "httpOnly", "secure", "sameSite"] {
        assert_eq!(back[key], cookies[0][key], "{key}");
    }
    let history = bench.call("history", json!({})).await.to_string();
    assert!(!history.contains("s3cret"), "{history}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guard_the_history_and_replay() {
    let site = Site::page("<title>one</title>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    bench.call("execute", json!({"script": "window.n = (window.n || 0) + 1"})).await;
    assert_eq!(
        bench.call("restrict", json!({"allowed": ["browser_click", "browser_open"]})).await["restrictedTo"],
        json!(["browser_click", "browser_open"])
    );
    let (code, message) = bench.fails("execute", json!({"script": "1"})).await;
    assert!(code == Code::Restricted && message.contains("browser_click"), "{message}");
    assert_eq!(bench.fails("replay", json!({"seq": 2})).await.0, Code::Restricted);
    bench.call("list_tabs", json!({})).await;
    assert_eq!(bench.fails("restrict", json!({"allowed": ["browser_fly"]})).await.0, Code::ArgumentInvalid);
    assert_eq!(bench.call("restrict", json!({})).await["restrictedTo"], json!([]));
    assert_eq!(bench.call("replay", json!({"seq": 2})).await["result"]["value"], 2);
    let history = bench.call("history", json!({})).await;
    let actions: Vec<&str> =
        history["entries"].as_array().unwrap().iter().map(|e| e["action"].as_str().unwrap()).collect();
    assert_eq!(
        actions,
        ["open", "execute", "restrict", "list_tabs", "restrict", "restrict", "execute", "replay"]
    );
    assert_eq!(history["entries"][4]["ok"], false);
    assert_eq!(bench.fails("replay", json!({"seq": 99})).await.0, Code::HistoryUnknown);
    assert_eq!(bench.fails("replay", json!({"seq": 4})).await.0, Code::NotReplayable);
    let (code, _) = bench.fails("navigate", json!({"url": "x"})).await;
    assert_eq!(code, Code::ToolUnknown);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b81_pictures_are_never_too_big() {
    let site =
        Site::page("<body style='margin:0;height:20000px;background:linear-gradient(red,blue)'>").await;
    let mut bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let whole = bench.call("screenshot", json!({"fullPage": true})).await;
    let (width, height) = (whole["width"].as_u64().unwrap(), whole["height"].as_u64().unwrap());
    assert!(height <= 8000 && width <= 8000 && height > 5000, "{width}×{height}");
    assert!(whole["dataUrl"].as_str().unwrap().starts_with("data:image/png;base64,"));
    assert!(whole.get("path").is_none());
    let small = bench.call("screenshot", json!({"format": "jpeg", "quality": 50, "maxWidth": 200})).await;
    assert_eq!(small["width"], 200, "{}", small["height"]);
    bench.caller = Caller::Model;
    let file = bench.call("screenshot", json!({})).await;
    assert!(file.get("dataUrl").is_none());
    let path = file["path"].as_str().unwrap();
    assert!(path.ends_with(".tah/browser/screenshot-1.png"), "{path}");
    assert!(std::fs::metadata(path).unwrap().len() > 100);
    assert!(
        bench.call("screenshot", json!({"savePath": "shot.png"})).await["path"]
            .as_str()
            .unwrap()
            .ends_with("shot.png")
    );
    assert_eq!(bench.fails("screenshot", json!({"savePath": "/outside/x.png"})).await.0, Code::PathRefused);
    assert_eq!(bench.fails("screenshot", json!({"savePath": "shot.png"})).await.0, Code::PathRefused);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b80_a_picture_right_after_opening_shows_the_page() {
    let site = Site::page("<body style='margin:0;background:#ff0000'>").await;
    let bench = Bench::start().await;
    for round in 0..3 {
        bench.call("open", json!({"url": site.url(&format!("/?{round}"))})).await;
        let shot = bench.call("screenshot", json!({"maxWidth": 64})).await;
        assert_eq!(shot["width"], 64, "{round}");
        let data = shot["dataUrl"].as_str().unwrap();
        assert!(data.len() > 100, "{round}: {data}");
    }
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn console_network_and_challenge() {
    let site = Site::page("<title>x</title><script>console.log('a', {b: 1}); console.error('bad'); setTimeout(() => { throw new Error('oops') }, 0); fetch('/data')</script>").await;
    site.body("/data", "application/json", "{}");
    site.html("/cf", "<title>Just a moment...</title>");
    site.html(
        "/login",
        "<title>login</title><script src=/recaptcha/api.js></script><form><input name=user></form>",
    );
    let bench = Bench::with(|options| options.extras = Extras::OnWithNetwork).await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let chrome = bench.chrome();
    let seen = chrome.world().until(SOON, |state| {
        (state.tabs[0].console.len() >= 3 && state.tabs[0].requests.len() >= 2).then_some(())
    });
    seen.await.unwrap().expect("three lines, two requests");
    let console = bench.call("console", json!({})).await;
    assert_eq!((&console["errors"], console["lines"].as_array().unwrap().len()), (&json!(2), 3), "{console}");
    assert!(console.to_string().contains("oops"));
    assert_eq!(console["lines"][0]["text"], "a {b: 1}");
    let network = bench.call("network", json!({"filter": "/data"})).await;
    assert_eq!(
        (&network["requests"][0]["type"], &network["count"]),
        (&json!("Fetch"), &json!(1)),
        "{network}"
    );
    assert_eq!(bench.call("challenge", json!({})).await, json!({"blocked": false}));
    bench.call("open", json!({"url": site.url("/login")})).await;
    assert_eq!(bench.call("challenge", json!({})).await["blocked"], false);
    // Behaviour 77: errors are counted since the last navigation.
    let lines = bench.call("console", json!({"level": "error"})).await["lines"].to_string();
    assert!(!lines.contains("oops"), "{lines}");
    bench.call("open", json!({"url": site.url("/cf")})).await;
    let blocked = bench.call("challenge", json!({})).await;
    assert_eq!((&blocked["blocked"], &blocked["kind"]), (&json!(true), &json!("cloudflare")), "{blocked}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b58_a_click_on_a_download_link_is_a_click() {
    let site = Site::page(
        "<body style=margin:0><title>x</title><a style='display:block;width:100px;height:50px' href=/f>f</a>",
    )
    .await;
    site.on("/f", |_| attachment("../../evil name.txt", b"data"));
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    press(&bench, 20.0).await;
    let chrome = bench.chrome();
    let done = chrome.world().until(SOON, |state| match &state.downloads.first()?.phase {
        tah_browser::state::DownloadPhase::Done(path) => Some(path.clone()),
        _ => None,
    });
    let path = done.await.unwrap().expect("a download");
    assert_eq!(path.parent().unwrap(), bench.folder.path().join("downloads"));
    assert_eq!(std::fs::read(&path).unwrap(), b"data");
    let told = bench.call("wait", json!({})).await;
    assert_eq!(told["downloads"][0]["path"], json!(path), "{told}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b75_a_killed_browser_comes_back_and_says_so() {
    let site = Site::page("<title>one</title>").await;
    let profile = tempfile::tempdir().unwrap();
    let folder = profile.path().to_owned();
    let bench = Bench::with(|options| options.launch.profile = Profile::Folder(folder)).await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let pid = rustix::process::Pid::from_raw(bench.chrome().pid().unwrap() as i32).unwrap();
    let (call, ()) =
        tokio::join!(bench.try_call("execute", json!({"script": "new Promise(() => {})"})), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        });
    assert_eq!(call.unwrap_err().code, Code::Crashed);
    // B72: the lock it left is no obstacle.
    let tabs = bench.call("list_tabs", json!({})).await;
    assert!(tabs["notice"].as_str().unwrap().contains("restarted"), "{tabs}");
    assert_eq!(bench.call("open", json!({"url": site.url("/")})).await["title"], "one");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bp_p8_profile_in_use_and_logins_that_stay() {
    let site = Site::page("<title>x</title>").await;
    cookie_site(&site);
    let profile = tempfile::tempdir().unwrap();
    let folder = profile.path().to_owned();
    let first = Bench::with(|options| options.launch.profile = Profile::Folder(folder.clone())).await;
    first.call("open", json!({"url": site.url("/login")})).await;
    let second = Bench::with(|options| options.launch.profile = Profile::Folder(folder.clone())).await;
    let (code, message) = second.fails("open", json!({})).await;
    assert_eq!(code, Code::Unavailable);
    let expected = format!(
        "the browser profile {} is in use by another tah — close that tah (or its browser) and try again",
        folder.display()
    );
    assert_eq!(message, expected);
    first.call("close", json!({})).await;
    second.call("open", json!({})).await;
    let cookies = second.call("auth", json!({"action": "flush"})).await;
    assert_eq!(cookies["cookies"][0]["value"], "s3cret", "{cookies}");
    second.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b85_hosts_are_guarded_through_redirects_scripts_windows_and_frames() {
    let site = Site::start().await;
    let foreign = site.foreign("/two");
    let hop = foreign.clone();
    site.on("/hop", move |_| redirect(&hop));
    site.html("/script", &format!("<title>s</title><script>location.href='{foreign}'</script>"));
    site.html("/meta", &format!("<title>m</title><meta http-equiv=refresh content='0;url={foreign}'>"));
    site.html("/loads", &format!("<title>l</title><img src='{foreign}?img'><script>fetch('{foreign}?fetch', {{mode: 'no-cors'}}); new Worker(URL.createObjectURL(new Blob([`fetch('{foreign}?worker', {{mode: 'no-cors'}})`])))</script>"));
    site.html("/two", "<title>two</title>");
    let bench = Bench::with(|options| {
        options.launch.rules.navigation.allow = vec![String::from("127.0.0.1")];
        options.launch.rules.requests.deny = vec![String::from("localhost")];
    })
    .await;
    assert_eq!(bench.fails("open", json!({"url": foreign})).await.0, Code::NavigationBlocked);
    let (code, message) = bench.fails("open", json!({"url": site.url("/hop")})).await;
    assert!(code == Code::NavigationBlocked && message.contains("localhost"), "{code:?} {message}");
    for path in ["/script", "/meta"] {
        let opened = bench.try_call("open", json!({"url": site.url(path)})).await;
        let said = match opened {
            Ok(value) => value.to_string(),
            Err(error) => error.message,
        };
        let later = bench.call("wait", json!({"timeoutMs": 1000})).await.to_string();
        assert!(
            said.contains("not on the list") || later.contains("not on the list"),
            "{path}: {said} {later}"
        );
    }
    let loads = bench.call("open", json!({"url": site.url("/loads")})).await;
    assert_eq!(loads["title"], "l");
    let blocked = bench
        .chrome()
        .world()
        .until(SOON, |state| {
            let urls: Vec<String> = state
                .happened_since(0)
                .filter_map(|h| match h {
                    tah_browser::state::Happening::RequestBlocked { url, .. } => Some(url.clone()),
                    _ => None,
                })
                .collect();
            ["img", "fetch", "worker"]
                .iter()
                .all(|part| urls.iter().any(|url| url.contains(part)))
                .then_some(())
        })
        .await;
    assert!(blocked.unwrap().is_some());
    bench.call("execute", json!({"script": format!("open('{foreign}?window'), 1")})).await;
    assert!(site.seen_at("/two").is_empty(), "{:?}", site.seen_at("/two"));
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_answers_at_once() {
    let site = Site::page("<title>x</title>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let cancel = tokio_util::sync::CancellationToken::new();
    let call =
        bench.browser.call("browser_wait", json!({"selector": "#never"}), Caller::Model, cancel.clone());
    let started = std::time::Instant::now();
    let (outcome, ()) = tokio::join!(call, async { cancel.cancel() });
    assert_eq!(outcome.unwrap_err().code, Code::Cancelled);
    assert!(started.elapsed() < Duration::from_millis(100), "{:?}", started.elapsed());
    assert_eq!(bench.call("execute", json!({"script": "1"})).await["value"], 1);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b68_b69_two_agents_in_one_browser_keep_to_their_own_tabs() {
    let site = Site::page("<title>one</title>").await;
    site.html("/two", "<title>two</title>");
    let profile = tempfile::tempdir().unwrap();
    let folder = profile.path().to_owned();
    let host = Bench::with(|options| {
        options.launch.profile = Profile::Folder(folder.clone());
        options.launch.extra_args = vec![String::from("--remote-debugging-port=0")];
    })
    .await;
    host.call("open", json!({"url": site.url("/")})).await;
    let port = std::fs::read_to_string(folder.join("DevToolsActivePort")).expect("the port's file");
    let mut lines = port.lines();
    let url = format!("ws://127.0.0.1:{}{}", lines.next().unwrap(), lines.next().unwrap());
    let join = async || Bench::with(|options| options.launch.connect = Some(url.clone())).await;
    let (a, b) = (join().await, join().await);
    a.call("open", json!({"url": site.url("/")})).await;
    b.call("open", json!({"url": site.url("/two")})).await;
    for _ in 0..3 {
        assert_eq!(a.call("execute", json!({"script": "document.title"})).await["value"], "one");
        assert_eq!(b.call("execute", json!({"script": "document.title"})).await["value"], "two");
    }
    for bench in [&a, &b] {
        let tabs = bench.call("list_tabs", json!({})).await;
        assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs}");
    }
    a.call("close", json!({})).await;
    assert_eq!(b.call("execute", json!({"script": "document.title"})).await["value"], "two");
    b.call("close", json!({})).await;
    assert_eq!(host.call("execute", json!({"script": "document.title"})).await["value"], "one");
    host.call("close", json!({})).await;
}
