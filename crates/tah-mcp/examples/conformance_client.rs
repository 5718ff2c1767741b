//! The client as the official conformance suite wants it: connects to the url in its last argument, calls every tool
//! once, says goodbye. `tests/conformance/run.sh` runs it.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use serde_json::{Value, json};
use std::error::Error;
use tah_mcp::{Client, CloseOrder, Reach, ServerSpec, configure_http};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().next_back().ok_or("no url given")?;
    rustls::crypto::ring::default_provider().install_default().map_err(|_| "a second TLS provider")?;
    let client = configure_http(reqwest::Client::builder(), &url).build()?;
    let reach = Reach::Http { url, headers: vec![], client };
    let spec = ServerSpec::new("conformance", reach, std::env::temp_dir());
    let client = Client::start(&spec, &Launcher::None, &CancellationToken::new()).await?;
    for tool in client.tools().iter() {
        // what each argument needs, by its type
        let arguments: Value = match tool.input_schema.get("properties") {
            Some(Value::Object(properties)) => properties
                .iter()
                .map(|(name, property)| {
                    let value = if property["type"] == "number" { json!(5) } else { json!("text") };
                    (name.clone(), value)
                })
                .collect::<serde_json::Map<_, _>>()
                .into(),
            _ => json!({}),
        };
        let result = client.call(&tool.name, &arguments, &Default::default()).await?;
        println!("{}: {}", tool.name, result.text());
    }
    client.close(CloseOrder::StdinFirst).await;
    Ok(())
}
