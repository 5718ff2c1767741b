//! `web_fetch` against a server of its own on this machine.

use super::Bench;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::Redirect;
use axum::routing::get;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tah_agent::card::CardLine;
use tah_agent::tools::PrivateHosts;
use tah_os::path::Roots;

struct Site {
    base: String,
    port: u16,
    hits: Arc<AtomicUsize>,
}

async fn site() -> Site {
    let hits = Arc::new(AtomicUsize::new(0));
    let counted = hits.clone();
    let reply = |kind: &'static str, body: Vec<u8>| {
        Response::builder().header("content-type", kind).body(Body::from(body)).unwrap()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new()
        .route("/", get(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            async { axum::response::Html("<html><title>Front</title><body><p>Hello <a href='/next'>next</a></p></page></body></html>") }
        }))
        .route("/gbk", get(move || async move { reply("text/html; charset=gbk", encoding_rs::GBK.encode("<title>标题</title><p>中文</p>").0.into_owned()) }))
        .route("/json", get(move || async move { reply("application/json", b"{\"a\":1}".to_vec()) }))
        .route("/pdf", get(move || async move { reply("application/pdf", b"%PDF-1.4 \0\x01".to_vec()) }))
        .route("/big", get(move || async move { reply("text/plain", vec![b'x'; 8 << 20]) }))
        .route("/hop", get(|| async { Redirect::temporary("/hop2") }))
        .route("/hop2", get(|| async { Redirect::permanent("/") }))
        .route("/round", get(|| async { Redirect::temporary("/round") }))
        .route("/file", get(|| async { Redirect::temporary("file:///etc/passwd") }))
        .route("/inward", get(move |headers: HeaderMap| async move {
            let host = headers.get("host").unwrap().to_str().unwrap().to_owned();
            let other = if host.starts_with("localhost") { "127.0.0.1" } else { "localhost" };
            Redirect::temporary(&format!("http://{other}:{port}/"))
        }))
        .route("/meta", get(|| async { Redirect::temporary("http://169.254.169.254/latest/meta-data/") }))
        .route("/gone", get(|| async { (StatusCode::NOT_FOUND, axum::response::Html("<p>No such thing here</p>")) }))
        .route("/hang", get(|| async { std::future::pending::<String>().await }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Site { base: format!("http://127.0.0.1:{port}"), port, hits }
}

fn open() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let roots = Roots::open(folder.path()).unwrap();
    Bench::with(folder, roots, PrivateHosts::Allow)
}

#[tokio::test]
async fn a_page_is_marked_text_with_title_and_links() {
    let (bench, site) = (open(), site().await);
    let text = bench.ok("web_fetch", json!({"url": site.base})).await;
    assert!(text.contains(&format!("<page url=\"{}/\">\ntitle: Front\n", site.base)), "{text}");
    assert!(text.contains(&format!("[next]({}/next)", site.base)), "{text}");
    assert_eq!(text.matches("</page>").count(), 1);
    let gbk = bench.ok("web_fetch", json!({"url": format!("{}/gbk", site.base)})).await;
    assert!(gbk.contains("title: 标题") && gbk.contains("中文") && gbk.contains("GBK"), "{gbk}");
}

#[tokio::test]
async fn other_kinds_sizes_and_statuses_are_told() {
    let (bench, site) = (open(), site().await);
    let at = |path: &str| json!({"url": format!("{}{path}", site.base)});
    assert!(bench.ok("web_fetch", at("/json")).await.contains("{\"a\":1}"));
    assert!(bench.ok("web_fetch", at("/pdf")).await.contains("application/pdf, not text"));
    let big = bench.call("web_fetch", at("/big")).await.unwrap();
    assert!(
        big.text.contains("only the first")
            && big.text.contains("more characters")
            && big.text.len() < 25_000
    );
    assert!(big.cut.is_some());
    let gone = bench.fault("web_fetch", at("/gone")).await;
    assert!(gone.contains("HTTP 404") && gone.contains("No such thing here"), "{gone}");
    let few = bench.ok("web_fetch", json!({"url": format!("{}/big", site.base), "maxChars": 10})).await;
    assert!(few.contains("\nxxxxxxxxxx\n</page>"), "{few}");
}

#[tokio::test]
async fn redirects_are_followed_shown_and_bounded() {
    let (bench, site) = (open(), site().await);
    let at = |path: &str| json!({"url": format!("{}{path}", site.base)});
    let text = bench.ok("web_fetch", at("/hop")).await;
    assert!(text.contains(&format!("redirected: {0}/hop -> {0}/hop2 -> {0}/", site.base)), "{text}");
    assert!(bench.fault("web_fetch", at("/round")).await.contains("redirects"));
    assert!(bench.fault("web_fetch", at("/file")).await.contains("not http or https"));
}

#[tokio::test]
async fn a_private_host_is_named_on_a_card_and_only_that_one_is_reached() {
    let (bench, site) = (Bench::new(), site().await);
    let input = json!({"url": format!("{}/", site.base)});
    // Not asked: not fetched.
    let fault = bench.run("web_fetch", input.clone()).await.unwrap_err();
    assert!(fault.message.contains("127.0.0.1 is not on the public internet"), "{}", fault.message);
    assert_eq!(site.hits.load(Ordering::SeqCst), 0);
    let card = bench.card("web_fetch", input.clone()).await.unwrap().unwrap();
    assert!(
        card.lines.contains(&CardLine::Text("127.0.0.1 is not on the public internet".to_owned())),
        "{card:?}"
    );
    assert!(card.always.is_none());
    bench.run("web_fetch", input.clone()).await.unwrap();
    assert_eq!(site.hits.load(Ordering::SeqCst), 1);
    // One card, one call.
    bench.run("web_fetch", input).await.unwrap_err();
    // A name that leads here, by the resolver.
    let named = json!({"url": format!("http://localhost:{}/", site.port)});
    bench.run("web_fetch", named.clone()).await.unwrap_err();
    let card = bench.card("web_fetch", named.clone()).await.unwrap().unwrap();
    assert!(format!("{card:?}").contains("localhost is "), "{card:?}");
    bench.run("web_fetch", named).await.unwrap();
    // A redirect to another private host is not what was asked.
    for path in ["/inward", "/meta"] {
        for host in ["127.0.0.1", "localhost"] {
            let input = json!({"url": format!("http://{host}:{}{path}", site.port)});
            let fault = bench.fault("web_fetch", input).await;
            assert!(fault.contains("refused") && fault.contains("redirected from"), "{fault}");
        }
    }
    assert_eq!(site.hits.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_is_no_url_is_said() {
    let bench = Bench::new();
    for url in
        ["", "file:///etc/passwd", "ftp://x.example/", "http://", "javascript:alert(1)", "/etc/passwd", "a b"]
    {
        bench.fault("web_fetch", json!({"url": url})).await;
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_on_cancel() {
    let (bench, site) = (open(), site().await);
    let input = json!({"url": format!("{}/hang", site.base)});
    let cancel = bench.cancel();
    let call = bench.call("web_fetch", input);
    let (outcome, ()) = tokio::join!(call, async move { cancel.cancel() });
    assert!(outcome.unwrap_err().message.contains("cancelled"));
}
