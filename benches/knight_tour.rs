//! How long a tour takes. `cargo bench --bench knight_tour`.

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::knight_tour::{Clue, Method, Options, Problem, Spec, solve, verify};
use chessboard_solver::puzzles::{Budget, Outcome};

fn main() {
    divan::main();
}

fn problem(rows: u32, cols: u32, spec: &Spec) -> Problem {
    Size::new(rows, cols)
        .and_then(|size| Problem::new(size, spec).ok())
        .expect("the benchmark asks for something valid")
}

fn run(bencher: divan::Bencher<'_, '_>, problem: &Problem) {
    bencher.bench(|| {
        let outcome = solve(problem, &Options::default(), &Budget::unlimited());
        assert!(matches!(outcome, Ok(Outcome::Solved(_) | Outcome::Stuck(_))));
        outcome
    });
}

/// Square boards, from the top left corner.
#[divan::bench(args = [5, 6, 7, 8, 12, 20, 50, 200, 1000, 2000])]
fn open(bencher: divan::Bencher<'_, '_>, side: u32) {
    run(bencher, &problem(side, side, &Spec { start: Some(Square::new(0, 0)), ..Spec::default() }));
}

/// Square boards, closed.
#[divan::bench(args = [6, 8, 12, 20, 50, 200, 1000, 2000])]
fn closed(bencher: divan::Bencher<'_, '_>, side: u32) {
    run(bencher, &problem(side, side, &Spec { closed: true, ..Spec::default() }));
}

/// From the top left corner to the middle of the board.
#[divan::bench(args = [8, 20, 50, 200, 1000, 2000])]
fn to_the_middle(bencher: divan::Bencher<'_, '_>, side: u32) {
    let end = Some(Square::new(side / 2, side / 2 + 1 - side % 2));
    run(bencher, &problem(side, side, &Spec { start: Some(Square::new(0, 0)), end, ..Spec::default() }));
}

/// From the top left corner to the bottom right.
#[divan::bench(args = [(3, 1000), (4, 1001), (5, 1000), (1000, 1001), (2000, 1999), (999, 1001)])]
fn across(bencher: divan::Bencher<'_, '_>, (rows, cols): (u32, u32)) {
    let end = Some(Square::new(rows - 1, cols - 1));
    run(bencher, &problem(rows, cols, &Spec { start: Some(Square::new(0, 0)), end, ..Spec::default() }));
}

/// Three and four rows, any open tour from the top left corner.
#[divan::bench(args = [(3, 1000), (4, 1000), (3, 100_000), (4, 100_000)])]
fn narrow(bencher: divan::Bencher<'_, '_>, (rows, cols): (u32, u32)) {
    run(bencher, &problem(rows, cols, &Spec { start: Some(Square::new(0, 0)), ..Spec::default() }));
}

/// Warnsdorff's rule alone, which may get stuck: what the others are to be measured by.
#[divan::bench(args = [8, 50, 200, 1000])]
fn pure_warnsdorff(bencher: divan::Bencher<'_, '_>, side: u32) {
    let spec = Spec { start: Some(Square::new(0, 0)), method: Method::Warnsdorff, ..Spec::default() };
    run(bencher, &problem(side, side, &spec));
}

/// The check of an answer.
#[divan::bench(args = [8, 1000])]
fn verification(bencher: divan::Bencher<'_, '_>, side: u32) {
    let problem = problem(side, side, &Spec::default());
    let Ok(Outcome::Solved(tour)) = solve(&problem, &Options::default(), &Budget::unlimited()) else {
        panic!("{side} × {side} has a tour")
    };
    bencher.bench(|| verify(&problem, &tour));
}

/// Counting all closed tours.
#[divan::bench(args = [(3, 36), (5, 8), (6, 6), (6, 8)], sample_count = 5)]
fn count_closed(bencher: divan::Bencher<'_, '_>, (rows, cols): (u32, u32)) {
    count(bencher, &problem(rows, cols, &Spec { closed: true, ..Spec::default() }));
}

/// Counting all open tours.
#[divan::bench(args = [(4, 16), (5, 6), (5, 8), (6, 6)], sample_count = 2)]
fn count_open(bencher: divan::Bencher<'_, '_>, (rows, cols): (u32, u32)) {
    count(bencher, &problem(rows, cols, &Spec::default()));
}

fn count(bencher: divan::Bencher<'_, '_>, problem: &Problem) {
    let options = Options { count: true, ..Options::default() };
    bencher.bench(|| solve(problem, &options, &Budget::unlimited()));
}

/// A puzzle on 8 × 8 with every `step`th number of a tour given, and whether it has one answer.
#[divan::bench(args = [2, 3, 5, 8])]
fn clues(bencher: divan::Bencher<'_, '_>, step: usize) {
    let whole = problem(8, 8, &Spec { start: Some(Square::new(0, 0)), ..Spec::default() });
    let Ok(Outcome::Solved(tour)) = solve(&whole, &Options::default(), &Budget::unlimited()) else {
        panic!("8 × 8 has a tour")
    };
    let clues =
        (1..).zip(tour.squares()).step_by(step).map(|(number, square)| Clue { square, number }).collect();
    let puzzle = problem(8, 8, &Spec { clues, ..Spec::default() });
    let options = Options { unique: true, ..Options::default() };
    bencher.bench(|| solve(&puzzle, &options, &Budget::unlimited()));
}
