//! Real frameworks from npm, served from the test set-up's folder: every form action has to reach their state.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Bench, Site};

fn modules() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/test-deps/node_modules");
    assert!(folder.join("react").exists(), "run cargo xtask setup: {} has no react", folder.display());
    folder
}

/// Serves one file of a package.
fn serve(site: &Site, file: &str) {
    let text =
        std::fs::read_to_string(modules().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    site.body(&format!("/m/{file}"), "text/javascript", &text);
}

async fn script(bench: &Bench, script: &str) -> Value {
    bench.call("execute", json!({ "script": script })).await["value"].clone()
}

/// What both form pages offer: fields by label and the state shown as JSON in `#state`.
async fn every_form_action(bench: &Bench) {
    let state = async || {
        serde_json::from_str::<Value>(
            script(bench, "document.querySelector('#state').textContent").await.as_str().unwrap(),
        )
        .unwrap()
    };
    let set = bench.call("set_value", json!({"target": "[name=name]", "value": "Ann"})).await;
    assert_eq!(set["value"], "Ann");
    assert_eq!(state().await["name"], "Ann");
    bench.call("type", json!({"target": "[name=name]", "text": " 张👍🏽"})).await;
    assert_eq!(state().await["name"], "Ann 张👍🏽");
    bench.call("clear", json!({"target": "[name=name]"})).await;
    assert_eq!(state().await["name"], "");
    let filled = bench.call("fill", json!({"fields": [
        {"label": "Name", "value": "Bea"}, {"name": "note", "value": "two\nlines"}, {"label": "Agree", "value": true},
        {"name": "colour", "value": "green"}, {"name": "size", "value": "l"}, {"name": "born", "value": "2001-02-03"}, {"name": "level", "value": 7}]})).await;
    assert!(filled["fields"].as_array().unwrap().iter().all(|line| line["ok"] == true), "{filled}");
    assert_eq!(
        state().await,
        json!({"name": "Bea", "note": "two\nlines", "agree": true, "colour": "green", "size": "l", "born": "2001-02-03", "level": "7"})
    );
    bench.call("check", json!({"target": "text=Agree", "checked": false})).await;
    assert_eq!(state().await["agree"], false);
    bench.call("select", json!({"target": "[name=colour]", "optionText": "red"})).await;
    assert_eq!(state().await["colour"], "red");
    let sent = bench.call("click", json!({"target": "text=Save"})).await;
    assert!(sent["changed"].as_str().unwrap().contains("saved Bea"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn b46_react_takes_every_form_action() {
    let site = Site::page(r#"<div id=root></div><script>
        const files = { react: 'react/cjs/react.production.js', 'react-dom': 'react-dom/cjs/react-dom.production.js', 'react-dom/client': 'react-dom/cjs/react-dom-client.production.js', scheduler: 'scheduler/cjs/scheduler.production.js' };
        const loaded = {};
        function load(name) { if (loaded[name]) return loaded[name].exports; const module = loaded[name] = { exports: {} }; const ask = new XMLHttpRequest(); ask.open('GET', '/m/' + files[name], false); ask.send();
          new Function('module', 'exports', 'require', 'process', ask.responseText)(module, module.exports, load, { env: { NODE_ENV: 'production' } }); return module.exports; }
        const React = load('react'), h = React.createElement;
        function App() {
          const [s, put] = React.useState({ name: '', note: '', agree: false, colour: 'red', size: 's', born: '', level: '1' });
          const [saved, save] = React.useState('');
          const on = key => e => put(o => ({ ...o, [key]: e.target.type === 'checkbox' ? e.target.checked : e.target.value }));
          return h('form', { onSubmit: e => { e.preventDefault(); save('saved ' + s.name) } },
            h('label', null, 'Name', h('input', { name: 'name', value: s.name, onChange: on('name') })), h('textarea', { name: 'note', value: s.note, onChange: on('note') }),
            h('label', null, h('input', { type: 'checkbox', checked: s.agree, onChange: on('agree') }), 'Agree'),
            h('select', { name: 'colour', value: s.colour, onChange: on('colour') }, h('option', null, 'red'), h('option', null, 'green')),
            ['s', 'l'].map(v => h('label', { key: v }, h('input', { type: 'radio', name: 'size', value: v, checked: s.size === v, onChange: on('size') }), v.toUpperCase())),
            h('input', { type: 'date', name: 'born', value: s.born, onChange: on('born') }), h('input', { type: 'range', min: 0, max: 10, name: 'level', value: s.level, onChange: on('level') }),
            h('button', null, 'Save'), h('p', null, saved), h('pre', { id: 'state' }, JSON.stringify(s)));
        }
        load('react-dom/client').createRoot(document.querySelector('#root')).render(h(App));
        </script>"#).await;
    for file in [
        "react/cjs/react.production.js",
        "react-dom/cjs/react-dom.production.js",
        "react-dom/cjs/react-dom-client.production.js",
        "scheduler/cjs/scheduler.production.js",
    ] {
        serve(&site, file);
    }
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    every_form_action(&bench).await;
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b46_vue_takes_every_form_action() {
    let site = Site::page(r#"<div id=root></div><script src=/m/vue/dist/vue.global.prod.js></script><script>
        Vue.createApp({ data: () => ({ s: { name: '', note: '', agree: false, colour: 'red', size: 's', born: '', level: '1' }, saved: '' }),
          template: `<form @submit.prevent="saved = 'saved ' + s.name"><label>Name<input name=name v-model="s.name"></label><textarea name=note v-model="s.note"></textarea>
            <label><input type=checkbox v-model="s.agree">Agree</label><select name=colour v-model="s.colour"><option>red</option><option>green</option></select>
            <label v-for="v in ['s','l']"><input type=radio name=size :value="v" v-model="s.size">{{ v.toUpperCase() }}</label>
            <input type=date name=born v-model.lazy="s.born"><input type=range min=0 max=10 name=level v-model="s.level"><button>Save</button><p>{{ saved }}</p><pre id=state>{{ JSON.stringify(s) }}</pre></form>` }).mount('#root');
        </script>"#).await;
    serve(&site, "vue/dist/vue.global.prod.js");
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    every_form_action(&bench).await;
    bench.call("close", json!({})).await;
}

/// An import map for ES modules as they lie in their packages.
fn import_map(site: &Site, files: &[(&str, &str)]) -> String {
    let map: serde_json::Map<String, Value> = files
        .iter()
        .map(|(name, file)| {
            serve(site, file);
            ((*name).to_owned(), json!(format!("/m/{file}")))
        })
        .collect();
    format!("<script type=importmap>{}</script>", json!({ "imports": map }))
}

/// Types, replaces, clears and breaks lines in an editor whose own model is `window.model()`.
async fn every_editor_action(bench: &Bench, lines: &Value) {
    let model = async || script(bench, "model()").await;
    bench.call("wait", json!({"selector": "[contenteditable]"})).await;
    let editor = "[contenteditable]";
    bench.call("type", json!({"target": editor, "text": "hello 世界 👍🏽"})).await;
    assert_eq!(model().await, "hello 世界 👍🏽");
    bench.call("type", json!({"target": editor, "text": " more"})).await;
    assert_eq!(model().await, "hello 世界 👍🏽 more");
    let set = bench.call("set_value", json!({"target": editor, "value": "replaced"})).await;
    assert_eq!((&set["value"], model().await), (&json!("replaced"), json!("replaced")));
    bench.call("clear", json!({"target": editor})).await;
    assert_eq!(model().await, "");
    let filled = bench.call("fill", json!({"fields": [{"selector": editor, "value": "one\ntwo"}]})).await;
    assert_eq!(filled["fields"][0]["ok"], true, "{filled}");
    assert_eq!(&model().await, lines);
    bench.call("key", json!({"key": "a", "modifiers": ["Control"]})).await;
    bench.call("key", json!({"key": "Backspace"})).await;
    assert_eq!(model().await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn b48_prosemirror_takes_text() {
    let site = Site::start().await;
    let map = import_map(
        &site,
        &[
            ("prosemirror-model", "prosemirror-model/dist/index.js"),
            ("prosemirror-state", "prosemirror-state/dist/index.js"),
            ("prosemirror-view", "prosemirror-view/dist/index.js"),
            ("prosemirror-transform", "prosemirror-transform/dist/index.js"),
            ("prosemirror-keymap", "prosemirror-keymap/dist/index.js"),
            ("prosemirror-commands", "prosemirror-commands/dist/index.js"),
            ("prosemirror-schema-basic", "prosemirror-schema-basic/dist/index.js"),
            ("orderedmap", "orderedmap/dist/index.js"),
            ("w3c-keyname", "w3c-keyname/index.js"),
        ],
    );
    site.html("/", &format!(r#"{map}<div id=editor></div><script type=module>
        import {{ EditorState }} from 'prosemirror-state'; import {{ EditorView }} from 'prosemirror-view'; import {{ schema }} from 'prosemirror-schema-basic';
        import {{ keymap }} from 'prosemirror-keymap'; import {{ baseKeymap }} from 'prosemirror-commands';
        const view = new EditorView(document.querySelector('#editor'), {{ state: EditorState.create({{ schema, plugins: [keymap(baseKeymap)] }}) }});
        window.model = () => view.state.doc.textBetween(0, view.state.doc.content.size, '\n');
        </script>"#));
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    every_editor_action(&bench, &json!("one\ntwo")).await;
    bench.call("close", json!({})).await;
}
