//! `execute_command` and `jobs` with real shells, below a real launcher: the X cases, each on its kind.
#![allow(clippy::disallowed_methods, reason = "tests look at the system from outside")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tah_agent::card::{CardLine, Insistence};
use tah_agent::event::{Event, EventSink};
use tah_agent::id::CallId;
use tah_agent::message::Input;
use tah_agent::tool::{Output, Tool, ToolContext, ToolError, Vision};
use tah_agent::tools::{Setup, ShellSetup, standard};
use tah_os::path::Roots;
use tah_os::process::Launcher;
use tah_os::sandbox::{Level, Sandbox, level};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

struct Shell {
    _base: tempfile::TempDir,
    folder: PathBuf,
    outside: PathBuf,
    tools: Vec<Arc<dyn Tool>>,
    context: ToolContext,
    events: Receiver<Event>,
}

/// A working folder `ws` with a folder `out` beside it. Temporary folders are not writable here, since all of this
/// lies in one.
fn shell() -> Shell {
    shell_with(|setup| setup)
}

fn shell_with(change: impl FnOnce(ShellSetup) -> ShellSetup) -> Shell {
    let base = tempfile::tempdir().unwrap();
    let real = base.path().canonicalize().unwrap();
    let (folder, outside) = (real.join("ws"), real.join("out"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let launcher = Launcher::At(env!("CARGO_BIN_EXE_tah-agent-launcher").into());
    let mut setup = ShellSetup::new(Roots::open(&folder).unwrap(), launcher);
    setup.sandbox = Some(Sandbox::new().writable(&folder));
    let tools = standard(&Setup { files: None, shell: Some(change(setup)), web: None });
    let (sink, events) = EventSink::channel();
    let context = ToolContext {
        call_id: CallId::new("call"),
        cancel: CancellationToken::new(),
        events: sink,
        vision: Vision::Off,
    };
    Shell { _base: base, folder, outside, tools, context, events }
}

impl Shell {
    fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        self.tools.iter().find(|tool| tool.name() == name).expect("the tool")
    }

    async fn call(&self, tool: &str, input: serde_json::Value) -> Result<Output, ToolError> {
        self.tool(tool).run(object(input), &self.context).await
    }

    async fn run(&self, command: &str) -> String {
        self.call("execute_command", json!({"command": command})).await.unwrap().text
    }

    async fn jobs(&self, action: &str) -> String {
        self.call("jobs", json!({"action": action})).await.unwrap().text
    }
}

fn object(value: serde_json::Value) -> Input {
    value.as_object().cloned().unwrap()
}

fn alive(pid: &str) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "never came: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn written(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn x1_a_background_child_is_left_named_and_becomes_a_job() {
    for command in ["sleep 60 & echo ok", "setsid sleep 60 & echo ok", "nohup sleep 60 2>&1 & echo ok"] {
        let shell = shell();
        let began = Instant::now();
        let text = shell.run(command).await;
        assert!(began.elapsed() < Duration::from_secs(3), "{command}: {:?}", began.elapsed());
        assert!(text.starts_with("ok\n") && text.contains("exited with code 0"), "{text}");
        let pid =
            text.split("background: pid ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a pid");
        assert!(alive(pid), "{text}");
        assert!(shell.jobs("list").await.contains(pid));
        assert!(shell.jobs("stop").await.contains("[job 1: exited with code 0]"));
        assert!(!alive(pid), "{command}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn x1_a_child_that_goes_on_writing_neither_blocks_nor_dies() {
    let shell = shell();
    // Of a flood the end is what comes last, so only the slow writer's shell is heard for certain.
    let text = shell.run("yes & sleep 0.3; echo ok").await;
    assert!(text.contains("still running in the background"), "{} bytes", text.len());
    shell.jobs("stop").await;
    let shell = shell_with(|setup| setup);
    let text = shell.run("(while :; do echo y; sleep 0.01; done) & sleep 0.3; echo ok").await;
    assert!(text.contains("ok\n") && text.contains("still running in the background"), "{text}");
    let pid = text.split("background: pid ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a pid");
    // Its pipe is still read: it lives on, and more comes.
    let before = shell.jobs("list").await;
    let began = Instant::now();
    while before == shell.jobs("list").await {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    assert!(alive(pid));
    shell.jobs("stop").await;
    assert!(!alive(pid));
}

#[tokio::test(flavor = "multi_thread")]
async fn x2_nothing_waits_for_a_person() {
    let shell = shell();
    for command in [
        "cat",
        "python3",
        "read x </dev/tty",
        "read -r x; exit 1",
        "git clone https://127.0.0.1:1/none.git",
        "command -v ssh-keygen >/dev/null && ssh-keygen || false",
        "command -v less >/dev/null && less /etc/passwd | head -1",
        "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty",
        "git log",
    ] {
        let began = Instant::now();
        let text = shell.run(command).await;
        assert!(began.elapsed() < Duration::from_secs(20), "{command}");
        assert!(text.contains("[the command exited with code"), "{command}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn x3_a_timeout_ends_the_tree_and_returns() {
    for (command, stubborn) in [
        ("sleep 99", false),
        ("sleep 99 & wait", false),
        ("sleep 99 | cat | cat", false),
        ("trap '' TERM; sleep 99 & wait; sleep 99", true),
        ("setsid sh -c \"trap '' TERM; echo \\$\\$ >pid; sleep 99\" & wait", true),
        ("find / | grep zzz-nothing; sleep 99", false),
        ("kill -STOP $$", false),
    ] {
        let shell = shell();
        let began = Instant::now();
        let output = shell
            .call("execute_command", json!({"command": format!("echo before; {command}"), "timeoutMs": 400}))
            .await
            .unwrap();
        let most = if stubborn { 6000 } else { 2300 };
        assert!(began.elapsed() < Duration::from_millis(most), "{command}: {:?}", began.elapsed());
        assert!(
            output.text.contains("before\n") && output.text.contains("stopped after 0.4 s"),
            "{}",
            output.text
        );
        let pid = written(&shell.folder.join("pid"));
        assert!(pid.is_empty() || !alive(&pid));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn x3_a_cancel_returns_at_once_and_the_ending_goes_on() {
    let shell = shell();
    let command = "trap '' TERM; echo $$ >pid; sleep 99 & wait; sleep 99";
    let (tool, context) = (shell.tool("execute_command").clone(), shell.context.clone());
    let call = tokio::spawn(async move { tool.run(object(json!({"command": command})), &context).await });
    let pid = shell.folder.join("pid");
    until("its pid", || !written(&pid).is_empty()).await;
    let began = Instant::now();
    shell.context.cancel.cancel();
    let error = call.await.unwrap().expect_err("cancelled");
    assert!(began.elapsed() < Duration::from_millis(100), "{:?}", began.elapsed());
    assert!(error.message.contains("may have happened"));
    let pid = written(&pid);
    until("its end", || !alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn x4_endless_output_is_bounded_and_the_timeout_is_on_time() {
    let mut shell = shell();
    let events = {
        let (_, mut events) = EventSink::channel();
        std::mem::swap(&mut events, &mut shell.events);
        tokio::spawn(async move {
            let mut events = events;
            let (mut count, mut bytes) = (0, 0);
            while let Some(event) = events.recv().await {
                if let Event::ToolOutput { chunk, .. } = event {
                    (count, bytes) = (count + 1, bytes + chunk.len());
                }
            }
            (count, bytes)
        })
    };
    let began = Instant::now();
    let output =
        shell.call("execute_command", json!({"command": "yes 0123456789", "timeoutMs": 2000})).await.unwrap();
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(4), "{took:?}");
    assert!(output.text.len() < 40_000, "{}", output.text.len());
    let cut = output.cut.expect("cut");
    let log = shell.folder.join(cut.remedy.strip_prefix("read ").expect("a log"));
    let bytes = std::fs::metadata(&log).unwrap().len();
    assert!(bytes > 1_000_000 && bytes <= 64 << 20, "{bytes}");
    assert_eq!(std::fs::read_to_string(shell.folder.join(".tah/.gitignore")).unwrap(), "*\n");
    drop(shell);
    let (count, bytes) = events.await.unwrap();
    assert!((5..=30).contains(&count) && bytes < 300_000, "{count} events, {bytes} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn x4_a_front_end_that_reads_nothing_delays_no_timeout() {
    // The receiver is kept and never read: the queue of events fills up.
    let shell = shell();
    for _ in 0..250 {
        shell.context.events.output(&shell.context.call_id, "x").await;
    }
    let call = shell.call("execute_command", json!({"command": "echo $$ >pid; yes", "timeoutMs": 500}));
    let _ = tokio::time::timeout(Duration::from_secs(4), call).await;
    let pid = written(&shell.folder.join("pid"));
    assert!(!pid.is_empty());
    until("its end", || !alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn x4_a_short_output_leaves_no_log() {
    let shell = shell();
    assert!(shell.run("seq 100").await.contains("\n100\n"));
    assert!(!shell.folder.join(".tah").exists());
    let text = shell.run("seq 20000").await;
    assert!(
        text.starts_with("1\n2\n")
            && text.contains("\n20000\n")
            && text.contains("bytes left out here; all of it: .tah/out/")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn x6_ends_folder_and_environment_are_told() {
    let shell = shell_with(|setup| setup.secrets(["CARGO_PKG_NAME"]));
    let folder = shell.folder.display().to_string();
    let text = shell.run("pwd; exit 3").await;
    assert!(text.starts_with(&format!("{folder}\n[the command exited with code 3 after ")), "{text}");
    assert!(text.ends_with(&format!("in {folder}]")), "{text}");
    assert!(shell.run("kill -9 $$").await.contains("was killed by signal 9 (SIGKILL)"));
    assert!(shell.run("kill -SEGV $$").await.contains("signal 11 (SIGSEGV)"));
    // Cargo sets both for its tests; one was named a secret.
    assert!(std::env::vars().any(|(name, _)| name == "CARGO_PKG_NAME"));
    assert_eq!(shell.run("env | grep -c '^CARGO_PKG_NAME='").await.lines().next(), Some("0"));
    assert_eq!(shell.run("env | grep -c '^CARGO_PKG_VERSION='").await.lines().next(), Some("1"));
    assert_eq!(shell.run("echo $PAGER $GIT_TERMINAL_PROMPT $TERM").await.lines().next(), Some("cat 0 dumb"));
}

#[tokio::test(flavor = "multi_thread")]
async fn x_pipelines_behave_as_in_a_shell() {
    let shell = shell();
    assert!(shell.run("printf x | head -1").await.starts_with("x\n["));
    assert!(shell.run("yes | head -1; echo ${PIPESTATUS[0]}").await.starts_with("y\n141\n"));
    assert!(shell.run("echo out; echo err >&2; echo out2").await.starts_with("out\nerr\nout2\n"));
    assert!(shell.run("printf '\\033]0;title\\007\\033[31mred\\033[0m\\r\\n'").await.starts_with("red\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn live_output_comes_while_it_runs_and_in_whole_characters() {
    let mut shell = shell();
    let (tool, context) = (shell.tool("execute_command").clone(), shell.context.clone());
    let command = "printf '\\344\\275'; sleep 0.3; printf '\\240go\\n'; while [ ! -e stop ]; do sleep 0.02; done; echo end";
    let call = tokio::spawn(async move { tool.run(object(json!({"command": command})), &context).await });
    let mut seen = String::new();
    while !seen.contains("go") {
        let event = tokio::time::timeout(Duration::from_secs(10), shell.events.recv()).await.expect("live");
        if let Some(Event::ToolOutput { chunk, .. }) = event {
            seen.push_str(&chunk);
        }
    }
    assert_eq!(seen, "你go\n");
    std::fs::write(shell.folder.join("stop"), "").unwrap();
    assert!(call.await.unwrap().unwrap().text.contains("end\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_started_listed_followed_and_stopped() {
    let shell = shell();
    assert_eq!(shell.jobs("list").await, "no jobs");
    let began = Instant::now();
    let input = json!({"command": "echo up; while :; do sleep 0.02; [ -e go ] && echo went; done", "background": true});
    let text = shell.call("execute_command", input).await.unwrap().text;
    assert!(began.elapsed() < Duration::from_secs(2));
    // On a busy machine the first look may come before the first line.
    assert!(text.contains("[job 1: still running"), "{text}");
    std::fs::write(shell.folder.join("go"), "").unwrap();
    let began = Instant::now();
    while !shell.jobs("output").await.contains("went\n") {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    assert!(shell.jobs("list").await.starts_with("1  running (pid "));
    assert!(shell.jobs("stop").await.contains("[job 1: was killed by signal 15 (SIGTERM)]"));
    assert!(shell.jobs("list").await.starts_with("1  was killed by signal 15"));

    let input = json!({"command": "echo no; exit 4", "background": true});
    let text = shell.call("execute_command", input).await.unwrap().text;
    let at_once = text == "no\n[the command exited with code 4 at once]";
    assert!(at_once || text.contains("still running"), "{text}");
    let error = shell.call("jobs", json!({"action": "stop", "id": 9})).await.expect_err("no such job");
    assert_eq!(error.message, "there is no job 9");

    let input = json!({"command": "echo $$ >pid; sleep 99", "background": true, "timeoutMs": 600});
    shell.call("execute_command", input).await.unwrap();
    let pid = written(&shell.folder.join("pid"));
    until("its end", || !alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_dropped_with_its_tools_ends() {
    let shell = shell();
    shell
        .call("execute_command", json!({"command": "echo $$ >pid; sleep 99", "background": true}))
        .await
        .unwrap();
    let pid = written(&shell.folder.join("pid"));
    assert!(alive(&pid));
    drop(shell);
    until("its end", || !alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_refuses_says_so_and_can_be_waived() {
    let shell = shell();
    let target = shell.outside.join("file");
    let line = format!("echo x >{}", target.display());
    let text = shell.run(&line).await;
    let tool = shell.tool("execute_command");
    let card = |input| async { tool.approval(&object(input)).await.unwrap().unwrap() };
    if level() == Level::Full {
        assert!(text.contains(&format!("[the sandbox refused to write {}", target.display())), "{text}");
        assert!(text.contains("sandbox: false") && !target.exists());
        let python = format!("python3 -c 'open(\"{}\", \"w\")'", target.display());
        assert!(shell.run(&python).await.contains("the sandbox refused to write"));

        let waived = json!({"command": line, "sandbox": false});
        let asked = card(waived.clone()).await;
        assert_eq!((asked.insistence, asked.always), (Insistence::EveryTime, None));
        assert!(
            asked.lines.contains(&CardLine::Text("without the sandbox: it may write anywhere".to_owned()))
        );
        shell.call("execute_command", waived).await.unwrap();
        assert!(target.exists());
    } else {
        assert!(target.exists() && tool.schema()["properties"].get("sandbox").is_none());
    }
    // Inside, and into devices, writing is free; a failure that is not the sandbox's is not put on it.
    assert!(
        shell
            .run("echo x >f && echo y >/dev/null && cat f")
            .await
            .starts_with("x\n[the command exited with code 0")
    );
    let text = shell.run("ls /no/such; mkdir f; echo 'x: Permission denied: ./f'; exit 1").await;
    assert!(!text.contains("the sandbox refused"), "{text}");
    let plain = card(json!({"command": "git status"})).await;
    assert_eq!(
        (plain.lines, plain.insistence),
        (vec![CardLine::Command("git status".into())], Insistence::Normal)
    );
    assert!(plain.always.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_sandbox_there_is_nothing_to_waive() {
    let shell = shell_with(ShellSetup::without_sandbox);
    let target = shell.outside.join("file");
    assert!(shell.run(&format!("echo x >{}", target.display())).await.contains("code 0"));
    assert!(target.exists());
    let tool = shell.tool("execute_command");
    assert!(tool.schema()["properties"].get("sandbox").is_none());
}

#[test]
fn the_start_up_line_can_say_how_far_the_sandbox_holds() {
    let base = tempfile::tempdir().unwrap();
    let roots = Roots::open(base.path()).unwrap();
    let with = ShellSetup::new(roots.clone(), Launcher::At("/proc/self/exe".into()));
    assert_eq!(with.sandbox_level(), Some(level()));
    assert_eq!(with.clone().without_sandbox().sandbox_level(), None);
    let bare = ShellSetup::new(roots, Launcher::None).sandbox_level().expect("wanted");
    assert!(bare.to_string().starts_with("no sandbox for commands"));
}
