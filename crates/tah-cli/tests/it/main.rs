//! The program's parts from outside, on real servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]
#![allow(clippy::disallowed_methods, reason = "tests lay out the disk by hand")]

mod browser;
