//! `--allow-hosts` and its kin: what may be opened, and what pages may load. 127.0.0.1 and localhost are two hosts here.

use serde_json::json;
use std::time::Duration;
use tah_tests::served::Served;
use tah_tests::site::{Site, html};
use tah_tests::tah::World;
use tah_tests::wait;

/// The other site, by another name.
fn elsewhere(site: &Site, path: &str) -> String {
    site.url(path).replace("127.0.0.1", "localhost")
}

fn two_sites() -> (Site, Site) {
    let other = Site::builder()
        .page("/", "<title>other</title><button>elsewhere</button>")
        .on("/pixel", |_| html("").header("content-type", "image/png"))
        .page("/frame", "<title>frame</title><button>inside</button>")
        .start();
    let (page, pixel) = (elsewhere(&other, "/"), elsewhere(&other, "/pixel"));
    let frame = elsewhere(&other, "/frame");
    let target = page.clone();
    let home = format!(
        "<title>home</title><a href={page}>away</a> <a href={page} target=_blank>new window</a>\
         <button onclick=\"window.open('{page}')\">popup</button><a href=/hop>hop</a>\
         <button onclick=\"location.href='{page}'\">script</button><img src={pixel}><iframe src={frame}></iframe>"
    );
    let site = Site::builder()
        .page("/", &home)
        .on("/hop", move |_| html("").status(302).header("location", &target))
        .start();
    (site, other)
}

#[test]
fn b85_only_allowed_hosts_are_opened_by_whatever_way() {
    let world = World::new();
    let (site, other) = two_sites();
    let mut served = Served::start(&world, &["--allow-hosts", "127.0.0.1"]);
    served.text("browser_open", json!({"url": site.url("/")}));
    // What the page loads is another list, and open here.
    wait::until("the picture was asked for", Duration::from_secs(10), || {
        other.visits().iter().any(|visit| visit.path == "/pixel")
    });
    let refused = served.call("browser_open", json!({"url": elsewhere(&other, "/")}));
    assert!(refused.is_error && refused.text.contains("BROWSER_NAVIGATION_BLOCKED"), "{}", refused.text);
    let refused = served.call("browser_open", json!({"url": site.url("/hop")}));
    assert!(refused.is_error && refused.text.contains("BROWSER_NAVIGATION_BLOCKED"), "{}", refused.text);
    for target in ["text=away", "text=new window", "text=popup", "text=hop", "text=script"] {
        served.text("browser_open", json!({"url": site.url("/")}));
        let clicked = served.call("browser_click", json!({"target": target}));
        let tabs = served.text("browser_list_tabs", json!({}));
        assert!(
            format!("{}{tabs}", clicked.text).contains("is not on the list of allowed hosts"),
            "{target}: {} {tabs}",
            clicked.text
        );
        assert!(!served.text("browser_snapshot", json!({})).contains("elsewhere"), "{target}");
        served.text("browser_reset", json!({}));
    }
    served.close();
    let opened: Vec<_> = other.visits().into_iter().filter(|visit| visit.path == "/").collect();
    assert_eq!(opened.len(), 0, "{opened:?}");
}

#[test]
fn b85_what_pages_load_has_a_list_of_its_own() {
    let world = World::new();
    let (site, other) = two_sites();
    let mut served = Served::start(&world, &["--allow-request-hosts", "127.0.0.1"]);
    let opened = served.text("browser_open", json!({"url": site.url("/")}));
    assert!(opened.contains("popup") && !opened.contains("inside"), "{opened}");
    // Opening is not loading.
    let away = served.text("browser_click", json!({"target": "text=away"}));
    assert!(away.contains("elsewhere"), "{away}");
    served.close();
    let loaded: Vec<_> = other.visits().into_iter().filter(|visit| visit.path != "/").collect();
    assert_eq!(loaded.len(), 0, "{loaded:?}");
}

#[test]
fn b85_denied_hosts_are_neither_opened_nor_loaded_from() {
    let world = World::new();
    let (site, other) = two_sites();
    let mut served = Served::start(&world, &["--deny-hosts", "localhost"]);
    served.text("browser_open", json!({"url": site.url("/")}));
    let refused = served.call("browser_open", json!({"url": elsewhere(&other, "/")}));
    assert!(refused.is_error && refused.text.contains("is on the list of denied hosts"), "{}", refused.text);
    served.close();
    assert_eq!(other.visits().len(), 0, "{:?}", other.visits());
    let mut served = Served::start(&world, &["--deny-private"]);
    let refused = served.call("browser_open", json!({"url": site.url("/")}));
    assert!(refused.is_error && refused.text.contains("private address"), "{}", refused.text);
    served.close();
}
