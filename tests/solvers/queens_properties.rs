//! The queens solver against a brute force that tries every placement, on small random boards.

use std::collections::BTreeSet;

use chessboard_solver::board::Square;
use chessboard_solver::puzzles::queens::{Answer, Attack, Distinct, Problem, Spec, solve};
use chessboard_solver::puzzles::{Budget, Outcome};
use proptest::prelude::*;

/// Whether two queens attack each other, by the words of the contract: on the torus by walking around it.
fn attacks(attack: Attack, size: i64, one: (i64, i64), other: (i64, i64)) -> bool {
    let (rows, cols) = (other.0 - one.0, other.1 - one.1);
    let line = rows == 0 || cols == 0;
    line || match attack {
        Attack::Queen => rows == cols || rows == -cols,
        Attack::Touch => rows.abs() == 1 && cols.abs() == 1,
        Attack::Torus => (1..size).any(|steps| {
            [1, -1].iter().any(|direction| {
                (one.0 + steps - other.0).rem_euclid(size) == 0
                    && (one.1 + direction * steps - other.1).rem_euclid(size) == 0
            })
        }),
    }
}

/// All solutions in lexicographic order, one square after the other tried in each row.
fn brute_force(size: u32, spec: &Spec) -> Vec<Vec<u32>> {
    fn go(size: u32, spec: &Spec, columns: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
        let row = columns.len() as u32;
        if row == size {
            let fits = |columns: &Vec<u32>| {
                let queens = || (0..size).zip(columns).map(|(row, &col)| Square::new(row, col));
                let regions = spec.regions.as_ref().map(|regions| {
                    let all: BTreeSet<i64> = regions.iter().flatten().copied().collect();
                    let hit: BTreeSet<i64> =
                        queens().map(|queen| regions[queen.row as usize][queen.col as usize]).collect();
                    all.len() == size as usize && hit == all
                });
                spec.queens.iter().all(|given| queens().any(|queen| queen == *given))
                    && !spec.blocked.iter().any(|blocked| queens().any(|queen| queen == *blocked))
                    && regions != Some(false)
            };
            if fits(columns) {
                found.push(columns.clone());
            }
            return;
        }
        for col in 0..size {
            let free = (0..).zip(&*columns).all(|(above, &other)| {
                !attacks(spec.attack, size.into(), (above, other.into()), (row.into(), col.into()))
            });
            if free {
                columns.push(col);
                go(size, spec, columns, found);
                columns.pop();
            }
        }
    }
    let mut found = Vec::new();
    go(size, spec, &mut Vec::new(), &mut found);
    found
}

/// One solution of each class: the first in order among the images that are solutions too.
fn first_of_classes(solutions: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let all: BTreeSet<&Vec<u32>> = solutions.iter().collect();
    let least = solutions.iter().filter(|columns| {
        let last = columns.len() as u32 - 1;
        let squares: Vec<(u32, u32)> = (0..).zip(columns.iter().copied()).collect();
        (0..8).all(|symmetry| {
            let image = |&(r, c): &(u32, u32)| match symmetry {
                0 => (r, c),
                1 => (c, last - r),
                2 => (last - r, last - c),
                3 => (last - c, r),
                4 => (c, r),
                5 => (r, last - c),
                6 => (last - r, c),
                _ => (last - c, last - r),
            };
            let mut image: Vec<(u32, u32)> = squares.iter().map(image).collect();
            image.sort_unstable();
            let image: Vec<u32> = image.into_iter().map(|(_, col)| col).collect();
            !all.contains(&image) || image >= **columns
        })
    });
    least.cloned().collect()
}

fn answer(size: u32, spec: &Spec) -> Option<Answer> {
    match solve(&Problem::new(size, spec).unwrap(), &Budget::unlimited()).unwrap() {
        Outcome::Solved(answer) => Some(answer),
        _ => None,
    }
}

fn attack() -> impl Strategy<Value = Attack> {
    prop_oneof![Just(Attack::Queen), Just(Attack::Touch), Just(Attack::Torus)]
}

/// A board with some squares blocked, some queens given, perhaps regions: for each square a number that tells.
/// Most have few solutions or none.
fn boards() -> impl Strategy<Value = (u32, Spec)> {
    (1u32..=8, attack(), 0u32..=40, 0usize..=3, 0u32..=3).prop_flat_map(
        |(size, attack, blocked_percent, queen_count, region_kind)| {
            let squares = (size * size) as usize;
            let blocked = proptest::collection::vec(0u32..100, squares);
            let queens = proptest::collection::vec(0..size, queen_count.min(size as usize));
            let regions = proptest::collection::vec(0..i64::from(size), squares);
            (Just(size), Just(attack), blocked, queens, regions).prop_map(
                move |(size, attack, blocked, queens, regions)| {
                    let at = |index: usize| Square::new(index as u32 / size, index as u32 % size);
                    // Given queens stand in every second row.
                    let queens: Vec<Square> = (0..)
                        .zip(&queens)
                        .map(|(number, &col)| Square::new(2 * number % size, col))
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .collect();
                    let one_in_a_row = queens.windows(2).all(|pair| pair[0].row != pair[1].row);
                    let queens = if one_in_a_row { queens } else { Vec::new() };
                    let blocked = (0..squares)
                        .filter(|&index| blocked[index] < blocked_percent && !queens.contains(&at(index)))
                        .map(at)
                        .collect();
                    // Kind 0: scattered regions; 1: rough boxes; otherwise none.
                    let side = size as usize;
                    let matrix = |of: &dyn Fn(usize) -> i64| -> Vec<Vec<i64>> {
                        (0..side).map(|row| (0..side).map(|col| of(row * side + col)).collect()).collect()
                    };
                    let regions = match region_kind {
                        0 => Some(matrix(&|index| regions[index])),
                        1 => {
                            Some(matrix(&|index| if regions[index] == 0 { 0 } else { (index % side) as i64 }))
                        }
                        _ => None,
                    };
                    (size, Spec { attack, queens, blocked, regions, ..Spec::default() })
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn every_answer_is_that_of_brute_force((size, spec) in boards(), offset in 0u64..40, limit in 0u64..40) {
        let all = brute_force(size, &spec);
        let classes = first_of_classes(&all);
        for (distinct, expected) in [(Distinct::All, &all), (Distinct::Fundamental, &classes)] {
            for count in [true, false] {
                let spec = Spec { distinct, unique: true, offset, limit, count: Some(count), ..spec.clone() };
                let Some(answer) = answer(size, &spec) else {
                    prop_assert!(all.is_empty());
                    continue;
                };
                let listed: Vec<_> =
                    expected.iter().skip(offset as usize).take(limit as usize).cloned().collect();
                prop_assert_eq!(&answer.board, listed.first().unwrap_or(&expected[0]));
                prop_assert_eq!(answer.solutions, listed);
                prop_assert_eq!(answer.unique, Some(expected.len() == 1));
                prop_assert_eq!(answer.solution_count, count.then_some(all.len() as u64));
                let plain = spec.queens.is_empty() && spec.blocked.is_empty() && spec.regions.is_none();
                let fundamental = (plain && count).then_some(classes.len() as u64);
                prop_assert_eq!(answer.fundamental_count, fundamental);
            }
        }
    }

    #[test]
    fn a_seed_draws_one_of_the_solutions((size, spec) in boards(), seed in any::<u64>()) {
        let all = brute_force(size, &spec);
        match answer(size, &Spec { seed: Some(seed), limit: 3, ..spec }) {
            Some(answer) => {
                prop_assert_eq!(answer.solutions.len(), 3);
                prop_assert!(answer.solutions.iter().all(|columns| all.contains(columns)));
                prop_assert_eq!(answer.uniform, Some(true));
            }
            None => prop_assert!(all.is_empty()),
        }
    }
}

#[test]
fn plain_boards_of_every_attack_are_those_of_brute_force() {
    for attack in [Attack::Queen, Attack::Touch, Attack::Torus] {
        for size in 1..=8 {
            let spec = Spec { attack, limit: 10_000, unique: true, ..Spec::default() };
            let all = brute_force(size, &spec);
            let classes = first_of_classes(&all);
            for (distinct, expected) in [(Distinct::All, &all), (Distinct::Fundamental, &classes)] {
                let Some(answer) = answer(size, &Spec { distinct, ..spec.clone() }) else {
                    assert!(all.is_empty(), "{size} {attack:?}");
                    continue;
                };
                assert_eq!(answer.solutions, *expected, "{size} {attack:?}");
                assert_eq!(answer.solution_count, Some(all.len() as u64), "{size} {attack:?}");
                assert_eq!(answer.fundamental_count, Some(classes.len() as u64), "{size} {attack:?}");
                assert_eq!(answer.unique, Some(expected.len() == 1), "{size} {attack:?}");
            }
        }
    }
}
