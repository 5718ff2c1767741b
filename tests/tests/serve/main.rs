//! `tah mcp serve` with the real binary and a real Chromium, as its clients meet it; and the combinations of calls the
//! native tools are made for, through it and inside `tah run`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests look at tah from outside and fail loudly"
)]

mod combinations;
mod ends;
mod hosts;
mod lists;
mod protocol;
mod results;
