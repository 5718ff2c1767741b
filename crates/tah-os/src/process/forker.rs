//! A thread that lives as long as this process and forks for others.
//!
//! Linux sends a death signal when the forking *thread* ends, and threads of a runtime come and go.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

static THREAD: OnceLock<Sender<Job>> = OnceLock::new();

/// Runs `fork` on the lasting thread.
pub(super) async fn run<T: Send + 'static>(
    fork: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (tell, told) = oneshot::channel();
    let job: Job = Box::new(move || {
        let _ = tell.send(fork());
    });
    let thread = THREAD.get_or_init(|| {
        let (jobs, incoming) = channel::<Job>();
        let started = std::thread::Builder::new().name("forker".to_owned()).spawn(move || {
            for job in incoming {
                job();
            }
        });
        if let Err(error) = started {
            tracing::warn!("no thread to start programs with: {error}");
        }
        jobs
    });
    let gone = || io::Error::other("the thread that starts programs is gone");
    thread.send(job).map_err(|_| gone())?;
    told.await.map_err(|_| gone())?
}
