//! `browser_download`: an address into a file, with the browser's own cookies and proxy. The address is opened in a tab
//! of our own, its answer is held before it becomes a page, and its bytes are streamed to the disk: no CORS, nothing in
//! memory, nothing overwritten.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::address;
use crate::browser::Call;
use crate::cdp::wire;
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::limits;

use super::landing;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let url = address::complete(call.text("url").unwrap_or_default())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BrowserError::new(
            Code::DownloadFailed,
            format!("only http and https are downloaded, not {}:", url.scheme()),
        ));
    }
    let options = call.options();
    address::check(&url, &options.launch.rules, &options.work_dir).await?;
    let wanted = PathBuf::from(call.text("savePath").unwrap_or_default());
    if !wanted.is_absolute() {
        return Err(BrowserError::new(
            Code::PathRefused,
            format!("savePath must be absolute, not {}", wanted.display()),
        )
        .hint(format!("it must lie in {}", options.launch.downloads.display())));
    }
    let path = landing::inside(&wanted, &[&options.launch.downloads]).await?;
    let chrome = call.chrome()?;
    let tab = chrome.open_inner_tab().await?;
    let outcome = fetch(&call, &tab, url.as_str(), &path).await;
    // The tab must not stay behind, and how closing it goes changes nothing about the file.
    let _ = chrome.close_tab(tab.id()).await;
    let bytes = outcome?;
    Ok(json!({"path": path, "bytes": bytes}))
}

async fn fetch(call: &Call, tab: &Tab, url: &str, path: &Path) -> Result<u64, BrowserError> {
    let failed = |why: String| BrowserError::new(Code::DownloadFailed, why);
    let patterns = json!([{"urlPattern": "*", "requestStage": "Response", "resourceType": "Document"}]);
    let session = tab.session();
    session.call(wire::FetchEnable { patterns: Some(patterns) }).await?;
    session.post(wire::Navigate { url: url.to_owned() });
    let request = loop {
        let held = tab.chrome().world().until(limits::FLOW_IDLE, |state| {
            state.tab(tab.id()).is_none_or(|tab| tab.answer.is_some()).then_some(())
        });
        tokio::select! {
            held = held => if held?.is_none() {
                return Err(failed(format!("{url} did not answer within {} s", limits::FLOW_IDLE.as_secs())));
            },
            () = call.cancel.cancelled() => return Err(BrowserError::new(Code::Cancelled, "cancelled")),
        }
        let answer =
            tab.chrome().world().change(|state| state.tab_mut(tab.id()).and_then(|tab| tab.answer.take()));
        let Some(answer) = answer else {
            return Err(failed(String::from("the browser closed the tab it was loaded in")));
        };
        match (answer.response_status_code, answer.response_error_reason) {
            (_, Some(reason)) => return Err(failed(format!("{url} could not be loaded: {reason}"))),
            (Some(300..=399), None)
                if answer.response_headers.iter().any(|h| h.name.eq_ignore_ascii_case("location")) =>
            {
                session.post(wire::FetchContinue { request_id: answer.request_id });
            }
            (Some(200..=299), None) => {
                let length =
                    answer.response_headers.iter().find(|h| h.name.eq_ignore_ascii_case("content-length"));
                if length
                    .and_then(|h| h.value.parse::<u64>().ok())
                    .is_some_and(|length| length > limits::DOWNLOAD)
                {
                    return Err(too_big());
                }
                break answer.request_id;
            }
            (status, None) => {
                return Err(failed(format!("{url} answered with status {}", status.unwrap_or_default())));
            }
        }
    };
    let stream = session.call(wire::TakeBody { request_id: request }).await?.stream;
    let partial = landing::partial(path).await?;
    let written = copy(call, tab, &stream, &partial).await;
    session.post(wire::IoClose { handle: stream });
    match written {
        Ok(bytes) => {
            landing::settle(&partial, path).await?;
            Ok(bytes)
        }
        Err(error) => {
            landing::discard(&partial).await;
            Err(error)
        }
    }
}

fn too_big() -> BrowserError {
    BrowserError::new(Code::DownloadFailed, format!("the file is bigger than {} bytes", limits::DOWNLOAD))
}

async fn copy(call: &Call, tab: &Tab, stream: &str, partial: &Path) -> Result<u64, BrowserError> {
    let failed = |error: std::io::Error| {
        BrowserError::new(Code::DownloadFailed, format!("can't write {}: {error}", partial.display()))
    };
    let mut file = tokio::fs::OpenOptions::new().append(true).open(partial).await.map_err(failed)?;
    let mut bytes = 0_u64;
    loop {
        let read = wire::IoRead { handle: stream.to_owned(), size: Some(1 << 20) };
        let chunk = tokio::select! {
            chunk = tab.session().call_within(limits::FLOW_IDLE, read) => chunk?,
            () = call.cancel.cancelled() => return Err(BrowserError::new(Code::Cancelled, "cancelled")),
        };
        let data = if chunk.base64_encoded {
            base64::engine::general_purpose::STANDARD.decode(&chunk.data).map_err(|error| {
                BrowserError::new(Code::DownloadFailed, format!("unreadable bytes: {error}"))
            })?
        } else {
            chunk.data.into_bytes()
        };
        bytes += data.len() as u64;
        if bytes > limits::DOWNLOAD {
            return Err(too_big());
        }
        file.write_all(&data).await.map_err(failed)?;
        if chunk.eof {
            file.sync_all().await.map_err(failed)?;
            return Ok(bytes);
        }
    }
}
