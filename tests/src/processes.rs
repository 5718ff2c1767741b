//! Which processes live, by what their command lines or environments hold. Each test marks its own by its
//! temporary folder, so that tests side by side never count each other's.

use std::fs;

/// One process.
#[derive(Clone, Debug)]
pub struct Process {
    pub pid: i32,
    pub command: String,
    pub state: char,
}

/// Processes whose command line or environment holds `mark`, this one aside.
pub fn holding(mark: &str) -> Vec<Process> {
    all().into_iter().filter(|process| mentions(process.pid, mark)).collect()
}

/// Every descendant of `pid`, itself not.
pub fn descendants(pid: i32) -> Vec<Process> {
    let everyone = all();
    let mut found = vec![pid];
    let mut index = 0;
    while index < found.len() {
        let parent = found[index];
        found.extend(everyone.iter().filter(|one| parent_of(one.pid) == Some(parent)).map(|one| one.pid));
        index += 1;
    }
    everyone.into_iter().filter(|one| one.pid != pid && found.contains(&one.pid)).collect()
}

fn all() -> Vec<Process> {
    let me = i32::try_from(std::process::id()).expect("a pid is small");
    fs::read_dir("/proc")
        .expect("/proc")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != me)
        .filter_map(describe)
        .collect()
}

fn describe(pid: i32) -> Option<Process> {
    let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    Some(Process { pid, command, state: stat(pid)?.0 })
}

fn stat(pid: i32) -> Option<(char, i32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut words = text.rsplit(')').next()?.split_whitespace();
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

fn parent_of(pid: i32) -> Option<i32> {
    stat(pid).map(|(_, parent)| parent)
}

fn mentions(pid: i32, mark: &str) -> bool {
    ["cmdline", "environ"].iter().any(|file| {
        fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(mark))
    })
}

/// Sends a signal to a process the test started.
pub fn signal(pid: i32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a pid is not 0");
    rustix::process::kill_process(pid, signal).expect("the process is ours");
}

/// Sends a signal to a process that may be gone by now.
pub fn try_signal(pid: i32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a pid is not 0");
    let _ = rustix::process::kill_process(pid, signal);
}

/// Whether it runs; a zombie doesn't.
pub fn lives(pid: i32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != 'Z')
}

/// The resident memory of a living process now, in KiB.
pub fn resident_kib(pid: i32) -> Option<u64> {
    of_status(pid, "VmRSS:")
}

/// The peak resident memory of a living process, in KiB.
pub fn peak_kib(pid: i32) -> Option<u64> {
    of_status(pid, "VmHWM:")
}

fn of_status(pid: i32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
