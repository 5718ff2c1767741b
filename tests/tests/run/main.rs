//! `tah run` as a whole program: streams, exit codes, the first request, the mock model, signals.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests look at tah from outside and fail loudly"
)]

mod approvals;
mod coding;
mod headless;
mod signals;
mod streams;
