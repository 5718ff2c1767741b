//! Opening, moving in the history, waiting, executing.

use serde_json::json;
use tah_browser::Code;

use crate::support::{Bench, Site, attachment, redirect, status};

#[tokio::test(flavor = "multi_thread")]
async fn b59_going_places() {
    let site = Site::page("<title>one</title><a href=/two>two</a>").await;
    site.html("/two", "<title>two</title>")
        .on("/missing", |_| status(axum::http::StatusCode::NOT_FOUND, "<title>no</title>"));
    site.on("/zip", |_| redirect("/file")).on("/file", |_| attachment("a.zip", b"PK"));
    let bench = Bench::start().await;
    let opened = bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(opened["title"], "one");
    assert_eq!(
        bench.call("open", json!({"url": format!("127.0.0.1:{}/two", site.address.port())})).await["title"],
        "two"
    );
    let back = bench.call("back", json!({})).await;
    assert_eq!((&back["back"], &back["title"]), (&json!(true), &json!("one")));
    assert_eq!(bench.call("forward", json!({})).await["title"], "two");
    assert_eq!(bench.call("forward", json!({})).await["forward"], false);
    assert_eq!(bench.call("refresh", json!({})).await["title"], "two");
    // Behaviour 57
    assert_eq!(bench.call("open", json!({"url": site.url("/missing")})).await["status"], 404);
    // B59, B60
    let file = bench.call("open", json!({"url": site.url("/zip")})).await;
    assert!(file["download"]["path"].as_str().unwrap().ends_with("downloads/a.zip"), "{file}");
    let (code, message) = bench.fails("open", json!({"url": "http://127.0.0.1:1/"})).await;
    assert_eq!(code, Code::NavigationFailed);
    assert!(
        message.contains("nothing listens there") || message.contains("could not be opened"),
        "{message}"
    );
    // Behaviour: a good navigation right after a failed one
    assert_eq!(bench.call("open", json!({"url": site.url("/")})).await["title"], "one");
    assert_eq!(bench.fails("open", json!({"url": "javascript:alert(1)"})).await.0, Code::NavigationBlocked);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn executing() {
    let site = Site::start().await;
    site.on("/", |_| {
        let page = status(axum::http::StatusCode::OK, "<title>one</title><div id=a class=b>text</div>");
        let (mut head, body) = page.into_parts();
        head.headers.insert("content-security-policy", "default-src 'none'".parse().unwrap());
        axum::http::Response::from_parts(head, body)
    });
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let run =
        async |script: &str| bench.call("execute", json!({"script": script, "args": [2, {"a": "b"}]})).await;
    assert_eq!(run("1 + arguments[0]").await, json!({"ok": true, "value": 3}));
    assert_eq!(run("return arguments[1].a").await["value"], "b");
    assert_eq!(run("await new Promise(r => setTimeout(() => r('late'), 5))").await["value"], "late");
    assert_eq!(run("const x = 5; return x * 2").await["value"], 10);
    assert_eq!(
        run("({a: undefined, f() {}, n: document.querySelector('#a'), big: 10n})").await["value"],
        json!({"a": null, "f": "[function f]", "n": "<div id=\"a\" class=\"b\"></div>", "big": "10n"})
    );
    assert_eq!(run("const o = {}; o.o = o; return o").await["value"], json!({"o": "[circular]"}));
    assert_eq!(run("return undefined").await, json!({"ok": true}));
    let thrown = run("(() => { throw new Error('no way') })()").await;
    assert_eq!(thrown["ok"], false);
    assert!(thrown["exception"].as_str().unwrap().contains("no way"), "{thrown}");
    assert!(run("return ((").await["exception"].as_str().unwrap().contains("SyntaxError"));
    let big = run("'x'.repeat(60000)").await;
    assert_eq!(big["value"].as_str().unwrap().len(), 50_000);
    assert!(big["truncated"].is_string());
    // A script that leaves: the call returns once the new page is there.
    let gone = run(&format!("location.href = '{}'", site.url("/?two"))).await;
    assert_eq!(gone["url"], site.url("/?two"), "{gone}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_looping_script_is_stopped_and_the_page_works_on() {
    let site = Site::page("<title>one</title>").await;
    let bench = Bench::with(|options| {
        options.budgets.insert("browser_execute".into(), std::time::Duration::from_secs(2));
    })
    .await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let (code, message) = bench.fails("execute", json!({"script": "while (true) {}"})).await;
    assert_eq!(code, Code::ExecuteTimeout, "{message}");
    assert_eq!(bench.call("execute", json!({"script": "1+1"})).await["value"], 2);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_gives_a_verdict_only() {
    let site = Site::page("<title>one</title><script>setTimeout(() => document.body.append(Object.assign(document.createElement('p'), {id: 'late'})), 300)</script>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(
        bench.call("wait", json!({"selector": "#late", "url": site.url("/")})).await,
        json!({"ready": true, "reason": "ready"})
    );
    let never =
        bench.call("wait", json!({"selector": "#never", "url": site.url("/else"), "timeoutMs": 300})).await;
    assert_eq!(never["ready"], false);
    let reason = never["reason"].as_str().unwrap();
    assert!(reason.contains("#never") && reason.contains("/else"), "{reason}");
    assert!(
        bench.call("wait", json!({"selector": "::::", "timeoutMs": 200})).await["reason"]
            .as_str()
            .unwrap()
            .contains("no CSS selector")
    );
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_takes_what_other_tools_take_as_their_target() {
    let site = Site::page(
        "<p id=p>one</p><p style='display:none'>hidden words</p><button onclick='this.remove()'>Go</button>
        <script>setTimeout(() => p.innerHTML = '<b>2</b> items left', 300)</script>",
    )
    .await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let wait = async |selector: &str, ms: u64| {
        bench.call("wait", json!({"selector": selector, "timeoutMs": ms})).await["ready"] == true
    };
    assert!(wait("text=2 items left", 20_000).await);
    assert!(wait("xpath=//p/b", 20_000).await);
    assert!(!wait("text=hidden words", 300).await, "nobody sees it");
    let shot = bench.call("snapshot", json!({})).await;
    let button = shot["elements"][0]["ref"].as_str().unwrap().to_owned();
    assert!(wait(&button, 20_000).await, "{shot}");
    bench.call("click", json!({"target": button})).await;
    assert!(!wait(&button, 300).await);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b32_open_waits_for_the_new_document() {
    let site = Site::page("<title>old</title>").await;
    site.later("/slow", |_| async {
        let (head, rest) = ("<!doctype html><title>new</title>", "<p id=end>end");
        let parts = futures_util::stream::unfold(0, move |step| async move {
            match step {
                0 => Some((Ok::<_, std::io::Error>(head), 1)),
                1 => {
                    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
                    Some((Ok(rest), 2))
                }
                _ => None,
            }
        });
        axum::http::Response::builder()
            .header("content-type", "text/html")
            .body(axum::body::Body::from_stream(parts))
            .unwrap()
    });
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(bench.call("open", json!({"url": site.url("/slow")})).await["title"], "new");
    assert_eq!(
        bench.call("execute", json!({"script": "document.querySelector('#end').innerText"})).await["value"],
        "end"
    );
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b78_long_lived_connections_and_hashes_keep_nothing_waiting() {
    let site = Site::page("<title>one</title><script>new EventSource('/events')</script>").await;
    site.later("/events", |_| async {
        let never = futures_util::stream::pending::<Result<&str, std::io::Error>>();
        let head = axum::http::Response::builder().header("content-type", "text/event-stream");
        head.body(axum::body::Body::from_stream(never)).unwrap()
    });
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let started = std::time::Instant::now();
    for hash in ["/#a", "/#b"] {
        assert_eq!(bench.call("open", json!({"url": site.url(hash)})).await["url"], site.url(hash));
    }
    assert_eq!(bench.call("wait", json!({})).await["ready"], true);
    let back = bench.call("back", json!({})).await;
    assert_eq!((&back["back"], &back["url"]), (&json!(true), &json!(site.url("/#a"))), "{back}");
    assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b59_going_back_in_a_frame_is_over_when_the_frame_moved() {
    let site = Site::page("<title>outer</title><iframe src=/first></iframe>").await;
    site.html("/first", "<a href=/second>Further</a>").html("/second", "<button>Second</button>");
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    bench.call("click", json!({"target": "text=Further"})).await;
    bench.call("wait", json!({"selector": "iframe"})).await;
    let shown =
        async |words: &str| bench.call("snapshot", json!({})).await["elements"].to_string().contains(words);
    while !shown("Second").await {}
    let begun = std::time::Instant::now();
    let back = bench.call("back", json!({})).await;
    assert_eq!((&back["back"], &back["title"]), (&json!(true), &json!("outer")));
    assert!(shown("Further").await);
    assert_eq!(bench.call("forward", json!({})).await["forward"], true);
    assert!(shown("Second").await);
    assert!(begun.elapsed().as_secs() < 15, "it waited for the page to move");
    bench.call("close", json!({})).await;
}
