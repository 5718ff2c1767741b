//! Fifty pages, of ten kinds, each with a way to the next; and a login.

use crate::site::{Page, Site, html};

pub const PAGES: usize = 50;

pub fn start() -> Site {
    let mut builder = Site::builder()
        .on("/login", |_| {
            html("<title>in</title>welcome").header("set-cookie", "who=ada; Max-Age=864000; Path=/")
        })
        .on("/me", |visit| {
            let cookie =
                visit.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or("nobody");
            html(format!("<title>me</title><button>{cookie}</button>"))
        })
        .on("/done", |visit| {
            html(format!(
                "<title>Done</title><h1>Received</h1><p>{}</p><a href=/p/0>on</a>",
                visit.body.len()
            ))
        })
        .on("/data", |_| html("{\"n\": 1}").header("content-type", "application/json"))
        .on("/file", |_| Page {
            status: 200,
            headers: vec![
                ("content-type".into(), "application/octet-stream".into()),
                ("content-disposition".into(), "attachment; filename=\"file.bin\"".into()),
            ],
            body: vec![1; 20_000],
        });
    for number in 0..PAGES {
        builder = builder.page(&format!("/p/{number}"), &page(number));
    }
    builder.start()
}

fn page(number: usize) -> String {
    let next = (number * 7 + 3) % PAGES;
    let body = match number % 10 {
        0 => String::from(
            "<form method=post action=/done><label>Name <input name=name></label><label>Colour <select name=colour>\
             <option>red<option>green</select></label><label><input type=checkbox name=agree> Agree</label>\
             <textarea name=note></textarea><input type=password name=pw><button>Send</button></form>",
        ),
        1 => (0..300).map(|n| format!("<li><a href=/p/{}>Link {n}</a></li>", n % PAGES)).collect(),
        2 => {
            let rows: String = (0..if number == 2 { 1_500 } else { 100 })
                .map(|n| {
                    format!(
                        "<tr class=row><td>{n}</td><td>Person {n}</td><td><button>Edit</button></td></tr>"
                    )
                })
                .collect();
            format!("<table><tr><th>No<th>Name<th>Do</tr>{rows}</table>")
        }
        3 => format!(
            "<iframe src=/p/{} title=inner></iframe><iframe srcdoc='<button>In here</button>'></iframe>",
            (number + 7) % PAGES
        ),
        4 => String::from(
            "<div id=open></div><div id=closed></div><script>\
             document.querySelector('#open').attachShadow({mode: 'open'}).innerHTML = '<button>Open one</button>';\
             document.querySelector('#closed').attachShadow({mode: 'closed'}).innerHTML = '<button>Closed one</button>';\
             </script>",
        ),
        5 => String::from(
            "<button onclick=\"alert('hello')\">Alert</button><button onclick=\"this.textContent = confirm('sure?')\">Confirm</button>\
             <button onclick=\"window.open('/p/1')\">Window</button>",
        ),
        6 => String::from(
            "<ul id=list></ul><script>let n = 0; setInterval(() => { const li = document.createElement('li'); \
             li.textContent = 'entry ' + n++; list.prepend(li); if (n > 50) list.lastChild.remove(); }, 100);\
             setInterval(() => fetch('/data').then(r => r.json()).then(d => console.log('got', d.n)), 400)</script>",
        ),
        7 => "<p>Lorem ipsum dolor sit amet, consectetur 你好 adipiscing elit.</p>".repeat(400),
        8 => String::from(
            "<a href=/file>Download</a><a href=/p/2 target=_blank>New tab</a><div contenteditable>text</div>",
        ),
        _ => String::from(
            "<button onclick=\"history.pushState({}, '', '?' + Math.random()); out.textContent = location.search\">Push</button>\
             <p id=out></p><div style='animation: spin 1s infinite linear; width: 40px'>~</div>\
             <style>@keyframes spin { to { transform: rotate(360deg) } }</style><canvas></canvas>\
             <script>console.error('an error of page'); setTimeout(() => { throw new Error('thrown') }, 50)</script>",
        ),
    };
    format!(
        "<!doctype html><meta charset=utf-8><title>Page {number}</title><h1>Page {number}</h1><a href=/p/{next}>Next</a>{body}"
    )
}
