//! The pages everybody is measured on.

use anyhow::Result;
use axum::Router;
use axum::extract::Query;
use axum::response::Html;
use axum::routing::get;
use std::collections::HashMap;

const FORM: &str = "<!doctype html><title>Form</title><h1>Sign up</h1><form action=/thanks>
    <label>Name <input name=name id=name></label><label>Email <input name=email id=email type=email></label>
    <label>City <input name=city id=city></label><label>Note <textarea name=note id=note></textarea></label>
    <label><input type=checkbox name=agree id=agree> I agree</label><button id=go>Send</button></form>";
const CLICK: &str = "<!doctype html><title>Click</title><button id=b onclick=\"this.textContent='Clicked '+(++n)\">Click me</button>
    <p>quiet</p><script>var n = 0</script>";

/// Starts it; its address.
pub async fn start() -> Result<String> {
    let links: String = (0..3000).map(|i| format!("<a href=/item/{i}>Item number {i}</a> ")).collect();
    let rows: String = (0..1500)
        .map(|i| format!("<tr><td>{i}</td><td>Person {i}</td><td><a href=/p/{i}>Open</a></td><td><button>Edit</button></td></tr>"))
        .collect();
    let links = format!("<!doctype html><title>Links</title><p>{links}</p>");
    let table = format!("<!doctype html><title>Table</title><table>{rows}</table>");
    let app = Router::new()
        .route("/form", get(|| async { Html(FORM) }))
        .route("/click", get(|| async { Html(CLICK) }))
        .route("/links", get(move || async { Html(links) }))
        .route("/table", get(move || async { Html(table) }))
        .route(
            "/thanks",
            get(|Query(all): Query<HashMap<String, String>>| async move {
                let name = all.get("name").cloned().unwrap_or_default();
                Html(format!(
                    "<!doctype html><title>Thanks</title><h1>Thank you</h1><button>{name} is in</button>"
                ))
            }),
        );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(format!("http://{address}"))
}
