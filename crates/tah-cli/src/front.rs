//! How events are shown and questions asked where there is no screen of our own.

pub mod card;
pub mod plain;
pub mod plain_chat;
pub mod signals;
pub mod tty;

use crate::ui::Verbosity;

/// Which front end a browser and notices are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontEnd {
    /// `tah run`: nobody watches.
    Run,
    /// `tah chat`: somebody is there.
    Chat,
}

/// How much a front end tells.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    pub verbosity: Verbosity,
}
