//! TodoMVC: add with Chinese text, complete, filter. Judged by what the app has stored in the browser.

use anyhow::{Result, ensure};
use serde_json::json;

use super::Place;
use super::desk::Desk;
use super::host::{Host, free_port};

pub async fn run(desk: &mut Desk, place: &Place, framework: &str) -> Result<()> {
    let port = free_port()?;
    let (examples, number) = (place.module("todomvc/examples"), port.to_string());
    let args = ["-m", "http.server", "--bind", "127.0.0.1", "-d", &examples, &number];
    let host = Host::start("python3", &args, port, &place.folder).await?;
    let done = job(desk, &format!("http://127.0.0.1:{port}/{framework}/index.html")).await;
    host.stop().await;
    done
}

async fn job(desk: &mut Desk, url: &str) -> Result<()> {
    desk.call("open", json!({ "url": url })).await?;
    let input = desk.find(&["input", "What needs to be done?"]).await?;
    for text in ["买牛奶", "Write the report", "third 👍🏽"] {
        desk.call("type", json!({"target": input, "text": format!("{text}\n")})).await?;
    }
    desk.call("snapshot", json!({})).await?;
    for text in ["买牛奶", "Write the report", "third 👍🏽", "3 items left"] {
        desk.shows(&[text])?;
    }
    // The first checkbox marks all; those of the entries follow.
    let first = desk.nth(&["checkbox"], 1).await?;
    desk.call("check", json!({ "target": first })).await?;
    desk.shows(&["2 items left"])?;
    desk.click(&["link", "\"Completed\""]).await?;
    desk.call("snapshot", json!({})).await?;
    desk.shows(&["买牛奶"])?;
    ensure!(desk.shows(&["Write the report"]).is_err(), "the filter shows all");
    desk.click(&["link", "\"Active\""]).await?;
    desk.call("snapshot", json!({})).await?;
    desk.shows(&["Write the report"])?;
    ensure!(desk.shows(&["买牛奶"]).is_err(), "the filter shows what is completed");
    let stored = desk.judge("Object.values(localStorage).map(JSON.parse).find(Array.isArray).map(t => [t.title, t.completed])").await?;
    let wanted = r#"[["买牛奶",true],["Write the report",false],["third 👍🏽",false]]"#;
    ensure!(stored.contains(wanted), "stored is {stored}");
    Ok(())
}
