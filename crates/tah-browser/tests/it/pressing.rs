//! Clicks: what they reach, what they wait for, and that they say what came of them.

use std::time::Duration;

use serde_json::{Value, json};
use tah_browser::Code;

use crate::support::{Bench, Site, attachment};

async fn title(bench: &Bench) -> Value {
    bench.call("execute", json!({"script": "document.title"})).await["value"].clone()
}

async fn at(page: &str) -> (Bench, Site) {
    let site = Site::page(page).await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    (bench, site)
}

const NAME: &str = "onclick='document.title=this.id'";

#[tokio::test(flavor = "multi_thread")]
async fn b1_b2_b4_covered_disabled_and_inert_are_named_and_nothing_else_is_pressed_bp_3_4_5_6_7_24() {
    let (bench, _site) = at(&format!(
        "<style>body{{margin:0}} button{{position:absolute;width:120px;height:30px}}</style>
        <button id=a {NAME} style='left:10px;top:100px'>Covered</button><div id=chat {NAME} style='position:fixed;left:0;top:90px;width:200px;height:60px;background:red'>Chat with us</div>
        <button id=b {NAME} disabled style='left:300px;top:100px'>Disabled</button>
        <div inert><button id=c {NAME} style='left:500px;top:100px'>Inert</button></div>
        <button id=part {NAME} style='left:10px;top:200px'>Partly</button><div style='position:absolute;left:40px;top:190px;width:60px;height:60px;background:blue'></div>
        <button id=later {NAME} disabled style='left:300px;top:200px'>Later</button>
        <button id=shown {NAME} style='display:none;left:500px;top:200px'>Shown later</button>
        <button id=freed {NAME} style='left:10px;top:300px'>Freed later</button><div id=veil style='position:absolute;left:0;top:290px;width:200px;height:60px;background:green'></div>
        <div style='position:absolute;top:3000px;height:20px;width:1px'></div>
        <button id=low {NAME} style='top:2500px;left:10px'>Low</button>
        <div id=bar {NAME} style='position:fixed;left:0;top:0;height:80px;width:100%;background:#eee'>Sticky</div>")).await;
    let started = std::time::Instant::now();
    let (code, message) = bench.fails("click", json!({"target": "#a"})).await;
    assert_eq!(code, Code::TargetCovered);
    // While it looks for a place where nothing covers the button, the bar may come over it as well.
    assert!(message.contains("Chat with us") || message.contains("Sticky"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(15));
    let (code, message) = bench.fails("click", json!({"target": "#b"})).await;
    assert_eq!(code, Code::TargetDisabled, "{message}");
    let (code, message) = bench.fails("click", json!({"target": "#c"})).await;
    assert_eq!(code, Code::TargetDisabled);
    assert!(message.contains("inert"), "{message}");
    assert_eq!(title(&bench).await, "");
    let press = async |target: &str| {
        bench.call("click", json!({"target": target})).await;
        title(&bench).await
    };
    assert_eq!(press("#part").await, "part");
    bench.call("execute", json!({"script": "setTimeout(() => { later.disabled = false; shown.style.display = 'block'; veil.remove() }, 300); 1"})).await;
    assert_eq!(press("#later").await, "later");
    bench.call("execute", json!({"script": "shown.style.display = 'none'; setTimeout(() => shown.style.display = 'block', 300); 1"})).await;
    assert_eq!(press("#shown").await, "shown");
    assert_eq!(press("#freed").await, "freed");
    // B5 and the sticky header: scrolled to the middle, really hit.
    assert_eq!(press("#low").await, "low");
    let middle = bench.middle("#low").await.1;
    assert!((200.0..600.0).contains(&middle), "{middle}");
    bench.call("execute", json!({"script": "scrollTo(0, 2500); 1"})).await;
    assert_eq!(press("#low").await, "low");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shapes_and_motion_bp_1_2_8_9_10_11_12_13_14_16_18_25_26() {
    let (bench, _site) = at(&format!(
        "<style>html{{scroll-behavior:smooth}} #run{{position:relative;animation:go .5s linear}} @keyframes go{{from{{left:0}}to{{left:400px}}}} #menu .extra{{display:none;height:40px}} #menu:hover .extra{{display:block}}</style>
        <div style='height:100px;overflow:auto;width:300px'><div style='height:900px'></div><div style='height:80px;overflow:auto;width:250px'><div style='height:500px'></div><button id=nested {NAME}>Nested</button></div></div>
        <div id=run {NAME} role=button style='width:80px'>Runs</div>
        <a id=dot {NAME} href='#' style='display:block;width:1px;height:1px;background:red'></a>
        <div id=turned {NAME} role=button style='width:120px;height:30px;transform:rotate(45deg);margin:60px'>Turned</div>
        <div style='width:220px'>some words before <a id=wrap {NAME} href='#'>a link that is broken over two or three lines of text</a></div>
        <a id=inline {NAME} href='#'><div style='height:20px;width:100px'>Block inside</div></a>
        <svg width=60 height=40><g id=svg {NAME} role=button aria-label=Shape><circle cx=30 cy=20 r=15 /></g></svg>
        <button id=through {NAME}><span style='pointer-events:none' id=child>Through</span></button>
        <x-card><span id=slotted {NAME}>Slotted</span></x-card>
        <div style='overflow:scroll;width:100px;height:60px' id=bars {NAME} role=button><div style='height:500px'>bar</div></div>
        <div id=menu style='width:100px'><div class=extra>more</div><button id=jump {NAME} style='height:24px'>Jump</button></div>
        <div style='height:3000px'></div><button id=smooth {NAME}>Smooth</button>
        <div id=holder><button id=swap onclick='document.title=\"old\"'>Swapped</button></div>
        <script>customElements.define('x-card', class extends HTMLElement {{ connectedCallback() {{ this.attachShadow({{mode:'open'}}).innerHTML = '<b><slot></slot></b>' }} }});</script>")).await;
    for (target, expected) in [
        ("#run", "run"),
        ("#nested", "nested"),
        ("#dot", "dot"),
        ("#turned", "turned"),
        ("#wrap", "wrap"),
        ("#inline", "inline"),
        ("#svg", "svg"),
        ("#child", "through"),
        ("#slotted", "slotted"),
        ("#bars", "bars"),
        ("#jump", "jump"),
        ("#smooth", "smooth"),
        ("text=Turned", "turned"),
        ("//button[@id='smooth']", "smooth"),
    ] {
        bench.call("execute", json!({"script": "document.title = ''"})).await;
        bench.call("click", json!({"target": target})).await;
        assert_eq!(title(&bench).await, expected, "{target}");
    }
    // 9: replaced while it is waited for: found again.
    bench.call("execute", json!({"script": "swap.disabled = true; setTimeout(() => holder.innerHTML = '<button id=swap onclick=\"document.title=2\">Swapped</button>', 300); 1"})).await;
    bench.call("click", json!({"target": "#swap"})).await;
    assert_eq!(title(&bench).await, "2");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b7_b45_what_came_of_it_renamed_buttons_new_tabs_downloads_dialogs_bp_22_23_45_46_50_51() {
    let site = Site::start().await;
    site.html("/", "<title>start</title><button id=r onclick='this.textContent=\"Following\"'>Follow</button>
        <button id=n>Nothing</button><a href=/next>Next page</a> <a href=/next target=_blank>In a tab</a> <a href=/file>File</a>
        <button onclick='window.open(\"/next\")'>Window</button>
        <button onclick='alert(1);alert(2);document.title=\"alerted\"'>Alerts</button>
        <button onclick='document.title=String(confirm(\"sure?\"))'>Confirm</button>
        <button onclick='document.title=String(prompt(\"name?\", \"x\"))'>Prompt</button>
        <button onclick='fetch(\"/slow\").then(r => r.text()).then(t => out.textContent = t)'>Fetch</button><p id=out></p>
        <button onclick='setTimeout(() => location.href = \"/next\", 0)'>Later page</button>
        <form action=/next><button>Send form</button></form>
        <button onclick='left.textContent--'>Count</button><p><span><b id=left>3</b> items left</span> of <i>many</i></p>
        <button onclick='this.remove()'>Vanish</button><button onclick='more.hidden=false'>Reveal</button><div id=more hidden><button>Revealed</button></div>");
    site.html("/next", "<title>next</title><h1>Arrived</h1><button>On next</button>")
        .on("/file", |_| attachment("f.bin", b"12345"));
    site.later("/slow", |_| async {
        tokio::time::sleep(Duration::from_millis(250)).await;
        crate::support::status(axum::http::StatusCode::OK, "from the server")
    });
    let mut bench = Bench::start().await;
    bench.caller = tah_browser::Caller::Model;
    let fresh = async || {
        bench.call("open", json!({"url": site.url("/")})).await;
    };
    let click = async |text: &str| bench.call("click", json!({"target": format!("text={text}")})).await;
    fresh().await;
    let renamed = click("Follow").await;
    assert!(
        renamed["changed"].as_str().unwrap().contains("~ e")
            && renamed["changed"].as_str().unwrap().contains("\"Following\""),
        "{renamed}"
    );
    assert!(renamed["clicked"].as_str().unwrap().contains("Follow"), "{renamed}");
    assert_eq!(click("Nothing").await["changed"], "no change seen");
    assert!(click("Vanish").await["changed"].as_str().unwrap().starts_with("- e"));
    assert!(click("Reveal").await["changed"].as_str().unwrap().contains("+ e"));
    let counted = click("Count").await;
    assert!(counted["changed"].as_str().unwrap().contains("~ 2 items left"), "{counted}");
    let fetched = click("Fetch").await;
    assert!(fetched["changed"].as_str().unwrap().contains("from the server"), "{fetched}");
    for way in ["Next page", "Later page", "Send form"] {
        fresh().await;
        let went = click(way).await;
        assert!(went["url"].as_str().unwrap().contains("/next") && went["title"] == "next", "{way}: {went}");
        assert!(went["elements"].as_str().unwrap().contains("On next"), "{went}");
    }
    fresh().await;
    let file = click("File").await;
    assert!(file["downloads"][0]["path"].as_str().unwrap().ends_with("f.bin"), "{file}");
    assert_eq!(title(&bench).await, "start");
    let alerted = click("Alerts").await;
    assert_eq!(alerted["dialogs"].as_array().unwrap().len(), 2, "{alerted}");
    let asked = click("Confirm").await;
    assert_eq!(
        (&asked["dialog"]["type"], &asked["dialog"]["message"]),
        (&json!("confirm"), &json!("sure?")),
        "{asked}"
    );
    assert_eq!(bench.fails("click", json!({"target": "#n"})).await.0, Code::DialogOpen);
    bench.call("dialog", json!({"accept": true})).await;
    assert_eq!(title(&bench).await, "true");
    let asked = click("Prompt").await;
    assert_eq!(asked["dialog"]["type"], "prompt", "{asked}");
    bench.call("dialog", json!({"accept": true, "text": "Ann"})).await;
    assert_eq!(title(&bench).await, "Ann");
    for way in ["In a tab", "Window"] {
        let opened = click(way).await;
        let tab = opened["newTab"].as_str().unwrap_or_else(|| panic!("{way}: {opened}")).to_owned();
        assert_eq!(title(&bench).await, "next", "{way}");
        bench.call("close_tab", json!({"tabId": tab})).await;
        fresh().await;
    }
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b12_b51_targets_and_their_errors() {
    let (bench, _site) = at("<button onclick='document.title=1'>Save draft</button><button>Save all</button><p>Save <b>draft</b></p>
        <ul><li>Alpha</li><li>alpha beta</li></ul><select id=s><option>red<option>green</select><input type=submit value='Send it' onclick='document.title=this.value;event.preventDefault()'>
        <a href='#' hidden>Save draft</a>").await;
    let click = async |target: Value| bench.call("click", json!({"target": target})).await;
    assert!(
        click(json!("text=Save draft")).await["clicked"].as_str().unwrap().contains("button \"Save draft\"")
    );
    assert_eq!(title(&bench).await, "1");
    click(json!("text=send IT")).await;
    assert_eq!(title(&bench).await, "Send it");
    let many = click(json!({"by": "css", "value": "button", "index": 1})).await;
    assert!(
        many["clicked"].as_str().unwrap().contains("Save all")
            && many["matches"].as_str().unwrap().starts_with("2 "),
        "{many}"
    );
    let fails = async |target: Value| bench.fails("click", json!({"target": target})).await;
    let (code, message) = fails(json!({"by": "css", "value": "button", "index": 5})).await;
    assert!(code == Code::TargetNotFound && message.contains("up to 1"), "{message}");
    assert_eq!(fails(json!("##")).await.0, Code::SelectorInvalid);
    assert_eq!(fails(json!("//[")).await.0, Code::SelectorInvalid);
    assert_eq!(bench.fails("click", json!({})).await.0, Code::ArgumentInvalid);
    assert_eq!(bench.fails("click", json!({"target": "a", "x": 1, "y": 1})).await.0, Code::ArgumentInvalid);
    assert_eq!(bench.fails("click", json!({"x": 5000, "y": 1})).await.0, Code::TargetOutside);
    let error = bench.try_call("get_value", json!({"target": "text=Sbve drbft"})).await.unwrap_err();
    assert_eq!(error.code, Code::TargetNotFound);
    assert!(error.hint.as_deref().unwrap().contains("Save draft"), "{error:?}");
    let error = bench.try_call("click", json!({"target": "text=green"})).await.unwrap_err();
    assert!(error.hint.as_deref().unwrap().contains("browser_select"), "{error:?}");
    bench.call("close", json!({})).await;
}
