//! The knight's tour solver against published facts and an independent verifier.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::knight_tour::{
    Clue, Leaper, Method, Options, Problem, Spec, Stuck, Tour, counting_memory, solve, verify,
};
use chessboard_solver::puzzles::{Budget, CancelFlag, Impossible, Interrupted, Outcome, Proof};
use num_bigint::BigUint;
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
    let classic = vectors(include_str!("../data/knight_classic.json"));
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
    let classic = vectors(include_str!("../data/knight_classic.json"));
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
    let table = vectors(include_str!("../data/knight_existence.json"));
    for board in table["boards"].as_array().unwrap() {
        let (rows, cols) = (board["rows"].as_u64().unwrap() as u32, board["cols"].as_u64().unwrap() as u32);
        let upright = size(rows, cols);
        // Many more of these are asked about below.
        if rows < 5 && upright.squares() > 45 {
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

/// Whether a tour is found; else there is a proof that there is none.
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

fn every_pair_of_ends_is_answered(included: impl Fn(Size) -> bool) {
    let table = vectors(include_str!("../data/knight_existence.json"));
    for board in table["boards"].as_array().unwrap() {
        let (rows, cols) = (board["rows"].as_u64().unwrap() as u32, board["cols"].as_u64().unwrap() as u32);
        let size = size(rows, cols);
        if !included(size) {
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

#[test]
fn every_pair_of_ends_of_the_small_boards_of_the_table_is_answered() {
    every_pair_of_ends_is_answered(|size| size.squares() <= 45);
}

#[test]
#[ignore = "minutes when optimised"]
fn every_pair_of_ends_of_the_larger_boards_of_the_table_is_answered() {
    every_pair_of_ends_is_answered(|size| size.squares() > 45 && size.squares() <= 64);
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

/// Asks for `spec` and for the same on the board turned over its diagonal, which shall agree.
fn both_ways(board: Size, spec: &Spec) -> bool {
    let turned = Spec {
        start: spec.start.map(Square::transposed),
        end: spec.end.map(Square::transposed),
        ..spec.clone()
    };
    let found = has_tour(board, spec);
    assert_eq!(has_tour(board.transposed(), &turned), found, "{board} and {spec:?}");
    found
}

#[test]
fn boards_that_other_solvers_are_known_to_fail_on_are_solved() {
    // A judge knows of 35 starts only.
    assert!(
        size(6, 6).iter().all(|start| has_tour(size(6, 6), &Spec { start: Some(start), ..Spec::default() }))
    );
    // A published library says that there is none.
    assert!(has_tour(size(5, 5), &Spec { start: Some(Square::new(0, 0)), ..Spec::default() }));
    // A published solver says that there is none.
    assert!(both_ways(size(3, 10), &Spec { closed: true, ..Spec::default() }));
    assert!(both_ways(size(50, 7), &Spec::default()));
    assert!(both_ways(size(50, 7), &Spec { closed: true, ..Spec::default() }));
    // Warnsdorff's rule fails here with the usual ways to break ties.
    for side in [41, 52, 59, 60, 66, 74] {
        for corner in [(0, 0), (0, side - 1), (side - 1, 0), (side - 1, side - 1)] {
            let start = Some(Square::new(corner.0, corner.1));
            assert!(has_tour(size(side, side), &Spec { start, ..Spec::default() }), "{side} from {corner:?}");
        }
    }
}

#[test]
fn a_single_square_has_an_open_tour_and_no_closed_one() {
    let board = size(1, 1);
    let corner = Some(Square::new(0, 0));
    for spec in [
        Spec::default(),
        Spec { start: corner, ..Spec::default() },
        Spec { start: corner, end: corner, ..Spec::default() },
    ] {
        for method in Method::ALL {
            let Outcome::Solved(tour) = outcome(board, &Spec { method, ..spec.clone() }) else {
                panic!("{method:?} finds the tour of {spec:?}")
            };
            assert_eq!(tour.board().cells(), [1]);
        }
    }
    let closed = impossible(outcome(board, &Spec { closed: true, ..Spec::default() }));
    assert_eq!(closed.map(|impossible| impossible.proof), Some(Proof::Degree));
}

#[test]
fn a_closed_tour_closes_with_the_move_that_was_asked_for() {
    for (rows, cols) in [(3, 10), (3, 40), (5, 6), (5, 8), (5, 40), (6, 6), (8, 8), (7, 20), (30, 31)] {
        let board = size(rows, cols);
        for start in board.iter().step_by(7).chain([Square::new(2, 1), Square::new(1, 2)]) {
            for (down, right) in [(1, 2), (2, -1), (-1, -2), (-2, 1)] {
                let Some(end) = board.offset(start, down, right) else { continue };
                let open = Spec { start: Some(start), end: Some(end), ..Spec::default() };
                let closes = has_tour(board, &Spec { closed: true, ..open.clone() });
                assert_eq!(closes, has_tour(board, &open), "{board} from {start} to {end}");
                assert!(closes || rows < 6, "{board} from {start} to {end}");
            }
            for spec in [
                Spec { start: Some(start), closed: true, ..Spec::default() },
                Spec { end: Some(start), closed: true, ..Spec::default() },
            ] {
                assert!(has_tour(board, &spec), "{board} {spec:?}");
            }
        }
    }
}

#[test]
fn an_end_alone_is_reached_as_well_as_a_start_is_left() {
    for (rows, cols) in [(3, 7), (3, 20), (4, 9), (5, 5), (5, 8), (6, 7), (9, 11), (21, 33), (40, 7)] {
        let board = size(rows, cols);
        for end in board.iter().step_by(3) {
            let from = has_tour(board, &Spec { start: Some(end), ..Spec::default() });
            assert_eq!(
                has_tour(board, &Spec { end: Some(end), ..Spec::default() }),
                from,
                "{board} to {end}"
            );
        }
    }
}

#[test]
fn narrow_boards_of_all_lengths_follow_the_rules() {
    narrow_boards_follow_the_rules(11);
}

#[test]
#[ignore = "a minute when optimised"]
fn narrow_boards_of_all_lengths_follow_the_rules_from_every_start() {
    narrow_boards_follow_the_rules(1);
}

fn narrow_boards_follow_the_rules(step: usize) {
    for rows in [3, 4] {
        for cols in 7..=45 {
            let board = size(rows, cols);
            for start in board.iter().step_by(step) {
                let expected = match (rows, cols) {
                    (4, _) => start.row == 0 || start.row == 3,
                    (_, 7) => start.color() == 0 && start != Square::new(1, 3),
                    (_, 8) => start != Square::new(1, 2) && start != Square::new(1, 5),
                    _ => cols % 2 == 0 || start.color() == 0,
                };
                let spec = Spec { start: Some(start), ..Spec::default() };
                assert_eq!(both_ways(board, &spec), expected, "{board} from {start}");
            }
        }
    }
}

#[test]
#[ignore = "ten thousand boards: for optimised builds"]
fn every_pair_of_ends_works_on_boards_from_6_to_8() {
    for rows in 6..=8 {
        for cols in 6..=8 {
            let board = size(rows, cols);
            for start in board.iter() {
                for end in board.iter().filter(|&end| end != start) {
                    let spec = Spec { start: Some(start), end: Some(end), ..Spec::default() };
                    assert_eq!(
                        has_tour(board, &spec),
                        compatible(board, start, end),
                        "{board} {start} {end}"
                    );
                }
            }
        }
    }
}

#[test]
fn long_and_large_boards_are_toured() {
    let across = |rows: u32, cols: u32| Spec {
        start: Some(Square::new(0, 0)),
        end: Some(if rows * cols % 2 == 1 || (rows + cols) % 2 == 1 {
            Square::new(rows - 1, cols - 1)
        } else {
            Square::new(rows - 1, cols - 2)
        }),
        ..Spec::default()
    };
    for (rows, cols) in
        [(3, 100_001), (4, 50_000), (5, 40_001), (5, 40_000), (501, 499), (6, 10_007), (500, 500)]
    {
        let board = size(rows, cols);
        for spec in [Spec::default(), across(rows, cols)] {
            assert!(has_tour(board, &spec), "{board} {spec:?}");
        }
        let closed = rows * cols % 2 == 0 && rows != 4;
        assert_eq!(has_tour(board, &Spec { closed: true, ..Spec::default() }), closed, "{board}");
    }
}

/// Counts, with a limited memory, in which way the squares are dealt with doesn't matter.
fn count(board: Size, spec: &Spec, memory: usize) -> BigUint {
    let problem = Problem::new(board, spec).unwrap();
    let options = Options { count: true, memory, ..Options::default() };
    match solve(&problem, &options, &Budget::unlimited()).unwrap() {
        Outcome::Solved(tour) => tour.tour_count.unwrap(),
        _ => BigUint::ZERO,
    }
}

fn counts_agree(included: impl Fn(u64, u64, bool) -> bool) {
    let table = vectors(include_str!("../data/knight_counts.json"));
    let mut seen = 0;
    for case in table["computed"].as_array().unwrap() {
        let (rows, cols) = (case["rows"].as_u64().unwrap(), case["cols"].as_u64().unwrap());
        let closed = case["kind"] == "closed";
        let expected = case[if closed { "undirected" } else { "directed" }].as_u64().unwrap();
        if included(rows, cols, closed) {
            let board = size(rows as u32, cols as u32);
            let spec = Spec { closed, ..Spec::default() };
            assert_eq!(count(board, &spec, 2 << 30), BigUint::from(expected), "{board} {closed}");
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn tours_are_counted_exactly() {
    counts_agree(|rows, cols, closed| {
        rows < 5 || (rows == 5 && (closed || cols < 8)) || (closed && cols < 8)
    });
}

#[test]
#[ignore = "seconds when optimised, and 200 MB"]
fn tours_of_larger_boards_are_counted_exactly() {
    counts_agree(|rows, cols, closed| {
        !(rows < 5 || (rows == 5 && (closed || cols < 8)) || (closed && cols < 8))
    });
}

#[test]
fn tours_from_a_given_start_are_counted_exactly() {
    let table = vectors(include_str!("../data/knight_counts.json"));
    for (rows, cols) in [(5, 5), (5, 6)] {
        let board = size(rows, cols);
        let by_start = &table["directed_open_tours_by_start_square"][format!("{rows}x{cols}")];
        for start in board.iter().filter(|start| start.row < 3 && start.col < 3) {
            let expected = by_start[start.row as usize][start.col as usize].as_u64().unwrap();
            for spec in
                [Spec { start: Some(start), ..Spec::default() }, Spec { end: Some(start), ..Spec::default() }]
            {
                assert_eq!(count(board, &spec, 2 << 30), BigUint::from(expected), "{board} {spec:?}");
            }
        }
    }
}

#[test]
fn counting_in_little_memory_takes_longer_and_comes_to_the_same() {
    for memory in [1 << 16, 1 << 18, 1 << 20] {
        assert_eq!(count(size(5, 6), &Spec::default(), memory), BigUint::from(37_568_u32));
        assert_eq!(count(size(4, 10), &Spec::default(), memory), BigUint::from(2_426_224_u32));
    }
}

#[test]
fn counts_that_outgrow_all_integers_are_exact() {
    // Each closed tour of 3 rows grows by the same recurrence: OEIS A070030, of which these are two terms.
    let closed = Spec { closed: true, ..Spec::default() };
    assert_eq!(count(size(3, 36), &closed, 1 << 30), BigUint::from(116_266_505_653_888_u64));
    // 64 and 128 bits are passed on the way; the transposed board is counted in the same way, so compare with a board
    // whose one blocked corner makes it asymmetric, where mirror images are not put together.
    let open = Spec { start: Some(Square::new(0, 0)), ..Spec::default() };
    let mirrored = Spec { start: Some(Square::new(2, 0)), ..Spec::default() };
    let long = size(3, 150);
    assert_eq!(count(long, &open, 1 << 30), count(long, &mirrored, 1 << 30));
    assert!(count(long, &open, 1 << 30).bits() > 128);
}

#[test]
fn the_memory_of_counting_is_told_beforehand() {
    let memory = |rows, cols, spec: &Spec| counting_memory(&Problem::new(size(rows, cols), spec).unwrap());
    let closed = Spec { closed: true, ..Spec::default() };
    assert!(memory(6, 6, &Spec::default()) < 2 << 30);
    assert!(memory(6, 6, &closed) < memory(6, 6, &Spec::default()));
    assert!(memory(3, 100_000, &Spec::default()) < 1 << 27);
    assert!(memory(8, 8, &Spec::default()) > 2 << 30);
    assert_eq!(memory(1000, 1000, &Spec::default()), u64::MAX);
}

/// A board drawn as text: `#` for squares that are not part of it, `S` for the start.
fn drawing(rows: &[&str]) -> (Size, Spec) {
    let board = size(rows.len() as u32, rows[0].len() as u32);
    let at = |square: Square| rows[square.row as usize].as_bytes()[square.col as usize];
    let spec = Spec {
        blocked: board.iter().filter(|&square| at(square) == b'#').collect(),
        start: board.iter().find(|&square| at(square) == b'S'),
        ..Spec::default()
    };
    (board, spec)
}

#[test]
fn the_holy_boards_of_rosetta_code_are_toured() {
    let (board, spec) = drawing(&[
        "#...####", "#.#..###", "#.......", "...##.#.", ".#.##...", "S......#", "##..#.##", "###...##",
    ]);
    assert!(has_tour(board, &spec));
    assert!(has_tour(board, &Spec { closed: true, ..spec }));

    let (board, spec) = drawing(&[
        "#####S#.#####",
        "#####.#.#####",
        "####.....####",
        "#####...#####",
        "##.##.#.##.##",
        ".....###.....",
        "##..#####..##",
        ".....###.....",
        "##.##.#.##.##",
        "#####...#####",
        "####.....####",
        "#####.#.#####",
        "#####.#.#####",
    ]);
    assert!(has_tour(board, &spec));
}

#[test]
fn other_leapers_are_answered_by_colour_by_search_or_with_a_tour() {
    let proof = |side: u32, a: u32, b: u32, closed: bool| {
        let spec = Spec { leaper: Leaper::new(a, b), closed, ..Spec::default() };
        impossible(outcome(size(side, side), &spec)).map(|impossible| impossible.proof)
    };
    // The camel stays on one colour.
    for side in [2, 8, 10, 100] {
        assert_eq!(proof(side, 1, 3, false), Some(Proof::Colour), "{side}");
    }
    // The zebra and the giraffe have closed tours on 10 × 10 and none on 8 × 8.
    for (a, b) in [(2, 3), (1, 4)] {
        assert_eq!(proof(10, a, b, true), None);
        assert_eq!(proof(10, b, a, false), None);
        assert!(proof(8, a, b, true).is_some());
        assert_eq!(proof(30, a, b, true), None);
    }
    assert!(proof(8, 2, 3, false).is_some());
    // Longer than the board.
    assert_eq!(proof(8, 1, u32::MAX, false), Some(Proof::Colour));
    assert_eq!(proof(8, 0, 9, false), Some(Proof::Connectivity));
    // One step at a time.
    assert_eq!(proof(20, 0, 1, true), None);
    assert_eq!(proof(5, 0, 1, true), Some(Proof::Colour));
}

#[test]
fn each_kind_of_proof_is_given_where_it_applies() {
    let proof = |rows: &[&str], closed: bool| {
        let (board, spec) = drawing(rows);
        impossible(outcome(board, &Spec { closed, ..spec })).map(|impossible| impossible.proof)
    };
    let whole =
        |rows: u32, cols: u32, spec: &Spec| impossible(outcome(size(rows, cols), spec)).map(|it| it.proof);
    let closed = Spec { closed: true, ..Spec::default() };
    assert_eq!(whole(7, 7, &closed), Some(Proof::Colour));
    assert_eq!(whole(4, 10, &closed), Some(Proof::Theorem));
    assert_eq!(whole(4, 4, &Spec::default()), Some(Proof::Theorem));
    assert_eq!(whole(2, 9, &Spec::default()), Some(Proof::Connectivity));
    assert_eq!(whole(1, 9, &closed), Some(Proof::Connectivity));
    let ends = |start: (u32, u32), end: (u32, u32)| Spec {
        start: Some(Square::new(start.0, start.1)),
        end: Some(Square::new(end.0, end.1)),
        ..Spec::default()
    };
    assert_eq!(whole(5, 8, &ends((2, 1), (1, 1))), Some(Proof::Degree));
    assert_eq!(whole(3, 8, &ends((0, 0), (2, 1))), Some(Proof::Search));
    assert_eq!(whole(8, 8, &ends((0, 0), (7, 7))), Some(Proof::Colour));

    assert_eq!(proof(&["..#", "###", "#.."], false), Some(Proof::Connectivity));
    assert_eq!(proof(&["....", "....", "....", "...#"], true), Some(Proof::Colour));
    assert_eq!(
        proof(
            &["#.......", "........", "........", "........", "........", "........", "........", ".......#"],
            false
        ),
        Some(Proof::Colour)
    );
    assert_eq!(
        proof(&["......", "..##..", "......", "......", "..#...", "......"], false),
        Some(Proof::Degree)
    );
}

#[test]
fn the_only_answer_is_told_from_one_of_many() {
    let unique = |board: Size, spec: &Spec| {
        let problem = Problem::new(board, spec).unwrap();
        let options = Options { unique: true, ..Options::default() };
        match solve(&problem, &options, &Budget::unlimited()).unwrap() {
            Outcome::Solved(tour) => tour.unique,
            _ => None,
        }
    };
    for (rows, cols) in [(3, 40), (4, 30), (5, 5), (8, 8), (31, 33), (200, 201)] {
        let start = Some(Square::new(0, 0));
        assert_eq!(
            unique(size(rows, cols), &Spec { start, ..Spec::default() }),
            Some(false),
            "{rows} × {cols}"
        );
        assert_eq!(unique(size(rows, cols), &Spec::default()), Some(false), "{rows} × {cols}");
    }
    for (rows, cols) in [(3, 10), (6, 6), (8, 8), (50, 50)] {
        assert_eq!(unique(size(rows, cols), &Spec { closed: true, ..Spec::default() }), Some(false));
    }
    // A ring can be gone round in one way.
    let (ring, spec) = drawing(&["...", ".#.", "..."]);
    assert_eq!(unique(ring, &Spec { closed: true, ..spec.clone() }), Some(true));
    assert_eq!(unique(ring, &Spec { start: Some(Square::new(0, 0)), ..spec.clone() }), Some(false));
    let end = Some(Square::new(1, 2));
    assert_eq!(unique(ring, &Spec { start: Some(Square::new(0, 0)), end, ..spec }), Some(true));

    // A puzzle: a tour of 8 × 8 with a few numbers rubbed out, and with most of them.
    let board = size(8, 8);
    let Outcome::Solved(tour) = outcome(board, &Spec::default()) else { panic!("8 × 8 has a tour") };
    let with = |given: fn(u32) -> bool| Spec {
        clues: (1..)
            .zip(tour.squares())
            .filter(|&(number, _)| given(number))
            .map(|(number, square)| Clue { square, number })
            .collect(),
        ..Spec::default()
    };
    assert_eq!(unique(board, &with(|number| number % 8 != 3)), Some(true));
    assert_eq!(unique(board, &with(|number| number % 16 == 1)), Some(false));
}

#[test]
fn the_same_request_gets_the_same_answer() {
    let (holy, blocked) = drawing(&[
        "#...####", "#.#..###", "#.......", "...##.#.", ".#.##...", "S......#", "##..#.##", "###...##",
    ]);
    let clue = |row, col, number| Clue { square: Square::new(row, col), number };
    for (board, spec) in [
        (size(3, 50), Spec::default()),
        (size(4, 50), Spec { end: Some(Square::new(0, 7)), ..Spec::default() }),
        (
            size(60, 61),
            Spec { start: Some(Square::new(4, 4)), end: Some(Square::new(51, 14)), ..Spec::default() },
        ),
        (holy, blocked),
        (size(8, 8), Spec { clues: vec![clue(3, 3, 10), clue(5, 4, 33)], ..Spec::default() }),
        (size(12, 12), Spec { leaper: Leaper::new(1, 4), ..Spec::default() }),
    ] {
        assert_eq!(outcome(board, &spec), outcome(board, &spec), "{board} {spec:?}");
    }
}

#[test]
fn a_cancelled_solve_ends() {
    let flag = CancelFlag::new();
    flag.cancel();
    let budget = Budget::new(Instant::now() + Duration::from_secs(3600), flag);
    let count = Options { count: true, ..Options::default() };
    let unique = Options { unique: true, ..Options::default() };
    let blocked = vec![Square::new(0, 0), Square::new(0, 1)];
    let clues = vec![Clue { square: Square::new(9, 9), number: 50 }];
    for (rows, cols, spec, options) in [
        (8, 8, Spec { method: Method::Backtracking, ..Spec::default() }, Options::default()),
        (300, 300, Spec { method: Method::Warnsdorff, ..Spec::default() }, Options::default()),
        (500, 500, Spec::default(), Options::default()),
        (3, 5000, Spec::default(), Options::default()),
        (200, 200, Spec { blocked, ..Spec::default() }, Options::default()),
        (20, 20, Spec { clues, ..Spec::default() }, Options::default()),
        (8, 8, Spec { closed: true, ..Spec::default() }, count),
        (600, 600, Spec { closed: true, ..Spec::default() }, unique),
    ] {
        let problem = Problem::new(size(rows, cols), &spec).unwrap();
        assert_eq!(
            solve(&problem, &options, &budget),
            Err(Interrupted::Cancelled),
            "{rows} × {cols} {spec:?}"
        );
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
