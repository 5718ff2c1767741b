//! The five combinations the tools are made for, each done by tool calls alone: once as a client of `tah mcp serve`, once
//! by a scripted model inside `tah run`.

use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tah_tests::model::{self, ModelServer, Reply};
use tah_tests::node_module;
use tah_tests::served::{Served, object};
use tah_tests::site::{Page, Site, html};
use tah_tests::tah::World;

/// Who calls the tools.
trait Caller {
    fn call(&mut self, tool: &str, arguments: Value) -> String;
}

impl Caller for Served {
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        Served::call(self, &format!("browser_{tool}"), arguments).text
    }
}

/// The model of a `tah run`: what it is to say goes in, what its tools answered comes out.
struct Model {
    say: Sender<Reply>,
    results: Receiver<String>,
}

impl Caller for Model {
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        self.say.send(model::call(&format!("browser_{tool}"), arguments)).expect("the run goes on");
        self.results.recv().expect("a result")
    }
}

/// Does `work` both ways, each in a world of its own.
fn both_ways(work: impl Fn(&World, &mut dyn Caller)) {
    let world = World::new();
    let downloads = world.home().join("Downloads");
    let mut served = Served::start(&world, &["--download-dir", downloads.to_str().unwrap()]);
    work(&world, &mut served);
    served.close();
    world.nothing_lives();

    let world = World::new();
    let ((say, said), (told, results)) = (channel(), channel());
    let server = ModelServer::start(move |body, number| {
        if number > 0 {
            let _ = told.send(model::last_result(body));
        }
        said.recv().unwrap_or_else(|_| model::say("the script broke off"))
    });
    let running = world.tah_with(&server, &["run", "--yes", "--browser", "native", "do it"]).spawn();
    let mut model = Model { say, results };
    work(&world, &mut model);
    model.say.send(model::say("all done")).unwrap();
    let ran = running.finish();
    ran.expect_code(0);
    assert_eq!(ran.stdout.trim(), "all done");
    assert_eq!(server.faults(), Vec::<String>::new());
    world.nothing_lives();
}

/// The ref of the element whose line holds `what`.
fn reference(result: &str, what: &str) -> String {
    let page = object(result);
    let lines = page["elements"].as_str().unwrap_or_else(|| panic!("no snapshot: {result}"));
    let line = lines.lines().map(str::trim).find(|line| line.starts_with('e') && line.contains(what));
    line.unwrap_or_else(|| panic!("{what} is not listed: {lines}")).split(' ').next().unwrap().to_owned()
}

#[test]
fn bp_researching_a_site_page_by_page() {
    let site = Site::builder()
        .page(
            "/",
            "<title>Widgets Inc</title><main><h1>Widgets</h1><p>We make <b>widgets</b>.</p>\
             <ul><li><a href=/prices>Prices</a><li><a href=/team>The team</a></ul></main>",
        )
        .page(
            "/prices",
            "<title>Prices</title><h1>Prices</h1><table><tr><th>Widget<th>Price<tr><td>Small<td>3 €<tr><td>Big\
             <td>5 €</table><a href=/>Home</a>",
        )
        .page("/team", "<title>Team</title><h1>Team</h1><p>Ada and Grace.</p>")
        .start();
    both_ways(|_, caller| {
        let opened = caller.call("open", json!({"url": site.url("/")}));
        assert!(opened.contains("Widgets Inc"), "{opened}");
        let ready = caller.call("wait", json!({"url": site.url("/")}));
        assert_eq!(object(&ready)["ready"], true, "{ready}");
        let text = caller.call("content", json!({"format": "markdown"}));
        assert!(text.contains("# Widgets") && text.contains("**widgets**"), "{text}");
        let seen = caller.call("snapshot", json!({}));
        let went = caller.call("click", json!({"target": reference(&seen, "Prices")}));
        assert!(went.contains("/prices"), "{went}");
        let ready = caller.call("wait", json!({"url": site.url("/prices")}));
        assert_eq!(object(&ready)["ready"], true, "{ready}");
        let prices = caller.call("content", json!({"format": "markdown"}));
        assert!(prices.contains("| Big | 5 € |"), "{prices}");
        caller.call("back", json!({}));
        let seen = caller.call("snapshot", json!({}));
        caller.call("click", json!({"target": reference(&seen, "The team")}));
        let team = caller.call("content", json!({"format": "txt"}));
        assert!(team.contains("Ada and Grace"), "{team}");
    });
}

#[test]
fn bp_logging_in_and_downloading_a_file() {
    let site = Site::builder()
        .page(
            "/login",
            "<title>Log in</title><form method=post action=/session><label>User <input name=user></label>\
             <label>Password <input type=password name=password></label><button>Log in</button></form>",
        )
        .on("/session", |visit| match visit.body == "user=ada&password=s3cret%21" {
            true => html("")
                .status(303)
                .header("location", "/files")
                .header("set-cookie", "sid=42; Path=/; HttpOnly"),
            false => html("<title>Wrong</title>wrong password").status(403),
        })
        .page("/files", "<title>Files</title><h1>Your files</h1><a href=/files/report.pdf>report.pdf</a>")
        .on("/files/report.pdf", |visit| {
            let logged_in = visit.headers.get("cookie").is_some_and(|cookie| cookie == "sid=42");
            match logged_in {
                true => Page {
                    status: 200,
                    headers: vec![("content-type".into(), "application/pdf".into())],
                    body: b"%PDF-1.4 the report".to_vec(),
                },
                false => html("log in first").status(403),
            }
        })
        .start();
    both_ways(|world, caller| {
        caller.call("open", json!({"url": site.url("/login")}));
        let fields = json!([{"label": "User", "value": "ada"}, {"label": "Password", "value": "s3cret!"}]);
        let filled = caller.call("fill", json!({"fields": fields, "submit": true}));
        assert_eq!(object(&filled)["submitted"], true, "{filled}");
        assert!(!filled.contains("s3cret"), "{filled}");
        let ready = caller.call("wait", json!({"url": site.url("/files"), "selector": "a[href$=pdf]"}));
        assert_eq!(object(&ready)["ready"], true, "{ready}");
        let path = world.home().join("Downloads/2026/report.pdf");
        let link = site.url("/files/report.pdf");
        let got = caller.call("download", json!({"url": link, "savePath": path}));
        assert_eq!(object(&got)["path"], json!(path), "{got}");
        assert_eq!(std::fs::read(&path).unwrap(), b"%PDF-1.4 the report");
        // Not logged in, the same link gives no file.
        caller.call("auth", json!({"action": "flush"}));
        let again = caller.call("download", json!({"url": link, "savePath": path}));
        assert!(again.contains("BROWSER_PATH_REFUSED") && again.contains("exists already"), "{again}");
    });
}

/// A form whose state is a framework's, shown in `#state`; sent, it says so.
fn framework_page(framework: &str) -> String {
    let body = match framework {
        "vue" => {
            r#"<script src=/m/vue/dist/vue.global.prod.js></script><script>
Vue.createApp({ data: () => ({ s: { email: '', pw: '', plan: 'free', agree: false }, saved: '' }),
  template: `<form @submit.prevent="saved = 'welcome ' + s.email"><input name=email v-model="s.email">
    <label>密码<input type=password v-model="s.pw"></label><select name=plan v-model="s.plan"><option>free</option>
    <option>paid</option></select><label><input type=checkbox v-model="s.agree">I agree</label>
    <button :disabled="!s.agree || s.pw.length < 3">Sign up</button><p>{{ saved }}</p><pre id=state>{{ JSON.stringify(s) }}</pre></form>` }).mount('#root');
</script>"#
        }
        _ => {
            r#"<script>
const files = { react: 'react/cjs/react.production.js', 'react-dom': 'react-dom/cjs/react-dom.production.js',
  'react-dom/client': 'react-dom/cjs/react-dom-client.production.js', scheduler: 'scheduler/cjs/scheduler.production.js' };
const loaded = {};
function load(name) { if (loaded[name]) return loaded[name].exports; const module = loaded[name] = { exports: {} };
  const ask = new XMLHttpRequest(); ask.open('GET', '/m/' + files[name], false); ask.send();
  new Function('module', 'exports', 'require', 'process', ask.responseText)(module, module.exports, load, { env: { NODE_ENV: 'production' } });
  return module.exports; }
const React = load('react'), h = React.createElement;
function App() {
  const [s, put] = React.useState({ email: '', pw: '', plan: 'free', agree: false });
  const [saved, save] = React.useState('');
  const on = key => e => put(o => ({ ...o, [key]: e.target.type === 'checkbox' ? e.target.checked : e.target.value }));
  return h('form', { onSubmit: e => { e.preventDefault(); save('welcome ' + s.email) } },
    h('input', { name: 'email', value: s.email, onChange: on('email') }),
    h('label', null, '密码', h('input', { type: 'password', value: s.pw, onChange: on('pw') })),
    h('select', { name: 'plan', value: s.plan, onChange: on('plan') }, h('option', null, 'free'), h('option', null, 'paid')),
    h('label', null, h('input', { type: 'checkbox', checked: s.agree, onChange: on('agree') }), 'I agree'),
    h('button', { disabled: !s.agree || s.pw.length < 3 }, 'Sign up'), h('p', null, saved), h('pre', { id: 'state' }, JSON.stringify(s)));
}
load('react-dom/client').createRoot(document.querySelector('#root')).render(h(App));
</script>"#
        }
    };
    format!("<!doctype html><meta charset=utf-8><title>{framework}</title><div id=root></div>{body}")
}

#[test]
fn bp_filling_a_form_of_react_and_one_of_vue() {
    let mut builder =
        Site::builder().page("/react", &framework_page("react")).page("/vue", &framework_page("vue"));
    for file in [
        "react/cjs/react.production.js",
        "react-dom/cjs/react-dom.production.js",
        "react-dom/cjs/react-dom-client.production.js",
        "scheduler/cjs/scheduler.production.js",
        "vue/dist/vue.global.prod.js",
    ] {
        let text = std::fs::read(node_module(file)).unwrap();
        builder = builder.on(&format!("/m/{file}"), move |_| Page {
            status: 200,
            headers: vec![("content-type".into(), "text/javascript".into())],
            body: text.clone(),
        });
    }
    let site = builder.start();
    both_ways(|_, caller| {
        for framework in ["react", "vue"] {
            caller.call("open", json!({"url": site.url(&format!("/{framework}"))}));
            let ready = caller.call("wait", json!({"selector": "#state"}));
            assert_eq!(object(&ready)["ready"], true, "{ready}");
            let seen = caller.call("snapshot", json!({}));
            assert!(seen.contains("密码") && seen.contains("disabled"), "{seen}");
            let fields = json!([{"name": "email", "value": "a@b.c"}, {"label": "密码", "value": "p4ss"},
                {"name": "plan", "value": "paid"}, {"label": "I agree", "value": true}]);
            let filled = caller.call("fill", json!({"fields": fields, "submit": true}));
            let result = object(&filled);
            assert!(result["fields"].as_array().unwrap().iter().all(|line| line["ok"] == true), "{filled}");
            assert_eq!(result["submitted"], true, "{filled}");
            assert!(filled.contains("welcome a@b.c"), "{framework}: {filled}");
            let state = caller.call("content", json!({"format": "txt", "selector": "#state"}));
            let state = object(&state)["content"].as_str().unwrap().to_owned();
            assert_eq!(
                serde_json::from_str::<Value>(&state).unwrap(),
                json!({"email": "a@b.c", "pw": "p4ss", "plan": "paid", "agree": true})
            );
        }
    });
}

#[test]
fn bp_starting_again_after_a_mistake() {
    let site = Site::builder()
        .page("/", "<title>Start</title><h1>Start</h1><button>Begin</button>")
        .page("/mess", "<title>Mess</title><script>onbeforeunload = () => 'stay'</script><input value=half>")
        .start();
    both_ways(|_, caller| {
        caller.call("open", json!({"url": site.url("/mess")}));
        caller.call("type", json!({"target": "input", "text": " done"}));
        caller.call("open", json!({"url": site.url("/mess"), "newTab": true}));
        // A page that loops for ever, so that nothing but a new session helps.
        let looping =
            caller.call("execute", json!({"script": "setTimeout(() => { for (;;) {} }, 0); return 1"}));
        assert!(looping.contains("true"), "{looping}");
        let reset = caller.call("reset_session", json!({}));
        assert_eq!(object(&reset)["reset"], true, "{reset}");
        let opened = caller.call("open", json!({"url": site.url("/")}));
        assert!(opened.contains("Begin"), "{opened}");
        let tabs = caller.call("list_tabs", json!({}));
        assert_eq!(object(&tabs)["tabs"].as_array().unwrap().len(), 1, "{tabs}");
    });
}

#[test]
fn bp_a_captcha_is_told_and_seen_to_be_gone_when_a_person_solved_it() {
    let solved = Arc::new(Mutex::new(false));
    let known = solved.clone();
    let site = Site::builder()
        .on("/", move |_| match *known.lock().unwrap() {
            false => html(
                "<title>Just a moment...</title><h1>Checking your browser</h1><form id=challenge-form>\
                 <input type=checkbox> Verify you are human</form>",
            ),
            true => html("<title>Shop</title><h1>Shop</h1><button>Buy</button>"),
        })
        .start();
    both_ways(|_, caller| {
        *solved.lock().unwrap() = false;
        let opened = caller.call("open", json!({"url": site.url("/")}));
        assert_eq!(object(&opened)["challenge"]["kind"], "cloudflare", "{opened}");
        let challenge = object(&caller.call("challenge", json!({})));
        assert_eq!(challenge["blocked"], true, "{challenge}");
        assert!(challenge["hint"].as_str().unwrap().contains("user"), "{challenge}");
        // The person does it in the window.
        *solved.lock().unwrap() = true;
        caller.call("refresh", json!({}));
        let seen = caller.call("snapshot", json!({}));
        assert!(seen.contains("Buy") && object(&seen)["challenge"].is_null(), "{seen}");
        assert_eq!(object(&caller.call("challenge", json!({})))["blocked"], false);
    });
}
