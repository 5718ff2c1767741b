//! Every command has its snapshot here; a row of the table without one fails.

use super::super::testing::{Stage, session};
use super::COMMANDS;
use std::collections::BTreeMap;
use tah_agent::event::{Event, TodoItem, TodoState};

/// What is typed for each command, and what is seen or said to the host.
fn seen(name: &str) -> String {
    let mut stage = Stage::sized(76, 90);
    let mark = "runs a shell line";
    match name {
        "todo" => {
            let item = |text: &str, state| TodoItem { text: text.to_owned(), state };
            stage.event(Event::Todo {
                items: vec![
                    item("look", TodoState::Done),
                    item("write 测试", TodoState::InProgress),
                    item("run", TodoState::Pending),
                ],
            });
        }
        "copy" => {
            stage.begin("hi").text("an **answer**").end(tah_agent::event::EndReason::Finished);
        }
        "rewind" => {
            stage.begin("first thing").end(tah_agent::event::EndReason::Finished);
            stage.begin("second thing").end(tah_agent::event::EndReason::Finished);
        }
        _ => {}
    }
    stage.screen();
    stage.wishes();
    let line = match name {
        "model" => "/model beta",
        "resume" => "/resume ef",
        "approve" => "/approve yes",
        other => return typed(&mut stage, &format!("/{other}"), mark),
    };
    typed(&mut stage, line, mark)
}

fn typed(stage: &mut Stage, line: &str, mark: &str) -> String {
    stage.keys(line).keys("<Esc><Enter>");
    let folder = stage.folder.path().display().to_string();
    let screen = stage.screen_after(mark);
    let screen = screen.split_once("approve: ").map_or(screen.clone(), |(head, rest)| {
        // The status line is in every picture once; here what the command gave matters.
        format!("{}approve: {}", head, rest.lines().next().unwrap_or(""))
    });
    let mut text = screen.replace(&folder, "FOLDER");
    let said = stage.said();
    if !said.is_empty() {
        text.push_str(&format!("\n== to the host ==\n{said}"));
    }
    let wishes = stage.wishes();
    if !wishes.is_empty() {
        text.push_str(&format!("\n== to the loop ==\n{wishes:?}"));
    }
    text
}

#[test]
fn every_command_has_a_snapshot() {
    for row in COMMANDS {
        insta::assert_snapshot!(format!("command_{}", row.name), seen(row.name));
    }
}

#[test]
fn no_snapshot_is_left_without_its_command() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/chat/commands/snapshots");
    let mut kept = BTreeMap::new();
    for path in tah_os::disk::list(&folder).unwrap() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some((_, rest)) = name.split_once("command_") {
            kept.insert(rest.trim_end_matches(".snap").to_owned(), ());
        }
    }
    let kept: Vec<String> = kept.into_keys().collect();
    let mut named: Vec<String> = COMMANDS.iter().map(|row| row.name.to_owned()).collect();
    named.sort();
    assert_eq!(kept, named);
}

#[test]
fn an_unknown_command_names_the_nearest() {
    let mut stage = Stage::new();
    stage.keys("/resett<Esc><Enter>");
    assert!(stage.screen().contains("there is no command /resett; did you mean /reset?"));
    assert!(stage.take_commands().is_empty());
}

#[test]
fn a_path_is_no_command() {
    let mut stage = Stage::new();
    stage.keys("/etc/hosts what is it?<Enter>");
    assert!(stage.said().contains("/etc/hosts what is it?"));
}

#[test]
fn a_conversation_does_not_change_while_a_turn_runs() {
    for line in ["/reset", "/fork", "/resume x", "/rewind", "/compact"] {
        let mut stage = Stage::new();
        stage.begin("hi");
        stage.keys(line).keys("<Esc><Enter>");
        assert!(stage.screen().contains("stop it first"), "{line}");
        assert!(!stage.said().contains("Re"), "{line}");
    }
}

#[test]
fn the_menu_filters_completes_and_runs() {
    let mut stage = Stage::new();
    stage.keys("/");
    assert!(stage.screen().contains("▸ help"));
    stage.keys("mod");
    let screen = stage.screen();
    assert!(screen.contains("▸ model [name]") && !screen.contains("help   "), "{screen}");
    stage.keys("<Tab>");
    assert!(stage.screen().contains("› /model"));
    stage.keys("<C-u>/ex<Enter>");
    assert_eq!(stage.wishes(), [super::super::state::Wish::Exit]);
}

#[test]
fn pickers_choose() {
    let mut stage = Stage::new();
    stage.keys("/model<Esc><Enter>");
    assert!(stage.screen().contains("which model?"));
    stage.keys("<Down><Enter>");
    assert!(stage.said().contains("beta"));
    stage.keys("/approve<Esc><Enter>den<Enter>");
    assert!(stage.screen().contains("approve: deny"));
}

#[test]
fn rewinding_brings_the_prompt_back() {
    let mut stage = Stage::new();
    stage.begin("first").end(tah_agent::event::EndReason::Finished);
    stage.begin("second").end(tah_agent::event::EndReason::Finished);
    stage.keys("/rewind<Esc><Enter>");
    assert!(stage.screen().contains("▸ second"));
    stage.keys("<Down><Enter>");
    assert_eq!(stage.said(), "Rewind { prompt: 0 }");
    assert!(stage.screen().contains("› first"));
}

#[test]
fn exporting_a_session_that_is_not_kept_says_so() {
    let mut stage = Stage::new();
    stage.event(session("zzzz2345", 0));
    stage.keys("/export<Esc><Enter>");
    assert!(stage.screen().contains("nothing was exported"));
}
