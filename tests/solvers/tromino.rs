//! The tromino solvers against reference values, known traps, and a plain search.

use std::time::{Duration, Instant};

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::tromino::{Method, Options, Problem, Solution, solve, verify};
use chessboard_solver::puzzles::{Budget, CancelFlag, Impossible, Interrupted, Outcome, Proof};
use num_bigint::BigUint;
use proptest::prelude::*;
use serde_json::Value;

fn size(rows: u32, cols: u32) -> Size {
    Size::new(rows, cols).unwrap()
}

fn problem(rows: u32, cols: u32, holes: &[(u32, u32)]) -> Problem {
    let holes = holes.iter().map(|&(row, col)| Square::new(row, col)).collect();
    Problem::new(size(rows, cols), holes).unwrap()
}

/// A problem drawn as text: `.` to cover, `#` a hole.
fn drawn(rows: &[&str]) -> Problem {
    let size = size(rows.len() as u32, rows[0].len() as u32);
    let is_hole = |at: &Square| rows[at.row as usize].as_bytes()[at.col as usize] == b'#';
    Problem::new(size, size.iter().filter(is_hole).collect()).unwrap()
}

fn board(solution: &Solution) -> Vec<Vec<u32>> {
    let size = solution.size();
    let mut rows = vec![vec![0; size.cols()]; size.rows()];
    for (row, out) in rows.iter_mut().enumerate() {
        solution.fill_row(row, out);
    }
    rows
}

/// Checks that tiles that share an edge have different colours, and that there are at most `most`.
fn assert_colored(solution: &Solution, most: u8) {
    let mut colors = vec![0; solution.tile_count() as usize];
    solution.fill_colors(1, &mut colors);
    assert!(colors.iter().all(|color| (1..=most).contains(color)), "{colors:?}");
    let board = board(solution);
    let differ =
        |a: u32, b: u32| a == b || a == 0 || b == 0 || colors[a as usize - 1] != colors[b as usize - 1];
    for row in 0..board.len() {
        for col in 0..board[0].len() {
            assert!(row == 0 || differ(board[row - 1][col], board[row][col]));
            assert!(col == 0 || differ(board[row][col - 1], board[row][col]));
        }
    }
}

/// Solves, and checks the answer if there is one.
fn outcome(problem: &Problem, options: Options) -> Result<Solution, Impossible> {
    match solve(problem, &options, &Budget::unlimited()).unwrap() {
        Outcome::Solved(solution) => {
            assert_eq!(verify(problem, &solution), Ok(()), "{problem:?}");
            assert_colored(&solution, if solution.method() == Method::Quadrants { 3 } else { 5 });
            Ok(solution)
        }
        Outcome::Impossible(impossible) => {
            assert!(impossible.reason.ends_with('.'), "{}", impossible.reason);
            Err(impossible)
        }
        Outcome::Stuck(never) => match never {},
    }
}

fn solved(problem: &Problem) -> Solution {
    outcome(problem, Options::default()).unwrap_or_else(|impossible| panic!("{problem:?}: {impossible:?}"))
}

fn proof(problem: &Problem) -> Proof {
    match outcome(problem, Options::default()) {
        Ok(solution) => panic!("{problem:?} was solved by {:?}", solution.method()),
        Err(impossible) => impossible.proof,
    }
}

fn seeded(problem: &Problem, seed: u64) -> Result<Solution, Impossible> {
    outcome(problem, Options::new(problem.size(), Some(seed), false).unwrap())
}

fn count(problem: &Problem) -> BigUint {
    let options = Options::new(problem.size(), None, true).unwrap();
    outcome(problem, options).map_or(BigUint::ZERO, |solution| solution.tiling_count().unwrap().clone())
}

mod reference {
    use super::*;

    fn number(value: &Value) -> u32 {
        value.as_u64().unwrap().try_into().unwrap()
    }

    /// `[row, col]` as a square.
    fn square(value: &Value) -> Square {
        Square::new(number(&value[0]), number(&value[1]))
    }

    fn squares(value: &Value) -> Vec<Square> {
        value.as_array().unwrap().iter().map(square).collect()
    }

    fn case_size(case: &Value) -> Size {
        size(number(&case["rows"]), number(&case["cols"]))
    }

    #[test]
    fn classic_boards_are_numbered_in_pre_order() {
        let reference: Value = serde_json::from_str(include_str!("../data/tromino_quadrants.json")).unwrap();
        for case in reference["boards"].as_array().unwrap() {
            let problem = Problem::new(case_size(case), vec![square(&case["hole"])]).unwrap();
            let solution = solved(&problem);
            let expected: Vec<Vec<u32>> = serde_json::from_value(case["board"].clone()).unwrap();
            assert_eq!(board(&solution), expected, "{}", case["hole"]);
            assert_eq!(solution.method().word(), "quadrants");
        }
    }

    /// Whether a board with these holes, and the one turned over its diagonal, have a tiling.
    fn assert_tileable(size: Size, holes: Vec<Square>, tileable: bool) {
        let turned = holes.iter().map(|hole| hole.transposed()).collect();
        for (size, holes) in [(size, holes), (size.transposed(), turned)] {
            let problem = Problem::new(size, holes).unwrap();
            assert_eq!(outcome(&problem, Options::default()).is_ok(), tileable, "{problem:?}");
        }
    }

    #[test]
    fn boards_with_at_most_two_holes_are_solved_exactly_where_a_tiling_exists() {
        let reference: Value = serde_json::from_str(include_str!("../data/tromino_existence.json")).unwrap();
        for case in reference["boards"].as_array().unwrap() {
            let size = case_size(case);
            let tileable = &case["tileable"];
            match number(&case["holes"]) {
                0 => assert_tileable(size, vec![], tileable == "all"),
                1 => {
                    let listed = if tileable.is_array() { squares(tileable) } else { vec![] };
                    for hole in size.iter() {
                        let expected = tileable == "all" || listed.contains(&hole);
                        assert_tileable(size, vec![hole], expected);
                    }
                }
                _ => {
                    let listed: Vec<_> = case
                        .get("not_tileable")
                        .and_then(Value::as_array)
                        .map_or_else(Vec::new, |pairs| pairs.iter().map(squares).collect());
                    for first in size.iter() {
                        for second in size.iter().filter(|&second| second > first) {
                            let holes = vec![first, second];
                            let expected = tileable != "none" && !listed.contains(&holes);
                            assert_tileable(size, holes, expected);
                        }
                    }
                }
            }
        }
    }

    fn counts() -> Value {
        serde_json::from_str(include_str!("../data/tromino_counts.json")).unwrap()
    }

    fn expected_count(case: &Value) -> BigUint {
        case["count"].as_str().unwrap().parse().unwrap()
    }

    #[test]
    fn rectangles_have_as_many_tilings_as_are_known() {
        for case in counts()["rectangles"].as_array().unwrap() {
            let size = case_size(case);
            for size in [size, size.transposed()] {
                let problem = Problem::new(size, vec![]).unwrap();
                assert_eq!(count(&problem), expected_count(case), "{size}");
            }
        }
    }

    #[test]
    fn boards_with_one_hole_have_as_many_tilings_as_are_known() {
        for case in counts()["deficient_total"]["items"].as_array().unwrap() {
            let size = case_size(case);
            if size.squares() > 150 {
                continue;
            }
            let of_hole = |hole| count(&Problem::new(size, vec![hole]).unwrap());
            assert_eq!(size.iter().map(of_hole).sum::<BigUint>(), expected_count(case), "{size}");
        }
    }

    #[test]
    fn squares_with_one_hole_have_as_many_tilings_as_are_known() {
        for case in counts()["deficient_square_by_hole"]["items"].as_array().unwrap() {
            let side = number(&case["n"]);
            for case in case["holes"].as_array().unwrap() {
                let problem = Problem::new(size(side, side), vec![square(&case["hole"])]).unwrap();
                assert_eq!(count(&problem), expected_count(case), "{problem:?}");
            }
        }
    }
}

mod traps {
    use super::*;

    #[test]
    fn a_single_square_that_is_a_hole_is_solved_with_no_tile() {
        let solution = solved(&problem(1, 1, &[(0, 0)]));
        assert_eq!(solution.tile_count(), 0);
        assert_eq!(board(&solution), [[0]]);
        assert_eq!(proof(&problem(1, 1, &[])), Proof::Area);
    }

    #[test]
    fn numbers_start_at_1_for_every_request() {
        for _ in 0..3 {
            let expected = [[2, 2, 3, 3], [2, 1, 1, 3], [4, 1, 0, 5], [4, 4, 5, 5]];
            assert_eq!(board(&solved(&problem(4, 4, &[(2, 2)]))), expected);
            let expected = [[1, 2, 2], [1, 1, 2]];
            assert_eq!(board(&solved(&problem(2, 3, &[]))), expected);
        }
    }

    #[test]
    fn a_narrow_board_has_no_tiling_with_its_hole_in_every_third_column() {
        for col in 0..14 {
            for row in 0..2 {
                let lying = outcome(&problem(2, 14, &[(row, col)]), Options::default());
                let standing = outcome(&problem(14, 2, &[(col, row)]), Options::default());
                assert_eq!(lying.is_ok(), col % 3 != 2, "column {col}");
                assert_eq!(standing.is_ok(), col % 3 != 2, "row {col}");
            }
        }
        let impossible = outcome(&problem(14, 2, &[(5, 0)]), Options::default()).unwrap_err();
        assert_eq!(impossible.proof, Proof::Theorem);
        assert!(impossible.reason.contains("row 5") && impossible.reason.contains("Chu & Johnsonbaugh"));
    }

    #[test]
    fn a_5_by_14_board_has_a_tiling_with_its_hole_at_2_6() {
        solved(&problem(5, 14, &[(2, 6)]));
        solved(&problem(14, 5, &[(6, 2)]));
        assert_eq!(proof(&problem(5, 14, &[(2, 1)])), Proof::Theorem);
        assert_eq!(proof(&problem(14, 5, &[(12, 2)])), Proof::Theorem);
    }

    #[test]
    fn rows_and_columns_are_not_swapped() {
        let lying = solved(&problem(3, 8, &[]));
        assert_eq!((board(&lying).len(), board(&lying)[0].len()), (3, 8));
        let standing = solved(&problem(8, 3, &[]));
        assert_eq!((board(&standing).len(), board(&standing)[0].len()), (8, 3));
        // Shapes that are not their own mirror images: only one tile fits at the right, and at the bottom.
        let lying = board(&solved(&drawn(&["..#....#", ".##....."])));
        assert!(lying[1][7] == lying[0][6] && lying[1][7] == lying[1][6]);
        let standing = board(&solved(&drawn(&["..", ".#", "##", "..", "..", "..", "..", "#."])));
        assert!(standing[7][1] == standing[6][0] && standing[7][1] == standing[6][1]);
    }

    #[test]
    fn a_board_of_holes_is_solved_with_no_tile() {
        let holes: Vec<_> = size(3, 4).iter().collect();
        let solution = solved(&Problem::new(size(3, 4), holes).unwrap());
        assert_eq!((solution.tile_count(), solution.method()), (0, Method::Forced));
    }

    #[test]
    fn parts_that_holes_cut_off_are_tiled_one_by_one() {
        let solution = solved(&drawn(&["...#", "...#", "####", "..#.", ".#.."]));
        assert_eq!(solution.tile_count(), 4);
        // 8 squares on the left, 10 on the right.
        let impossible = outcome(&drawn(&["..#...", "..#...", "..#...", "..##.#"]), Options::default());
        assert_eq!(impossible.unwrap_err().proof, Proof::Area);
    }

    #[test]
    fn a_board_with_a_single_row_has_no_tiling() {
        assert_eq!(proof(&problem(1, 3, &[])), Proof::Degree);
        assert_eq!(proof(&problem(6, 1, &[])), Proof::Degree);
        assert_eq!(proof(&problem(1, 4, &[(0, 3)])), Proof::Degree);
        assert_eq!(proof(&problem(1, 8, &[(0, 3), (0, 7)])), Proof::Degree);
    }
}

mod proofs {
    use super::*;

    #[test]
    fn an_area_that_is_no_multiple_of_three() {
        assert_eq!(proof(&problem(4, 4, &[])), Proof::Area);
        assert_eq!(proof(&problem(1_000, 1_000, &[])), Proof::Area);
    }

    #[test]
    fn a_square_that_no_tile_fits() {
        let impossible = outcome(&drawn(&["....", "....", "####", "...#"]), Options::default());
        let impossible = impossible.unwrap_err();
        assert_eq!(impossible.proof, Proof::Area);
        let impossible = outcome(&drawn(&["...##", "...#.", "####.", "####."]), Options::default());
        assert_eq!(impossible.unwrap_err().proof, Proof::Degree);
    }

    #[test]
    fn forced_tiles_that_end_in_a_contradiction() {
        // The corner at the top right needs the tile that leaves the square in the middle of the left alone.
        assert_eq!(proof(&drawn(&["#..", "..#", "#.."])), Proof::Forced);
    }

    #[test]
    fn a_theorem_by_name() {
        let impossible = outcome(&problem(3, 9, &[]), Options::default()).unwrap_err();
        assert_eq!(impossible.proof, Proof::Theorem);
        assert!(impossible.reason.contains("Chu & Johnsonbaugh"));
        assert_eq!(proof(&problem(5, 5, &[(0, 1)])), Proof::Theorem);
    }
}

mod options {
    use super::*;

    #[test]
    fn counting_is_refused_where_both_sides_are_long() {
        assert!(Options::new(size(20, 5_000), None, true).is_ok());
        assert!(Options::new(size(5_000, 20), None, true).is_ok());
        let faults = Options::new(size(21, 22), None, true).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert_eq!(
            faults[0].to_string(),
            "count must be false where both sides are longer than 20, got true for 21 × 22"
        );
        assert!(Options::new(size(21, 22), None, false).is_ok());
    }

    #[test]
    fn a_count_comes_only_when_asked_for() {
        let classic = problem(8, 8, &[(0, 0)]);
        assert_eq!(solved(&classic).tiling_count(), None);
        let counted = outcome(&classic, Options::new(classic.size(), None, true).unwrap()).unwrap();
        assert_eq!(counted.tiling_count(), Some(&BigUint::from(30_355_u32)));
        assert_eq!(counted.method(), Method::Quadrants);
        assert_eq!(counted.uniform(), None);
    }

    #[test]
    fn the_same_seed_gives_the_same_tiling_and_others_give_others() {
        for (rows, cols, uniform) in [(8, 8, true), (14, 40, true), (40, 40, false)] {
            let problem = problem(rows, cols, &[(3, 4)]);
            let problem =
                if rows * cols % 3 == 1 { problem } else { self::problem(rows, cols, &[(3, 4), (5, 7)]) };
            let first = seeded(&problem, 1).unwrap();
            assert_eq!(first.uniform(), Some(uniform));
            assert_eq!(first, seeded(&problem, 1).unwrap());
            let boards: std::collections::HashSet<_> =
                (0..10).map(|seed| board(&seeded(&problem, seed).unwrap())).collect();
            assert_eq!(boards.len(), 10);
        }
    }

    #[test]
    fn a_seeded_tiling_is_the_same_on_every_machine() {
        let drawn = board(&seeded(&problem(5, 6, &[]), 42).unwrap());
        let expected = [
            [1, 1, 2, 3, 4, 4],
            [1, 2, 2, 3, 3, 4],
            [5, 5, 6, 6, 7, 7],
            [8, 5, 9, 6, 10, 7],
            [8, 8, 9, 9, 10, 10],
        ];
        assert_eq!(drawn, expected);
    }
}

mod budget {
    use super::*;

    /// Problems that keep each of the methods busy.
    fn all_kinds() -> Vec<(Problem, Options)> {
        let plain = Options::default();
        let with = |problem: Problem, seed, count| {
            let options = Options::new(problem.size(), seed, count).unwrap();
            (problem, options)
        };
        vec![
            (problem(1024, 1024, &[(5, 5)]), plain),
            (problem(999, 1000, &[]), plain),
            (problem(18, 18, &[(2, 2), (9, 9), (3, 7)]), plain),
            (problem(500, 500, &[(2, 2)]), plain),
            (problem(500, 500, &[(2, 2), (7, 7), (9, 9), (300, 2)]), plain),
            with(problem(20, 20, &[(2, 2)]), None, true),
            with(problem(16, 16, &[(2, 2)]), Some(1), false),
            with(problem(500, 500, &[(2, 2)]), Some(1), false),
        ]
    }

    #[test]
    fn no_method_starts_after_the_deadline() {
        let past = Budget::new(Instant::now(), CancelFlag::new());
        for (problem, options) in all_kinds() {
            assert_eq!(solve(&problem, &options, &past), Err(Interrupted::Deadline), "{:?}", problem.size());
        }
    }

    #[test]
    fn a_count_that_would_take_hours_ends_when_it_is_cancelled() {
        let flag = CancelFlag::new();
        let budget = Budget::new(Instant::now() + Duration::from_secs(3_600), flag.clone());
        let problem = problem(20, 50_000, &[(2, 2)]);
        let options = Options::new(problem.size(), None, true).unwrap();
        std::thread::scope(|scope| {
            let work = scope.spawn(|| solve(&problem, &options, &budget));
            std::thread::sleep(Duration::from_millis(200));
            flag.cancel();
            assert_eq!(work.join().unwrap(), Err(Interrupted::Cancelled));
        });
    }
}

/// A search that any reader can check: the first free square gets each tile in turn.
mod search {
    use super::*;

    /// The number of tilings of the squares that are `true`.
    fn tilings(free: &mut [Vec<bool>]) -> u64 {
        let (rows, cols) = (free.len(), free[0].len());
        let Some((row, col)) =
            (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))).find(|&(row, col)| free[row][col])
        else {
            return 1;
        };
        let mut count = 0;
        // The two other squares, relative to the first one.
        for others in [[(0, 1), (1, 0)], [(0, 1), (1, 1)], [(1, 0), (1, 1)], [(1, -1), (1, 0)]] {
            let tile = [(0, 0), others[0], others[1]]
                .map(|(down, right)| (row + down, col.wrapping_add_signed(right)));
            if tile.iter().all(|&(row, col)| row < rows && col < cols && free[row][col]) {
                tile.iter().for_each(|&(row, col)| free[row][col] = false);
                count += tilings(free);
                tile.iter().for_each(|&(row, col)| free[row][col] = true);
            }
        }
        count
    }

    fn tilings_of(problem: &Problem) -> u64 {
        let size = problem.size();
        let mut free = vec![vec![true; size.cols()]; size.rows()];
        problem.holes().iter().for_each(|hole| free[hole.row as usize][hole.col as usize] = false);
        tilings(&mut free)
    }

    /// A board with random holes, usually of an area that can be tiled.
    fn boards(longest: u32) -> impl Strategy<Value = Problem> {
        let sides = (1..=longest, 1..=longest, 0..=60_u32);
        sides.prop_flat_map(|(rows, cols, percent)| {
            let squares = (rows * cols) as usize;
            let holes = prop::collection::vec(prop::bool::weighted(f64::from(percent) / 100.0), squares);
            (holes, prop::bool::weighted(0.9)).prop_map(move |(mut holes, fit)| {
                let mut at = 0;
                while fit && holes.iter().filter(|hole| !**hole).count() % 3 != 0 {
                    holes[at] = true;
                    at += 1;
                }
                let size = size(rows, cols);
                let holes = size.iter().zip(holes).filter(|&(_, hole)| hole).map(|(square, _)| square);
                Problem::new(size, holes.collect()).unwrap()
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn agrees_on_every_small_board(problem in boards(7)) {
            let tilings = tilings_of(&problem);
            prop_assert_eq!(outcome(&problem, Options::default()).is_ok(), tilings > 0);
            prop_assert_eq!(count(&problem), BigUint::from(tilings));
            let random = seeded(&problem, tilings);
            prop_assert_eq!(random.is_ok(), tilings > 0);
            if let Ok(random) = random {
                prop_assert_eq!(random.uniform(), Some(true));
            }
        }
    }
}
