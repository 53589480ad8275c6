//! The tromino solvers against reference values.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::tromino::{Options, Problem, Solution, solve, verify};
use chessboard_solver::puzzles::{Budget, Outcome};
use serde_json::Value;

fn size(rows: u64, cols: u64) -> Size {
    Size::new(rows.try_into().unwrap(), cols.try_into().unwrap()).unwrap()
}

/// `[row, col]` as a square.
fn square(value: &Value) -> Square {
    let part = |at: usize| value[at].as_u64().unwrap().try_into().unwrap();
    Square::new(part(0), part(1))
}

fn board(solution: &Solution) -> Vec<Vec<u32>> {
    let size = solution.size();
    let mut rows = vec![vec![0; size.cols()]; size.rows()];
    for (row, out) in rows.iter_mut().enumerate() {
        solution.fill_row(row, out);
    }
    rows
}

fn solved(problem: &Problem) -> Solution {
    match solve(problem, &Options::default(), &Budget::unlimited()) {
        Ok(Outcome::Solved(solution)) => {
            assert_eq!(verify(problem, &solution), Ok(()));
            solution
        }
        other => panic!("{problem:?}: {other:?}"),
    }
}

#[test]
fn classic_boards_are_numbered_in_pre_order() {
    let reference: Value = serde_json::from_str(include_str!("data/tromino_quadrants.json")).unwrap();
    for case in reference["boards"].as_array().unwrap() {
        let size = size(case["rows"].as_u64().unwrap(), case["cols"].as_u64().unwrap());
        let problem = Problem::new(size, vec![square(&case["hole"])]).unwrap();
        let solution = solved(&problem);
        let expected: Vec<Vec<u32>> = serde_json::from_value(case["board"].clone()).unwrap();
        assert_eq!(board(&solution), expected, "{}", case["hole"]);
        assert_eq!(solution.method().word(), "quadrants");
    }
}

#[test]
fn a_single_square_that_is_a_hole_is_solved_with_no_tile() {
    let problem = Problem::new(size(1, 1), vec![Square::new(0, 0)]).unwrap();
    let solution = solved(&problem);
    assert_eq!(solution.tile_count(), 0);
    assert_eq!(board(&solution), [[0]]);
}

#[test]
fn numbers_start_at_1_for_every_request() {
    for _ in 0..3 {
        let problem = Problem::new(size(4, 4), vec![Square::new(2, 2)]).unwrap();
        let expected = [[2, 2, 3, 3], [2, 1, 1, 3], [4, 1, 0, 5], [4, 4, 5, 5]];
        assert_eq!(board(&solved(&problem)), expected);
    }
}
