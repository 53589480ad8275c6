//! How long a tour takes. `cargo bench --bench knight_tour`.

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::knight_tour::{Method, Options, Problem, Spec, solve};
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
#[divan::bench(args = [5, 6, 8, 12, 20, 50, 200, 1000, 2000])]
fn open(bencher: divan::Bencher<'_, '_>, side: u32) {
    run(bencher, &problem(side, side, &Spec { start: Some(Square::new(0, 0)), ..Spec::default() }));
}

/// Square boards, closed.
#[divan::bench(args = [6, 8, 12, 20, 50, 200, 1000])]
fn closed(bencher: divan::Bencher<'_, '_>, side: u32) {
    run(bencher, &problem(side, side, &Spec { closed: true, ..Spec::default() }));
}

/// From the top left corner to its neighbour in the middle of the board.
#[divan::bench(args = [8, 20, 50, 200, 1000, 2000])]
fn to_the_middle(bencher: divan::Bencher<'_, '_>, side: u32) {
    let spec = Spec {
        start: Some(Square::new(0, 0)),
        end: Some(Square::new(side / 2, side / 2 + 1 - side % 2)),
        ..Spec::default()
    };
    run(bencher, &problem(side, side, &spec));
}

/// From the top left corner to the bottom right, or beside it.
#[divan::bench(args = [(5, 1000), (1000, 1000), (2000, 2000), (999, 1001)])]
fn across(bencher: divan::Bencher<'_, '_>, (rows, cols): (u32, u32)) {
    let spec = Spec {
        start: Some(Square::new(0, 0)),
        end: Some(Square::new(
            rows - 1,
            cols - 2 + (rows * cols) % 2 - (rows + cols) % 2 * ((rows * cols + 1) % 2),
        )),
        ..Spec::default()
    };
    run(bencher, &problem(rows, cols, &spec));
}

/// Warnsdorff's rule alone, which may get stuck: what the others are to be measured by.
#[divan::bench(args = [8, 50, 200, 1000])]
fn pure_warnsdorff(bencher: divan::Bencher<'_, '_>, side: u32) {
    let spec = Spec { start: Some(Square::new(0, 0)), method: Method::Warnsdorff, ..Spec::default() };
    run(bencher, &problem(side, side, &spec));
}
