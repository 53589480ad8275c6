//! Checks a placement by the rules alone; shares no code with what found it.

use std::collections::HashMap;
use std::fmt;

use super::{Attack, Problem};
use crate::board::Square;

/// What is wrong with a placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// There is not one column for each row.
    Length {
        /// The number of rows.
        rows: u32,
        /// How many columns came.
        given: usize,
    },
    /// A queen stands beside the board.
    OffBoard(Square),
    /// Two queens attack each other.
    Attack(Square, Square),
    /// A queen that was given is not there.
    Missing(Square),
    /// A queen stands where none may stand.
    Blocked(Square),
    /// Two queens stand in one region.
    SameRegion(Square, Square),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { rows, given } => write!(f, "{given} queens for {rows} rows"),
            Self::OffBoard(square) => write!(f, "the queen on {square} is not on the board"),
            Self::Attack(one, other) => write!(f, "the queens on {one} and {other} attack each other"),
            Self::Missing(square) => write!(f, "the queen given on {square} is missing"),
            Self::Blocked(square) => write!(f, "the queen on {square} stands where none may stand"),
            Self::SameRegion(one, other) => write!(f, "the queens on {one} and {other} share a region"),
        }
    }
}

impl std::error::Error for Violation {}

/// Checks that queens in these columns, one for each row, stand as `problem` asks. Takes time and memory linear
/// in the size and in the numbers of queens and blocked squares given.
///
/// # Errors
/// A [`Violation`]: the first attack from the top, if there is one.
pub fn verify(problem: &Problem, columns: &[u32]) -> Result<(), Violation> {
    Verifier::new(problem).verify(columns)
}

/// Checks one placement after the other, in the same memory: there may be millions.
#[derive(Debug)]
pub struct Verifier<'a> {
    problem: &'a Problem,
    /// Whatever queens share of these, they attack each other: first the columns, then the diagonals. Each line has the
    /// row of its queen, from 1, and 0 without one: with a million queens, memory is what takes the time.
    lines: [Vec<u32>; 3],
}

impl<'a> Verifier<'a> {
    /// A verifier of placements for this problem.
    #[must_use]
    pub fn new(problem: &'a Problem) -> Self {
        let lines = std::array::from_fn(|_| vec![0; 2 * problem.size() as usize]);
        Self { problem, lines }
    }

    /// Checks a placement as [`verify`] does.
    ///
    /// # Errors
    /// A [`Violation`]: the first attack from the top, if there is one.
    pub fn verify(&mut self, columns: &[u32]) -> Result<(), Violation> {
        let Self { problem, lines } = self;
        check(problem, lines, columns)
    }
}

fn check(problem: &Problem, lines: &mut [Vec<u32>; 3], columns: &[u32]) -> Result<(), Violation> {
    let size = problem.size();
    if columns.len() != size as usize {
        return Err(Violation::Length { rows: size, given: columns.len() });
    }
    if let Some((row, &col)) = (0..size).zip(columns).find(|&(_, &col)| col >= size) {
        return Err(Violation::OffBoard(Square::new(row, col)));
    }
    let queens = || (0..size).zip(columns).map(|(row, &col)| Square::new(row, col));

    lines.iter_mut().for_each(|kind| kind.fill(0));
    for queen in queens() {
        let Square { row, col } = queen;
        let (falling, rising) = match problem.attack() {
            Attack::Queen => (Some(size + row - col), Some(row + col)),
            Attack::Torus => (Some((size + row - col) % size), Some((row + col) % size)),
            Attack::Touch => (None, None),
        };
        for (line, kind) in [Some(col), falling, rising].into_iter().zip(&mut *lines) {
            let Some(line) = line else { continue };
            let earlier = std::mem::replace(&mut kind[line as usize], row + 1);
            if let Some(other) = earlier.checked_sub(1) {
                return Err(Violation::Attack(Square::new(other, columns[other as usize]), queen));
            }
        }
    }
    if problem.attack() == Attack::Touch {
        for (upper, lower) in queens().zip(queens().skip(1)) {
            if upper.col.abs_diff(lower.col) <= 1 {
                return Err(Violation::Attack(upper, lower));
            }
        }
    }

    let taken = |square: &&Square| columns[square.row as usize] == square.col;
    if let Some(&missing) = problem.queens().iter().find(|square| !taken(square)) {
        return Err(Violation::Missing(missing));
    }
    if let Some(&blocked) = problem.blocked().iter().find(taken) {
        return Err(Violation::Blocked(blocked));
    }
    if let Some(regions) = problem.regions() {
        let mut filled = HashMap::new();
        for queen in queens() {
            if let Some(other) = filled.insert(regions.of()[queen], queen) {
                return Err(Violation::SameRegion(other, queen));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Spec;
    use super::*;

    fn at(row: u32, col: u32) -> Square {
        Square::new(row, col)
    }

    fn check(spec: &Spec, columns: &[u32]) -> Result<(), Violation> {
        verify(&Problem::new(4, spec).unwrap(), columns)
    }

    #[test]
    fn a_solution_passes() {
        let regions = vec![vec![0, 0, 1, 1], vec![0, 0, 1, 1], vec![2, 2, 3, 3], vec![2, 2, 3, 3]];
        let spec = Spec {
            queens: vec![at(2, 0)],
            blocked: vec![at(0, 0)],
            regions: Some(regions),
            ..Spec::default()
        };
        assert_eq!(check(&spec, &[1, 3, 0, 2]), Ok(()));
        let touch = Spec { attack: Attack::Touch, ..Spec::default() };
        assert_eq!(check(&touch, &[2, 0, 3, 1]), Ok(()));
    }

    #[test]
    fn a_verifier_remembers_nothing_of_earlier_placements() {
        let problem = Problem::new(4, &Spec::default()).unwrap();
        let mut verifier = Verifier::new(&problem);
        let mistake = Err(Violation::Attack(at(2, 1), at(3, 2)));
        for (columns, verdict) in [
            ([1, 3, 0, 2], Ok(())),
            ([0, 3, 1, 2], mistake.clone()),
            ([2, 0, 3, 1], Ok(())),
            ([0, 3, 1, 2], mistake),
        ] {
            assert_eq!(verifier.verify(&columns), verdict);
        }
    }

    #[test]
    fn every_kind_of_mistake_is_told() {
        let plain = Spec::default();
        assert_eq!(check(&plain, &[1, 3, 0]), Err(Violation::Length { rows: 4, given: 3 }));
        assert_eq!(check(&plain, &[1, 3, 0, 4]), Err(Violation::OffBoard(at(3, 4))));
        assert_eq!(check(&plain, &[1, 3, 1, 2]), Err(Violation::Attack(at(0, 1), at(2, 1))));
        assert_eq!(check(&plain, &[0, 3, 1, 2]), Err(Violation::Attack(at(2, 1), at(3, 2))));
        assert_eq!(check(&plain, &[0, 2, 1, 3]), Err(Violation::Attack(at(1, 2), at(2, 1))));

        let touch = Spec { attack: Attack::Touch, ..Spec::default() };
        assert_eq!(check(&touch, &[1, 3, 2, 0]), Err(Violation::Attack(at(1, 3), at(2, 2))));
        let torus = Spec { attack: Attack::Torus, ..Spec::default() };
        assert_eq!(check(&torus, &[1, 3, 0, 2]), Err(Violation::Attack(at(1, 3), at(2, 0))));

        let given = Spec { queens: vec![at(0, 2)], ..Spec::default() };
        assert_eq!(check(&given, &[1, 3, 0, 2]), Err(Violation::Missing(at(0, 2))));
        let blocked = Spec { blocked: vec![at(3, 2)], ..Spec::default() };
        assert_eq!(check(&blocked, &[1, 3, 0, 2]), Err(Violation::Blocked(at(3, 2))));
        let rows = Spec { regions: Some(vec![vec![0, 1, 2, 3]; 4]), ..Spec::default() };
        assert_eq!(check(&rows, &[1, 3, 0, 2]), Ok(()));
        let regions = vec![vec![0, 0, 0, 0], vec![0, 0, 0, 1], vec![1, 0, 0, 2], vec![0, 0, 3, 2]];
        let pair = Spec { regions: Some(regions), ..Spec::default() };
        assert_eq!(check(&pair, &[1, 3, 0, 2]), Err(Violation::SameRegion(at(1, 3), at(2, 0))));
    }
}
