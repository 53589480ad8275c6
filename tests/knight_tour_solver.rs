//! The knight's tour solver against published facts and an independent verifier.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::HashSet;
use std::time::{Duration, Instant};

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::knight_tour::{Method, Options, Problem, Spec, Stuck, Tour, solve, verify};
use chessboard_solver::puzzles::{Budget, CancelFlag, Impossible, Outcome};
use serde_json::Value;

fn size(rows: u32, cols: u32) -> Size {
    Size::new(rows, cols).unwrap()
}

/// Solves and verifies.
fn outcome(size: Size, spec: &Spec) -> Outcome<Tour, Stuck> {
    let problem = Problem::new(size, spec).unwrap();
    // Far more than any of these needs: a test shall fail, not hang.
    let budget = Budget::new(Instant::now() + Duration::from_secs(30), CancelFlag::new());
    let outcome = solve(&problem, &Options::default(), &budget)
        .unwrap_or_else(|interrupted| panic!("{interrupted}: {problem:?}"));
    if let Outcome::Solved(tour) = &outcome {
        assert_eq!(verify(&problem, tour), Ok(()), "{problem:?}");
    }
    outcome
}

fn impossible(outcome: Outcome<Tour, Stuck>) -> Option<Impossible> {
    match outcome {
        Outcome::Solved(_) => None,
        Outcome::Impossible(impossible) => Some(impossible),
        Outcome::Stuck(stuck) => panic!("stuck after {} squares", stuck.path.len()),
    }
}

fn vectors(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn square(value: &Value) -> Square {
    Square::new(value[0].as_u64().unwrap() as u32, value[1].as_u64().unwrap() as u32)
}

#[test]
fn the_classic_methods_reproduce_the_classic_programs() {
    let classic = vectors(include_str!("data/knight_classic.json"));
    for (name, method) in [("warnsdorff", Method::Warnsdorff), ("backtracking", Method::Backtracking)] {
        let case = &classic[name];
        let spec = Spec { start: Some(square(&case["start"])), method, ..Spec::default() };
        let Outcome::Solved(tour) = outcome(size(8, 8), &spec) else { panic!("{name} finds its tour") };
        let board: Vec<Vec<u32>> = tour.board().rows().map(<[u32]>::to_vec).collect();
        assert_eq!(serde_json::json!(board), case["board"], "{name}");
        if method == Method::Backtracking {
            assert_eq!(tour.backtracks, case["squares_removed_by_backtracking"].as_u64().unwrap());
        }
    }
}

#[test]
fn pure_warnsdorff_covers_as_many_squares_as_the_classic_program_from_every_start() {
    let classic = vectors(include_str!("data/knight_classic.json"));
    for start in size(8, 8).iter() {
        let covered = classic["warnsdorff"]["squares_covered_by_start"][start.row as usize]
            [start.col as usize]
            .as_u64()
            .unwrap();
        let spec = Spec { start: Some(start), method: Method::Warnsdorff, ..Spec::default() };
        let path = match outcome(size(8, 8), &spec) {
            Outcome::Solved(tour) => tour.path,
            Outcome::Stuck(stuck) => {
                assert_eq!(stuck.board().cells().iter().filter(|&&number| number == 0).count(), 4);
                stuck.path
            }
            Outcome::Impossible(_) => panic!("a heuristic proves nothing"),
        };
        assert_eq!(path.len() as u64, covered, "from {start}");
    }
}

#[test]
fn every_board_of_the_table_is_answered_from_every_start_in_both_orientations() {
    let table = vectors(include_str!("data/knight_existence.json"));
    for board in table["boards"].as_array().unwrap() {
        let (rows, cols) = (board["rows"].as_u64().unwrap() as u32, board["cols"].as_u64().unwrap() as u32);
        let upright = size(rows, cols);
        // The longer ones are for optimised builds.
        if rows < 5 && upright.squares() > if cfg!(debug_assertions) { 45 } else { 1000 } {
            continue;
        }
        let starts = &board["open_starts"];
        let has_tour = |start: Square| match starts.as_str() {
            Some("all") => true,
            Some("majority colour") => start.color() == 0,
            _ => starts.as_array().unwrap().iter().any(|listed| square(listed) == start),
        };
        for turned in [false, true] {
            let board_size = if turned { upright.transposed() } else { upright };
            for start in upright.iter() {
                let asked = if turned { start.transposed() } else { start };
                let spec = Spec { start: Some(asked), ..Spec::default() };
                let answer = impossible(outcome(board_size, &spec));
                assert_eq!(answer.is_none(), has_tour(start), "{board_size} from {asked}: {answer:?}");

                let spec = Spec { start: Some(asked), closed: true, ..Spec::default() };
                let answer = impossible(outcome(board_size, &spec));
                let closed = board["closed"].as_bool().unwrap();
                assert_eq!(answer.is_none(), closed, "{board_size} closed from {asked}: {answer:?}");
            }
            let open = board["n_open_starts"].as_u64().unwrap() > 0;
            assert_eq!(impossible(outcome(board_size, &Spec::default())).is_none(), open, "{board_size}");
        }
    }
}

/// Whether the whole board has a tour with these ends, by the rules; `None` where there is no rule.
fn has_tour(size: Size, spec: &Spec) -> bool {
    impossible(outcome(size, spec)).is_none()
}

fn every_start_works(sides: std::ops::RangeInclusive<u32>) {
    for rows in sides.clone() {
        for cols in sides.clone() {
            let size = size(rows, cols);
            for start in size.iter() {
                let spec = Spec { start: Some(start), ..Spec::default() };
                let expected = size.squares().is_multiple_of(2) || start.color() == 0;
                assert_eq!(has_tour(size, &spec), expected, "{size} from {start}");
            }
        }
    }
}

#[test]
fn every_start_works_on_boards_from_5_to_20_but_the_minority_colour() {
    every_start_works(5..=20);
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn every_start_works_on_boards_from_5_to_40_but_the_minority_colour() {
    every_start_works(5..=40);
}

#[test]
fn closed_tours_are_found_wherever_schwenk_says() {
    for rows in 3..=40 {
        for cols in 3..=40 {
            let (short, long) = (rows.min(cols), rows.max(cols));
            let expected = rows * cols % 2 == 0 && short != 4 && !(short == 3 && long < 10);
            assert_eq!(
                has_tour(size(rows, cols), &Spec { closed: true, ..Spec::default() }),
                expected,
                "{rows} × {cols}"
            );
        }
    }
}

#[test]
fn every_pair_of_ends_of_the_table_is_answered() {
    let table = vectors(include_str!("data/knight_existence.json"));
    for board in table["boards"].as_array().unwrap() {
        let (rows, cols) = (board["rows"].as_u64().unwrap() as u32, board["cols"].as_u64().unwrap() as u32);
        let size = size(rows, cols);
        // The rest is for optimised builds.
        if size.squares() > if cfg!(debug_assertions) { 45 } else { 1000 } {
            continue;
        }
        let without: Option<HashSet<(Square, Square)>> = board["colour_compatible_pairs_with_no_tour"]
            .as_array()
            .map(|pairs| pairs.iter().map(|pair| (square(&pair[0]), square(&pair[1]))).collect());
        let mut count = 0;
        for start in size.iter() {
            for end in size.iter().filter(|&end| end != start) {
                let solved = has_tour(size, &Spec { start: Some(start), end: Some(end), ..Spec::default() });
                count += u64::from(solved);
                if let Some(without) = &without
                    && compatible(size, start, end)
                {
                    let listed = without.contains(&(start.min(end), start.max(end)));
                    assert_eq!(solved, !listed, "{size} from {start} to {end}");
                }
            }
        }
        assert_eq!(Some(count), board["ordered_start_end_pairs"].as_u64(), "{size}");
    }
}

/// Ends that the rules for boards with sides of 6 or more allow.
fn compatible(size: Size, start: Square, end: Square) -> bool {
    if size.squares().is_multiple_of(2) {
        start.color() != end.color()
    } else {
        start != end && start.color() + end.color() == 0
    }
}

#[test]
fn random_pairs_of_ends_work_on_boards_to_60_by_60() {
    let mut random = Random(7);
    for _ in 0..4000 {
        let size = size(random.from(6..61), random.from(6..61));
        let start = random.square(size);
        let end = random.square(size);
        if start == end {
            continue;
        }
        let spec = Spec { start: Some(start), end: Some(end), ..Spec::default() };
        assert_eq!(has_tour(size, &spec), compatible(size, start, end), "{size} from {start} to {end}");
    }
}

/// A small generator of repeatable random numbers (xorshift; G. Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn from(&mut self, range: std::ops::Range<u32>) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        range.start + (self.0 >> 32) as u32 % (range.end - range.start)
    }

    fn square(&mut self, size: Size) -> Square {
        Square::new(self.from(0..size.rows() as u32), self.from(0..size.cols() as u32))
    }
}
