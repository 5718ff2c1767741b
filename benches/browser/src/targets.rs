//! What tah has to reach, and whether it did.

use crate::task::{Kind, Measured, Times, median};

/// Prints each target with what was measured; how many were missed.
pub fn judge(all: &[Measured]) -> usize {
    let Some(bare) = all.iter().find(|one| matches!(one.kind, Kind::Bare)) else { return 1 };
    let Some(tah) = all.iter().find(|one| matches!(one.kind, Kind::Tah(_))) else { return 1 };
    let ratio = |of: Times| median(of(tah)) / median(of(bare)).max(0.001);
    let mebibytes = |bytes: Option<u64>| bytes.map_or(f64::INFINITY, |bytes| bytes as f64 / 1048576.0);
    println!();
    let mut missed = 0;
    let mut target = |what: &str, value: f64, limit: f64| {
        let verdict = if value <= limit { "PASS" } else { "MISS" };
        missed += usize::from(value > limit);
        println!("{verdict}  {what}: {value:.2} (at most {limit})");
    };
    target("form task, times the bare client", ratio(|one| &one.form), 1.3);
    target("looks after the submit that saw the old page", tah.stale as f64, 0.0);
    target("verified click on a quiet page, ms", median(&tah.click), 10.0);
    target("snapshot of 3,000 elements, ms", median(&tah.big), 60.0);
    target("snapshot of 3,000 elements, characters", tah.big_chars as f64, 12_000.0);
    target("spawn to first page, times the bare client", ratio(|one| &one.start), 1.1);
    target("memory of tah, MiB", mebibytes(tah.memory.0.driver), 20.0);
    target("memory of tah after a table of 1,500 rows, MiB", mebibytes(tah.memory.1.driver), 60.0);
    missed
}
