//! The interactive chat on a real terminal: the stage (`chat-stage`, the chat with a model a test directs) and the
//! tah binary itself.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests look at tah from outside and fail loudly"
)]

mod cards;
mod resize;
mod restore;
mod typing;
mod whole;

use std::path::Path;
use std::time::Duration;
use tah_tests::pty::Pty;
use tah_tests::tah::World;
use tah_tests::wait;

/// A state is waited for this long.
const LIMIT: Duration = Duration::from_secs(30);

/// vt100 cuts lines where most terminals break them anew, as xterm does; the unit tests have a screen that breaks.
const CUTS: (&str, &str) = ("XTERM_VERSION", "XTerm(390)");

fn stage_program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_chat-stage"))
}

/// The stage on an 80×24 terminal, ready for a prompt.
fn stage(world: &World) -> Pty {
    stage_with(world, &[], &[])
}

fn stage_with(world: &World, args: &[&str], variables: &[(&str, &str)]) -> Pty {
    let mut all = vec![CUTS];
    all.extend(variables);
    let pty = Pty::start_program(stage_program(), world, args, &all, 24, 80);
    pty.wait_for("approve: ask");
    pty
}

/// Waits until the turn has ended.
fn idle(pty: &Pty) {
    wait::until("the chat is idle", LIMIT, || pty.screen().contains("ask, or /help"));
}
