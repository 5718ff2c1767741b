//! The only place that starts programs.
//!
//! A [`Spawn`] describes a program, [`Spawn::spawn`] starts it in a session of its own and gives a [`Child`]:
//! pipes, its end ([`Ended`]), and [`Process::terminate`], which ends the whole tree. On Linux the program
//! runs below a launcher (see [`crate::launcher`]), so its tree ends with this process whatever happens; with
//! [`Launcher::None`] the process group and the kernel's death signal do what they can.
//!
//! What a program prints is left to its reader; [`Ring`] and [`crate::capture`] bound it.

mod child;
mod foreground;
mod forker;
mod keeper;
mod raw;
mod ring;
mod spawn;
mod terminal;
pub(crate) mod tree;
pub(crate) mod wire;

pub use child::{Child, Ended, Process};
pub use foreground::foreground;
pub(crate) use raw::{OnParentEnd, take_fd, unblock_signals_and_lead};
pub use ring::Ring;
pub use spawn::{Input, Launcher, Output, Spawn, SpawnError};
pub use terminal::TerminalKeeper;
pub use tree::Relative;
