//! Step overhead with 10, 100 and 1,000 messages of history, in process and over HTTP.
#![allow(clippy::expect_used, reason = "a benchmark that can't run has nothing else to say")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::time::Duration;
use tah_bench_step::{history, instantly, over_http, turn};

fn step(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let models =
        [("in process", instantly()), ("over http", runtime.block_on(over_http()).expect("a server"))];
    for (name, model) in models {
        let mut group = criterion.benchmark_group(format!("step {name}"));
        for count in [10, 100, 1_000] {
            let history = history(count);
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.iter_custom(|times| {
                    // Making the host is no part of a step.
                    (0..times).map(|_| runtime.block_on(turn(model.clone(), &history))).sum::<Duration>()
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(5));
    targets = step
}
criterion_main!(benches);
