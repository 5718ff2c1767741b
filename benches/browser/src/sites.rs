//! Real sites, their main job done by tool calls alone: `tah-bench-browser sites [--todomvc DIR] [--django PYTHON] [--modules DIR]`,
//! the last with node-red, swagger-ui-dist and json-server in it.

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tah_os::process::{Child, Launcher, Output, Spawn};

use crate::tah::Library;

/// How long a server may take to answer.
const START: Duration = Duration::from_secs(30);

pub async fn run(arguments: &[String]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let value = |name: &str| arguments.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
    let mut failed = 0;
    let mut report = |site: &str, outcome: Result<()>| match outcome {
        Ok(()) => println!("{site}: done"),
        Err(error) => {
            failed += 1;
            println!("{site}: FAILED: {error:#}");
        }
    };
    if let Some(examples) = value("--todomvc") {
        for (name, path) in [("react", "react/index.html"), ("vue", "vue/index.html")] {
            report(&format!("TodoMVC in {name}"), todo(folder.path(), &examples, path).await);
        }
    }
    if let Some(python) = value("--django") {
        report("Django admin", django(folder.path(), &python).await);
    }
    if let Some(modules) = value("--modules") {
        report("Node-RED", node_red(folder.path(), &modules).await);
        report("Swagger UI", swagger(folder.path(), &modules).await);
    }
    ensure!(failed == 0, "{failed} sites failed");
    Ok(())
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

async fn serve(program: &str, args: &[&str], port: u16) -> Result<Child> {
    let spawn = Spawn::new(program, &Launcher::None).args(args.iter().copied());
    let child = spawn.stdout(Output::Null).stderr(Output::Null).spawn().await?;
    let answering = async {
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(START, answering).await.with_context(|| format!("{program} did not start"))?;
    Ok(child)
}

fn see(text: &str, part: &str) -> Result<()> {
    ensure!(text.contains(part), "{part:?} is not in: {text}");
    Ok(())
}

async fn todo(folder: &Path, examples: &str, path: &str) -> Result<()> {
    let port = free_port()?;
    let server = serve(
        "python3",
        &["-m", "http.server", "--bind", "127.0.0.1", "-d", examples, &port.to_string()],
        port,
    )
    .await?;
    let tah = Library::open_in(folder).await?;
    let done = async {
        tah.call("open", json!({"url": format!("http://127.0.0.1:{port}/{path}")})).await?;
        tah.call("wait", json!({"selector": ".new-todo, #new-todo"})).await?;
        for text in ["买牛奶", "Write the report", "third 👍🏽"] {
            tah.call("type", json!({"target": ".new-todo, #new-todo", "text": format!("{text}\n")})).await?;
        }
        let list = tah.call("content", json!({"format": "txt"})).await?;
        for text in ["买牛奶", "Write the report", "third", "3 items left"] {
            see(&list, text)?;
        }
        tah.call("check", json!({"target": {"by": "css", "value": ".toggle", "index": 0}})).await?;
        see(&tah.call("content", json!({"format": "txt"})).await?, "2 items left")?;
        tah.call("click", json!({"target": "text=Completed"})).await?;
        let shown = tah.call("content", json!({"format": "txt"})).await?;
        see(&shown, "买牛奶")?;
        ensure!(!shown.contains("Write the report"), "the filter shows all: {shown}");
        tah.call("click", json!({"target": "text=Active"})).await?;
        see(&tah.call("content", json!({"format": "txt"})).await?, "Write the report")
    };
    let done = done.await;
    tah.close().await;
    server.terminate(Duration::from_secs(1)).await;
    done
}

async fn django(folder: &Path, python: &str) -> Result<()> {
    let port = free_port()?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/sites/shop.py");
    let data = folder.join("shop");
    tokio::fs::create_dir_all(&data).await?;
    let server = serve(python, &[script, &data.display().to_string(), &port.to_string()], port).await?;
    let tah = Library::open_in(folder).await?;
    tokio::fs::write(folder.join("manual.txt"), "read me").await?;
    let at = |path: &str| json!({"url": format!("http://127.0.0.1:{port}/admin/{path}")});
    let done = async {
        tah.call("open", at("")).await?;
        let fields = json!([{"name": "username", "value": "admin"}, {"label": "Password", "value": "admin"}]);
        see(&tah.call("fill", json!({"fields": fields, "submit": true})).await?, "Site administration")?;
        tah.call("open", at("shop/product/add/")).await?;
        // The related object is made in its own window, which closes itself.
        see(&tah.call("click", json!({"target": "#add_id_category"})).await?, "newTab")?;
        tah.call("fill", json!({"fields": [{"name": "name", "value": "Küche 厨房"}]})).await?;
        let saved = tah.call("click", json!({"target": "text=Save"})).await?;
        see(&saved, "losed")?;
        let fields = json!([{"label": "Name", "value": "Kettle"}, {"name": "price", "value": 19.5}, {"name": "added", "value": "2026-12-01"}]);
        let filled = tah.call("fill", json!({ "fields": fields })).await?;
        ensure!(!filled.contains("\"ok\":false"), "{filled}");
        see(&tah.call("get_value", json!({"target": "#id_category"})).await?, "Küche 厨房")?;
        tah.call("upload", json!({"target": "#id_manual", "paths": ["manual.txt"]})).await?;
        see(
            &tah.call("click", json!({"target": {"by": "css", "value": "[name=_save]"}})).await?,
            "was added successfully",
        )?;
        tah.call(
            "click",
            json!({"target": {"by": "css", "value": "#changelist-filter a[href*=category]", "index": 1}}),
        )
        .await?;
        see(&tah.call("content", json!({"format": "txt"})).await?, "Kettle")?;
        tah.call("check", json!({"target": "#result_list .action-select"})).await?;
        tah.call("select", json!({"target": "[name=action]", "optionValue": "delete_selected"})).await?;
        tah.call("click", json!({"target": "#changelist-form button[name=index]"})).await?;
        let deleted = tah.call("click", json!({"target": "#content form [type=submit]"})).await?;
        see(&deleted, "Successfully deleted")
    };
    let done = done.await;
    tah.close().await;
    server.terminate(Duration::from_secs(1)).await;
    done
}

/// Two nodes from the palette, a wire, deployed.
async fn node_red(folder: &Path, modules: &str) -> Result<()> {
    let port = free_port()?;
    let data = folder.join("red");
    tokio::fs::create_dir_all(&data).await?;
    let settings = data.join("settings.js");
    let quiet = "module.exports = {telemetry: {enabled: false, updateNotification: false}, editorTheme: {tours: false, projects: {enabled: false}}}";
    tokio::fs::write(&settings, quiet).await?;
    let red = format!("{modules}/node-red/red.js");
    let (user, settings) = (data.display().to_string(), settings.display().to_string());
    let server = serve("node", &[&red, "-p", &port.to_string(), "-u", &user, "-s", &settings], port).await?;
    let tah = Library::open_in(folder).await?;
    let done = async {
        tah.call("open", json!({"url": format!("http://127.0.0.1:{port}/")})).await?;
        let palette = |kind: &str| format!(".red-ui-palette-node[data-palette-type={kind}]");
        tah.call("wait", json!({"selector": palette("inject"), "timeoutMs": 25000})).await?;
        for (kind, x) in [("inject", 400), ("debug", 650)] {
            let to = json!({"by": "point", "x": x, "y": 250});
            tah.call("drag", json!({"from": palette(kind), "to": to})).await?;
            tah.call("wait", json!({"selector": format!(".red-ui-flow-node-group:nth-of-type({})", if kind == "inject" { 1 } else { 2 })})).await?;
        }
        let wire = json!({"from": ".red-ui-flow-port-output .red-ui-flow-port", "to": ".red-ui-flow-port-input .red-ui-flow-port"});
        tah.call("drag", wire).await?;
        tah.call("click", json!({"target": "#red-ui-header-button-deploy"})).await?;
        let flows = json!({"script": "fetch('/flows').then(r => r.text())"});
        let flows = tah.call("execute", flows).await?;
        for part in ["inject", "debug"] {
            see(&flows, part)?;
        }
        // What the inject node is wired to.
        see(&flows, r#"\"wires\":[[\""#)?;
        Ok(())
    };
    let done = done.await;
    tah.close().await;
    server.terminate(Duration::from_secs(1)).await;
    done
}

/// Authorize, execute, read the answer.
async fn swagger(folder: &Path, modules: &str) -> Result<()> {
    let port = free_port()?;
    let root = folder.join("swagger");
    tokio::fs::create_dir_all(&root).await?;
    for file in ["swagger-ui.css", "swagger-ui-bundle.js"] {
        tokio::fs::copy(format!("{modules}/swagger-ui-dist/{file}"), root.join(file)).await?;
    }
    let page = "<!doctype html><link rel=stylesheet href=swagger-ui.css><div id=ui></div><script src=swagger-ui-bundle.js></script>\
        <script>SwaggerUIBundle({url: 'openapi.json', dom_id: '#ui'})</script>";
    let api = json!({"openapi": "3.0.0", "info": {"title": "Posts", "version": "1"},
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}, "security": [{"key": []}],
        "paths": {"/posts": {"get": {"summary": "All posts", "parameters": [{"name": "author", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "fine"}}}}}});
    let posts = json!({"posts": [{"id": 1, "title": "first 一", "author": "ann"}, {"id": 2, "title": "second", "author": "bob"}]});
    tokio::fs::write(root.join("index.html"), page).await?;
    tokio::fs::write(root.join("openapi.json"), api.to_string()).await?;
    let data = folder.join("db.json");
    tokio::fs::write(&data, posts.to_string()).await?;
    let bin = format!("{modules}/json-server/lib/cli/bin.js");
    // It takes the folder as relative to its own, whatever is given.
    let up = "../".repeat(20);
    let (data, root) = (data.display().to_string(), format!("{up}{}", root.display()));
    let server =
        serve("node", &[&bin, "--host", "127.0.0.1", "-p", &port.to_string(), "-s", &root, &data], port)
            .await?;
    let tah = Library::open_in(folder).await?;
    let done = async {
        tah.call("open", json!({"url": format!("http://127.0.0.1:{port}/")})).await?;
        tah.call("click", json!({"target": ".auth-wrapper .authorize"})).await?;
        tah.call("set_value", json!({"target": ".modal-ux input", "value": "k-123"})).await?;
        tah.call("click", json!({"target": ".modal-ux .authorize"})).await?;
        tah.call("click", json!({"target": ".modal-ux .btn-done"})).await?;
        tah.call("click", json!({"target": "text=All posts"})).await?;
        tah.call("click", json!({"target": "text=Try it out"})).await?;
        tah.call("set_value", json!({"target": "[placeholder=author]", "value": "ann"})).await?;
        tah.call("click", json!({"target": "text=Execute"})).await?;
        tah.call("wait", json!({"selector": ".live-responses-table .response"})).await?;
        let answer =
            tah.call("content", json!({"format": "txt", "selector": ".live-responses-table"})).await?;
        see(&answer, "first 一")?;
        ensure!(!answer.contains("second"), "the parameter was not sent: {answer}");
        see(&tah.call("content", json!({"format": "txt", "selector": ".curl"})).await?, "k-123")
    };
    let done = done.await;
    tah.close().await;
    server.terminate(Duration::from_secs(1)).await;
    done
}

impl Library {
    async fn open_in(folder: &Path) -> Result<Library> {
        match crate::tah::start(folder).await? {
            crate::task::Driver::Library(library) => Ok(*library),
            _ => Err(anyhow!("no library")),
        }
    }
}
