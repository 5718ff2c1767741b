//! Several servers: side by side, late, failing, dying, brought back.

use crate::processes::{faulty, program, send_kill};
use serde_json::json;
use std::sync::Arc;
use tah_mcp::{
    CallError, CallOptions, Fleet, Member, MountedTool, Presence, Sent, ServerSpec, ServerState, ToolFilter,
};
use tah_os::process::Launcher;
use tokio_util::sync::CancellationToken;

fn member(name: &str, mut spec: ServerSpec) -> Member {
    spec.name = name.to_owned();
    Member { spec, filter: ToolFilter::default(), presence: Presence::Optional }
}

fn start(members: Vec<Member>) -> Arc<Fleet> {
    Fleet::start(members, &Launcher::None, ["read_file".to_owned(), "one__hang".to_owned()])
}

fn names(fleet: &Fleet) -> Vec<String> {
    fleet.tools().iter().map(|tool| tool.name.clone()).collect()
}

fn tool(fleet: &Fleet, name: &str) -> Arc<MountedTool> {
    fleet.tools().iter().find(|tool| tool.name == name).unwrap().clone()
}

async fn call(fleet: &Fleet, name: &str, text: &str) -> Result<String, CallError> {
    let tool = tool(fleet, name);
    fleet
        .call(&tool, &json!({ "text": text }), &CallOptions::default())
        .await
        .map(|result| result.into_text())
}

/// The pid of a faulty server, which tells it as its version.
fn pid(fleet: &Fleet, index: usize) -> i32 {
    match &fleet.states()[index].1 {
        ServerState::Ready(client) => client.info().version.parse().unwrap(),
        _ => panic!("not ready"),
    }
}

#[tokio::test]
async fn m2_servers_start_side_by_side_and_late_ones_join_last() {
    let fleet = start(vec![
        member("late", faulty(&["slow-start", "1.5"])),
        Member { presence: Presence::Required, ..member("quick", faulty(&[])) },
    ]);
    fleet.wait_for_required().await;
    assert_eq!(names(&fleet)[..1], ["quick__echo"]);
    assert!(!names(&fleet).contains(&"late__echo".to_owned()), "it still sleeps");
    assert_eq!(call(&fleet, "quick__echo", "hi").await.unwrap(), "hi");
    let mut changes = fleet.watch();
    while !names(&fleet).contains(&"late__echo".to_owned()) {
        changes.changed().await.unwrap();
    }
    let all = names(&fleet);
    let first_late = all.iter().position(|name| name.starts_with("late")).unwrap();
    assert!(all[..first_late].iter().all(|name| name.starts_with("quick")), "{all:?}");
    assert_eq!(call(&fleet, "late__echo", "there").await.unwrap(), "there");
    fleet.close().await;
}

#[tokio::test]
async fn m3_one_bad_server_does_not_stop_the_others() {
    let mut silent = faulty(&["silent"]);
    silent.start_timeout = std::time::Duration::from_millis(300);
    let fleet = start(vec![
        member("missing", program("no-such-program-anywhere", vec![])),
        member("dies", faulty(&["dies-at-start"])),
        member("silent", silent),
        member("good", faulty(&[])),
    ]);
    fleet.wait_for_all().await;
    assert!(names(&fleet).iter().all(|name| name.starts_with("good__")));
    let notices = fleet.take_notices();
    for (server, words) in
        [("missing", "not found"), ("dies", "no module named sqlite"), ("silent", "not ready")]
    {
        let said = notices.iter().filter(|notice| notice.server == server && notice.text.contains(words));
        assert_eq!(said.count(), 1, "{notices:?}");
    }
    assert!(matches!(fleet.states()[0].1, ServerState::Failed(_)));
    fleet.close().await;
}

#[tokio::test]
async fn m3_a_server_that_could_not_start_is_tried_again_and_joins() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("tried").display().to_string();
    let fleet = start(vec![
        member("late", faulty(&["fails-once", &marker])),
        member("missing", program("no-such-program-anywhere", vec![])),
        member("good", faulty(&[])),
    ]);
    fleet.wait_for_all().await;
    let failed = fleet.take_notices();
    assert!(
        failed.iter().any(|notice| notice.server == "late" && notice.text.contains("not yet")),
        "{failed:?}"
    );
    // As before every step; each failure doubles the pause.
    let begun = std::time::Instant::now();
    while !names(&fleet).contains(&"late__echo".to_owned()) {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "it never joined");
        fleet.try_failed_again();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(begun.elapsed() > std::time::Duration::from_millis(500), "not at once: {:?}", begun.elapsed());
    assert_eq!(call(&fleet, "late__echo", "here").await.unwrap(), "here");
    let notices = fleet.take_notices();
    let said = |words: &str| notices.iter().filter(|notice| notice.text.contains(words)).count();
    assert_eq!(said("late is there now"), 1, "{notices:?}");
    assert_eq!(said("missing"), 0, "what is still so is not said again: {notices:?}");
    fleet.close().await;
}

#[tokio::test]
async fn m4_a_dead_server_is_started_once_more_for_all_callers() {
    let fleet = start(vec![member("one", faulty(&[]))]);
    fleet.wait_for_all().await;
    let first = pid(&fleet, 0);
    // two calls are under way when it dies: they fail and are not made again
    let hang = fleet.tools().iter().find(|tool| tool.tool.name == "hang").unwrap().clone();
    let calls: Vec<_> = (0..2)
        .map(|_| {
            let (fleet, hang) = (fleet.clone(), hang.clone());
            tokio::spawn(
                async move { fleet.call(&hang, &json!({}), &CallOptions::default()).await.unwrap_err() },
            )
        })
        .collect();
    call(&fleet, "one__echo", "they are sent").await.unwrap();
    send_kill(first);
    for call in calls {
        let error = call.await.unwrap();
        assert_eq!(error.sent(), Sent::Maybe);
        assert!(error.to_string().contains("killed by signal 9"), "{error}");
    }
    // its tools stay, and the next callers share one new process
    let calls = (0..5).map(|n| {
        let fleet = fleet.clone();
        async move { call(&fleet, "one__echo", &n.to_string()).await.unwrap() }
    });
    assert_eq!(futures_util::future::join_all(calls).await, ["0", "1", "2", "3", "4"]);
    assert_ne!(pid(&fleet, 0), first);
    let notices = fleet.take_notices();
    assert!(notices.iter().any(|notice| notice.text.contains("it is started again")), "{notices:?}");
    fleet.close().await;
    let error = call(&fleet, "one__echo", "x").await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.sent()), ("mcp server one: it was closed", Sent::No));
}

#[tokio::test]
async fn m4_a_server_that_keeps_dying_is_left_alone_for_a_while() {
    let fleet = start(vec![member("one", faulty(&[]))]);
    fleet.wait_for_all().await;
    let exit = fleet.tools().iter().find(|tool| tool.tool.name == "exit").unwrap().clone();
    let mut last = String::new();
    for _ in 0..8 {
        let error = fleet.call(&exit, &json!({}), &CallOptions::default()).await.unwrap_err();
        last = error.to_string();
        if error.sent() == Sent::No {
            break;
        }
    }
    assert!(last.contains("it failed several times") && last.contains("out of memory"), "{last}");
    fleet.close().await;
}

#[tokio::test]
async fn m4_a_call_that_waits_for_a_start_can_be_cancelled() {
    let fleet = start(vec![member("one", faulty(&[]))]);
    fleet.wait_for_all().await;
    let echo = tool(&fleet, "one__echo");
    let Member { spec, .. } = member("one", faulty(&["silent"]));
    let waiting = Fleet::start(vec![member("one", spec)], &Launcher::None, []);
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
    let args = json!({});
    let (result, ()) = tokio::join!(waiting.call(&echo, &args, &options), async { cancel.cancel() });
    assert!(matches!(result, Err(CallError::Cancelled)));
    waiting.close().await;
    fleet.close().await;
}

#[tokio::test]
async fn m7_names_filters_and_bad_schemas() {
    let mut filtered = member("two", faulty(&[]));
    filtered.filter = ToolFilter { allow: vec!["e*".into()], deny: vec!["exit".into()] };
    let fleet = start(vec![member("one", faulty(&[])), filtered]);
    fleet.wait_for_all().await;
    let all = names(&fleet);
    assert!(all.contains(&"one__echo".to_owned()) && all.contains(&"two__echo".to_owned()), "{all:?}");
    assert!(
        !all.iter().any(|name| name.starts_with("two__exit") || name.starts_with("two__hang")),
        "{all:?}"
    );
    // a built-in has the name already
    assert!(!all.contains(&"one__hang".to_owned()));
    let suffixed = all.iter().find(|name| name.starts_with("one__hang_")).unwrap();
    assert_eq!(tool(&fleet, suffixed).tool.name, "hang");
    // the server's own name with a dot, under a legal one; unusable schemas cost only their tool
    assert_eq!(call(&fleet, "one__say_it", "dotted").await.unwrap(), "dotted");
    assert!(!all.contains(&"one__array-input".to_owned()));
    let notices = fleet.take_notices();
    let said = notices.iter().filter(|notice| notice.server == "one" && notice.text.contains("array-input"));
    assert_eq!(said.count(), 1, "{notices:?}");
    fleet.close().await;
}
