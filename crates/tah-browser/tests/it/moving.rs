//! Scrolling, hovering, dragging, and files into inputs.

use serde_json::{Value, json};
use tah_browser::Code;

use crate::support::{Bench, Site};

async fn at(page: &str) -> (Bench, Site) {
    let site = Site::page(page).await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    (bench, site)
}

async fn script(bench: &Bench, script: &str) -> Value {
    bench.call("execute", json!({ "script": script })).await["value"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn scrolling_the_page_inner_panels_and_frames_bp_56() {
    let (bench, site) = at(
        "<style>html{scroll-behavior:smooth}</style><div style='height:3000px'>long</div><p id=end>end</p>",
    )
    .await;
    site.html("/panel", "<body style=margin:0><div id=p style='height:100vh;overflow:auto'><div style='height:5000px'>panel</div></div>");
    site.html("/frame", "<body style=margin:0><iframe style='width:100%;height:90vh;border:0' srcdoc='<div style=height:4000px>in</div>'></iframe>");
    site.html("/map", "<canvas style='width:100%;height:80vh;display:block'></canvas><script>addEventListener('wheel', e => document.title = 'wheel ' + e.deltaY)</script>");
    let scroll = async |args: Value| bench.call("scroll", args).await;
    let down = scroll(json!({})).await;
    assert!(down["scrolled"] == true && down["moved"]["y"].as_i64().unwrap() > 400, "{down}");
    let more = scroll(json!({"deltaY": 100})).await;
    assert_eq!(more["position"]["y"].as_i64().unwrap(), down["position"]["y"].as_i64().unwrap() + 100);
    let bottom = scroll(json!({"toBottom": true})).await;
    assert_eq!(bottom["left"]["down"], 0, "{bottom}");
    assert_eq!(scroll(json!({"toTop": true})).await["position"]["y"], 0);
    scroll(json!({"selector": "#end"})).await;
    assert!(bench.middle("#end").await.1 < 800.0);
    assert_eq!(bench.fails("scroll", json!({"selector": "#none"})).await.0, Code::TargetNotFound);
    bench.call("open", json!({"url": site.url("/panel")})).await;
    assert_eq!(scroll(json!({"deltaY": 300})).await["position"]["y"], 300);
    assert_eq!(script(&bench, "p.scrollTop").await, 300);
    bench.call("open", json!({"url": site.url("/frame")})).await;
    assert_eq!(scroll(json!({"deltaY": 200})).await["position"]["y"], 200);
    bench.call("open", json!({"url": site.url("/map")})).await;
    scroll(json!({"deltaY": 120})).await;
    assert_eq!(script(&bench, "document.title").await, "wheel 120");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hovering_and_dragging_html5_and_mouse_bp_26_52_53_54() {
    let (bench, _site) = at(
        "<style>#menu ul{display:none} #menu:hover ul{display:block} .box{width:80px;height:40px;background:#ccc;margin:10px}</style>
        <div id=menu onmouseenter='document.title=\"over\"'>Menu<ul><li><a href='#x'>Inside</a></li></ul></div>
        <div class=box draggable=true id=from ondragstart='event.dataTransfer.setData(\"text/plain\", \"cargo\")'>From</div>
        <div class=box id=to ondragover='event.preventDefault()' ondrop='event.preventDefault();this.textContent=\"got \" + event.dataTransfer.getData(\"text/plain\")'>To</div>
        <div class=box id=m style='position:absolute;margin:0;left:300px;top:100px'>Mouse</div><div class=box id=goal style='position:absolute;margin:0;left:600px;top:300px'>Goal</div>
        <div style='height:2500px'></div><div class=box id=far ondragover='event.preventDefault()' ondrop='event.preventDefault();this.textContent=\"far \" + event.dataTransfer.getData(\"text/plain\")'>Far</div>
        <script>
        m.onmousedown = e => { const move = e => { m.style.left = e.clientX - 40 + 'px'; m.style.top = e.clientY - 20 + 'px' };
          addEventListener('mousemove', move); addEventListener('mouseup', () => { removeEventListener('mousemove', move); document.title = 'dropped' }, {once: true}) };
        </script>").await;
    let hovered = bench.call("hover", json!({"target": "#menu"})).await;
    assert!(hovered["hovered"].as_str().unwrap().contains("Menu"), "{hovered}");
    assert_eq!(script(&bench, "document.title").await, "over");
    bench.call("click", json!({"target": "text=Inside"})).await;
    assert_eq!(script(&bench, "location.hash").await, "#x");
    let dragged = bench.call("drag", json!({"from": "#from", "to": "#to"})).await;
    assert!(dragged["changed"].as_str().unwrap().contains("got cargo"), "{dragged}");
    bench.call("drag", json!({"from": "#m", "to": "#goal"})).await;
    assert_eq!(script(&bench, "document.title").await, "dropped");
    let near = script(&bench, "const a = m.getBoundingClientRect(), b = goal.getBoundingClientRect(); return Math.abs(a.x - b.x) + Math.abs(a.y - b.y)").await;
    assert!(near.as_f64().unwrap() < 4.0, "{near}");
    bench.call("drag", json!({"from": "#from", "to": "#far"})).await;
    assert_eq!(script(&bench, "far.textContent").await, "far cargo");
    assert_eq!(bench.fails("drag", json!({"from": "#from", "to": "#nowhere"})).await.0, Code::TargetNotFound);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b56_files_into_plain_hidden_and_scripted_inputs_bp_49() {
    let (bench, _site) = at(
        "<input type=file id=one onchange='document.title=this.files[0].name'><input type=file id=many multiple>
        <label>Choose <input type=file id=hid style='display:none' onchange='document.title=\"hid \" + this.files[0].name'></label>
        <button id=made onclick='const i = document.createElement(\"input\"); i.type = \"file\"; i.onchange = () => document.title = \"made \" + i.files[0].name; i.click()'>Make one</button>
        <button id=none>None</button>").await;
    std::fs::write(bench.folder.path().join("a.txt"), "a").unwrap();
    std::fs::write(bench.folder.path().join("b.txt"), "b").unwrap();
    let title = async || script(&bench, "document.title").await;
    let up = bench.call("upload", json!({"target": "#one", "paths": ["a.txt"]})).await;
    assert_eq!(up["files"], json!(["a.txt"]), "{up}");
    assert_eq!(title().await, "a.txt");
    let both = bench.call("upload", json!({"target": "#many", "paths": ["a.txt", "b.txt"]})).await;
    assert_eq!(both["files"], json!(["a.txt", "b.txt"]), "{both}");
    bench.call("upload", json!({"target": "text=Choose", "paths": ["b.txt"]})).await;
    assert_eq!(title().await, "hid b.txt");
    bench.call("upload", json!({"target": "#made", "paths": ["a.txt"]})).await;
    assert_eq!(title().await, "made a.txt");
    // A click that opens a chooser says so; the upload goes into it.
    let clicked = bench.call("click", json!({"target": "#made"})).await;
    assert!(clicked["fileChooser"].as_str().unwrap().contains("browser_upload"), "{clicked}");
    bench.call("upload", json!({"paths": ["b.txt"]})).await;
    assert_eq!(title().await, "made b.txt");
    let fails = async |args: Value| bench.fails("upload", args).await.0;
    assert_eq!(fails(json!({"target": "#one", "paths": ["a.txt", "b.txt"]})).await, Code::ArgumentInvalid);
    assert_eq!(fails(json!({"target": "#one", "paths": ["missing.txt"]})).await, Code::PathRefused);
    assert_eq!(fails(json!({"target": "#one", "paths": ["/etc/hostname"]})).await, Code::PathRefused);
    assert_eq!(fails(json!({"paths": ["a.txt"]})).await, Code::ArgumentInvalid);
    assert_eq!(fails(json!({"target": "#none", "paths": ["a.txt"]})).await, Code::ArgumentInvalid);
    bench.call("close", json!({})).await;
}
