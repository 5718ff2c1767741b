//! Pauses and `Retry-After`.

use super::*;
use reqwest::header::{HeaderMap, HeaderValue};

fn headers(name: &'static str, value: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_str(value).unwrap());
    headers
}

#[test]
fn s10_every_form_of_retry_after() {
    let now = httpdate::parse_http_date("Tue, 01 Dec 2026 10:00:00 GMT").unwrap();
    let of = |value: &str| retry_after(&headers("retry-after", value), now);
    assert_eq!(of("2"), Some(Duration::from_secs(2)));
    assert_eq!(of("1.5"), Some(Duration::from_millis(1_500)));
    assert_eq!(of("Tue, 01 Dec 2026 10:00:07 GMT"), Some(Duration::from_secs(7)));
    assert_eq!(of("Tue, 01 Dec 2026 09:00:00 GMT"), Some(Duration::ZERO));
    assert_eq!(of("1e300"), Some(Duration::MAX));
    assert_eq!(of("-3"), Some(Duration::ZERO));
    assert_eq!(of("soon"), None);
    assert_eq!(retry_after(&headers("retry-after-ms", "250"), now), Some(Duration::from_millis(250)));
}

#[test]
fn s10_pauses_grow_and_end() {
    let mut pauses = Pauses::default();
    let mut waits = Vec::new();
    while let Pause::Wait(wait) = pauses.next(None, None) {
        waits.push(wait);
    }
    assert_eq!(waits.len(), limits::RETRIES as usize);
    assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
    assert!(waits.iter().sum::<Duration>() < Duration::from_secs(25));
}

#[test]
fn s10_the_floor_holds_and_too_long_is_told() {
    let mut pauses = Pauses::default();
    assert_eq!(pauses.next(Some(Duration::from_secs(60)), None), Pause::Wait(Duration::from_secs(60)));
    assert_eq!(pauses.next(Some(Duration::from_secs(61)), None), Pause::TooLong(Duration::from_secs(61)));
}
