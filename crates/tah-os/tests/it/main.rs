//! tah-os from outside: real programs, a real launcher, a real file system.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests look at the system from outside"
)]

mod process;
