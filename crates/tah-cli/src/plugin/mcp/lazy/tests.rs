//! Many tools behind one.

use super::*;
use tah_agent::event::EventSink;

fn mounted(server: &str, name: &str, description: &str) -> Arc<MountedTool> {
    let tool = tah_mcp::Tool {
        name: name.to_owned(),
        title: None,
        description: description.to_owned(),
        input_schema: serde_json::Map::new(),
        annotations: None,
    };
    Arc::new(MountedTool {
        name: format!("{server}__{name}"),
        server: server.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": {}}),
        tool,
    })
}

fn names(shown: &[Shown]) -> Vec<&str> {
    shown
        .iter()
        .map(|shown| match shown {
            Shown::Tool(tool) => &*tool.name,
            Shown::Search(search) => search.name(),
        })
        .collect()
}

fn search(shown: &[Shown]) -> Arc<Search> {
    let found = shown.iter().find_map(|shown| match shown {
        Shown::Search(search) => Some(search.clone()),
        Shown::Tool(_) => None,
    });
    found.expect("there is a search")
}

async fn ask(search: &Search, query: &str) -> Result<Output, ToolError> {
    let context = ToolContext {
        call_id: tah_agent::id::CallId::new("1"),
        cancel: tokio_util::sync::CancellationToken::new(),
        events: EventSink::channel().0,
        vision: tah_agent::tool::Vision::Off,
    };
    let Value::Object(input) = json!({ "query": query }) else { unreachable!() };
    search.run(input, &context).await
}

#[tokio::test]
async fn few_tools_are_all_there() {
    let shelf = Arc::new(Shelf::default());
    let tools = [mounted("a", "one", "does one"), mounted("b", "two", "does two")];
    assert_eq!(names(&shelf.arrange(&tools, 10_000)), ["a__one", "b__two"]);
}

#[tokio::test]
async fn many_tools_are_listed_and_mounted_when_asked_for() {
    let shelf = Arc::new(Shelf::default());
    let mut tools = vec![mounted("small", "one", "does one")];
    tools.extend(
        (0..50).map(|n| mounted("big", &format!("t{n}"), &format!("handles case{n} of the weather\nmore"))),
    );
    let budget = 2_000;
    let shown = shelf.arrange(&tools, budget);
    assert_eq!(names(&shown), ["small__one", SEARCH]);
    let description = search(&shown).description().to_owned();
    assert!(description.contains("\n- big__t7: handles case7 of the weather\n"), "{description}");
    // by name, in either form
    let output = ask(&search(&shown), "big__t7, t9").await.unwrap();
    assert!(output.text.contains("big__t7: handles") && output.text.contains("big__t9"), "{}", output.text);
    let shown = shelf.arrange(&tools, budget);
    assert_eq!(names(&shown), ["small__one", SEARCH, "big__t7", "big__t9"]);
    assert_eq!(search(&shown).description(), description, "it stands before what was mounted, so it stays");
    // by words: the best few
    let output = ask(&search(&shown), "something for Case12 please").await.unwrap();
    assert!(output.text.lines().nth(1).unwrap().starts_with("- big__t12"), "{}", output.text);
    assert!(names(&shelf.arrange(&tools, budget)).len() <= 4 + limits::SEARCH_MOUNTS);
    let again = ask(&search(&shown), "big__t7").await.unwrap();
    assert!(again.text.contains("usable already"), "{}", again.text);
    assert!(ask(&search(&shown), "zzz qqq").await.is_err());
}

#[tokio::test]
async fn what_is_shown_stays_in_its_place() {
    let shelf = Arc::new(Shelf::default());
    let first = mounted("a", "one", "x");
    let big: Vec<_> = (0..9).map(|n| mounted("late", &format!("t{n}"), &"long ".repeat(100))).collect();
    assert_eq!(names(&shelf.arrange(std::slice::from_ref(&first), 500)), ["a__one"]);
    let mut all = vec![first.clone()];
    all.extend(big);
    assert_eq!(names(&shelf.arrange(&all, 500)), ["a__one", SEARCH]);
    // a changed description is taken over, a tool that went is gone
    let changed = mounted("a", "one", "changed");
    let shown = shelf.arrange(std::slice::from_ref(&changed), 500);
    assert_eq!(names(&shown), ["a__one", SEARCH]);
    let Shown::Tool(tool) = &shown[0] else { panic!() };
    assert_eq!(tool.description, "changed");
    assert_eq!(names(&shelf.arrange(&[], 500)), [SEARCH]);
}

#[tokio::test]
async fn the_list_itself_is_bounded() {
    let shelf = Arc::new(Shelf::default());
    let tools: Vec<_> = (0..3000).map(|n| mounted("s", &format!("tool{n}"), &"words ".repeat(60))).collect();
    let shown = shelf.arrange(&tools, 1000);
    let search = search(&shown);
    let description = search.description();
    assert!(description.len() < limits::SEARCH_LIST_CHARS + 100, "{}", description.len());
    assert!(description.contains("more"), "{}", &description[description.len() - 100..]);
}
