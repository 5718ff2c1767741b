//! What a look calls things, on pages built as real applications are: drawings, toolbars of custom elements, editors.

use serde_json::json;

use crate::support::{Bench, Site};

#[tokio::test(flavor = "multi_thread")]
async fn shapes_of_a_drawing_are_listed_with_the_group_they_belong_to() {
    let site = Site::page(
        r#"<div tabindex=1><svg width=600 height=300 style="cursor: crosshair"><g class=layer><rect width=600 height=300 fill=white />
        <g class=node transform="translate(50,50)"><rect class=body width=100 height=30 fill=teal /><text x=20 y=20>first</text>
          <g class=port-output transform="translate(95,10)"><rect class=port width=10 height=10 /></g></g>
        <g class=node transform="translate(300,50)"><rect class=body width=100 height=30 fill=teal /><text x=20 y=20>second</text>
          <g class=port-input transform="translate(-5,10)"><rect class=port width=10 height=10 /></g></g>
        <path id=wire fill=none stroke=black /></g></svg></div><p id=out>none</p>
        <script>
        const svg = document.querySelector("svg");
        svg.addEventListener("mousedown", () => {});
        document.querySelector(".layer").addEventListener("mousemove", () => {});
        document.querySelectorAll(".body").forEach(e => e.addEventListener("mousedown", () => {}));
        let from = null;
        document.querySelectorAll(".port").forEach(e => {
            e.addEventListener("mousedown", () => from = e.parentNode.getAttribute("class"));
            e.addEventListener("mouseup", () => { if (from) out.textContent = from + " to " + e.parentNode.getAttribute("class"); });
        });
        </script>"#,
    )
    .await;
    let mut bench = Bench::start().await;
    bench.caller = tah_browser::Caller::Model;
    bench.call("open", json!({"url": site.url("/")})).await;
    let shot = bench.call("snapshot", json!({})).await;
    let lines: Vec<&str> = shot["elements"].as_str().unwrap().lines().collect();
    let find = |parts: &[&str]| {
        let line = lines.iter().find(|line| parts.iter().all(|part| line.contains(part)));
        line.unwrap_or_else(|| panic!("{parts:?} in {lines:#?}")).trim().split(' ').next().unwrap().to_owned()
    };
    let (from, to) = (find(&["port-output", "in \"first\""]), find(&["port-input", "in \"second\""]));
    find(&["node body", "in \"second\""]);
    let dragged = bench.call("drag", json!({"from": from, "to": to})).await;
    assert!(dragged["changed"].as_str().unwrap().contains("port-output to port-input"), "{dragged}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrappers_of_controls_and_words_for_screen_readers_take_no_lines() {
    let site = Site::page(
        r#"<div role=toolbar aria-label=tools><div class=item tabindex=0><x-button>Save</x-button></div></div>
        <div aria-live=polite style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">4 options available</div>
        <p><a href=/a>A</a> / <a href=/b>B</a> | <a href=/c>C</a> › here</p><div style="cursor:pointer;width:40px;height:40px"></div>
        <script>customElements.define("x-button", class extends HTMLElement {
            constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<button><slot></slot></button>"; } });</script>"#,
    )
    .await;
    let mut bench = Bench::start().await;
    bench.caller = tah_browser::Caller::Model;
    bench.call("open", json!({"url": site.url("/")})).await;
    let shot = bench.call("snapshot", json!({})).await;
    let lines: Vec<&str> = shot["elements"].as_str().unwrap().lines().map(str::trim).collect();
    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| line.trim_start_matches(|c: char| c == 'e' || c.is_ascii_digit()).trim())
        .collect();
    assert_eq!(
        kinds,
        [
            "toolbar \"tools\":",
            "button \"Save\"",
            "link \"A\" → /a",
            "link \"B\" → /b",
            "link \"C\" → /c",
            "text: › here"
        ]
    );
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_names_itself_in_its_own_list_and_an_editor_without_a_name() {
    let site = Site::page(
        r#"<div role=group id=g aria-label=Size><input type=range id=r aria-label=Size aria-labelledby="r g" value=10></div>
        <div class="cm-content ͼs" contenteditable data-language=python id=""></div>
        <script>document.querySelector("[contenteditable]").addEventListener("input", (event) => {
            const at = event.target; const text = at.textContent;
            at.innerHTML = text.split(" ").map(word => `<span>${word}</span>`).join(" ");
        })</script>"#,
    )
    .await;
    let mut bench = Bench::start().await;
    bench.caller = tah_browser::Caller::Model;
    bench.call("open", json!({"url": site.url("/")})).await;
    let shot = bench.call("snapshot", json!({})).await;
    let shown = shot["elements"].as_str().unwrap();
    assert!(shown.contains("input[range] \"Size\" = \"10\""), "{shown}");
    assert!(shown.contains("editor \"python\""), "{shown}");
    let typed = bench.call("type", json!({"target": "[contenteditable]", "text": "print a b"})).await;
    let changed = typed["changed"].as_str().unwrap();
    assert!(changed.contains("editor \"python\" = \"print a b\""), "{changed}");
    assert!(!changed.contains("+ "), "its words are no news of their own: {changed}");
    bench.call("close", json!({})).await;
}
