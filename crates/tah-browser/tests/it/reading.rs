//! Content, rows and the accessibility view.

use serde_json::{Value, json};
use tah_browser::Code;

use crate::support::{Bench, Site};

#[tokio::test(flavor = "multi_thread")]
async fn content_in_its_four_formats_through_shadow_roots_and_frames() {
    let site = Site::page(
        "<html lang=de><head><title>The page</title><meta name=description content='about it'></head><body>
        <h1>Head <em>line</em></h1><p>One <b>bold</b> and a <a href=/x>link [1]</a>.<br>Next.</p><ul><li>a<li>b<ul><li>c</ul></ul><ol start=3><li>three<li>four</ol>
        <table><caption>Cap</caption><tr><th>N<th>V<tr><td>a|b<td>2</table><pre>code  here\n line</pre><blockquote>said</blockquote>
        <img alt=pic src=/p.png><div hidden>invisible</div><script>var notText = 1</script><div id=h></div><iframe srcdoc='<p>In the frame'></iframe>
        <script>h.attachShadow({mode: 'open'}).innerHTML = '<p>In the shadow'</script></body></html>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    bench.call("wait", json!({})).await;
    let read = async |args: Value| bench.call("content", args).await;
    let markdown = read(json!({"format": "markdown"})).await["content"].as_str().unwrap().to_owned();
    for part in [
        "# Head *line*",
        "One **bold** and a [link \\[1\\]](http://",
        "- a\n- b\n  - c",
        "3. three\n4. four",
        "Cap",
        "| N | V |\n| --- | --- |\n| a\\|b | 2 |",
        "```\ncode  here\n line\n```",
        "> said",
        "![pic](http://",
        "In the shadow",
        "In the frame",
    ] {
        assert!(markdown.contains(part), "{part} in:\n{markdown}");
    }
    let text = read(json!({"format": "txt"})).await["content"].as_str().unwrap().to_owned();
    assert!(
        text.contains("Head line") && text.contains("In the shadow") && text.contains("In the frame"),
        "{text}"
    );
    for part in ["invisible", "notText"] {
        assert!(!markdown.contains(part) && !text.contains(part));
    }
    let html = read(json!({"format": "html", "selector": "pre"})).await;
    assert_eq!(html["content"], "<pre>code  here\n line</pre>");
    let cut = read(json!({"format": "json", "maxChars": 300})).await;
    let parsed: Value = serde_json::from_str(cut["content"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&cut["truncated"], &parsed["lang"], &parsed["description"]),
        (&json!(true), &json!("de"), &json!("about it"))
    );
    assert_eq!(
        bench.fails("content", json!({"format": "txt", "selector": "#nope"})).await.0,
        Code::TargetNotFound
    );
    assert_eq!(
        bench.fails("content", json!({"format": "txt", "selector": "##"})).await.0,
        Code::SelectorInvalid
    );
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scraping_rows_waits_for_them_and_works_under_csp() {
    let site = Site::start().await;
    site.on("/", |_| {
        let page = "<script nonce=n>setTimeout(() => list.innerHTML = '<li data-id=1><h3> One  </h3><a href=/1>x</a></li><li><h3>Two</h3></li>', 200)</script><ul id=list></ul>";
        let mut answer = crate::support::status(axum::http::StatusCode::OK, page);
        answer.headers_mut().insert("content-security-policy", "default-src 'none'; script-src 'nonce-n'".parse().unwrap());
        answer
    });
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let rows = bench.call("scrape", json!({"item": "#list li", "fields": {"title": "h3", "url": "a@href", "id": "@data-id", "none": "b"}})).await;
    assert_eq!(rows["count"], 2);
    assert_eq!(rows["items"][0], json!({"title": "One", "url": site.url("/1"), "id": "1", "none": null}));
    assert_eq!(rows["items"][1]["url"], Value::Null);
    assert_eq!(
        bench.fails("scrape", json!({"item": ".no", "fields": {"a": "b"}, "timeoutMs": 100})).await.0,
        Code::TargetNotFound
    );
    assert_eq!(
        bench.fails("scrape", json!({"item": "li", "fields": {"a": "##"}, "timeoutMs": 100})).await.0,
        Code::SelectorInvalid
    );
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_accessibility_view_has_chromes_own_roles_names_and_points_to_click() {
    let site = Site::page(
        "<nav><a href=#a>Link</a></nav><div role=tablist><div role=tab aria-selected=true tabindex=0>Tab</div></div>
        <label>Name <input required></label><input type=checkbox aria-label=Box checked><details><summary>More</summary><button>In</button></details>
        <button aria-label='Computed name' onclick='document.title=1'>x</button><input type=search placeholder=Find disabled><button hidden>Hidden</button>").await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let tree = bench.call("a11y", json!({})).await;
    let nodes = tree["nodes"].as_array().unwrap();
    let node = |name: &str| {
        nodes.iter().find(|node| node["name"] == name).unwrap_or_else(|| panic!("{name} in {tree}"))
    };
    assert_eq!(node("Link")["role"], "link");
    assert!(node("Tab")["role"] == "tab" && node("Tab")["states"].to_string().contains("selected"));
    assert!(node("Name")["role"] == "textbox" && node("Name")["states"].to_string().contains("required"));
    assert!(node("Box")["states"].to_string().contains("checked"));
    assert!(node("More")["states"].to_string().contains("collapsed"));
    assert!(node("Find")["role"] == "searchbox" && node("Find")["states"].to_string().contains("disabled"));
    assert!(!tree.to_string().contains("Hidden"));
    let button = node("Computed name");
    bench.call("click", json!({"target": {"by": "point", "x": button["x"], "y": button["y"]}})).await;
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "1");
    assert!(bench.call("a11y", json!({"includeHidden": true})).await.to_string().contains("Hidden"));
    assert_eq!(bench.fails("a11y", json!({"maxNodes": 5})).await.0, Code::ArgumentInvalid);
    bench.call("close", json!({})).await;
}
