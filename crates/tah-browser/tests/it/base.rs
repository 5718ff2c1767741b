//! Launch, tabs, frames, navigation and input, below the tools.

use tah_browser::input::{Button, Modifiers};
use tah_browser::navigate::Arrival;
use tah_browser::page::{PageError, Point};

use crate::support::{Chrome, SOON, Site, attachment, redirect};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_opened_and_asked() {
    let site = Site::page("<title>one</title><p>hello").await;
    let chrome = Chrome::start().await;
    let tab = chrome.tab();
    assert!(matches!(tab.navigate(&site.url("/"), SOON).await, Ok(Arrival::Document)));
    let document: serde_json::Value = tab.main_frame().unwrap().call("document", (), SOON).await.unwrap();
    assert_eq!(document["title"], "one");
    assert_eq!(document["status"], 200);
    assert!(matches!(tab.navigate(&site.url("/#x"), SOON).await, Ok(Arrival::Within)));
    chrome.running.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b22_frames_of_three_origins_are_one_tree_with_places() {
    let site = Site::start().await;
    site.html("/", &format!("<body style=margin:0><iframe style='position:absolute;left:100px;top:50px;border:5px solid;width:400px;height:300px' src='{}'></iframe>", site.foreign("/middle")));
    site.html("/middle", &format!("<body style=margin:0><iframe style='position:absolute;left:20px;top:10px;border:0;width:200px;height:100px' src='{}'></iframe>", site.url("/inner")));
    site.html("/inner", "<title>inner</title><body style=margin:0><iframe style='position:absolute;left:7px;top:8px;border:0;width:100px;height:50px' srcdoc='<title>deep</title>'></iframe>");
    let chrome = Chrome::start().await;
    let tab = chrome.tab();
    tab.navigate(&site.url("/"), SOON).await.unwrap();
    let ready = chrome.running.world().until(SOON, |state| {
        let frames = state.tab_frames(tab.id());
        (frames.len() == 4
            && frames.iter().all(|f| state.frames[f].phase >= tah_browser::state::Phase::Interactive))
        .then_some(())
    });
    assert!(ready.await.unwrap().is_some());
    let frames = tab.frames();
    let mut titles = Vec::new();
    for frame in &frames {
        let document: serde_json::Value = frame.call("document", (), SOON).await.unwrap();
        titles.push(document["title"].as_str().unwrap().to_owned());
    }
    assert_eq!(titles, ["", "", "inner", "deep"]);
    let deep = frames[3].placement(SOON).await.unwrap();
    assert_eq!(
        deep.to_top(Point { x: 1.0, y: 2.0 }),
        Point { x: 105.0 + 20.0 + 7.0 + 1.0, y: 55.0 + 10.0 + 8.0 + 2.0 }
    );
    chrome.running.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b37_a_confirm_ends_the_click_at_once_and_an_alert_is_accepted() {
    let site = Site::page("<body style=margin:0><button style='width:100px;height:50px' onclick='alert(1)'></button><button style='width:100px;height:50px;position:absolute;left:200px' onclick='document.title=confirm(2)'></button>").await;
    let chrome = Chrome::start().await;
    let tab = chrome.tab();
    tab.navigate(&site.url("/"), SOON).await.unwrap();
    tab.click_at(Point { x: 20.0, y: 20.0 }, Button::Left, 1, Modifiers::default(), SOON).await.unwrap();
    let clicked =
        tab.click_at(Point { x: 220.0, y: 20.0 }, Button::Left, 1, Modifiers::default(), SOON).await;
    assert!(matches!(&clicked, Err(PageError::Dialog(dialog)) if dialog.message == "2"), "{clicked:?}");
    chrome.running.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b60_a_redirect_to_a_download_is_a_download() {
    let site = Site::start().await;
    site.on("/", |_| redirect("/file")).on("/file", |_| attachment("a b.bin", b"12345"));
    let chrome = Chrome::start().await;
    let tab = chrome.tab();
    let arrival = tab.navigate(&site.url("/"), SOON).await.unwrap();
    let Arrival::Download(guid) = arrival else { panic!("{arrival:?}") };
    let path = tab.landed(&guid, SOON).await.unwrap().unwrap();
    assert_eq!(path, chrome.downloads.path().join("a b.bin"));
    assert_eq!(std::fs::read(path).unwrap(), b"12345");
    chrome.running.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b65_a_window_becomes_a_tab() {
    let site = Site::page(
        "<body style=margin:0><a style='display:block;width:100px;height:50px' target=_blank href=/two>x</a>",
    )
    .await;
    site.html("/two", "<title>two</title>");
    let chrome = Chrome::start().await;
    let tab = chrome.tab();
    tab.navigate(&site.url("/"), SOON).await.unwrap();
    tab.click_at(Point { x: 20.0, y: 20.0 }, Button::Left, 1, Modifiers::default(), SOON).await.unwrap();
    let popup = chrome.running.world().until(SOON, |state| {
        state
            .tabs
            .iter()
            .find(|tab| tab.url.ends_with("/two"))
            .map(|tab| (tab.id.clone(), tab.opener.clone()))
    });
    let (id, opener) = popup.await.unwrap().expect("a second tab");
    assert_eq!(opener.as_ref(), Some(tab.id()));
    assert_eq!(chrome.tab().id(), &id);
    chrome.running.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b31_a_crashed_page_fails_its_calls_and_opens_again() {
    let site = Site::page("<title>one</title>").await;
    let chrome = Chrome::start().await;
    let tab = chrome.tab();
    tab.navigate(&site.url("/"), SOON).await.unwrap();
    tab.session().post(tah_browser::cdp::wire::CrashPage {});
    let crashed = chrome
        .running
        .world()
        .until(SOON, |state| (state.tab(tab.id())?.life == tah_browser::state::Life::Crashed).then_some(()));
    assert!(crashed.await.unwrap().is_some());
    let call = tab.main_frame().unwrap().call::<bool>("tick", (), SOON).await;
    assert!(matches!(call, Err(PageError::Crashed)), "{call:?}");
    let again = tab.navigate(&site.url("/"), SOON).await;
    assert!(matches!(again, Ok(Arrival::Document)), "{again:?}");
    assert!(tab.main_frame().unwrap().call::<bool>("tick", (), SOON).await.unwrap());
    chrome.running.close().await;
}
