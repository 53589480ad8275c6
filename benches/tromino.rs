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
    solved(problem, Options::default())
}

fn counting(problem: &Problem) -> Outcome<Solution> {
    solved(problem, Options::new(problem.size(), None, true).unwrap())
}

fn drawing(problem: &Problem, seed: u64) -> Outcome<Solution> {
    solved(problem, Options::new(problem.size(), Some(seed), false).unwrap())
}

/// 4096 × 4096 squares into a buffer that is there.
mod quadrants_4096 {
    use super::*;

    const SIDE: usize = 4096;
    const SQUARES: usize = SIDE * SIDE;

    #[divan::bench]
    fn rows(bencher: Bencher<'_, '_>) {
        let Outcome::Solved(solution) = tiling(&one_hole(SIDE as u32)) else { unreachable!() };
        let mut board = vec![0_u32; SQUARES];
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| {
            for (row, out) in board.chunks_exact_mut(SIDE).enumerate() {
                solution.fill_row(row, out);
            }
            black_box(&mut board);
        });
    }

    #[divan::bench]
    fn fill(bencher: Bencher<'_, '_>) {
        let mut board = vec![0_u32; SQUARES];
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| {
            board.fill(black_box(7));
            black_box(&mut board);
        });
    }

    #[divan::bench(sample_count = 20)]
    fn plain_recursion(bencher: Bencher<'_, '_>) {
        let mut board = vec![0_u32; SQUARES];
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| {
            let mut next = 1;
            recurse(&mut board, &mut next, (0, 0), SIDE, (SIDE / 3, SIDE / 2));
            black_box(&mut board);
        });
    }

    fn recurse(
        board: &mut [u32],
        next: &mut u32,
        (top, left): (usize, usize),
        side: usize,
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
                board[its_hole.0 * SIDE + its_hole.1] = center;
            }
            recurse(board, next, (row, col), half, its_hole);
        }
    }

    #[divan::bench]
    fn verified(bencher: Bencher<'_, '_>) {
        let problem = one_hole(SIDE as u32);
        let Outcome::Solved(solution) = tiling(&problem) else { unreachable!() };
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| verify(&problem, &solution).unwrap());
    }

    #[divan::bench]
    fn colors(bencher: Bencher<'_, '_>) {
        let Outcome::Solved(solution) = tiling(&one_hole(SIDE as u32)) else { unreachable!() };
        let mut colors = vec![0; solution.tile_count() as usize];
        bencher.counter(ItemsCount::new(SQUARES)).bench_local(|| {
            solution.fill_colors(1, &mut colors);
            black_box(&mut colors);
        });
    }
}

#[divan::bench]
fn one_hole_1001(bencher: Bencher<'_, '_>) {
    let problem = one_hole(1001);
    bencher.bench_local(|| tiling(&problem));
}

#[divan::bench]
fn verify_1001(bencher: Bencher<'_, '_>) {
    let problem = one_hole(1001);
    let Outcome::Solved(solution) = tiling(&problem) else { unreachable!() };
    bencher.bench_local(|| verify(&problem, &solution).unwrap());
}

#[divan::bench]
fn four_holes_16(bencher: Bencher<'_, '_>) {
    let problem = random_holes(16, 4, 1);
    bencher.bench_local(|| tiling(&problem));
}

#[divan::bench(sample_count = 20)]
fn four_holes_16_counted(bencher: Bencher<'_, '_>) {
    let problem = random_holes(16, 4, 1);
    bencher.bench_local(|| counting(&problem));
}

#[divan::bench(sample_count = 20)]
fn four_holes_16_drawn(bencher: Bencher<'_, '_>) {
    let problem = random_holes(16, 4, 1);
    bencher.bench_local(|| drawing(&problem, 1));
}

#[divan::bench]
fn four_holes_20(bencher: Bencher<'_, '_>) {
    let problem = random_holes(20, 4, 2);
    bencher.bench_local(|| tiling(&problem));
}

#[divan::bench(sample_count = 3)]
fn one_hole_20_counted(bencher: Bencher<'_, '_>) {
    let problem = one_hole(20);
    bencher.bench_local(|| counting(&problem));
}

#[divan::bench]
fn five_percent_64(bencher: Bencher<'_, '_>) {
    let problem = random_holes(64, 205, 1);
    bencher.bench_local(|| tiling(&problem));
}

#[divan::bench(args = [100, 2_600])]
fn holes_512(bencher: Bencher<'_, '_>, holes: usize) {
    let problem = random_holes(512, holes, 1);
    bencher.bench_local(|| tiling(&problem));
}

#[divan::bench(sample_count = 20)]
fn ten_thousand_holes_1000(bencher: Bencher<'_, '_>) {
    let problem = random_holes(1000, 10_000, 1);
    bencher.bench_local(|| tiling(&problem));
}

#[divan::bench(sample_count = 20)]
fn ten_thousand_holes_1000_drawn(bencher: Bencher<'_, '_>) {
    let problem = random_holes(1000, 10_000, 1);
    bencher.bench_local(|| drawing(&problem, 1));
}
