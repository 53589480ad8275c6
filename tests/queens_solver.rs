//! The queens solver against published and independently computed values.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::time::{Duration, Instant};

use chessboard_solver::puzzles::queens::verify::verify;
use chessboard_solver::puzzles::queens::{Answer, Method, Problem, Spec, solve};
use chessboard_solver::puzzles::{Budget, CancelFlag, Interrupted, Outcome, Proof};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("data/queens.json")).expect("the vectors are JSON")
}

fn numbers(section: &str) -> impl Iterator<Item = (u32, u64)> {
    let values = vectors()[section]["values"].as_object().expect("an object by size").clone();
    values.into_iter().map(|(size, value)| (size.parse().unwrap(), value.as_u64().unwrap()))
}

fn answer(size: u32, spec: &Spec) -> Outcome<Answer> {
    solve(&Problem::new(size, spec).unwrap(), &Budget::unlimited()).unwrap()
}

fn solved(size: u32, spec: &Spec) -> Answer {
    match answer(size, spec) {
        Outcome::Solved(answer) => answer,
        other => panic!("{size} queens: {other:?}"),
    }
}

#[test]
fn counts_are_the_published_ones() {
    for (size, total) in numbers("total_solutions_A000170").filter(|&(size, _)| (1..=14).contains(&size)) {
        match answer(size, &Spec::default()) {
            Outcome::Solved(answer) => assert_eq!(answer.solution_count, Some(total), "size {size}"),
            _ => assert_eq!(total, 0, "size {size}"),
        }
    }
    for (size, classes) in
        numbers("fundamental_solutions_A002562").filter(|&(size, _)| (4..=14).contains(&size))
    {
        assert_eq!(solved(size, &Spec::default()).fundamental_count, Some(classes), "size {size}");
    }
    assert_eq!(solved(1, &Spec::default()).fundamental_count, Some(1));
}

#[test]
fn the_first_solution_in_order_is_the_known_one() {
    let vectors = vectors();
    for (size, known) in vectors["lexicographically_first_computed"]["values"].as_object().unwrap() {
        // A list of two is searched in order on any board that is not too wide for it.
        let answer = solved(size.parse().unwrap(), &Spec { limit: 2, count: Some(false) });
        assert_eq!(serde_json::json!(answer.solutions[0]), known["solution"], "size {size}");
        assert_eq!(answer.method, Method::Search);
    }
}

#[test]
fn all_solutions_of_small_boards_come_in_order() {
    let vectors = vectors();
    for (size, known) in vectors["all_solutions_small_computed"].as_object().unwrap() {
        let answer = solved(size.parse().unwrap(), &Spec { limit: 10_000, ..Spec::default() });
        assert_eq!(serde_json::json!(answer.solutions), *known, "size {size}");
    }
}

#[test]
fn two_and_three_queens_are_impossible() {
    for size in [2, 3] {
        let Outcome::Impossible(why) = answer(size, &Spec::default()) else { panic!("size {size}") };
        assert_eq!(why.proof, Proof::Theorem);
    }
}

#[test]
fn a_limit_of_nothing_still_finds_a_board_to_show() {
    for size in [8, 1_000] {
        let answer = solved(size, &Spec { limit: 0, ..Spec::default() });
        assert!(answer.solutions.is_empty());
        assert_eq!(verify(size, &answer.board), Ok(()));
    }
}

#[test]
fn any_board_gets_one_solution() {
    for size in (4..=200).chain([1_000, 99_999, 1_000_000]) {
        let answer = solved(size, &Spec { count: Some(false), ..Spec::default() });
        assert_eq!(verify(size, &answer.solutions[0]), Ok(()), "size {size}");
    }
}

#[test]
fn a_count_that_takes_too_long_stops_at_the_deadline() {
    let problem = Problem::new(20, &Spec { count: Some(true), ..Spec::default() }).unwrap();
    let budget = Budget::new(Instant::now() + Duration::from_millis(20), CancelFlag::new());
    assert_eq!(solve(&problem, &budget), Err(Interrupted::Deadline));
}
