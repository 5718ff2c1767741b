//! The launcher as a program of its own, for this crate's tests and measurements; `tah __child` is the same.
//!
//! `hold SCRIPT` plays tah: it starts the script below the launcher and stays, until somebody ends it.

use std::process::ExitCode;

use tah_os::process::{Launcher, Output, Spawn};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(first) if first == tah_os::launcher::CHILD_ARG => tah_os::launcher::child_main(args),
        Some(first) if first == "hold" => hold(args.next().unwrap_or_default()),
        _ => ExitCode::from(2),
    }
}

fn hold(script: std::ffi::OsString) -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(async {
        let spawn = Spawn::new("sh", &Launcher::this_program()).arg("-c").arg(script).stdout(Output::Pipe);
        match spawn.spawn().await {
            Ok(child) => {
                child.wait().await;
                std::future::pending().await
            }
            Err(_) => ExitCode::FAILURE,
        }
    })
}
