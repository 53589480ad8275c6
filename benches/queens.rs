//! How fast queens are counted and placed, and how much faster that is than the plain way.
//!
//! The measure for counts is the bitmask recursion that everybody writes, with one half of the board mirrored
//! (Richards 1997 describes it). Both run in turn in one process, on one thread, and medians are compared: on a
//! shared machine only ratios mean much. `cargo bench --bench queens` runs all of it in about three minutes; with
//! `-- quick` it leaves out the boards that take seconds; with `-- parts` it only estimates, in some five minutes, what
//! counts cost that take hours.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use chessboard_solver::board::Square;
use chessboard_solver::puzzles::queens::{Attack, Plan, Problem, Spec, solve};
use chessboard_solver::puzzles::{Budget, Outcome};

fn main() {
    if std::env::args().any(|argument| argument == "parts") {
        return parts();
    }
    let quick = std::env::args().any(|argument| argument == "quick");
    counts(quick);
    threads();
    single();
}

/// Counts on one thread against the plain recursion.
fn counts(quick: bool) {
    println!("{:<28} {:>12} {:>12} {:>8}", "count, one thread", "this", "plain", "ratio");
    let sizes: &[(u32, usize)] =
        if quick { &[(14, 5), (15, 3)] } else { &[(14, 9), (15, 7), (16, 5), (17, 3)] };

    for &(size, runs) in sizes {
        let (mut ours, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let mut found = 0;
            ours.push(time(|| found = batch_count(size, 1)));
            let mut expected = 0;
            plain.push(time(|| expected = mirrored_count(size)));
            assert_eq!(found, expected);
        }
        let (ours, plain) = (median(ours), median(plain));
        let ratio = plain.as_secs_f64() / ours.as_secs_f64();
        println!("{:<28} {ours:>12.3?} {plain:>12.3?} {ratio:>7.1}x", format!("n = {size}"));
    }
    if !quick {
        let ours = time(|| {
            black_box(batch_count(18, 1));
        });
        println!("{:<28} {ours:>12.3?}", "n = 18");
    }
}

/// Two threads against one.
fn threads() {
    let (mut single, mut double) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        single.push(time(|| _ = black_box(batch_count(16, 1))));
        double.push(time(|| _ = black_box(batch_count(16, 2))));
    }
    let (single, double) = (median(single), median(double));
    let ratio = single.as_secs_f64() / double.as_secs_f64();
    println!("\n{:<28} {double:>12.3?} {single:>12.3?} {ratio:>7.2}x", "n = 16, two threads");
}

/// What whole counts cost, by parts from all over the board.
fn parts() {
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

/// Single solutions.
fn single() {
    println!("\n{:<28} {:>12}", "one solution", "this");
    let uncounted = || Spec { count: Some(false), ..Spec::default() };
    let report = |name: &str, size: u32, spec: &Spec| {
        let problem = Problem::new(size, spec).unwrap();
        let mut times: Vec<Duration> = (0..9)
            .map(|_| {
                time(|| {
                    let outcome = solve(black_box(&problem), &Budget::unlimited()).unwrap();
                    assert!(matches!(outcome, Outcome::Solved(_)));
                })
            })
            .collect();
        times.sort_unstable();
        println!("{name:<28} {:>12.3?}", times[times.len() / 2]);
    };
    report("n = 8, first in order", 8, &uncounted());
    report("n = 28, first in order", 28, &uncounted());
    report("n = 1,000,000, constructed", 1_000_000, &uncounted());
    for size in [100_000, 1_000_000] {
        report(&format!("n = {size}, random"), size, &Spec { seed: Some(1), ..uncounted() });
    }
    report("n = 16, random, uniform", 16, &Spec { seed: Some(1), ..uncounted() });
    let regions: Vec<Vec<i64>> = serde_json::from_str(
        "[[0,0,0,0,0,0,0,0,1,1,1,1],[0,2,2,2,0,3,3,3,3,3,3,1],[0,2,2,2,0,3,4,4,4,4,3,1],\
          [0,0,0,2,0,3,4,5,5,4,3,1],[6,6,0,2,0,3,4,5,5,4,3,1],[6,6,0,0,0,3,4,4,5,4,3,1],\
          [6,7,7,7,7,3,3,3,3,3,3,1],[6,7,8,8,7,7,7,7,7,7,1,1],[6,7,8,8,8,8,8,9,9,7,7,1],\
          [6,7,7,7,7,7,8,9,9,9,7,1],[6,6,6,6,10,7,7,7,7,7,7,1],[6,6,6,6,10,10,11,11,11,1,1,1]]",
    )
    .unwrap();
    let spec = Spec { regions: Some(regions), attack: Attack::Touch, unique: true, ..uncounted() };
    report("12 regions, unique?", 12, &spec);
    let whole = Problem::new(1_000, &Spec { seed: Some(1), ..uncounted() }).unwrap();
    let Outcome::Solved(whole) = solve(&whole, &Budget::unlimited()).unwrap() else { return };
    let queens = (0..).zip(&whole.board).step_by(10).map(|(row, &col)| Square::new(row, col)).collect();
    report("n = 1,000, 100 given", 1_000, &Spec { queens, ..uncounted() });
}

fn batch_count(size: u32, threads: usize) -> u64 {
    let threads = NonZeroUsize::new(threads).unwrap();
    let budget = Budget::unlimited().with_threads(threads);
    Plan::plain(black_box(size), &budget).unwrap().sum(&budget, None).unwrap()
}

/// The plain recursion: one bit a column, one half of the board mirrored.
fn mirrored_count(size: u32) -> u64 {
    fn below(board: u32, columns: u32, left: u32, right: u32) -> u64 {
        if columns == board {
            return 1;
        }
        let mut free = board & !(columns | left | right);
        let mut total = 0;
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            total += below(board, columns | queen, (left | queen) << 1, (right | queen) >> 1);
        }
        total
    }
    let board = u32::MAX >> (32 - black_box(size));
    let from = |col: u32| below(board, 1 << col, 2 << col, (1 << col) >> 1);
    let half: u64 = (0..size / 2).map(from).sum();
    2 * half + if size % 2 == 1 { from(size / 2) } else { 0 }
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
