//! `tah __child`: the small process between tah and each program it starts (Linux).
//!
//! It is the subreaper of the program's whole tree, so nothing escapes it, not even by `setsid` (X1, X3). It
//! lives as long as anything of that tree does, reports the program's end at once, and ends everything when
//! its control socket closes: that is when tah ends, in whatever way. One thread, no runtime, little memory.

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument with which `main` must call [`child_main`] before anything else.
pub const CHILD_ARG: &str = crate::process::wire::CHILD_ARG;

/// Runs the launcher with the arguments after [`CHILD_ARG`]. It prints nothing.
#[cfg(not(target_os = "linux"))]
pub fn child_main(_args: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(2)
}

/// Runs the launcher with the arguments after [`CHILD_ARG`]. It prints nothing.
#[cfg(target_os = "linux")]
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    linux::run(args).unwrap_or(ExitCode::from(2))
}

#[cfg(target_os = "linux")]
mod linux {
    #![allow(clippy::disallowed_types, reason = "the launcher is part of tah_os::process")]

    use std::ffi::OsString;
    use std::io::{self, Read, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitCode, ExitStatus, Stdio};
    use std::time::{Duration, Instant};

    use nix::sys::signal::{SigSet, Signal as Sig};
    use nix::sys::signalfd::{SfdFlags, SignalFd};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, wait};

    use crate::limits::{DROP_GRACE, SWEEP_EVERY, SWEEP_FAST_ROUNDS, SWEEP_SLOW};
    use crate::process::wire::{LauncherArgs, Order, Report};
    use crate::process::{Ended, OnParentEnd, take_fd, tree, unblock_signals_and_lead};
    use crate::sandbox;

    /// Signals somebody may send the launcher; they are meant for the program.
    const FORWARDED: [Sig; 6] =
        [Sig::SIGTERM, Sig::SIGINT, Sig::SIGHUP, Sig::SIGQUIT, Sig::SIGUSR1, Sig::SIGUSR2];

    pub(super) fn run(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
        let args = LauncherArgs::decode(args)?;
        let control = take_fd(args.control)?;
        let _ = rustix::io::fcntl_setfd(&control, rustix::io::FdFlags::CLOEXEC);
        let mut control = UnixStream::from(control);
        let passed: Vec<OwnedFd> = args.passed.iter().filter_map(|number| take_fd(*number)).collect();

        // Before the program starts, so that no end of a child is missed.
        let mut mask = SigSet::empty();
        mask.add(Sig::SIGCHLD);
        FORWARDED.iter().for_each(|signal| mask.add(*signal));
        mask.thread_block().ok()?;
        let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK).ok()?;
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok()?;

        if let Some(wanted) = &args.sandbox {
            // A sandbox that can't be entered must not become a program without one.
            match sandbox::enter(wanted) {
                Ok(level) => report(&mut control, &Report::Sandbox(level)),
                Err(_) => {
                    report(&mut control, &Report::Failed(Errno::ACCESS.raw_os_error()));
                    return Some(ExitCode::from(2));
                }
            }
        }
        let mut command = Command::new(&args.program);
        command.args(&args.args).stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        unblock_signals_and_lead(&mut command, OnParentEnd::Die);
        let main = match command.spawn() {
            Ok(child) => child.id(),
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
                report(&mut control, &Report::Failed(errno));
                return Some(ExitCode::from(127));
            }
        };
        report(&mut control, &Report::Started(main));
        // The program's pipes must end with it, not with us.
        drop((passed, command));
        let_go_of_stdio();
        control.set_nonblocking(true).ok()?;
        let mut watch =
            Watch { control, signals, main: Pid::from_raw(i32::try_from(main).ok()?)?, ended: None };
        Some(watch.run())
    }

    fn report(control: &mut UnixStream, report: &Report) {
        let _ = control.write_all(report.line().as_bytes());
    }

    fn let_go_of_stdio() {
        if let Ok(null) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
            let _ = rustix::stdio::dup2_stdin(&null);
            let _ = rustix::stdio::dup2_stdout(&null);
            let _ = rustix::stdio::dup2_stderr(&null);
        }
    }

    struct Watch {
        control: UnixStream,
        signals: SignalFd,
        main: Pid,
        ended: Option<ExitStatus>,
    }

    /// What is being done to the tree.
    enum Stage {
        /// It runs.
        Running,
        /// The socket is closed: TERM was sent, KILL comes then.
        Closing { kill_at: Instant },
        /// KILL, again and again until nothing is left; a process may fork between look and kill.
        Killing { rounds: u32 },
    }

    impl Watch {
        fn run(&mut self) -> ExitCode {
            let mut stage = Stage::Running;
            // With no children left there is nothing to do any more.
            while self.reap() {
                let wait = match &mut stage {
                    Stage::Running => None,
                    Stage::Closing { kill_at } => {
                        let left = kill_at.saturating_duration_since(Instant::now());
                        if left.is_zero() {
                            stage = Stage::Killing { rounds: 0 };
                            continue;
                        }
                        Some(left)
                    }
                    Stage::Killing { rounds } => {
                        kill_everything();
                        *rounds = rounds.saturating_add(1);
                        Some(if *rounds < SWEEP_FAST_ROUNDS { SWEEP_EVERY } else { SWEEP_SLOW })
                    }
                };
                // A closed socket is readable for ever.
                let listens = matches!(stage, Stage::Running);
                self.wait_for_something(wait, listens);
                self.forward_signals();
                if listens {
                    match self.read_order() {
                        None => {}
                        Some(Heard::Order(Order::Term)) => self.terminate_everything(),
                        Some(Heard::Order(Order::Kill)) => stage = Stage::Killing { rounds: 0 },
                        Some(Heard::Closed) => {
                            self.terminate_everything();
                            stage = Stage::Closing { kill_at: Instant::now() + DROP_GRACE };
                        }
                    }
                }
            }
            match self.ended.map(Ended::from) {
                Some(Ended::Code(code)) => ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1)),
                Some(Ended::Signal(signal)) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(255)),
                Some(Ended::Unknown) | None => ExitCode::FAILURE,
            }
        }

        /// Takes every child that has ended; `false` when there is none left at all.
        fn reap(&mut self) -> bool {
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some((pid, status))) => {
                        if pid == self.main && self.ended.is_none() {
                            let status = ExitStatus::from_raw(status.as_raw());
                            self.ended = Some(status);
                            report(&mut self.control, &Report::Ended(status.into()));
                        }
                    }
                    Ok(None) => return true,
                    Err(Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
        }

        fn wait_for_something(&self, wait: Option<Duration>, listens: bool) {
            let mut fds = vec![PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN)];
            if listens {
                fds.push(PollFd::new(&self.control, PollFlags::IN));
            }
            let wait = wait.and_then(|wait| Timespec::try_from(wait).ok());
            let _ = poll(&mut fds, wait.as_ref());
        }

        fn forward_signals(&mut self) {
            while let Ok(Some(info)) = self.signals.read_signal() {
                let Ok(number) = i32::try_from(info.ssi_signo) else { continue };
                if number == Sig::SIGCHLD as i32 {
                    continue;
                }
                let Some(signal) = Signal::from_named_raw(number) else { continue };
                if self.ended.is_some() {
                    self.terminate_everything();
                } else {
                    let _ = kill_process_group(self.main, signal);
                }
            }
        }

        fn read_order(&mut self) -> Option<Heard> {
            let mut byte = [0];
            match self.control.read(&mut byte) {
                Ok(0) => Some(Heard::Closed),
                Ok(_) => Order::from_byte(byte[0]).map(Heard::Order),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
                Err(_) => Some(Heard::Closed),
            }
        }

        /// TERM to the program's group at once, and to whoever left it.
        fn terminate_everything(&self) {
            let main = self.main.as_raw_nonzero().get().unsigned_abs();
            // The group's number is taken as long as the group has members, also when its leader is gone.
            let everybody = tree::descendants(std::process::id());
            if self.ended.is_none() || everybody.iter().any(|process| process.group == main) {
                let _ = kill_process_group(self.main, Signal::TERM);
                // A stopped process takes its TERM only when it goes on.
                let _ = kill_process_group(self.main, Signal::CONT);
            }
            for process in everybody.iter().filter(|process| process.group != main) {
                if let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) {
                    let _ = kill_process(pid, Signal::TERM);
                    let _ = kill_process(pid, Signal::CONT);
                }
            }
        }
    }

    enum Heard {
        Order(Order),
        Closed,
    }

    fn kill_everything() {
        for process in tree::descendants(std::process::id()) {
            if let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}
