//! The one place with `unsafe`: what runs between fork and exec, and inherited descriptors.
#![allow(unsafe_code, reason = "pre_exec and raw descriptors have no safe form in std")]
#![allow(clippy::disallowed_types, reason = "part of tah_os::process")]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What the kernel does to the program when the thread that started it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnParentEnd {
    /// Nothing.
    Live,
    /// SIGKILL, where the kernel can (Linux).
    Die,
}

/// Makes `command` start in a session of its own (X2: no controlling terminal, so `/dev/tty` isn't ours to
/// steal) with no signal blocked.
pub(crate) fn unblock_signals_and_lead(command: &mut Command, on_end: OnParentEnd) {
    let parent = rustix::process::getpid();
    // SAFETY: the closure only makes system calls; it allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(move || before_exec(on_end, parent));
    }
}

fn before_exec(on_end: OnParentEnd, parent: rustix::process::Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    // std keeps the mask of its thread; the launcher blocks what it reads from its signalfd.
    nix::sys::signal::SigSet::empty().thread_set_mask()?;
    #[cfg(target_os = "linux")]
    if on_end == OnParentEnd::Die {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // It may have died before the call.
        if rustix::process::getppid() != Some(parent) {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (on_end, parent);
    Ok(())
}

/// Takes a descriptor this process was started with. `None` if it isn't open.
///
/// To be called once a number, before anything else opens descriptors: only the launcher does.
pub(crate) fn take_fd(number: RawFd) -> Option<OwnedFd> {
    if number < 3 {
        return None;
    }
    // SAFETY: borrowed for one call that fails cleanly when the number isn't open.
    let borrowed = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_getfd(borrowed).ok()?;
    // SAFETY: it is open, and the launcher's arguments say that it is for us alone.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}
