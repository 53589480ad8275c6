//! How fast queens are counted and placed, and how much faster that is than the plain way.
//!
//! The measure for counts is the bitmask recursion that everybody writes, with one half of the board mirrored
//! (Richards 1997 describes it). `cargo bench --bench queens` takes about two minutes.

#![allow(clippy::unwrap_used, reason = "a benchmark that fails may end")]

use std::num::NonZeroUsize;

use chessboard_solver::board::Square;
use chessboard_solver::puzzles::queens::{Attack, Plan, Problem, Spec, solve};
use chessboard_solver::puzzles::{Budget, Outcome};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// All solutions, on one thread and on two, and the plain recursion on one.
mod count {
    use super::*;

    #[divan::bench(args = [8, 10, 12, 13, 14, 15, 16, 17, 18], max_time = 6)]
    fn batches(bencher: Bencher<'_, '_>, size: u32) {
        bencher.bench(|| batch_count(size, 1));
    }

    #[divan::bench(args = [14, 15, 16, 17], max_time = 6)]
    fn batches_on_two_threads(bencher: Bencher<'_, '_>, size: u32) {
        bencher.bench(|| batch_count(size, 2));
    }

    #[divan::bench(args = [8, 10, 12, 13, 14, 15, 16], max_time = 8)]
    fn plain_recursion(bencher: Bencher<'_, '_>, size: u32) {
        bencher.bench(|| mirrored_count(size));
    }

    #[divan::bench(args = [4, 8, 16], max_time = 4)]
    fn completions_of_18(bencher: Bencher<'_, '_>, given: u32) {
        let Outcome::Solved(whole) = answer(18, &spec()) else { unreachable!() };
        let queens = (0..).zip(&whole.board).take(given as usize).map(|(row, &col)| Square::new(row, col));
        let spec = Spec { queens: queens.collect(), count: Some(true), ..spec() };
        bencher.bench(|| answer(18, &spec));
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
}

/// One solution.
mod one {
    use super::*;

    #[divan::bench(args = [8, 12, 20, 28])]
    fn first_in_order(bencher: Bencher<'_, '_>, size: u32) {
        bencher.bench(|| answer(size, &spec()));
    }

    #[divan::bench(args = [100, 1_000, 10_000, 100_000, 1_000_000])]
    fn constructed(bencher: Bencher<'_, '_>, size: u32) {
        bencher.bench(|| answer(size, &spec()));
    }

    #[divan::bench(args = [8, 16, 100, 1_000, 10_000, 100_000, 1_000_000], max_time = 5)]
    fn random(bencher: Bencher<'_, '_>, size: u32) {
        bencher.bench(|| answer(size, &Spec { seed: Some(1), ..spec() }));
    }

    /// Every tenth queen of a random solution is given.
    #[divan::bench(args = [20, 100, 1_000])]
    fn completed(bencher: Bencher<'_, '_>, size: u32) {
        let Outcome::Solved(whole) = answer(size, &Spec { seed: Some(1), ..spec() }) else { unreachable!() };
        let queens = (0..).zip(&whole.board).step_by(10).map(|(row, &col)| Square::new(row, col)).collect();
        let spec = Spec { queens, ..spec() };
        bencher.bench(|| answer(size, &spec));
    }

    /// A puzzle of twelve regions: its solution, and that there is no other.
    #[divan::bench]
    fn regions_12_unique(bencher: Bencher<'_, '_>) {
        let regions: Vec<Vec<i64>> = serde_json::from_str(
            "[[0,0,0,0,0,0,0,0,1,1,1,1],[0,2,2,2,0,3,3,3,3,3,3,1],[0,2,2,2,0,3,4,4,4,4,3,1],\
              [0,0,0,2,0,3,4,5,5,4,3,1],[6,6,0,2,0,3,4,5,5,4,3,1],[6,6,0,0,0,3,4,4,5,4,3,1],\
              [6,7,7,7,7,3,3,3,3,3,3,1],[6,7,8,8,7,7,7,7,7,7,1,1],[6,7,8,8,8,8,8,9,9,7,7,1],\
              [6,7,7,7,7,7,8,9,9,9,7,1],[6,6,6,6,10,7,7,7,7,7,7,1],[6,6,6,6,10,10,11,11,11,1,1,1]]",
        )
        .unwrap();
        let spec = Spec { regions: Some(regions), attack: Attack::Touch, unique: true, ..spec() };
        bencher.bench(|| answer(12, &spec));
    }
}

/// A solution alone.
fn spec() -> Spec {
    Spec { count: Some(false), ..Spec::default() }
}

fn answer(size: u32, spec: &Spec) -> Outcome<chessboard_solver::puzzles::queens::Answer> {
    let outcome = solve(black_box(&Problem::new(size, spec).unwrap()), &Budget::unlimited()).unwrap();
    assert!(matches!(outcome, Outcome::Solved(_)));
    outcome
}
