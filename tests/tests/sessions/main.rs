//! Sessions of the real program: killed in the middle and gone on with.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed assumption fails the test")]

use tah_tests::soak;

#[test]
fn d1_ten_kills_at_random_moments_lose_nothing() {
    let seen = soak::run(10, fastrand::u64(..)).unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(seen.kills, 10, "{seen:?}");
}
