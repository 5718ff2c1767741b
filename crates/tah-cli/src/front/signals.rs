//! SIGINT and SIGTERM as something to wait for.

use crate::exit::Exit;
use std::future::pending;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end tah.
pub struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

impl Signals {
    /// From here on the signals no longer end the process by themselves.
    pub fn listen() -> Self {
        let listen = |kind| signal(kind).ok();
        Signals {
            interrupt: listen(SignalKind::interrupt()),
            terminate: listen(SignalKind::terminate()),
            hangup: listen(SignalKind::hangup()),
        }
    }

    /// The next signal. Cancel safe.
    pub async fn next(&mut self) -> Exit {
        tokio::select! {
            () = wait(&mut self.interrupt) => Exit::Interrupted,
            () = wait(&mut self.terminate) => Exit::Terminated,
            () = wait(&mut self.hangup) => Exit::Terminated,
        }
    }
}

async fn wait(signal: &mut Option<Signal>) {
    if let Some(signal) = signal
        && signal.recv().await.is_some()
    {
        return;
    }
    pending().await
}
