//! What the tests stand on: a web site of routes that remembers its requests, and a Chromium.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use tah_browser::chrome::{Chrome as Running, Tab};
use tah_browser::launch::{LaunchOptions, Profile, Window, launch};
use tah_browser::state::Held;
use tah_os::process::Launcher;

/// How long a test waits for anything, at most.
pub const SOON: Duration = Duration::from_secs(20);

/// One request as the site saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// What a route answers with.
pub type Answer = Response<Body>;
type Handler = Arc<dyn Fn(Seen) -> futures_util::future::BoxFuture<'static, Answer> + Send + Sync>;

#[derive(Default)]
struct Routes {
    handlers: Mutex<HashMap<String, Handler>>,
    seen: Mutex<Vec<Seen>>,
}

/// A web site on 127.0.0.1 (also reached as localhost, which is another site to Chrome).
#[derive(Clone)]
pub struct Site {
    routes: Arc<Routes>,
    pub address: SocketAddr,
}

impl Site {
    pub async fn start() -> Site {
        let routes = Arc::new(Routes::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let app = axum::Router::new().fallback(answer).with_state(routes.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Site { routes, address }
    }

    /// A site with one page at `/`.
    pub async fn page(html: &str) -> Site {
        let site = Site::start().await;
        site.html("/", html);
        site
    }

    /// Answers `path` with a page.
    pub fn html(&self, path: &str, html: &str) -> &Site {
        self.body(path, "text/html; charset=utf-8", html)
    }

    pub fn body(&self, path: &str, content_type: &str, body: &str) -> &Site {
        let (content_type, body) = (content_type.to_owned(), body.to_owned());
        self.on(path, move |_| {
            Response::builder()
                .header("content-type", &content_type)
                .body(Body::from(body.clone()))
                .expect("answer")
        })
    }

    /// Answers `path` (without its query) by a function of the request.
    pub fn on(&self, path: &str, handler: impl Fn(Seen) -> Answer + Send + Sync + 'static) -> &Site {
        let handler = Arc::new(handler);
        self.later(path, move |seen| {
            let handler = handler.clone();
            async move { handler(seen) }
        })
    }

    /// As [`Site::on`], for answers that take their time.
    pub fn later<F>(&self, path: &str, handler: impl Fn(Seen) -> F + Send + Sync + 'static) -> &Site
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |seen| Box::pin(handler(seen)));
        self.routes.handlers.lock().expect("routes").insert(path.to_owned(), handler);
        self
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The same under another host name: cross-origin and cross-site to [`Site::url`].
    pub fn foreign(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.address.port())
    }

    /// All requests so far, favicons aside.
    pub fn seen(&self) -> Vec<Seen> {
        self.routes.seen.lock().expect("seen").clone()
    }

    pub fn seen_at(&self, path: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.path.split('?').next() == Some(path)).collect()
    }
}

async fn answer(State(routes): State<Arc<Routes>>, request: Request<Body>) -> Answer {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.map(|b| b.to_vec()).unwrap_or_default();
    let path = head.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let seen = Seen { method: head.method.to_string(), path, headers: head.headers, body };
    if head.uri.path() != "/favicon.ico" {
        routes.seen.lock().expect("seen").push(seen.clone());
    }
    let handler = routes.handlers.lock().expect("routes").get(head.uri.path()).cloned();
    match handler {
        Some(handler) => handler(seen).await,
        None => status(StatusCode::NOT_FOUND, "<h1>not found</h1>"),
    }
}

/// An HTML answer with a status.
pub fn status(code: StatusCode, html: &str) -> Answer {
    Response::builder()
        .status(code)
        .header("content-type", "text/html; charset=utf-8")
        .body(Body::from(html.to_owned()))
        .expect("answer")
}

/// A redirect.
pub fn redirect(to: &str) -> Answer {
    Response::builder().status(StatusCode::FOUND).header("location", to).body(Body::empty()).expect("answer")
}

/// A file to download.
pub fn attachment(name: &str, body: &[u8]) -> Answer {
    Response::builder()
        .header("content-type", "application/octet-stream")
        .header("content-disposition", format!("attachment; filename=\"{name}\""))
        .body(Body::from(body.to_vec()))
        .expect("answer")
}

/// Options of a quiet headless Chromium with a profile of its own.
pub fn options(downloads: &std::path::Path) -> LaunchOptions {
    LaunchOptions {
        executable: Some("/usr/bin/chromium".into()),
        path: None,
        profile: Profile::Temporary,
        window: Window::Headless,
        connect: None,
        extra_args: Vec::new(),
        downloads: downloads.to_owned(),
        held: Held::ForDialogTool,
        rules: Default::default(),
        launcher: Launcher::None,
    }
}

/// A Chromium of a test's own, below the tools: for the base. Tests of tools use `Bench`.
pub struct Chrome {
    pub running: Arc<Running>,
    pub downloads: tempfile::TempDir,
}

impl Chrome {
    pub async fn start() -> Chrome {
        Chrome::start_with(|_| {}).await
    }

    pub async fn start_with(adapt: impl FnOnce(&mut LaunchOptions)) -> Chrome {
        let downloads = tempfile::tempdir().expect("a folder");
        let mut options = options(downloads.path());
        adapt(&mut options);
        let running = launch(&options).await.expect("chromium starts");
        Chrome { running, downloads }
    }

    pub fn tab(&self) -> Tab {
        self.running.active_tab().expect("an active tab")
    }
}

/// A browser with its tools, as a front end uses it.
pub struct Bench {
    pub browser: tah_browser::Browser,
    pub folder: tempfile::TempDir,
    pub caller: tah_browser::Caller,
}

impl Bench {
    pub async fn start() -> Bench {
        Bench::with(|_| {}).await
    }

    pub async fn with(adapt: impl FnOnce(&mut tah_browser::Options)) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let downloads = folder.path().join("downloads");
        let mut options = tah_browser::Options {
            launch: options(&downloads),
            output: folder.path().join(".tah/browser"),
            work_dir: folder.path().to_owned(),
            extras: Default::default(),
            auth: Default::default(),
            budgets: Default::default(),
            secrets: Default::default(),
        };
        adapt(&mut options);
        Bench { browser: tah_browser::Browser::new(options), folder, caller: tah_browser::Caller::Program }
    }

    pub async fn try_call(
        &self,
        tool: &str,
        args: serde_json::Value,
    ) -> Result<serde_json::Value, tah_browser::BrowserError> {
        let cancel = tokio_util::sync::CancellationToken::new();
        self.browser.call(&format!("browser_{tool}"), args, self.caller, cancel).await
    }

    pub async fn call(&self, tool: &str, args: serde_json::Value) -> serde_json::Value {
        match self.try_call(tool, args).await {
            Ok(value) => value,
            Err(error) => panic!("{tool}: {}", error.to_json()),
        }
    }

    /// The code and message of a call that must fail.
    pub async fn fails(&self, tool: &str, args: serde_json::Value) -> (tah_browser::Code, String) {
        match self.try_call(tool, args).await {
            Ok(value) => panic!("{tool} did not fail: {value}"),
            Err(error) => (error.code, error.message),
        }
    }

    /// The running browser below the tools.
    pub fn chrome(&self) -> Arc<Running> {
        self.browser.running().expect("a running browser")
    }

    /// Middle of an element in the top viewport, found from the page itself.
    pub async fn middle(&self, selector: &str) -> (f64, f64) {
        let script = "const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]";
        let out = self.call("execute", serde_json::json!({"script": script, "args": [selector]})).await;
        (out["value"][0].as_f64().expect("x"), out["value"][1].as_f64().expect("y"))
    }
}
