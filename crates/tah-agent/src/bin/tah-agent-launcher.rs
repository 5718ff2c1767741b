//! The launcher as a program of its own, for this crate's tests of commands; `tah __child` is the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(first) if first == tah_os::launcher::CHILD_ARG => tah_os::launcher::child_main(args),
        _ => ExitCode::from(2),
    }
}
