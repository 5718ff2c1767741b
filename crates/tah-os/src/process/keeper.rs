//! The task behind a started program: sees its end, carries out its ending, reaps it.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::io::{AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child as OsChild;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::Ended;
use super::child::{EndTree, State};
use super::tree;
use super::wire::{Order, Report};
use crate::limits::{KILL_WAIT, SWEEP_EVERY};

/// Both ends a keeper talks through.
pub(super) struct KeeperEnds {
    pub orders: mpsc::UnboundedReceiver<EndTree>,
    pub state: watch::Sender<State>,
}

/// The control socket of a launcher.
pub(super) struct Control {
    pub reports: Lines<BufReader<OwnedReadHalf>>,
    pub orders: OwnedWriteHalf,
}

/// Keeps a program below a launcher. When this task is dropped, the socket closes and the launcher ends the tree.
pub(super) async fn keep_launched(
    mut launcher: OsChild,
    mut control: Control,
    mut lines: KeeperEnds,
    pid: u32,
) {
    let mut deadline = Deadline::default();
    let mut reading = true;
    let mut open = true;
    loop {
        tokio::select! {
            report = control.reports.next_line(), if reading => match report {
                Ok(Some(line)) => note(&lines.state, &line),
                Ok(None) | Err(_) => reading = false,
            },
            _ = launcher.wait() => break,
            order = lines.orders.recv(), if open => match order {
                Some(EndTree { grace }) => {
                    let _ = control.orders.write_all(&[Order::Term.byte()]).await;
                    deadline.set(grace);
                }
                None => open = false,
            },
            () = deadline.passed() => {
                let _ = control.orders.write_all(&[Order::Kill.byte()]).await;
                deadline = Deadline::default();
            }
        }
    }
    // What it wrote before its end is still in the socket; nobody else holds the other end.
    let rest = async {
        while let Ok(Some(line)) = control.reports.next_line().await {
            note(&lines.state, &line);
        }
    };
    if reading {
        let _ = tokio::time::timeout(KILL_WAIT, rest).await;
    }
    if lines.state.borrow().ended.is_none() {
        // Somebody killed the launcher. The program dies with it; its group may not have.
        signal_group(pid, Signal::KILL);
    }
    lines.state.send_modify(|state| {
        state.ended.get_or_insert(Ended::Unknown);
        state.gone = true;
    });
}

fn note(state: &watch::Sender<State>, line: &str) {
    if let Some(Report::Ended(ended)) = Report::parse(line) {
        state.send_modify(|state| state.ended = Some(ended));
    }
}

/// Keeps a program of our own: its group, and what can be found of its tree.
pub(super) async fn keep_plain(mut child: OsChild, mut lines: KeeperEnds, mut guard: GroupGuard) {
    let pid = guard.pid;
    let mut deadline = Deadline::default();
    let mut ending = false;
    let mut open = true;
    loop {
        tokio::select! {
            status = child.wait() => {
                let ended = status.map_or(Ended::Unknown, Ended::from);
                lines.state.send_modify(|state| state.ended = Some(ended));
                break;
            }
            order = lines.orders.recv(), if open => match order {
                Some(EndTree { grace }) => {
                    ending = true;
                    signal_group(pid, Signal::TERM);
                    // A stopped process takes its TERM only when it goes on.
                    signal_group(pid, Signal::CONT);
                    deadline.set(grace);
                }
                None => open = false,
            },
            () = deadline.passed() => {
                kill_all(pid);
                deadline = Deadline::default();
            }
        }
    }
    // The program is gone; others of its group may live (X1).
    while group_lives(pid) {
        if ending {
            tokio::select! {
                () = tokio::time::sleep(SWEEP_EVERY) => {}
                () = deadline.passed() => {
                    kill_all(pid);
                    deadline = Deadline::default();
                }
            }
        } else {
            let Some(EndTree { grace }) = lines.orders.recv().await else { break };
            ending = true;
            signal_group(pid, Signal::TERM);
            signal_group(pid, Signal::CONT);
            deadline.set(grace);
        }
    }
    guard.armed = false;
    lines.state.send_modify(|state| state.gone = true);
}

/// When KILL is due.
#[derive(Default)]
struct Deadline {
    at: Option<Instant>,
}

impl Deadline {
    /// The earlier of two orders counts.
    fn set(&mut self, grace: Duration) {
        let new = Instant::now() + grace;
        self.at = Some(self.at.map_or(new, |at| at.min(new)));
    }

    async fn passed(&self) {
        match self.at {
            Some(at) => sleep_until(at).await,
            None => std::future::pending().await,
        }
    }
}

/// Kills the group when the runtime drops the keeper before the program's end. Made before the task: a runtime
/// may go down without ever having polled it.
pub(super) struct GroupGuard {
    pid: u32,
    armed: bool,
}

impl GroupGuard {
    pub(super) fn new(pid: u32) -> Self {
        Self { pid, armed: true }
    }
}

impl Drop for GroupGuard {
    fn drop(&mut self) {
        if self.armed {
            kill_all(self.pid);
        }
    }
}

fn kill_all(pid: u32) {
    let mut rest = tree::descendants(pid);
    rest.extend(tree::session_members(pid));
    signal_group(pid, Signal::KILL);
    for process in rest {
        if let Some(pid) = to_pid(process.pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn signal_group(pid: u32, signal: Signal) {
    if let Some(pid) = to_pid(pid) {
        let _ = kill_process_group(pid, signal);
    }
}

fn group_lives(pid: u32) -> bool {
    // A group of zombies that init has yet to reap takes signals too, so that alone says nothing.
    to_pid(pid).is_some_and(|pid| test_kill_process_group(pid).is_ok()) && tree::group_may_live(pid)
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
