//! Waiting for a state, never for a time.

use std::time::{Duration, Instant};

/// Looks until it is so; panics with `what` after `limit`.
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    while !is_so() {
        assert!(Instant::now() < end, "waited {limit:?} in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Looks until there is something; panics with `what` after `limit`.
pub fn some<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    until(what, limit, || {
        found = look();
        found.is_some()
    });
    found.expect("until() returned")
}
