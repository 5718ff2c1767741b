//! Web pages that are made to take long: each must be text, or given up, within the time of a fetch.

use super::{Tools, judge};
use anyhow::Result;
use serde_json::json;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Seconds. A fetch itself gives up after 30.
const LIMIT: f64 = 10.0;

pub async fn run(megabytes: usize) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let tools = Tools::on(folder.path())?;
    let bytes = megabytes * 1_000_000;
    let fill = |unit: &str| unit.repeat(bytes / unit.len());
    let pages = [
        (
            "paragraphs",
            fill("<p>A sentence with some words, and a <a href='/x?a=1&amp;b=2'>link</a> in it.</p>\n"),
        ),
        ("nested blocks", fill("<div>")),
        ("nested words", fill("<b>")),
        ("nested lists", fill("<ul><li>x")),
        ("nested tables", fill("<table><tr><td>")),
        ("open links", fill("<a href=x>y")),
        ("attributes", format!("<p {}>x", fill("a b=c "))),
        ("brackets", fill("<")),
        ("entities", fill("&amp;&lt;&#x41;")),
        ("one word", fill("x")),
        ("one table", format!("<table>{}</table>", fill("<tr><td>a</td><td>b</td></tr>"))),
        ("a script", format!("<script>{}", fill("var x = '<p>';"))),
    ];
    let mut good = true;
    for (what, page) in pages {
        let url = serve(format!("<html><body>{page}")).await?;
        let began = Instant::now();
        let outcome = tools.call("web_fetch", json!({"url": url})).await;
        let took = began.elapsed().as_secs_f64();
        let said = outcome.map_or_else(|error| error.to_string(), |output| output.brief);
        good &= judge(&format!("{what} ({}), s", said.chars().take(60).collect::<String>()), took, LIMIT);
    }
    Ok(good)
}

/// One answer on a port of its own.
async fn serve(page: String) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async move {
        let Ok((mut stream, _)) = listener.accept().await else { return };
        let _ = stream.read(&mut [0; 4096]).await;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            page.len()
        );
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(page.as_bytes()).await;
    });
    Ok(url)
}
