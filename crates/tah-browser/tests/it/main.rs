//! The native engine against a real Chromium and pages served on this machine.

#![allow(clippy::disallowed_methods, reason = "tests prepare and read their own folders")]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod base;
mod forms;
mod frameworks;
mod going;
mod looking;
mod moving;
mod naming;
mod pressing;
mod reading;
mod robust;
mod standing;
#[allow(dead_code, reason = "test files use what they need")]
mod support;
