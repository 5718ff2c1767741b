//! Starting and ending programs, with the launcher and without it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use tah_os::process::{Child, Ended, Input, Launcher, Output, Process, Spawn, SpawnError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{alive, launched};

fn both() -> [Launcher; 2] {
    [launched(), Launcher::None]
}

fn sh(script: &str, launcher: &Launcher) -> Spawn {
    Spawn::new("sh", launcher).args(["-c", script]).stdout(Output::Pipe)
}

async fn output(child: &mut Child) -> String {
    let mut text = String::new();
    child.stdout.as_mut().expect("a pipe").read_to_string(&mut text).await.expect("reads");
    text
}

/// Waits for a state, at most 10 s.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "never came: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn names(process: &Process) -> Vec<String> {
    process.tree().into_iter().map(|process| process.name).collect()
}

#[tokio::test]
async fn output_code_environment_and_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let real = folder.path().canonicalize().expect("real");
    for launcher in both() {
        let mut child = sh("echo $A-$B-$HOME; pwd; exit 3", &launcher)
            .env_remove("HOME")
            .env("A", "x y")
            .env_remove_where(|name| name == "B")
            .cwd(folder.path())
            .spawn()
            .await
            .expect("starts");
        assert_eq!(output(&mut child).await, format!("x y--\n{}\n", real.display()));
        assert_eq!(child.wait().await, Ended::Code(3));
        assert_eq!(child.process().wait().await.to_string(), "exited with code 3");
    }
}

#[tokio::test]
async fn x6_a_death_by_signal_is_told_as_one() {
    for launcher in both() {
        let child = sh("kill -9 $$", &launcher).spawn().await.expect("starts");
        let ended = child.wait().await;
        assert_eq!(ended, Ended::Signal(9));
        assert_eq!(ended.to_string(), "was killed by signal 9 (SIGKILL)");
    }
}

#[tokio::test]
async fn m3_what_can_not_start_is_a_clear_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "text").expect("writes");
    for launcher in both() {
        let error = Spawn::new("no-such-program-here", &launcher).spawn().await.expect_err("fails");
        assert!(matches!(error, SpawnError::NotFound { .. }), "{error}");
        assert_eq!(error.to_string(), "program not found: no-such-program-here");
        let error = Spawn::new(&plain, &launcher).spawn().await.expect_err("fails");
        assert!(matches!(error, SpawnError::NotExecutable { .. }), "{error}");
        let error = Spawn::new("sh", &launcher).cwd("/no/such").spawn().await.expect_err("fails");
        assert!(matches!(error, SpawnError::NoFolder { .. }), "{error}");
        let error = Spawn::new("sh", &launcher).arg("a\0b").spawn().await.expect_err("fails");
        assert!(matches!(error, SpawnError::Invalid { .. }), "{error}");
    }
    let nowhere = Launcher::At("/no/such/tah".into());
    let error = Spawn::new("sh", &nowhere).spawn().await.expect_err("fails");
    assert!(matches!(error, SpawnError::Launcher { .. }), "{error}");
    let wrong = Launcher::At("/bin/true".into());
    let error = Spawn::new("sh", &wrong).spawn().await.expect_err("fails");
    assert!(matches!(error, SpawnError::Launcher { .. }), "{error}");
}

#[tokio::test]
async fn stdin_and_both_outputs() {
    for launcher in both() {
        let mut child = Spawn::new("sh", &launcher)
            .args(["-c", "cat; echo err >&2"])
            .stdin(Input::Pipe)
            .stdout(Output::Pipe)
            .stderr(Output::Pipe)
            .spawn()
            .await
            .expect("starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"hello").await.expect("writes");
        drop(stdin);
        let ring = child.drain_stderr();
        assert_eq!(output(&mut child).await, "hello");
        until("stderr", || ring.text() == "err").await;
        assert!(child.wait().await.succeeded());

        let mut child = sh("echo 1; echo 2 >&2; echo 3", &launcher)
            .stderr(Output::WithStdout)
            .spawn()
            .await
            .expect("starts");
        assert_eq!(output(&mut child).await, "1\n2\n3\n");
    }
}

#[tokio::test]
async fn inherited_descriptors_arrive_under_their_numbers() {
    for launcher in both() {
        let (mut ours, theirs) = UnixStream::pair().expect("a pair");
        let (mut back, theirs_back) = UnixStream::pair().expect("a pair");
        let child = Spawn::new("sh", &launcher)
            .args(["-c", "read line <&3; echo \"got $line\" >&4"])
            .fd(3, theirs)
            .fd(4, theirs_back)
            .spawn()
            .await
            .expect("starts");
        ours.write_all(b"ping\n").expect("writes");
        assert!(child.wait().await.succeeded());
        // The end of the stream comes: neither we nor the launcher keep the other end.
        let mut text = String::new();
        back.read_to_string(&mut text).expect("reads");
        assert_eq!(text, "got ping\n");
    }
}

#[tokio::test]
async fn x3_terminate_ends_a_tree_that_ignores_term() {
    for launcher in both() {
        let mut child =
            sh("trap '' TERM; sleep 98 & echo up; wait; sleep 98", &launcher).spawn().await.expect("up");
        let mut line = [0; 3];
        child.stdout.as_mut().expect("a pipe").read_exact(&mut line).await.expect("reads");
        let process = child.process();
        let tree = process.tree();
        assert!(tree.len() >= 2, "{tree:?}");
        let began = Instant::now();
        let ended = child.terminate(Duration::from_millis(200)).await;
        assert_eq!(ended, Ended::Signal(9));
        assert!(began.elapsed() >= Duration::from_millis(200) && began.elapsed() < Duration::from_secs(2));
        assert!(process.is_gone());
        assert!(tree.iter().all(|process| !alive(process.pid)));
    }
}

#[tokio::test]
async fn x3_terminate_is_quick_for_the_willing_and_wakes_the_stopped() {
    for launcher in both() {
        for script in ["sleep 97", "kill -STOP $$"] {
            let child = sh(script, &launcher).spawn().await.expect("starts");
            let began = Instant::now();
            assert_eq!(child.terminate(Duration::from_secs(5)).await, Ended::Signal(15));
            assert!(began.elapsed() < Duration::from_secs(2));
        }
    }
}

#[tokio::test]
async fn x1_the_end_is_seen_at_once_and_the_background_child_lives_on() {
    for script in ["sleep 96 >/dev/null 2>&1 & echo ok", "setsid sleep 96 >/dev/null 2>&1 & echo ok"] {
        let mut child = sh(script, &launched()).spawn().await.expect("starts");
        assert_eq!(output(&mut child).await, "ok\n");
        assert_eq!(child.wait().await, Ended::Code(0));
        let process = child.leave();
        until("only the sleep", || names(&process) == ["sleep"]).await;
        assert!(!process.is_gone());
        let pid = process.tree()[0].pid;
        process.terminate(Duration::from_secs(1)).await;
        assert!(!alive(pid) && process.is_gone());
    }
}

#[tokio::test]
async fn dropping_a_child_ends_its_tree() {
    for launcher in both() {
        let child = sh("sleep 95 & wait", &launcher).spawn().await.expect("starts");
        let process = child.process();
        until("both", || process.tree().len() == 2).await;
        let tree = process.tree();
        drop(child);
        until("all gone", || tree.iter().all(|process| !alive(process.pid))).await;
    }
}

#[tokio::test]
async fn several_tasks_wait_and_a_dropped_wait_loses_nothing() {
    let child = sh("sleep 0.2; exit 4", &launched()).spawn().await.expect("starts");
    let early = tokio::time::timeout(Duration::from_millis(10), child.wait()).await;
    assert!(early.is_err());
    let (one, two) = (child.process(), child.process());
    let (one, two) = tokio::join!(one.wait(), two.wait());
    assert_eq!((one, two, child.wait().await), (Ended::Code(4), Ended::Code(4), Ended::Code(4)));
}

#[test]
fn a_runtime_that_goes_down_takes_the_trees_along() {
    for launcher in both() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let (tree, _child) = runtime.block_on(async {
            let child = sh("setsid sleep 94 & sleep 94", &launcher).spawn().await.expect("starts");
            let process = child.process();
            // Without a launcher a `setsid` child is seen only as long as its parent lives.
            until("three", || process.tree().len() == 3).await;
            (process.tree(), child)
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        let began = Instant::now();
        while tree.iter().any(|process| alive(process.pid)) {
            assert!(began.elapsed() < Duration::from_secs(5), "left: {tree:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[tokio::test]
async fn x2_there_is_no_terminal_to_steal() {
    for launcher in both() {
        let child = sh("read x </dev/tty", &launcher).stdout(Output::Null).spawn().await.expect("starts");
        assert!(!child.wait().await.succeeded());
        let mut child = sh("cat; echo end", &launcher).spawn().await.expect("starts");
        assert_eq!(output(&mut child).await, "end\n");
    }
}

#[tokio::test]
async fn a_broken_pipe_kills_the_writer_as_in_a_shell() {
    for launcher in both() {
        let mut child = sh("yes | head -1; echo done", &launcher).spawn().await.expect("starts");
        assert_eq!(output(&mut child).await, "y\ndone\n");
    }
}

#[tokio::test]
async fn a_killed_launcher_is_noticed_and_the_program_dies() {
    let child = sh("sleep 93", &launched()).spawn().await.expect("starts");
    let pid = child.pid();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("lives");
    let launcher = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).expect("a parent");
    assert!(std::process::Command::new("kill").args(["-9", launcher]).status().expect("kills").success());
    assert_eq!(child.wait().await, Ended::Unknown);
    until("gone", || !alive(pid)).await;
}

/// The launcher must cost only a few ms and little memory. Printed for the record, with wide bounds: the
/// machine may be busy.
#[tokio::test]
async fn the_launcher_is_cheap() {
    async fn median(launcher: &Launcher) -> Duration {
        let mut times = Vec::new();
        for _ in 0..21 {
            let began = Instant::now();
            let child = Spawn::new("true", launcher).spawn().await.expect("starts");
            child.wait().await;
            times.push(began.elapsed());
        }
        times.sort();
        times[10]
    }
    let (plain, below) = (median(&Launcher::None).await, median(&launched()).await);
    let child = sh("sleep 92", &launched()).spawn().await.expect("starts");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.pid())).expect("lives");
    let launcher = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).expect("a parent");
    let status = std::fs::read_to_string(format!("/proc/{launcher}/status")).expect("lives");
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).expect("a field");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number")
    };
    let (all, own) = (field("VmRSS:"), field("RssAnon:"));
    println!(
        "start to end: {plain:?} plain, {below:?} below the launcher; launcher RSS {all} kB, {own} kB its own"
    );
    assert!(below < plain + Duration::from_millis(100));
    assert!(own < 4_000, "{own} kB");
}
