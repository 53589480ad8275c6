//! How fast trominoes are laid, beside a plain recursion and beside filling memory.

#![allow(clippy::unwrap_used, reason = "a benchmark that fails may end")]

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::tromino::{Options, Problem, Solution, solve, verify};
use chessboard_solver::puzzles::{Budget, Outcome};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

fn size(rows: u32, cols: u32) -> Size {
    Size::new(rows, cols).unwrap()
}

fn one_hole(side: u32) -> Problem {
    Problem::new(size(side, side), vec![Square::new(side / 3, side / 2)]).unwrap()
}

/// A board with random holes that has a tiling: the first of those with each number.
fn with_holes(side: u32, holes: usize) -> Problem {
    let mut boards = (1..).map(|number| random_holes(side, holes, number));
    let is_tiled = |problem: &Problem| matches!(solved(problem, Options::default()), Outcome::Solved(_));
    boards.find(is_tiled).unwrap()
}

/// A board with random holes, the same for the same number, one or two more than asked so that the area fits.
fn random_holes(side: u32, holes: usize, number: u64) -> Problem {
    let size = size(side, side);
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let mut is_hole = vec![false; size.squares()];
    let mut left = holes + (size.squares() - holes) % 3;
    while left > 0 {
        let at = (random.next_u64() % size.squares() as u64) as usize;
        left -= usize::from(!is_hole[at]);
        is_hole[at] = true;
    }
    let holes = size.iter().filter(|&square| is_hole[size.index(square)]).collect();
    Problem::new(size, holes).unwrap()
}

fn solved(problem: &Problem, options: Options) -> Outcome<Solution> {
    solve(black_box(problem), &options, &Budget::unlimited()).unwrap()
}

fn tiling(problem: &Problem) -> Outcome<Solution> {
    let outcome = solved(problem, Options::default());
    assert!(matches!(outcome, Outcome::Solved(_)), "the boards here have tilings");
    outcome
}

fn counting(problem: &Problem) -> Outcome<Solution> {
    solved(problem, Options::new(problem.size(), None, true).unwrap())
}

fn drawing(problem: &Problem, seed: u64) -> Outcome<Solution> {
    solved(problem, Options::new(problem.size(), Some(seed), false).unwrap())
}

/// The classic tiling of 2ᵏ squares a side, into a buffer that is there.
mod quadrants {
    use super::*;

    const SIDE: usize = 4096;
    const SQUARES: usize = SIDE * SIDE;

    #[divan::bench(args = [16, 64, 256, 1024, 4096])]
    fn rows(bencher: Bencher<'_, '_>, side: usize) {
        let problem = one_hole(side as u32);
        let mut board = vec![0_u32; side * side];
        bencher.counter(ItemsCount::new(side * side)).bench_local(|| {
            let Outcome::Solved(solution) = tiling(&problem) else { unreachable!() };
            for (row, out) in board.chunks_exact_mut(side).enumerate() {
                solution.fill_row(row, out);
            }
            black_box(&mut board);
        });
    }

    #[divan::bench]
    fn fill_of_4096(bencher: Bencher<'_, '_>) {
        let mut board = vec![0_u32; SQUARES];
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| {
            board.fill(black_box(7));
            black_box(&mut board);
        });
    }

    #[divan::bench(args = [16, 64, 256, 1024, 4096], max_time = 4)]
    fn plain_recursion(bencher: Bencher<'_, '_>, side: usize) {
        let mut board = vec![0_u32; side * side];
        bencher.counter(ItemsCount::new(side * side)).bench_local(|| {
            let mut next = 1;
            recurse(&mut board, side, &mut next, ((0, 0), side), (side / 3, side / 2));
            black_box(&mut board);
        });
    }

    /// Tiles the quadrant that begins at this square and has this side, within a board that is `width` squares wide.
    fn recurse(
        board: &mut [u32],
        width: usize,
        next: &mut u32,
        ((top, left), side): ((usize, usize), usize),
        hole: (usize, usize),
    ) {
        if side == 1 {
            return;
        }
        let (half, center) = (side / 2, *next);
        *next += 1;
        for (lower, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (row, col) = (top + lower * half, left + right * half);
            let inside = hole.0 >= row && hole.0 < row + half && hole.1 >= col && hole.1 < col + half;
            let mut its_hole = hole;
            if !inside {
                its_hole = (top + half - 1 + lower, left + half - 1 + right);
                board[its_hole.0 * width + its_hole.1] = center;
            }
            recurse(board, width, next, ((row, col), half), its_hole);
        }
    }

    #[divan::bench]
    fn check_of_4096(bencher: Bencher<'_, '_>) {
        let problem = one_hole(SIDE as u32);
        let Outcome::Solved(solution) = tiling(&problem) else { unreachable!() };
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| verify(&problem, &solution).unwrap());
    }

    #[divan::bench]
    fn colors_of_4096(bencher: Bencher<'_, '_>) {
        let Outcome::Solved(solution) = tiling(&one_hole(SIDE as u32)) else { unreachable!() };
        let mut colors = vec![0; solution.tile_count() as usize];
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| {
            solution.fill_colors(1, &mut colors);
            black_box(&mut colors);
        });
    }
}

/// Strips peeled off around a core, for sides that are no power of two.
#[divan::bench(args = [10, 31, 100, 301, 1001, 3001])]
fn peel(bencher: Bencher<'_, '_>, side: u32) {
    let problem = one_hole(side);
    bencher.bench_local(|| tiling(&problem));
}

/// The exact profile, for four holes or more.
mod profile {
    use super::*;

    // Wider boards with so few holes are done by the horizon unless all tilings are asked for.
    #[divan::bench(args = [8, 10, 12, 14, 16])]
    fn tile(bencher: Bencher<'_, '_>, side: u32) {
        let problem = with_holes(side, 4);
        bencher.bench_local(|| tiling(&problem));
    }

    #[divan::bench(args = [8, 10, 12, 14, 16, 18], max_time = 4)]
    fn count(bencher: Bencher<'_, '_>, side: u32) {
        let problem = with_holes(side, 4);
        bencher.bench_local(|| counting(&problem));
    }

    #[divan::bench(args = [8, 10, 12, 14, 16], max_time = 4)]
    fn draw(bencher: Bencher<'_, '_>, side: u32) {
        let problem = with_holes(side, 4);
        bencher.bench_local(|| drawing(&problem, 1));
    }

    #[divan::bench(sample_count = 2)]
    fn count_of_20_with_one_hole(bencher: Bencher<'_, '_>) {
        let problem = one_hole(20);
        bencher.bench_local(|| counting(&problem));
    }
}

/// The receding horizon, for large boards with one square in a hundred a hole.
mod horizon {
    use super::*;

    #[divan::bench(args = [32, 64, 128, 256, 512, 1000], max_time = 4)]
    fn tile(bencher: Bencher<'_, '_>, side: u32) {
        let problem = with_holes(side, (side * side / 100) as usize);
        bencher.bench_local(|| tiling(&problem));
    }

    #[divan::bench(args = [64, 256, 1000], max_time = 4)]
    fn draw(bencher: Bencher<'_, '_>, side: u32) {
        let problem = with_holes(side, (side * side / 100) as usize);
        bencher.bench_local(|| drawing(&problem, 1));
    }

    #[divan::bench]
    fn tile_64_with_five_in_a_hundred(bencher: Bencher<'_, '_>) {
        let problem = with_holes(64, 205);
        bencher.bench_local(|| tiling(&problem));
    }
}

/// The check of an answer, which every answer goes through.
#[divan::bench(args = [1001])]
fn check(bencher: Bencher<'_, '_>, side: u32) {
    let problem = one_hole(side);
    let Outcome::Solved(solution) = tiling(&problem) else { unreachable!() };
    bencher.bench_local(|| verify(&problem, &solution).unwrap());
}
