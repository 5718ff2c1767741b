//! Both engines behind the door, with the real Playwright MCP and a real Chromium.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tah_agent::event::EventSink;
use tah_agent::id::CallId;
use tah_agent::tool::{Tool, ToolContext, ToolError, ToolSource, Vision};
use tah_browser::browser::AuthCookies;
use tah_browser::guard::HostRules;
use tah_browser::registry::Extras;
use tah_cli::plugin::browser::{BrowserPlugin, BrowserSettings, EngineChoice, NativeSettings, Window};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

struct Bench {
    plugin: Arc<BrowserPlugin>,
    context: ToolContext,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(change: impl FnOnce(&mut BrowserSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().join("work");
        std::fs::create_dir(&cwd).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let cli = root.join("target/test-deps/node_modules/@playwright/mcp/cli.js");
        assert!(cli.is_file(), "{} is missing: run `cargo xtask setup`", cli.display());
        let mut settings = BrowserSettings {
            engine: EngineChoice::Playwright,
            window: Window::Headless,
            display: false,
            command: Some(vec!["node".to_owned(), cli.display().to_string()]),
            executable: None,
            call_timeout: Duration::from_secs(60),
            settle: Duration::from_millis(100),
            home: folder.path().join("home"),
            cwd,
            path: std::env::var_os("PATH").unwrap(),
            hidden_env: Vec::new(),
            vision: Vision::Off,
            launcher: Launcher::None,
            native: NativeSettings {
                extras: Extras::On,
                rules: HostRules::default(),
                downloads: folder.path().join("downloads"),
                auth: AuthCookies::InFile,
            },
        };
        change(&mut settings);
        let (events, mut seen) = EventSink::channel();
        tokio::spawn(async move { while seen.recv().await.is_some() {} });
        let context = ToolContext {
            call_id: CallId::new("call"),
            cancel: CancellationToken::new(),
            events,
            vision: settings.vision,
        };
        Bench { plugin: BrowserPlugin::new(settings), context, folder }
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = self.plugin.tools();
        tools.into_iter().find(|tool| tool.name() == name).unwrap_or_else(|| panic!("{name} is not mounted"))
    }

    async fn call(&self, name: &str, input: Value) -> Result<String, ToolError> {
        let input = input.as_object().cloned().unwrap();
        Ok(self.tool(name).run(input, &self.context).await?.text)
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }
}

fn page(html: &str) -> String {
    let mut url = "data:text/html;charset=utf-8,".to_owned();
    for byte in html.bytes() {
        url.push_str(&format!("%{byte:02X}"));
    }
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn bp_p8a_passwords_p8a_dialog_p8b_files_and_what_is_left() {
    let bench = Bench::new(|_| {});
    let form = page(
        "<title>Door</title><label>Login<input value=ada></label><label>Geheim<input type=password value=swordfish></label>\
         <button onclick=\"confirm('sure?')\">ask</button>",
    );
    let opened = bench.call("browser_open", json!({"url": form})).await.unwrap();
    assert!(
        opened.starts_with("{\"opened\":true,\"tools\":[\"browser_open\",\"browser_navigate\""),
        "{opened}"
    );
    assert!(opened.contains("Geheim") && opened.contains(": ada"), "{opened}");
    assert!(!opened.contains("swordfish\n") && opened.contains("••••"), "{opened}");
    assert!(bench.work().join(".tah/.gitignore").is_file());
    let clicked = bench.call("browser_click", json!({"element": "ask", "target": "text=ask"})).await.unwrap();
    assert!(clicked.contains("\"confirm\" dialog"), "{clicked}");
    let refused = bench.call("browser_navigate", json!({"url": "about:blank"})).await.unwrap_err();
    assert!(refused.message.contains("sure?"), "{refused}");
    bench.call("browser_handle_dialog", json!({"accept": true})).await.unwrap();
    bench.call("browser_navigate", json!({"url": "about:blank"})).await.unwrap();
    bench.call("browser_take_screenshot", json!({})).await.unwrap();
    bench.call("browser_close", json!({})).await.unwrap();
    assert_eq!(bench.plugin.tools().len(), 1);
    let left: Vec<String> = std::fs::read_dir(bench.work().join(".tah/browser"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left.len(), 1, "only the screenshot stays (P8b): {left:?}");
    assert!(left[0].ends_with(".png"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bp_v1_a_model_with_vision_gets_the_screenshot() {
    let bench = Bench::new(|settings| settings.vision = Vision::On);
    bench.call("browser_open", json!({"url": page("<h1>look</h1>")})).await.unwrap();
    let shoot = bench.tool("browser_take_screenshot");
    let output = shoot.run(serde_json::Map::new(), &bench.context).await.unwrap();
    assert_eq!(output.images.len(), 1);
    assert_eq!(output.images[0].media_type, "image/png");
    assert!(output.images[0].data.len() > 1000);
    assert!(!output.text.contains(&output.images[0].data[..40]), "no base64 in the text");
    bench.plugin.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_is_waited_for_by_the_next() {
    let bench = Bench::new(|_| {});
    bench.call("browser_open", json!({"url": page("<h1>slow</h1>")})).await.unwrap();
    let wait = bench.tool("browser_wait_for");
    let cancel = CancellationToken::new();
    let context = ToolContext { cancel: cancel.clone(), ..bench.context.clone() };
    let input = json!({"time": 2}).as_object().cloned().unwrap();
    let waiting = tokio::spawn(async move { wait.run(input, &context).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let began = std::time::Instant::now();
    cancel.cancel();
    let error = waiting.await.unwrap().unwrap_err();
    assert!(began.elapsed() < Duration::from_millis(100), "{:?}", began.elapsed());
    assert!(error.message.contains("may have happened"));
    let seen = bench.call("browser_snapshot", json!({})).await.unwrap();
    assert!(seen.contains("slow"), "{seen}");
    assert!(began.elapsed() > Duration::from_secs(1), "it waited for the call that went on");
    bench.plugin.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bp_o5_a_server_that_dies_at_start_says_its_last_words() {
    let bench = Bench::new(|settings| {
        let script = "import sys; sys.stderr.write('no luck today\\n'); sys.exit(3)";
        settings.command = Some(vec!["python3".into(), "-c".into(), script.into()]);
    });
    let error = bench.call("browser_open", json!({})).await.unwrap_err();
    assert!(error.message.contains("no luck today") && error.message.contains('3'), "{error}");
    assert_eq!(bench.plugin.tools().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_native_engine_is_behind_the_same_door() {
    let bench = Bench::new(|settings| settings.engine = EngineChoice::Native);
    assert_eq!(bench.plugin.tools().len(), 1);
    let form = page(
        "<title>Door</title><label>Name<input name=n></label><button onclick=\"document.title='Hi '+document.querySelector('input').value\">ok</button>",
    );
    let opened = bench.call("browser_open", json!({"url": form})).await.unwrap();
    assert!(opened.contains("\"opened\":true") && opened.contains("\"browser_click\""), "{opened}");
    assert!(opened.starts_with("<page url=") && opened.ends_with("</page>"), "{opened}");
    assert_eq!(bench.plugin.tools()[0].name(), "browser_open");
    assert!(bench.plugin.tools().len() > 33, "{}", bench.plugin.tools().len());
    let again = bench.call("browser_open", json!({})).await.unwrap();
    assert!(again.contains("already open"), "{again}");
    bench.call("browser_close", json!({})).await.unwrap();
    assert_eq!(bench.plugin.tools().len(), 1);
    let failed = bench.call("browser_open", json!({"url": "http://127.0.0.1:9/"})).await.unwrap();
    assert!(failed.contains("\"opened\":true") && failed.contains("BROWSER_NAVIGATION_FAILED"), "{failed}");
    bench.plugin.shutdown().await;
}
