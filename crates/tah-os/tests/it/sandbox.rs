//! The sandbox as the kernel of this machine holds it: enforced where it says so, and said where it isn't.

use tah_os::process::{Launcher, Spawn};
use tah_os::sandbox::{self, Level, Missing, Sandbox};

use crate::launched;

async fn run(script: &str, sandbox: Sandbox, launcher: &Launcher) -> (bool, Option<Level>) {
    let child =
        Spawn::new("sh", launcher).args(["-c", script]).sandbox(sandbox).spawn().await.expect("starts");
    let level = child.process().sandbox().cloned();
    (child.wait().await.succeeded(), level)
}

#[tokio::test]
async fn a_sandboxed_command_writes_only_where_it_may() {
    let base = tempfile::tempdir().expect("a folder");
    let base = base.path().canonicalize().expect("real");
    for folder in ["in", "out"] {
        std::fs::create_dir(base.join(folder)).expect("makes");
    }
    std::fs::write(base.join("out/victim"), "secret").expect("writes");
    let (inside, outside) = (base.join("in"), base.join("out"));
    let (inside, outside) = (inside.display(), outside.display());
    let sandbox = || Sandbox::new().writable(base.join("in"));

    let free = format!(
        "cat {outside}/victim && echo x >{inside}/f && mkdir {inside}/d && mv {inside}/f {inside}/d/g && \
         echo >/dev/null && echo >/dev/full || [ -f {inside}/d/g ]"
    );
    let (worked, level) = run(&free, sandbox(), &launched()).await;
    assert!(worked, "reading, and writing inside, is free");
    assert_eq!(level, Some(sandbox::level()), "what was promised is what was reached");

    let refused = [
        format!("echo x >{outside}/new"),
        format!("echo x >{outside}/victim"),
        format!("echo x >>{outside}/victim"),
        format!("rm {outside}/victim"),
        format!("mkdir {outside}/d"),
        format!("mv {outside}/victim {inside}/v"),
        format!("ln -s {outside} {inside}/l && echo x >{inside}/l/new"),
        format!("ln {outside}/victim {inside}/hard && echo x >{inside}/hard"),
        format!("setsid sh -c 'echo x >{outside}/new2'"),
    ];
    for script in refused {
        let (worked, level) = run(&script, sandbox(), &launched()).await;
        if level == Some(Level::Full) {
            assert!(!worked, "not refused: {script}");
        }
    }
    if sandbox::level() == Level::Full {
        assert_eq!(std::fs::read_to_string(base.join("out/victim")).expect("there"), "secret");
        assert_eq!(std::fs::read_dir(base.join("out")).expect("lists").count(), 1);
    } else {
        assert!(!sandbox::level().to_string().is_empty(), "the start-up line has something to say");
    }
}

#[tokio::test]
async fn without_a_launcher_it_is_said_that_there_is_no_sandbox() {
    let (worked, level) = run("true", Sandbox::new(), &Launcher::None).await;
    assert!(worked);
    assert_eq!(level, Some(Level::Missing(Missing::NoLauncher)));
    let child = Spawn::new("true", &launched()).spawn().await.expect("starts");
    assert_eq!(child.process().sandbox(), None, "none was asked for");
}

#[test]
fn temporary_folders_are_real_and_never_the_whole_disk() {
    let folders = sandbox::temporary_folders();
    assert!(
        folders
            .iter()
            .any(|folder| folder == std::path::Path::new("/tmp").canonicalize().expect("real").as_path())
    );
    assert!(folders.iter().all(|folder| folder.is_dir() && folder.parent().is_some()));
}

#[test]
fn what_the_sandbox_refuses_is_told_from_what_the_system_refuses() {
    let base = tempfile::tempdir().expect("a folder");
    for folder in ["in", "out"] {
        std::fs::create_dir(base.path().join(folder)).expect("makes");
    }
    let inside = base.path().join("in");
    let sandbox = Sandbox::new().writable(&inside);
    for (path, refused) in [
        ("x", false),
        ("new/deep/x", false),
        ("../out/x", true),
        ("../out/new/deep/x", true),
        ("/dev/null", false),
        ("/proc/1/none/x", false),
    ] {
        assert_eq!(sandbox.refuses(path.as_ref(), &inside), refused, "{path}");
    }
}
