//! What tah and its launcher say to each other: arguments there, one byte per order, one line per report.

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;

use super::Ended;
use crate::sandbox::{Level, Sandbox};

/// The first argument that makes a program the launcher.
pub(crate) const CHILD_ARG: &str = "__child";

/// What the launcher is started with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LauncherArgs {
    /// The descriptor of the control socket.
    pub control: RawFd,
    /// Further descriptors, which belong to the program.
    pub passed: Vec<RawFd>,
    pub sandbox: Option<Sandbox>,
    pub program: OsString,
    pub args: Vec<OsString>,
}

impl LauncherArgs {
    pub(crate) fn encode(&self) -> Vec<OsString> {
        let mut out: Vec<OsString> =
            vec![CHILD_ARG.into(), "--control".into(), self.control.to_string().into()];
        for number in &self.passed {
            out.extend(["--pass".into(), number.to_string().into()]);
        }
        if let Some(sandbox) = &self.sandbox {
            out.extend(crate::sandbox::to_args(sandbox));
        }
        out.extend(["--".into(), self.program.clone()]);
        out.extend(self.args.iter().cloned());
        out
    }

    /// From the arguments after [`CHILD_ARG`].
    pub(crate) fn decode(args: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut args = args.into_iter();
        let mut out = Self::default();
        loop {
            let flag = args.next()?;
            match flag.as_bytes() {
                b"--control" => out.control = number(&args.next()?)?,
                b"--pass" => out.passed.push(number(&args.next()?)?),
                b"--sandbox" => out.sandbox = Some(Sandbox::new()),
                b"--write" => {
                    let sandbox = out.sandbox.take()?;
                    out.sandbox = Some(sandbox.writable(args.next()?));
                }
                b"--" => break,
                _ => return None,
            }
        }
        out.program = args.next()?;
        out.args = args.collect();
        (out.control > 2).then_some(out)
    }
}

fn number(text: &OsStr) -> Option<RawFd> {
    text.to_str()?.parse().ok()
}

/// An order to the launcher: one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// TERM to every process below it.
    Term,
    /// KILL to all of them until none is left.
    Kill,
}

impl Order {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Term => b'T',
            Self::Kill => b'K',
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            b'T' => Some(Self::Term),
            b'K' => Some(Self::Kill),
            _ => None,
        }
    }
}

/// A report of the launcher: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// How much of the sandbox is in force.
    Sandbox(Level),
    /// The program runs with this pid.
    Started(u32),
    /// The program could not be started: the errno.
    Failed(i32),
    /// The program ended.
    Ended(Ended),
}

impl Report {
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Sandbox(level) => format!("sandbox {}\n", level.word()),
            Self::Started(pid) => format!("started {pid}\n"),
            Self::Failed(errno) => format!("failed {errno}\n"),
            Self::Ended(Ended::Code(code)) => format!("code {code}\n"),
            Self::Ended(Ended::Signal(signal)) => format!("signal {signal}\n"),
            Self::Ended(Ended::Unknown) => "unknown 0\n".to_owned(),
        }
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.trim_end().split_once(' ')?;
        Some(match word {
            "sandbox" => Self::Sandbox(Level::from_word(rest)),
            "started" => Self::Started(rest.parse().ok()?),
            "failed" => Self::Failed(rest.parse().ok()?),
            "code" => Self::Ended(Ended::Code(rest.parse().ok()?)),
            "signal" => Self::Ended(Ended::Signal(rest.parse().ok()?)),
            "unknown" => Self::Ended(Ended::Unknown),
            _ => return None,
        })
    }
}
