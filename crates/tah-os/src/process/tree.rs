//! Who descends from whom, read from `/proc`. Where there is none (not Linux) nobody descends.
#![allow(clippy::disallowed_methods, reason = "reads /proc, which has no writer and no confinement")]

use std::collections::HashMap;
use std::fs;

/// A process below another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    pub pid: u32,
    /// The short name the kernel keeps (15 bytes at most).
    pub name: String,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    /// Dead, but not yet reaped.
    pub(crate) zombie: bool,
}

/// All living processes below `root`, parents before their children. Zombies are left out.
pub(crate) fn descendants(root: u32) -> Vec<Relative> {
    let mut children: HashMap<u32, Vec<Relative>> = HashMap::new();
    for process in all() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut from = vec![root];
    while let Some(parent) = from.pop() {
        for process in children.remove(&parent).unwrap_or_default() {
            from.push(process.pid);
            if !process.zombie {
                found.push(process);
            }
        }
    }
    found
}

/// All living processes of a session.
pub(crate) fn session_members(session: u32) -> Vec<Relative> {
    all().filter(|process| process.session == session && !process.zombie).collect()
}

/// Whether a group has a living member; `true` where that can't be seen.
pub(crate) fn group_may_live(group: u32) -> bool {
    let mut any = false;
    let lives = all().any(|process| {
        any = true;
        process.group == group && !process.zombie
    });
    lives || !any
}

fn all() -> impl Iterator<Item = Relative> {
    let folder = fs::read_dir("/proc").into_iter().flatten().flatten();
    folder.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse_stat(pid, &String::from_utf8_lossy(&stat))
    })
}

/// One `/proc/PID/stat` line. The name may hold spaces and brackets, so the fields begin after the last `)`.
fn parse_stat(pid: u32, stat: &str) -> Option<Relative> {
    let (head, fields) = stat.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let mut fields = fields.split_ascii_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X");
    let mut number = || fields.next()?.parse::<i64>().ok().and_then(|n| u32::try_from(n).ok());
    let (parent, group, session) = (number()?, number()?, number()?);
    Some(Relative { pid, name: name.to_owned(), parent, group, session, zombie })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "42 (a) b (c) S 7 42 9 0 -1 4194304 1";
        let process = parse_stat(42, stat).expect("parses");
        assert_eq!(
            (process.name.as_str(), process.parent, process.group, process.session),
            ("a) b (c", 7, 42, 9)
        );
    }
}
