//! Fields: typed, set, chosen, checked, read back; and a page that refuses is believed.

use serde_json::{Value, json};
use tah_browser::{Caller, Code};

use crate::support::{Bench, Site};

async fn at(page: &str) -> (Bench, Site) {
    let site = Site::page(page).await;
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    (bench, site)
}

async fn script(bench: &Bench, script: &str) -> Value {
    bench.call("execute", json!({ "script": script })).await["value"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn b15_b46_b47_b52_refusals_controlled_inputs_dates_ranges_colours_bp_28_29_31_32_39() {
    let (bench, _site) = at(
        "<input id=d type=date><input id=t type=time><input id=m type=month><input id=w type=week><input id=dt type=datetime-local>
        <input id=c type=color><input id=r type=range min=0 max=10><input id=n type=number max=100><input id=e type=email>
        <input id=ro readonly value=fixed><div id=plain>not a field</div><input id=max maxlength=3><input id=text value=old>
        <textarea id=area></textarea><input id=ctrl><input id=mask><input id=deny value=keep>
        <script>
        window.log = [];
        for (const el of document.querySelectorAll('input,textarea')) for (const name of ['input','change']) el.addEventListener(name, e => log.push(el.id + ':' + name));
        const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        let tracked = ''; window.state = '';
        Object.defineProperty(ctrl, 'value', { get() { return own.get.call(this) }, set(v) { tracked = v; own.set.call(this, v) } });
        ctrl.addEventListener('input', () => { const now = own.get.call(ctrl); if (now !== tracked) { tracked = now; state = now } });
        mask.addEventListener('input', () => { mask.value = mask.value.replace(/\\D/g, '').replace(/(\\d{3})(?=\\d)/g, '$1-') });
        deny.addEventListener('input', () => { deny.value = 'keep' });
        </script>").await;
    let set = async |target: &str, value: &str| {
        bench.call("set_value", json!({"target": target, "value": value})).await["value"].clone()
    };
    for (target, value) in [
        ("#d", "2026-12-01"),
        ("#t", "23:15"),
        ("#m", "2026-12"),
        ("#w", "2026-W49"),
        ("#dt", "2026-12-01T10:30"),
        ("#c", "#12ab9f"),
        ("#r", "7"),
        ("#n", "42"),
        ("#text", "新しい 张 👍🏽"),
        ("#area", "two\nlines"),
        ("#text", ""),
        ("#e", "a@b.c"),
    ] {
        assert_eq!(set(target, value).await, value, "{target}");
        assert_eq!(bench.call("get_value", json!({"target": target})).await["value"], value);
    }
    assert!(script(&bench, "log.filter(x => x.startsWith('d:')).join()").await == "d:input,d:change");
    assert_eq!(set("#ctrl", "React style").await, "React style");
    assert_eq!(script(&bench, "state").await, "React style");
    assert_eq!(set("#mask", "123456").await, "123-456");
    for (target, value) in [
        ("#d", "tomorrow"),
        ("#t", "25:99"),
        ("#c", "reddish"),
        ("#r", "11"),
        ("#n", "many"),
        ("#max", "abcd"),
        ("#deny", "other"),
    ] {
        let (code, message) = bench.fails("set_value", json!({"target": target, "value": value})).await;
        assert_eq!(code, Code::ValueRefused, "{target}: {message}");
    }
    assert_eq!(bench.call("get_value", json!({"target": "#deny"})).await["value"], "keep");
    assert_eq!(
        bench.fails("set_value", json!({"target": "#ro", "value": "x"})).await.0,
        Code::TargetDisabled
    );
    assert_eq!(
        bench.fails("set_value", json!({"target": "#plain", "value": "x"})).await.0,
        Code::ArgumentInvalid
    );
    assert_eq!(bench.fails("type", json!({"target": "#plain", "text": "x"})).await.0, Code::TargetHidden);
    assert_eq!(bench.fails("type", json!({"target": "#r", "text": "x"})).await.0, Code::ValueRefused);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b48_b50_b54_b55_typing_any_script_editors_comboboxes_bp_30_33_35_36_37_38() {
    let (bench, _site) = at(
        "<input id=a value=ab><textarea id=t role=combobox></textarea><div id=ed contenteditable aria-label=Notes></div>
        <div id=obey contenteditable aria-label=Model></div>
        <form onsubmit='event.preventDefault();document.title=\"sent \"+q.value'><input id=q></form><input type=password id=p>
        <iframe srcdoc='<input id=inner>'></iframe><button id=b onclick='document.title=\"pressed\"'>B</button>
        <script>
        // Obeys only beforeinput, as editors with a model of their own do.
        window.model = '';
        const draw = () => { obey.textContent = model; const s = getSelection(); s.selectAllChildren(obey); s.collapseToEnd() };
        obey.addEventListener('beforeinput', e => { e.preventDefault(); const all = getSelection().toString() === model && model;
          if (e.inputType === 'insertText') model = (all ? '' : model) + e.data; else if (e.inputType === 'insertParagraph') model += '|'; else if (e.inputType.startsWith('delete')) model = all ? '' : model.slice(0, -1); draw(); });
        </script>").await;
    let value =
        async |target: &str| bench.call("get_value", json!({"target": target})).await["value"].clone();
    bench.call("type", json!({"target": "#a", "text": "c👍🏽ñ 张 é"})).await;
    assert_eq!(value("#a").await, "abc👍🏽ñ 张 é");
    bench.call("key", json!({"key": "Home"})).await;
    bench.call("type", json!({"text": "x"})).await;
    assert_eq!(value("#a").await, "xabc👍🏽ñ 张 é");
    bench.call("key", json!({"key": "a", "modifiers": ["Control"]})).await;
    bench.call("type", json!({"text": "all new"})).await;
    assert_eq!(value("#a").await, "all new");
    bench.call("type", json!({"target": "#t", "text": "one\ntwo"})).await;
    assert_eq!(value("#t").await, "one\ntwo");
    bench.call("type", json!({"target": "#ed", "text": "first\nsecond 行"})).await;
    assert_eq!(value("#ed").await, "first\nsecond 行");
    assert_eq!(
        bench.call("set_value", json!({"target": "#ed", "value": "replaced"})).await["value"],
        "replaced"
    );
    bench.call("clear", json!({"target": "#ed"})).await;
    assert_eq!(value("#ed").await, "");
    bench.call("type", json!({"target": "#obey", "text": "model text"})).await;
    assert_eq!(script(&bench, "model").await, "model text");
    bench.call("set_value", json!({"target": "#obey", "value": "other"})).await;
    assert_eq!(script(&bench, "model").await, "other");
    bench.call("type", json!({"target": "#q", "text": "张三\n"})).await;
    assert_eq!(script(&bench, "document.title").await, "sent 张三");
    bench.call("type", json!({"target": "#inner", "text": "in the frame"})).await;
    assert_eq!(value("#inner").await, "in the frame");
    bench.call("type", json!({"text": "!"})).await;
    assert_eq!(value("#inner").await, "in the frame!");
    bench.call("set_value", json!({"target": "#a", "value": "while elsewhere"})).await;
    script(&bench, "document.querySelector('#b').focus()").await;
    for key in ["Enter", "Space"] {
        script(&bench, "document.title = ''").await;
        bench.call("key", json!({"key": key})).await;
        assert_eq!(script(&bench, "document.title").await, "pressed");
    }
    assert_eq!(bench.fails("type", json!({"text": "lost"})).await.0, Code::TargetNotFound);
    let (code, message) = bench.fails("key", json!({"key": "Foo"})).await;
    assert!(code == Code::KeyUnsupported && message.contains("ArrowLeft"), "{message}");
    // A password never comes back to a model.
    let mut bench = bench;
    bench.caller = Caller::Model;
    let typed = bench.call("type", json!({"target": "#p", "text": "hunter2"})).await;
    let read = bench.call("get_value", json!({"target": "#p"})).await;
    let seen = bench.call("snapshot", json!({})).await;
    let history = bench.call("history", json!({})).await;
    for result in [&typed, &read, &seen, &history] {
        assert!(!result.to_string().contains("hunter2"), "{result}");
    }
    assert_eq!(read["length"], 7);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b5_b13_selects_and_checks_through_labels_bp_17_40_41_42_43_44() {
    let (bench, _site) = at(
        "<select id=s><option value=r>Red<option value=g>Green  light<option disabled>Black</select>
        <select id=m multiple><option>a<option selected>b<option>c</select><select id=late></select><div id=no>x</div>
        <label><input type=checkbox id=plain> Plain</label>
        <style>.hid{position:absolute;opacity:0;width:0;height:0}</style>
        <input type=checkbox id=hid class=hid><label for=hid>Styled box</label>
        <div style='position:relative;width:160px;height:30px'><input type=radio name=g value=1 id=stretch style='opacity:0;position:absolute;inset:0;width:100%;height:100%;margin:0'><label for=stretch style='position:absolute;inset:0;background:#eee'>Stretched</label></div>
        <label><input type=radio name=g value=2 id=r2 style='display:none'> Second</label>
        <div role=checkbox id=aria aria-checked=false tabindex=0 onclick='this.setAttribute(\"aria-checked\", this.getAttribute(\"aria-checked\") !== \"true\")'>Aria</div>
        <input type=checkbox id=stuck onclick='event.preventDefault()'>
        <script>window.changes = 0; addEventListener('change', () => changes++);</script>").await;
    let select = async |args: Value| bench.call("select", args).await;
    assert_eq!(
        select(json!({"target": "#s", "optionValue": "g"})).await,
        json!({"value": "g", "text": "Green light"})
    );
    assert_eq!(script(&bench, "changes").await, 1);
    assert_eq!(select(json!({"target": "#s", "optionText": "Red"})).await["value"], "r");
    assert_eq!(select(json!({"target": "#s", "optionIndex": 1})).await["value"], "g");
    assert_eq!(
        bench.call("get_value", json!({"target": "#s"})).await,
        json!({"value": "g", "selectedText": "Green light"})
    );
    let (code, message) = bench.fails("select", json!({"target": "#s", "optionText": "Blue"})).await;
    assert!(code == Code::OptionUnknown && message.contains("Green light"), "{message}");
    assert_eq!(
        bench.fails("select", json!({"target": "#s", "optionText": "Black"})).await.0,
        Code::TargetDisabled
    );
    assert_eq!(
        bench.fails("select", json!({"target": "#no", "optionText": "x"})).await.0,
        Code::ArgumentInvalid
    );
    assert_eq!(bench.fails("select", json!({"target": "#s"})).await.0, Code::ArgumentInvalid);
    script(&bench, "setTimeout(() => late.innerHTML = '<option>x<option>soon', 300)").await;
    assert_eq!(select(json!({"target": "#late", "optionText": "soon"})).await["value"], "soon");
    let filled = bench.call("fill", json!({"fields": [{"selector": "#m", "value": ["a", "c"]}]})).await;
    assert_eq!(filled["fields"][0]["value"], json!(["a", "c"]), "{filled}");
    bench.call("clear", json!({"target": "#m"})).await;
    assert_eq!(bench.call("get_value", json!({"target": "#m"})).await["value"], json!([]));
    let check = async |target: &str, checked: bool| {
        bench.call("check", json!({"target": target, "checked": checked})).await["checked"].clone()
    };
    for target in ["#plain", "#hid", "#stretch", "#r2", "#aria", "text=Plain"] {
        assert_eq!(check(target, true).await, true, "{target}");
    }
    assert_eq!(script(&bench, "[stretch.checked, r2.checked].join()").await, "false,true");
    assert_eq!(check("#hid", true).await, true);
    assert_eq!(check("#hid", false).await, false);
    assert_eq!(check("#aria", false).await, false);
    bench.call("click", json!({"target": "#hid"})).await;
    assert_eq!(bench.call("get_value", json!({"target": "#hid"})).await, json!({"checked": true}));
    assert_eq!(
        bench.fails("check", json!({"target": "#r2", "checked": false})).await.0,
        Code::ArgumentInvalid
    );
    assert_eq!(bench.fails("check", json!({"target": "#no"})).await.0, Code::ArgumentInvalid);
    assert_eq!(bench.fails("check", json!({"target": "#stuck"})).await.0, Code::ValueRefused);
    bench.call("close", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filling_a_form_by_all_its_names_and_sending_it() {
    let site = Site::page(
        "<form action=/sent method=get><input name=email><label>密码 <input type=password name=pw></label><input placeholder='Your city' name=city>
        <label for=b>Born:</label><input type=date id=b name=born><label><input type=checkbox name=ok value=yes> Agree</label>
        <fieldset><legend>Size</legend><label><input type=radio name=size value=s> Small</label><label><input type=radio name=size value=l> Large</label></fieldset>
        <select name=c><option value=de>Germany<option value=cn>China</select><textarea name=note></textarea><input type=file name=f><input name=zip>
        <button name=how value=button>Send</button></form>").await;
    site.html("/sent", "<h1>Thank you</h1>");
    let bench = Bench::start().await;
    bench.call("open", json!({"url": site.url("/")})).await;
    let filled = bench.call("fill", json!({"submit": true, "fields": [
        {"name": "email", "value": "a@b.c"}, {"label": "密码", "value": "geheim"}, {"placeholder": "Your city", "value": "北京"},
        {"label": "Born", "value": "1990-01-02"}, {"label": "Agree", "value": true}, {"name": "size", "value": "l"},
        {"selector": "select", "value": "China"}, {"name": "note", "value": "a\nb"}, {"name": "f", "value": "x.txt"},
        {"name": "nowhere", "value": "x"}, {"name": "zip", "value": "007"}]})).await;
    let lines = filled["fields"].as_array().unwrap();
    for (i, line) in lines.iter().enumerate() {
        assert_eq!(line["ok"], !(i == 8 || i == 9), "{i}: {line}");
    }
    assert!(lines[8]["error"].as_str().unwrap().contains("browser_upload"), "{filled}");
    assert_eq!(filled["submitted"], true);
    assert!(filled["url"].as_str().unwrap().contains("/sent?"), "{filled}");
    let sent = site.seen_at("/sent")[0].path.clone();
    for part in [
        "email=a%40b.c",
        "born=1990-01-02",
        "ok=yes",
        "size=l",
        "c=cn",
        "zip=007",
        "how=button",
        "city=%E5%8C%97",
    ] {
        assert!(sent.contains(part), "{part} in {sent}");
    }
    let look = bench.call("content", json!({"format": "txt"})).await;
    assert_eq!(look["content"], "Thank you");
    bench.call("close", json!({})).await;
}
