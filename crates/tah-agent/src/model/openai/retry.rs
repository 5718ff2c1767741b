//! Whether and when a failed request is sent again.

use crate::limits;
use async_trait::async_trait;
use std::time::{Duration, SystemTime};

#[cfg(test)]
mod tests;

/// What to do about a failure, before the limits of retrying are considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It would fail the same way.
    Never,
    /// After a pause that grows.
    Soon,
    /// As `Soon`, and for longer than one would wait for a provider: a server on this machine loads its model.
    Patiently,
    /// The provider said how long to wait, at least.
    After(Duration),
    /// At once, without asking for the usage (S4).
    WithoutUsage,
}

/// Time, so that tests need not wait.
#[async_trait]
pub trait Clock: Send + Sync {
    fn now(&self) -> SystemTime;
    async fn sleep(&self, time: Duration);
}

/// The clock on the wall.
pub struct WallClock;

#[async_trait]
impl Clock for WallClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// The pauses of one request.
#[derive(Debug, Default)]
pub struct Pauses {
    taken: u32,
    slept: Duration,
}

/// What the pauses say.
#[derive(Debug, PartialEq, Eq)]
pub enum Pause {
    Wait(Duration),
    /// Tried often enough.
    Enough,
    /// The provider wants a wait longer than anybody would sit through (S10).
    TooLong(Duration),
}

impl Pauses {
    /// The next pause. `patience` is how long one keeps asking in all, whatever the count (a local server that
    /// loads its model).
    pub fn next(&mut self, floor: Option<Duration>, patience: Option<Duration>) -> Pause {
        if let Some(floor) = floor
            && floor > limits::RETRY_WAIT
        {
            return Pause::TooLong(floor);
        }
        let over = match patience {
            Some(patience) => self.slept >= patience,
            None => self.taken >= limits::RETRIES,
        };
        if over {
            return Pause::Enough;
        }
        let grown = limits::RETRY_FIRST * 2u32.pow(self.taken.min(limits::RETRY_DOUBLINGS));
        // A little luck keeps many clients from coming back at the same moment.
        let wait = grown.mul_f64(1.0 + fastrand::f64() / 4.0).max(floor.unwrap_or_default());
        self.taken += 1;
        self.slept += wait;
        Pause::Wait(wait)
    }
}

/// `Retry-After` in seconds (fractions too) or as a date, or `retry-after-ms`.
pub fn retry_after(headers: &reqwest::header::HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |text: &str| {
        let seconds = text.parse::<f64>().ok()?;
        // A number no clock can hold is a very long time.
        Some(Duration::try_from_secs_f64(seconds).unwrap_or(if seconds > 0.0 {
            Duration::MAX
        } else {
            Duration::ZERO
        }))
    };
    if let Some(wait) = text("retry-after-ms").and_then(seconds) {
        return Some(wait / 1_000);
    }
    let value = text("retry-after")?;
    seconds(value)
        .or_else(|| Some(httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default()))
}
