//! The snapshot: what is listed, how it is called, what is left out, and that numbers mean one element for ever.

use serde_json::{Value, json};
use tah_browser::{Caller, Code};

use crate::support::{Bench, SOON, Site};

async fn lines_of(bench: &Bench, site: &Site, path: &str) -> String {
    let opened = bench.call("open", json!({"url": site.url(path)})).await;
    opened["elements"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
}

async fn model() -> Bench {
    let mut bench = Bench::start().await;
    bench.caller = Caller::Model;
    bench
}

/// The number of the line that holds `part`.
pub fn number(lines: &str, part: &str) -> String {
    let line =
        lines.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in:\n{lines}"));
    line.trim()
        .split(' ')
        .find(|word| word.starts_with('e') && word[1..].parse::<u64>().is_ok())
        .unwrap_or_else(|| panic!("{line}"))
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn b16_b18_b34_kinds_labels_states_and_clickables_bp_69_70_71() {
    let site = Site::page(
        "<title>kinds</title><h1>All kinds</h1>
        <nav aria-label=Main><a href=/docs>Docs</a> <a href='data:text/plain,xyz'>Inline</a></nav>
        <form id=f><label for=n>Name</label><input id=n value=Ann required>
        <input type=password placeholder=Secret value=hunter2>
        <label><input type=checkbox checked> Agree</label>
        <label><input type=radio name=r> One</label>
        <select aria-label=Colour><option>red<option selected>green</select>
        <textarea aria-labelledby=tl>some\ntext</textarea><span id=tl>Notes</span>
        <input type=file id=up><button disabled>Send</button><input type=submit value=Go></form>
        <div style='cursor:pointer;width:200px'><h3>Card title</h3><p>more</p></div>
        <ul><li id=li>Listener only</li></ul>
        <div style='visibility:hidden'>gone <button style='visibility:visible'>Shown child</button></div>
        <button style='display:none'>Never</button><button style='width:2px;height:2px;padding:0;border:0;overflow:hidden'>Tiny</button>
        <input type=checkbox id=zero style='opacity:0;position:absolute;width:0;height:0'><label for=zero>Zero size</label>
        <button aria-label=Menu aria-expanded=false><svg width=16 height=16></svg></button>
        <div contenteditable aria-label=Editor>hello</div><canvas width=50 height=50 id=paint></canvas>
        <script>li.addEventListener('click',()=>{}); n.focus()</script>",
    ).await;
    let bench = model().await;
    let lines = lines_of(&bench, &site, "/").await;
    for part in [
        "# All kinds",
        "link \"Docs\"",
        "/docs",
        "input \"Name\" = \"Ann\" [required, focused]",
        "input[password] \"Secret\" = \"(7 characters, hidden)\"",
        "checkbox \"Agree\" [checked]",
        "radio \"One\"",
        "select \"Colour\" = \"green\"",
        "red | green",
        "textarea \"Notes\" = \"some text\"",
        "file \"up\"",
        "browser_upload",
        "button \"Send\" [disabled]",
        "button \"Go\"",
        "clickable \"Card title more\"",
        "clickable \"Listener only\"",
        "button \"Shown child\"",
        "checkbox \"Zero size\"",
        "button \"Menu\" [collapsed]",
        "editor \"Editor\" = \"hello\"",
        "canvas \"paint\"",
        "navigation \"Main\":",
        "form \"f\":",
        "data:…",
    ] {
        assert!(lines.contains(part), "{part} in:\n{lines}");
    }
    for part in ["hunter2", "Never", "Tiny"] {
        assert!(!lines.contains(part), "{part} in:\n{lines}");
    }
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_kinds_and_points_of_the_top_viewport() {
    let site = Site::start().await;
    site.html("/", &format!("<body style=margin:0><button style='position:absolute;left:10px;top:20px;width:100px;height:40px'>Outer</button><iframe style='position:absolute;left:200px;top:100px;border:10px solid;width:300px;height:200px' src='{}'></iframe>", site.foreign("/in")));
    site.html("/in", "<body style=margin:0><button style='position:absolute;left:30px;top:40px;width:100px;height:20px' onclick='document.title=1;this.textContent=\"hit\"'>Inner</button>");
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let mut taken = Value::Null;
    for _ in 0..100 {
        taken = bench.call("snapshot", json!({})).await;
        if taken["elements"].as_array().unwrap().len() == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let elements = taken["elements"].as_array().unwrap();
    let outer = &elements[0];
    assert_eq!(
        (&outer["kind"], &outer["label"], &outer["x"], &outer["y"]),
        (&json!("button"), &json!("Outer"), &json!(60.0), &json!(40.0)),
        "{taken}"
    );
    let inner = &elements[1];
    assert_eq!((&inner["x"], &inner["y"]), (&json!(290.0), &json!(160.0)), "{taken}");
    assert!(inner["frame"].as_str().unwrap().contains("/in"));
    // The point can be given to click, and reaches into the other process.
    let clicked = bench.call("click", json!({"x": inner["x"], "y": inner["y"]})).await;
    assert!(clicked["clicked"].as_str().unwrap().contains("Inner"), "{clicked}");
    assert!(clicked["changed"].as_str().unwrap().contains("hit"), "{clicked}");
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b8_b9_b11_b12_numbers_mean_one_element_and_die_with_the_page() {
    let site = Site::page("<div id=box><button onclick='document.title=this.textContent'>One</button><button onclick='document.title=this.textContent'>Two</button><button onclick='document.title=this.textContent'>Three</button></div><a href=/two>next</a>").await;
    site.html("/two", "<button onclick='document.title=\"wrong\"'>Other</button>");
    let bench = model().await;
    let lines = lines_of(&bench, &site, "/").await;
    let (two, three) = (number(&lines, "\"Two\""), number(&lines, "\"Three\""));
    bench.call("execute", json!({"script": "const b = document.createElement('button'); b.textContent = 'New'; box.prepend(b)"})).await;
    let again = bench.call("snapshot", json!({})).await["elements"].as_str().unwrap().to_owned();
    assert_eq!(number(&again, "\"Two\""), two);
    let new = number(&again, "\"New\"");
    assert!(new[1..].parse::<u64>().unwrap() > three[1..].parse::<u64>().unwrap());
    bench.call("click", json!({"target": two})).await;
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "Two");
    // Removed: said so, at once.
    bench.call("execute", json!({"script": "box.children[3].remove()"})).await;
    let started = std::time::Instant::now();
    let (code, message) = bench.fails("click", json!({"target": three})).await;
    assert_eq!(code, Code::TargetGone);
    assert!(message.contains("removed"), "{message}");
    assert!(started.elapsed().as_secs() < 2);
    // Left: the number is void, and hits nothing on the new page.
    let clicked = bench.call("click", json!({"target": "text=next"})).await;
    assert!(clicked["url"].as_str().unwrap().ends_with("/two"), "{clicked}");
    assert!(clicked["elements"].as_str().unwrap().contains("Other"), "{clicked}");
    assert_eq!(bench.fails("click", json!({"target": two})).await.0, Code::TargetGone);
    assert_eq!(bench.call("execute", json!({"script": "document.title"})).await["value"], "");
    assert_eq!(bench.fails("click", json!({"target": "e9999999"})).await.0, Code::TargetNotFound);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b19_b20_b21_b22_b25_b26_frames_and_shadow_roots_are_inline() {
    let site = Site::start().await;
    site.html("/", &format!("<button>Top</button><iframe title=same srcdoc='<button onclick=this.textContent=\"in-same\">Same</button>'></iframe><iframe title=other src='{}'></iframe>
        <div id=h></div><x-closed></x-closed><div id=plain style='width:200px;height:40px'></div>
        <script>
        let at = h; for (const name of ['a','b','c']) {{ const r = at.attachShadow({{mode:'open'}}); r.innerHTML = '<div id=x></div>' + (name === 'c' ? '<button onclick=\"document.title=\\'nested\\'\">Nested</button>' : ''); at = r.getElementById('x'); }}
        customElements.define('x-closed', class extends HTMLElement {{ constructor() {{ super(); this.attachShadow({{mode:'closed'}}).innerHTML = '<button onclick=\"document.title=\\'closed\\'\">Closed one</button><input placeholder=Hidden-in-closed>'; }} }});
        plain.attachShadow({{mode:'closed'}}).innerHTML = '<button onclick=\"document.title=\\'plain\\'\">Plain closed</button>';
        </script>", site.foreign("/middle")));
    site.html(
        "/middle",
        &format!(
            "<label><input type=checkbox> Human?</label><iframe title=third src='{}'></iframe>",
            site.url("/deep")
        ),
    );
    site.html("/deep", "<button onclick='this.textContent=\"deep-hit\"'>Deep</button>");
    let bench = model().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let mut lines = String::new();
    for _ in 0..200 {
        lines = bench.call("snapshot", json!({})).await["elements"].as_str().unwrap().to_owned();
        if lines.contains("Deep") && lines.contains("Same") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    for part in [
        "frame \"same\":",
        "button \"Same\"",
        "frame \"other\":",
        "checkbox \"Human?\"",
        "frame \"third\":",
        "button \"Deep\"",
        "\"Nested\"",
        "\"Closed one\"",
        "\"Hidden-in-closed\"",
        "\"Plain closed\"",
    ] {
        assert!(lines.contains(part), "{part} in:\n{lines}");
    }
    let title = async || bench.call("execute", json!({"script": "document.title"})).await["value"].clone();
    for (target, expected) in
        [("text=Nested", "nested"), ("text=Closed one", "closed"), ("text=Plain closed", "plain")]
    {
        bench.call("click", json!({"target": target})).await;
        assert_eq!(title().await, expected);
    }
    let typed = bench.call("type", json!({"text": "abc", "target": "[placeholder=Hidden-in-closed]"})).await;
    assert_eq!(typed["typed"], "abc");
    assert_eq!(
        bench.call("get_value", json!({"target": "[placeholder=Hidden-in-closed]"})).await["value"],
        "abc"
    );
    let same = bench.call("click", json!({"target": "text=Same"})).await;
    assert!(same["changed"].as_str().unwrap().contains("in-same"), "{same}");
    let deep = bench.call("click", json!({"target": "text=Deep"})).await;
    assert!(deep["changed"].as_str().unwrap().contains("deep-hit"), "{deep}");
    let checked = bench.call("check", json!({"target": "text=Human?"})).await;
    assert_eq!(checked["checked"], true);
    let found = bench.call("find", json!({"text": "deep-hit"})).await;
    assert_eq!(found["count"], 1, "{found}");
    let tree = bench.call("a11y", json!({})).await;
    let names: Vec<&str> =
        tree["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str()).collect();
    assert!(
        names.contains(&"deep-hit") && names.contains(&"Human?") && names.contains(&"Closed one"),
        "{tree}"
    );
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b27_b28_b30_big_pages_are_capped_and_say_so_find_reaches_the_rest_bp_73() {
    let site = Site::start().await;
    let rows: String = (0..1500)
        .map(|i| {
            format!("<tr><td>Person {i}</td><td><a href=/p/{i}>Open</a> <button>Edit</button></td></tr>")
        })
        .collect();
    site.html("/", &format!("<table aria-label=People>{rows}</table>"));
    let links: String = (0..3000).map(|i| format!("<a href=/item/{i}>Item number {i}</a> ")).collect();
    site.html("/links", &format!("<p>{links}</p>"));
    let mut bench = model().await;
    let opened = bench.call("open", json!({"url": site.url("/")})).await;
    assert_eq!(opened["truncated"], true);
    assert!(opened.to_string().len() < 12_000, "{}", opened.to_string().len());
    let lines = opened["elements"].as_str().unwrap();
    assert!(lines.contains("more links in table \"People\"") && lines.contains("in \"Person 0"), "{lines}");
    assert!(opened["more"].as_str().unwrap().contains("browser_find"), "{opened}");
    let waited = bench.call("wait", json!({})).await;
    assert!(waited.to_string().len() < 200, "{waited}");
    let found = bench.call("find", json!({"text": "person 1234"})).await;
    let line = found["matches"][0].as_str().unwrap();
    assert!(found["count"] == 1 && line.contains("button \"Edit\""), "{found}");
    let edit = number(line.rsplit(", ").next().unwrap(), "Edit");
    bench.call("click", json!({"target": edit})).await;
    let found = bench.call("find", json!({"regex": "Person 14[0-9]{2}", "maxMatches": 5})).await;
    assert_eq!((&found["truncated"], found["matches"].as_array().unwrap().len()), (&json!(true), 5));
    assert_eq!(bench.call("find", json!({"text": "nowhere"})).await["count"], 0);
    assert_eq!(bench.fails("find", json!({"regex": "("})).await.0, Code::ArgumentInvalid);
    bench.caller = Caller::Program;
    let mut best = u128::MAX;
    bench.call("open", json!({"url": site.url("/links")})).await;
    for _ in 0..5 {
        let started = std::time::Instant::now();
        let taken = bench.call("snapshot", json!({})).await;
        best = best.min(started.elapsed().as_millis());
        assert!(taken.to_string().len() < 12_000);
    }
    println!("snapshot of 3,000 links: {best} ms");
    assert!(best < 1_000);
    let _ = SOON;
    bench.call("close", json!({})).await;
}
