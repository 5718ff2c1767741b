//! tah's own tools, called as a library.

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use std::path::Path;
use tah_browser::{Browser, Caller, Options};
use tokio_util::sync::CancellationToken;

use crate::bare;
use crate::task::{Driver, FIELDS};

pub struct Library {
    browser: Browser,
}

pub async fn start(folder: &Path) -> Result<Driver> {
    let browser = Browser::new(Options {
        launch: bare::options(folder),
        output: folder.join("out"),
        work_dir: folder.to_owned(),
        extras: Default::default(),
        auth: Default::default(),
        budgets: Default::default(),
        secrets: Default::default(),
    });
    let library = Library { browser };
    library.call("open", json!({})).await?;
    Ok(Driver::Library(Box::new(library)))
}

/// The arguments of the fill that does the form.
pub fn fill() -> Value {
    let mut fields: Vec<Value> =
        FIELDS.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    fields.push(json!({"name": "agree", "value": true}));
    json!({"fields": fields, "submit": true})
}

impl Library {
    pub async fn call(&self, tool: &str, args: Value) -> Result<String> {
        let name = format!("browser_{tool}");
        let called = self.browser.call(&name, args, Caller::Model, CancellationToken::new()).await;
        called.map(|value| value.to_string()).map_err(|error| anyhow!("{}", error.to_json()))
    }

    pub async fn open(&self, url: &str) -> Result<String> {
        self.call("open", json!({"url": url})).await
    }

    pub async fn look(&self) -> Result<String> {
        self.call("snapshot", json!({})).await
    }

    pub async fn click(&self, selector: &str) -> Result<()> {
        self.call("click", json!({"target": selector})).await.map(|_| ())
    }

    pub async fn fill_and_send(&self) -> Result<()> {
        self.call("fill", fill()).await.map(|_| ())
    }

    pub async fn close(self) {
        self.browser.close().await;
    }
}
