//! Pages on 127.0.0.1 that remember what they were sent.

use crate::model::serve;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// One request a site was sent.
#[derive(Clone, Debug)]
pub struct Visit {
    pub method: String,
    /// With its query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

type Handler = Box<dyn Fn(&Visit) -> Page + Send + Sync>;

/// What a site answers.
#[derive(Clone, Debug)]
pub struct Page {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// An HTML page.
pub fn html(body: impl Into<String>) -> Page {
    let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
    Page { status: 200, headers, body: body.into().into_bytes() }
}

impl Page {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

struct Shared {
    handlers: HashMap<String, Handler>,
    visits: Mutex<Vec<Visit>>,
}

/// Pages to be served.
#[derive(Default)]
pub struct SiteBuilder {
    handlers: HashMap<String, Handler>,
}

impl SiteBuilder {
    /// A page that is always the same.
    pub fn page(self, path: &str, body: &str) -> Self {
        let body = body.to_owned();
        self.on(path, move |_| html(body.clone()))
    }

    /// A page made of the request.
    pub fn on(mut self, path: &str, handler: impl Fn(&Visit) -> Page + Send + Sync + 'static) -> Self {
        self.handlers.insert(path.to_owned(), Box::new(handler));
        self
    }

    pub fn start(self) -> Site {
        let shared = Arc::new(Shared { handlers: self.handlers, visits: Mutex::default() });
        let app = Router::new().fallback(answer).with_state(shared.clone());
        let (address, stop) = serve(app);
        Site { address, shared, _stop: stop }
    }
}

/// A running site; it ends with this value.
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: tokio::sync::oneshot::Sender<()>,
}

impl Site {
    pub fn builder() -> SiteBuilder {
        SiteBuilder::default()
    }

    /// A page with a form of a name, a colour and a box, and the page that shows what was submitted.
    pub fn with_form() -> Self {
        const FORM: &str = "<!doctype html><title>Order form</title><h1>Order</h1>
<form method=post action=/done>
<label>Name <input name=name></label>
<label>Colour <select name=colour><option>red</option><option>green</option></select></label>
<label><input type=checkbox name=agree> I agree</label>
<button>Send order</button></form>";
        Site::builder()
            .page("/", FORM)
            .on("/done", |visit| {
                html(format!(
                    "<!doctype html><title>Thank you</title><h1>Order received</h1><p>{}</p>",
                    visit.body
                ))
            })
            .start()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests so far, icons aside.
    pub fn visits(&self) -> Vec<Visit> {
        let visits = self.shared.visits.lock().unwrap();
        visits.iter().filter(|visit| !visit.path.contains("favicon")).cloned().collect()
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = axum::body::to_bytes(body, 64 << 20).await.unwrap_or_default();
    let visit = Visit {
        method: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers: parts.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    shared.visits.lock().unwrap().push(visit.clone());
    let page = match shared.handlers.get(parts.uri.path()) {
        Some(handler) => handler(&visit),
        None => html("<title>Not found</title>").status(404),
    };
    let mut response = Response::builder().status(StatusCode::from_u16(page.status).expect("a status"));
    for (name, value) in page.headers {
        response = response.header(name, value);
    }
    response.body(page.body.into()).expect("a response")
}
