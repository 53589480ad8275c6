//! What counts of queens cost that take hours, estimated from parts from all over the board.
//!
//! `cargo bench --bench parts` takes some five minutes.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Duration;

use chessboard_solver::puzzles::Budget;
use chessboard_solver::puzzles::queens::Plan;

fn main() {
    println!(
        "{:<8} {:>8} {:>12} {:>12} {:>12} {:>8}",
        "count", "parts", "median part", "longest", "whole", "growth"
    );
    let mut last: Option<Duration> = None;
    for (size, samples) in [(18, 64), (19, 80), (20, 80), (21, 80), (22, 60)] {
        let plan = Plan::plain(size, &Budget::unlimited()).unwrap();
        // An odd step through all of them, so that no kind of part is met more often than it is there.
        let step = (plan.parts() / samples).max(1) | 1;
        let mut times: Vec<Duration> = (0..samples)
            .map(|sample| (sample * step + sample) % plan.parts())
            .map(|part| {
                let before = busy();
                black_box(plan.count(part, &Budget::unlimited()).unwrap());
                busy() - before
            })
            .collect();
        let mean = times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap();
        let whole = mean * u32::try_from(plan.parts()).unwrap();
        times.sort_unstable();
        let growth = last.map(|last| format!("{:.2}x", whole.as_secs_f64() / last.as_secs_f64()));
        println!(
            "n = {size:<4} {:>8} {:>12.3?} {:>12.3?} {:>10.0} s {:>8}",
            plan.parts(),
            times[times.len() / 2],
            times[times.len() - 1],
            whole.as_secs_f64(),
            growth.unwrap_or_default()
        );
        last = Some(whole);
    }
}

/// The time that this thread has had of a processor, whatever else the machine does.
fn busy() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells it");
    Duration::from_nanos(times.split(' ').next().unwrap().parse().unwrap())
}
