//! The queens solver against published and independently computed values.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use chessboard_solver::board::Square;
use chessboard_solver::puzzles::queens::verify::verify;
use chessboard_solver::puzzles::queens::{
    Answer, Attack, Distinct, Method, Problem, Spec, solve, stream, symmetry,
};
use chessboard_solver::puzzles::{Budget, CancelFlag, Interrupted, Outcome, Proof};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../data/queens.json")).unwrap()
}

fn numbers(section: &str) -> impl Iterator<Item = (u32, u64)> {
    let values = vectors()[section]["values"].as_object().unwrap().clone();
    values.into_iter().map(|(size, value)| (size.parse().unwrap(), value.as_u64().unwrap()))
}

fn squares(list: &Value) -> Vec<Square> {
    let number = |value: &Value| value.as_u64().unwrap() as u32;
    list.as_array().unwrap().iter().map(|pair| Square::new(number(&pair[0]), number(&pair[1]))).collect()
}

fn answer(size: u32, spec: &Spec) -> Outcome<Answer> {
    let problem = Problem::new(size, spec).unwrap();
    let outcome = solve(&problem, &Budget::unlimited()).unwrap();
    if let Outcome::Solved(answer) = &outcome {
        for columns in answer.solutions.iter().chain([&answer.board]) {
            assert_eq!(verify(&problem, columns), Ok(()), "{size} queens, {spec:?}");
        }
    }
    outcome
}

fn solved(size: u32, spec: &Spec) -> Answer {
    match answer(size, spec) {
        Outcome::Solved(answer) => answer,
        other => panic!("{size} queens, {spec:?}: {other:?}"),
    }
}

/// The number of solutions, 0 when there are none.
fn count(size: u32, spec: Spec) -> u64 {
    match answer(size, &Spec { count: Some(true), ..spec }) {
        Outcome::Solved(answer) => answer.solution_count.unwrap(),
        _ => 0,
    }
}

fn uncounted() -> Spec {
    Spec { count: Some(false), ..Spec::default() }
}

#[test]
fn counts_are_the_published_ones() {
    for (size, total) in numbers("total_solutions_A000170").filter(|&(size, _)| (1..=16).contains(&size)) {
        assert_eq!(count(size, Spec::default()), total, "size {size}");
    }
    for (size, classes) in
        numbers("fundamental_solutions_A002562").filter(|&(size, _)| (4..=16).contains(&size))
    {
        let answer = solved(size, &Spec { count: Some(true), ..Spec::default() });
        assert_eq!(answer.fundamental_count, Some(classes), "size {size}");
    }
    assert_eq!(solved(1, &Spec::default()).fundamental_count, Some(1));
}

#[test]
#[ignore = "takes a minute: wider boards, whose columns are narrowed down to a batch"]
fn counts_of_wider_boards_are_the_published_ones() {
    for (size, total) in numbers("total_solutions_A000170").filter(|&(size, _)| (17..=18).contains(&size)) {
        assert_eq!(count(size, Spec::default()), total, "size {size}");
    }
}

#[test]
fn counts_by_first_column_are_those_of_a_given_queen() {
    let vectors = vectors();
    for (size, counts) in vectors["first_row_counts_computed"].as_object().unwrap() {
        let size: u32 = size.parse().unwrap();
        if size > 15 {
            continue;
        }
        for (col, known) in (0..).zip(counts["by_first_column"].as_array().unwrap()) {
            let spec = Spec { queens: vec![Square::new(0, col)], ..Spec::default() };
            assert_eq!(count(size, spec), known.as_u64().unwrap(), "size {size}, column {col}");
        }
    }
}

#[test]
fn the_first_solution_in_order_is_the_known_one() {
    let vectors = vectors();
    for (size, known) in vectors["lexicographically_first_computed"]["values"].as_object().unwrap() {
        // A list of two is searched in order on any board that is not too wide for it.
        let answer = solved(size.parse().unwrap(), &Spec { limit: 2, ..uncounted() });
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
fn torus_counts_are_the_published_ones() {
    for (size, total) in numbers("toroidal_A007705").filter(|&(size, _)| size <= 17) {
        let spec = Spec { attack: Attack::Torus, ..Spec::default() };
        assert_eq!(count(size, spec), total, "size {size}");
    }
}

#[test]
fn touch_counts_are_the_published_ones() {
    // OEIS A002464.
    let known = [1, 0, 0, 2, 14, 90, 646, 5_242, 47_622, 479_306, 5_296_790, 63_779_034, 831_283_558];
    for (size, total) in (1..).zip(known) {
        let spec = Spec { attack: Attack::Touch, ..Spec::default() };
        assert_eq!(count(size, spec), total, "size {size}");
    }
    assert_eq!(count(18, Spec { attack: Attack::Touch, ..Spec::default() }), 860_568_917_787_402);
}

#[test]
fn completions_and_blocked_boards_have_the_known_counts() {
    for known in vectors()["completion_and_blocked_counts_computed"].as_array().unwrap() {
        let size = known["n"].as_u64().unwrap() as u32;
        let spec = Spec {
            queens: squares(&known["queens"]),
            blocked: squares(&known["blocked"]),
            ..Spec::default()
        };
        assert_eq!(count(size, spec), known["count"].as_u64().unwrap(), "{known}");
    }
}

#[test]
fn region_boards_have_their_known_solutions() {
    for known in vectors()["region_boards_computed"]["boards"].as_array().unwrap() {
        let size = known["n"].as_u64().unwrap() as u32;
        let spec = Spec {
            regions: serde_json::from_value(known["regions"].clone()).unwrap(),
            attack: Attack::Touch,
            unique: true,
            count: Some(true),
            ..Spec::default()
        };
        if known["count"] == 0 {
            assert!(matches!(answer(size, &spec), Outcome::Impossible(_)), "{known}");
            continue;
        }
        let answer = solved(size, &spec);
        assert_eq!(answer.solution_count, known["count"].as_u64(), "{known}");
        assert_eq!(answer.unique, Some(known["count"] == 1), "{known}");
        assert_eq!(serde_json::json!(answer.solutions[0]), known["first_solution"], "{known}");
        let uncounted = solved(size, &Spec { count: Some(false), ..spec });
        assert_eq!(uncounted.unique, answer.unique, "the search for a second one, {known}");
    }
}

#[test]
fn two_and_three_queens_are_impossible() {
    for size in [2, 3] {
        for attack in [Attack::Queen, Attack::Touch, Attack::Torus] {
            let Outcome::Impossible(why) = answer(size, &Spec { attack, ..Spec::default() }) else {
                panic!("size {size}");
            };
            assert_eq!(why.proof, Proof::Theorem);
        }
    }
}

#[test]
fn a_limit_of_nothing_still_finds_a_board_to_show() {
    for size in [8, 1_000] {
        let answer = solved(size, &Spec { limit: 0, ..Spec::default() });
        assert!(answer.solutions.is_empty());
        assert_eq!(answer.board.len(), size as usize);
    }
}

#[test]
fn any_board_gets_one_solution() {
    for size in (4..=200).chain([1_000, 99_999, 1_000_000]) {
        assert_eq!(solved(size, &uncounted()).solutions.len(), 1);
    }
    for size in (4..=40).chain([256, 257, 1_000_000]) {
        assert_eq!(solved(size, &Spec { attack: Attack::Touch, ..uncounted() }).solutions.len(), 1);
    }
    for size in [5, 7, 11, 25, 29, 31, 35, 499, 999_995] {
        assert_eq!(solved(size, &Spec { attack: Attack::Torus, ..uncounted() }).solutions.len(), 1);
    }
}

#[test]
fn an_offset_skips_as_many_as_listing_would() {
    let all = solved(10, &Spec { limit: 1_000, ..Spec::default() }).solutions;
    for offset in [0, 1, 17, 500, 723] {
        let answer = solved(10, &Spec { offset, limit: 3, ..Spec::default() });
        let from = offset as usize;
        assert_eq!(answer.solutions, all[from..(from + 3).min(724)]);
        assert_eq!(answer.board, all[from]);
    }
    let beyond = solved(10, &Spec { offset: 724, ..Spec::default() });
    assert!(beyond.solutions.is_empty());
    assert_eq!(beyond.board, all[0]);
}

#[test]
fn a_large_offset_is_counted_past() {
    // The second half of the solutions mirrors the first.
    for (size, total) in [(12, 14_200), (14, 365_596)] {
        for offset in [1_500, total / 2 - 1, total - 1] {
            let here = solved(size, &Spec { offset, ..uncounted() }).board;
            let there = solved(size, &Spec { offset: total - 1 - offset, ..uncounted() }).board;
            assert_eq!(here, there.iter().map(|col| size - 1 - col).collect::<Vec<_>>());
        }
        assert!(solved(size, &Spec { offset: total, ..uncounted() }).solutions.is_empty());
    }
    // On a wide board it isn't wasted on sub-trees that are much too large.
    assert_eq!(solved(24, &Spec { offset: 20_000, ..uncounted() }).solutions.len(), 1);
}

#[test]
fn fundamental_solutions_are_the_least_of_their_classes() {
    for (size, classes) in
        numbers("fundamental_solutions_A002562").filter(|&(size, _)| (4..=11).contains(&size))
    {
        let listed = solved(size, &Spec { distinct: Distinct::Fundamental, limit: 1_000, ..Spec::default() })
            .solutions;
        assert_eq!(listed.len() as u64, classes, "size {size}");
        assert!(listed.is_sorted());
        let mut all = solved(size, &Spec { limit: 10_000, ..Spec::default() }).solutions;
        all.retain(|columns| symmetry::least_image(columns) == *columns);
        assert_eq!(listed, all, "size {size}");
    }
}

#[test]
fn a_wide_board_has_the_least_image_of_its_solution() {
    let columns = solved(1_001, &Spec { distinct: Distinct::Fundamental, ..uncounted() }).board;
    assert_eq!(symmetry::least_image(&columns), columns);
}

#[test]
fn a_plain_board_is_unique_only_up_to_symmetry() {
    let unique = |size, distinct| solved(size, &Spec { unique: true, distinct, ..uncounted() }).unique;
    assert_eq!(unique(1, Distinct::All), Some(true));
    assert_eq!(unique(4, Distinct::All), Some(false));
    assert_eq!(unique(4, Distinct::Fundamental), Some(true));
    assert_eq!(unique(5, Distinct::Fundamental), Some(false));
    assert_eq!(unique(6, Distinct::Fundamental), Some(true));
    for size in [7, 30, 64, 65, 1_000] {
        assert_eq!(unique(size, Distinct::All), Some(false), "size {size}");
        assert_eq!(unique(size, Distinct::Fundamental), Some(false), "size {size}");
    }
}

#[test]
fn attacking_queens_are_named() {
    for (attack, queens, reason) in [
        (Attack::Queen, [(0, 0), (7, 7)], "The given queens on (0, 0) and (7, 7) attack each other."),
        (Attack::Queen, [(1, 3), (5, 3)], "The given queens on (1, 3) and (5, 3) attack each other."),
        (Attack::Touch, [(1, 3), (2, 4)], "The given queens on (1, 3) and (2, 4) touch each other."),
        (Attack::Torus, [(0, 1), (7, 2)], "The given queens on (0, 1) and (7, 2) attack each other."),
    ] {
        let queens = queens.map(|(row, col)| Square::new(row, col)).to_vec();
        let Outcome::Impossible(why) = answer(8, &Spec { queens, attack, ..Spec::default() }) else {
            panic!("{reason}");
        };
        assert_eq!((why.proof, &why.reason[..]), (Proof::Attack, reason));
    }
}

#[test]
fn the_number_of_regions_must_be_that_of_the_rows() {
    let Outcome::Impossible(why) = answer(4, &Spec { regions: Some(vec![vec![7; 4]; 4]), ..Spec::default() })
    else {
        panic!("one region");
    };
    assert_eq!(why.reason, "There is 1 region and 4 rows, and each takes exactly one queen.");
    let many: Vec<Vec<i64>> = (0..4).map(|row| (0..4).map(|col| 4 * row + col).collect()).collect();
    assert!(matches!(answer(4, &Spec { regions: Some(many), ..Spec::default() }), Outcome::Impossible(_)));
}

#[test]
fn a_fully_blocked_row_is_impossible() {
    for size in [8, 40, 100] {
        let blocked = (0..size).map(|col| Square::new(3, col)).collect();
        let outcome = answer(size, &Spec { blocked, ..Spec::default() });
        assert!(matches!(outcome, Outcome::Impossible(why) if why.proof == Proof::Forced));
    }
}

#[test]
fn large_completions_are_solved() {
    let whole = solved(1_000, &Spec { seed: Some(1), ..Spec::default() }).board;
    let queens = (0..).zip(&whole).step_by(10).map(|(row, &col)| Square::new(row, col)).collect();
    assert_eq!(solved(1_000, &Spec { queens, ..Spec::default() }).solutions.len(), 1);

    let whole = solved(10_000, &Spec { seed: Some(1), ..Spec::default() }).board;
    let queens = (0..).zip(&whole).step_by(10).map(|(row, &col)| Square::new(row, col)).collect();
    assert_eq!(solved(10_000, &Spec { queens, ..Spec::default() }).solutions.len(), 1);
}

#[test]
fn a_seed_always_draws_the_same() {
    for (size, attack, uniform) in [
        (8, Attack::Queen, true),
        (16, Attack::Queen, true),
        (17, Attack::Queen, false),
        (1_000, Attack::Queen, false),
        (100_000, Attack::Queen, false),
        (12, Attack::Touch, true),
        (1_000, Attack::Touch, true),
        (13, Attack::Torus, true),
        (35, Attack::Torus, false),
        (10_001, Attack::Torus, false),
    ] {
        let spec = Spec { attack, seed: Some(42), ..uncounted() };
        let first = solved(size, &spec);
        assert_eq!(first, solved(size, &spec), "size {size}, {attack:?}");
        assert_eq!(first.uniform, Some(uniform), "size {size}, {attack:?}");
        let other = solved(size, &Spec { seed: Some(43), ..spec });
        assert_ne!(first.board, other.board, "size {size}, {attack:?}");
    }
}

#[test]
fn every_solution_is_equally_likely_to_be_drawn() {
    for (attack, solutions) in [(Attack::Queen, 92), (Attack::Touch, 5_242)] {
        let draws = 50 * solutions;
        let mut drawn = std::collections::HashMap::<Vec<u32>, u64>::new();
        let spec = Spec { attack, seed: Some(7), limit: draws, streamed: true, ..uncounted() };
        let problem = Problem::new(8, &spec).unwrap();
        let mut sink = |columns: &[u32]| {
            *drawn.entry(columns.to_vec()).or_default() += 1;
            ControlFlow::Continue(())
        };
        assert_eq!(stream(&problem, &Budget::unlimited(), &mut sink), Ok(Outcome::Solved(draws)));
        assert_eq!(drawn.len() as u64, solutions);
        // Each is drawn 50 times on average, give or take 7.
        assert!(drawn.values().all(|times| (10..=90).contains(times)), "{attack:?}");
    }
}

#[test]
fn a_stream_ends_when_its_sink_has_enough() {
    let problem = Problem::new(20, &Spec { limit: u64::MAX, streamed: true, ..uncounted() }).unwrap();
    let mut left = 20_000;
    let outcome = stream(&problem, &Budget::unlimited(), &mut |_| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(outcome, Ok(Outcome::Solved(20_000)));
}

#[test]
fn a_count_that_takes_too_long_stops_at_the_deadline() {
    let problem = Problem::new(20, &Spec { count: Some(true), ..Spec::default() }).unwrap();
    let budget = Budget::new(Instant::now() + Duration::from_millis(20), CancelFlag::new());
    assert_eq!(solve(&problem, &budget), Err(Interrupted::Deadline));
}

#[test]
fn a_count_that_nobody_wants_any_more_stops() {
    let problem = Problem::new(20, &Spec { count: Some(true), ..Spec::default() }).unwrap();
    let flag = CancelFlag::new();
    let budget = Budget::new(Instant::now() + Duration::from_secs(3_600), flag.clone());
    let outcome = std::thread::scope(|scope| {
        let count = scope.spawn(|| solve(&problem, &budget));
        while budget.progress().parts().0 == 0 {
            std::thread::yield_now();
        }
        flag.cancel();
        count.join().unwrap()
    });
    assert_eq!(outcome, Err(Interrupted::Cancelled));
    let (done, total) = budget.progress().parts();
    assert!(0 < done && done < total);
}

#[test]
fn a_count_reports_all_its_parts_done() {
    let regions = (0..8).map(|_| (0..8).collect()).collect();
    for spec in [
        Spec { count: Some(true), ..Spec::default() },
        Spec { count: Some(true), queens: vec![Square::new(3, 5)], ..Spec::default() },
        Spec { count: Some(true), regions: Some(regions), ..Spec::default() },
    ] {
        let size = if spec.regions.is_some() { 8 } else { 12 };
        let budget = Budget::unlimited();
        solve(&Problem::new(size, &spec).unwrap(), &budget).unwrap();
        let (done, total) = budget.progress().parts();
        assert_eq!(done, total, "{spec:?}");
    }
}
