//! `browser_a11y`: interactive nodes with the browser's own computed roles and names.

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::cdp::wire;
use crate::chrome::Tab;
use crate::error::BrowserError;
use crate::page::{Frame, PageError, Placement, Point};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    include_hidden: Option<bool>,
    max_nodes: Option<usize>,
}

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Map<String, Value>>,
    truncated: bool,
    url: String,
    title: String,
}

/// Nodes, unless `maxNodes` says otherwise.
const DEFAULT: usize = 500;
/// Frames in frames.
const DEPTH: usize = 8;

struct Sum {
    nodes: Vec<Value>,
    left: usize,
    truncated: bool,
    hidden: bool,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let tab = call.tab().await?;
    tab.name_frames(&tab.frames(), call.left()).await;
    let left = args.max_nodes.unwrap_or(DEFAULT);
    let mut sum =
        Sum { nodes: Vec::new(), left, truncated: false, hidden: args.include_hidden.unwrap_or(false) };
    let main = tab.main_frame()?;
    let (url, title) = collect(&call, &tab, &main, 0, 0, &mut sum).await?;
    let mut result = Map::new();
    result.insert(String::from("url"), json!(url));
    if !title.is_empty() {
        result.insert(String::from("title"), json!(title));
    }
    result.insert(String::from("count"), json!(sum.nodes.len()));
    result.insert(String::from("nodes"), Value::Array(sum.nodes));
    result.insert(String::from("truncated"), json!(sum.truncated));
    Ok(Value::Object(result))
}

async fn collect(
    call: &Call,
    tab: &Tab,
    frame: &Frame,
    depth: u64,
    level: usize,
    sum: &mut Sum,
) -> Result<(String, String), BrowserError> {
    let within = call.left();
    frame.open_closed_roots(within).await?;
    let options = json!({"includeHidden": sum.hidden, "max": sum.left, "depth": depth});
    let tree: Tree = frame.call("accessible", (options,), within).await?;
    sum.truncated |= tree.truncated;
    let computed = computed(frame, within).await.unwrap_or_default();
    let place = if level == 0 { Placement::TOP } else { frame.placement(within).await? };
    let mut nth = 0;
    for mut node in tree.nodes {
        if let Some(key) = node.get("frame").and_then(Value::as_str) {
            let inner = tab.frame(key).filter(|_| level < DEPTH && sum.left > 0);
            let depth = node.get("depth").and_then(Value::as_u64).unwrap_or(depth);
            if let Some(inner) = inner {
                match Box::pin(collect(call, tab, &inner, depth, level + 1, sum)).await {
                    Err(error) if error.code == crate::error::Code::DialogOpen => return Err(error),
                    // A frame that can't be read is not the end of the others.
                    _ => {}
                }
            }
            continue;
        }
        if let Some((role, name)) = computed.get(nth) {
            if !matches!(role.as_str(), "" | "generic" | "none") {
                node.insert(String::from("role"), json!(role));
            }
            if !name.is_empty() {
                node.insert(String::from("name"), json!(name));
            }
        }
        nth += 1;
        let at = |axis: &str| node.get(axis).and_then(Value::as_f64).unwrap_or(0.0);
        let point = place.to_top(Point { x: at("x"), y: at("y") });
        node.insert(String::from("x"), json!(point.x.round()));
        node.insert(String::from("y"), json!(point.y.round()));
        if sum.left == 0 {
            sum.truncated = true;
            break;
        }
        sum.left -= 1;
        sum.nodes.push(Value::Object(node));
    }
    Ok((tree.url, tree.title))
}

/// Role and name of each collected element, as Chrome computes them.
async fn computed(frame: &Frame, within: std::time::Duration) -> Result<Vec<(String, String)>, PageError> {
    let Some(list) = frame.call_handle("accessibleElements", (), within).await? else {
        return Ok(Vec::new());
    };
    let session = list.session().clone();
    let ask = wire::GetProperties { object_id: list.object_id().to_owned(), own_properties: Some(true) };
    let members = session.call_within(within, ask).await?;
    let objects: Vec<String> = members
        .result
        .into_iter()
        .filter(|member| member.name.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|member| member.value?.object_id)
        .collect();
    let asked = objects.iter().map(|object_id| {
        let ask = wire::GetPartialAxTree { object_id: Some(object_id.clone()), fetch_relatives: Some(false) };
        session.call_within(within, ask)
    });
    let answers = join_all(asked).await;
    for object_id in objects {
        session.post(wire::ReleaseObject { object_id });
    }
    let text = |node: &Value, key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
    Ok(answers
        .into_iter()
        .map(|answer| match answer {
            Ok(tree) => (text(&tree["nodes"][0], "role"), text(&tree["nodes"][0], "name")),
            Err(_) => (String::new(), String::new()),
        })
        .collect())
}
