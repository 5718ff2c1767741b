//! A log for looking into tah itself, into a file and only when `TAH_LOG` is set: a level or a filter
//! (`debug`, `tah_mcp=trace`). The file is `logs/tah.log` in tah's own folder.

use crate::config::environment;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

/// Keeps the log being written; dropped at the end.
pub struct LogGuard(#[allow(dead_code, reason = "held for its drop")] Option<WorkerGuard>);

/// Starts the log where one is wanted. A log that can't be written is none.
pub fn start() -> LogGuard {
    let Some(filter) = environment::text("TAH_LOG") else { return LogGuard(None) };
    let Ok(home) = environment::home() else { return LogGuard(None) };
    let folder = home.join("logs");
    if tah_os::disk::private_folder(&folder).is_err() {
        return LogGuard(None);
    }
    let Ok(appender) = tracing_appender::rolling::RollingFileAppender::builder()
        .rotation(tracing_appender::rolling::Rotation::NEVER)
        .filename_prefix("tah.log")
        .build(folder)
    else {
        return LogGuard(None);
    };
    let (writer, guard) = tracing_appender::non_blocking(appender);
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let started =
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(writer).try_init();
    LogGuard(started.is_ok().then_some(guard))
}
