//! Refusals in the words of several providers; the ones over a connection are in `tests/it/model.rs`.

use super::*;
use crate::model::resolve::{ModelSettings, plain_profile, resolve};

fn stream(message: &str, code: &str) -> Fault {
    let settings = ModelSettings { base_url: Some("http://127.0.0.1:1".into()), ..ModelSettings::default() };
    let endpoint = resolve(&settings).unwrap().endpoint;
    let api = ApiFault { message: message.into(), code: code.into(), ..ApiFault::default() };
    of_stream(&api, &endpoint, &plain_profile("m"))
}

#[test]
fn an_overloaded_provider_is_tried_again() {
    for (message, code) in
        [("Overloaded", "overloaded_error"), ("upstream timed out", "502"), ("", "server_error")]
    {
        assert_eq!(stream(message, code).again, Again::Soon, "{message}");
    }
}

#[test]
fn a_rate_limit_on_tokens_is_no_overflow() {
    let fault =
        stream("Rate limit reached for gpt-x on tokens per min: Limit 30000, too many tokens", "tokens");
    assert_eq!(fault.error.kind, Kind::RateLimit);
}

#[test]
fn an_overflow_tells_its_window() {
    let fault = stream("Input is too long: 9,000 tokens > 8,192 maximum context length", "");
    assert_eq!(fault.error.kind, Kind::ContextOverflow);
    assert_eq!(fault.error.overflow, Overflow { asked: Some(9_000), window: Some(8_192) });
    assert!(fault.error.message.contains("9000 tokens"), "{}", fault.error.message);
    assert_eq!(fault.again, Again::Never);
}

#[test]
fn a_long_message_is_shortened() {
    let fault = stream(&"long ".repeat(1_000), "");
    assert!(fault.error.message.chars().count() < 400);
}
