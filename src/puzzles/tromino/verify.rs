//! An independent check of a tiling: it shares no code with the solvers, and reads the answer as a client would.
//!
//! An L-shaped tile lies on exactly two rows, one below the other, so the check holds two rows and never the
//! board. It reads the squares from the top, left to right. A square that no tile before it has covered must be
//! the first of a new tile, whose number is not yet used and whose other two squares have one of four places;
//! they are crossed off. When all squares are crossed off, as many different numbers from 1 to the number of
//! tiles have been seen as there are tiles, each on exactly one L. One bit a tile remembers which numbers were
//! seen: that is all that grows with the board.

use std::fmt;

use super::{Problem, Solution};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// What is wrong with an answer: a bug in a solver, to be told to the log and not to the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The answer's board has another size, or another number of tiles, than the problem asks for.
    Shape(String),
    /// A hole is covered.
    HoleCovered(Square),
    /// A square that is not a hole has no tile.
    Uncovered(Square),
    /// A tile's number is larger than the number of tiles.
    NumberTooLarge(Square, u32),
    /// A tile's number is already that of another tile, or the tile has more than three squares.
    NumberRepeated(Square, u32),
    /// The squares of this number don't make an L.
    NotAnL(Square, u32),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape(what) => f.write_str(what),
            Self::HoleCovered(at) => write!(f, "the hole at {at} is covered"),
            Self::Uncovered(at) => write!(f, "the square {at} is neither covered nor a hole"),
            Self::NumberTooLarge(at, tile) => write!(f, "the number {tile} at {at} is beyond the last tile"),
            Self::NumberRepeated(at, tile) => write!(f, "the tile number {tile} at {at} is used already"),
            Self::NotAnL(at, tile) => write!(f, "the squares of tile {tile}, first at {at}, are not an L"),
        }
    }
}

impl std::error::Error for Violation {}

/// Checks that a solution covers the problem's board: every square but the holes, by L-shaped tiles of three
/// squares numbered from 1 without gaps.
///
/// Takes a few nanoseconds a square, the memory of two rows, and one bit a tile.
///
/// # Errors
/// The first [`Violation`] in the order of the squares.
pub fn verify(problem: &Problem, solution: &Solution) -> Result<(), Violation> {
    verify_within(problem, solution, &Budget::unlimited()).expect("an unlimited budget never runs out")
}

/// [`verify`] under a budget: a board of 2^30 squares takes seconds.
///
/// # Errors
/// [`Interrupted`] when the budget ran out before the check was done.
pub fn verify_within(
    problem: &Problem,
    solution: &Solution,
    budget: &Budget,
) -> Result<Result<(), Violation>, Interrupted> {
    let size = problem.size();
    if solution.size() != size {
        let what = format!("the board is {}, the problem's {size}", solution.size());
        return Ok(Err(Violation::Shape(what)));
    }
    let free = size.squares() - problem.holes().len();
    if solution.tile_count() as usize * 3 != free {
        let what = format!("{} tiles can't cover {free} squares", solution.tile_count());
        return Ok(Err(Violation::Shape(what)));
    }
    check_rows(problem, solution.tile_count(), |row, out| {
        budget.check()?;
        solution.fill_row(row, out);
        Ok(())
    })
}

/// Two rows, each with a place beyond either end, so that every square has neighbours; 0 stands there, and on
/// every square that is crossed off.
fn check_rows<E>(
    problem: &Problem,
    tile_count: u32,
    mut fill_row: impl FnMut(usize, &mut [u32]) -> Result<(), E>,
) -> Result<Result<(), Violation>, E> {
    let (rows, cols) = (problem.size().rows(), problem.size().cols());
    let mut used = vec![0_u64; tile_count as usize / 64 + 1];
    let mut holes = problem.holes().iter().copied().peekable();
    let mut current = vec![0; cols + 2];
    let mut below = vec![0; cols + 2];

    fill_row(0, &mut below[1..=cols])?;
    if let Err(violation) = check_holes(0, &below[1..=cols], &mut holes) {
        return Ok(Err(violation));
    }
    for row in 0..rows {
        std::mem::swap(&mut current, &mut below);
        if row + 1 < rows {
            fill_row(row + 1, &mut below[1..=cols])?;
            if let Err(violation) = check_holes(row + 1, &below[1..=cols], &mut holes) {
                return Ok(Err(violation));
            }
        } else {
            below.fill(0);
        }
        for col in 1..=cols {
            let tile = current[col];
            if tile == 0 {
                continue;
            }
            let square = || Square::new(row as u32, col as u32 - 1);
            if tile > tile_count {
                return Ok(Err(Violation::NumberTooLarge(square(), tile)));
            }
            let (word, bit) = (tile as usize / 64, 1 << (tile % 64));
            if used[word] & bit != 0 {
                return Ok(Err(Violation::NumberRepeated(square(), tile)));
            }
            used[word] |= bit;

            // The two other squares, where the L may have them.
            let right = (current[col + 1] == tile) as u32;
            let below_left = (below[col - 1] == tile) as u32;
            let below_here = (below[col] == tile) as u32;
            let below_right = (below[col + 1] == tile) as u32;
            match right << 3 | below_left << 2 | below_here << 1 | below_right {
                0b1010 => (current[col + 1], below[col]) = (0, 0),
                0b1001 => (current[col + 1], below[col + 1]) = (0, 0),
                0b0110 => (below[col - 1], below[col]) = (0, 0),
                0b0011 => (below[col], below[col + 1]) = (0, 0),
                _ => return Ok(Err(Violation::NotAnL(square(), tile))),
            }
        }
    }
    Ok(Ok(()))
}

/// Whether this row has its zeros where the holes are, and nowhere else. Takes the row's holes from the front of
/// `holes`, which come in the order of the squares.
fn check_holes(
    row: usize,
    numbers: &[u32],
    holes: &mut std::iter::Peekable<impl Iterator<Item = Square>>,
) -> Result<(), Violation> {
    let mut from = 0;
    let uncovered = |from: usize, to: usize| match first_zero(&numbers[from..to]) {
        Some(at) => Err(Violation::Uncovered(Square::new(row as u32, (from + at) as u32))),
        None => Ok(()),
    };
    while let Some(hole) = holes.next_if(|hole| hole.row as usize == row) {
        let col = hole.col as usize;
        uncovered(from, col)?;
        if numbers[col] != 0 {
            return Err(Violation::HoleCovered(hole));
        }
        from = col + 1;
    }
    uncovered(from, numbers.len())
}

/// Where the first zero is. Nearly always there is none, and to say so is much quicker than to look for the first.
fn first_zero(numbers: &[u32]) -> Option<usize> {
    if numbers.contains(&0) { numbers.iter().position(|&number| number == 0) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;

    /// Checks a board drawn as rows of numbers, all zeros given as holes unless `holes` says otherwise.
    fn check(rows: &[&[u32]], holes: Option<&[(u32, u32)]>) -> Result<(), Violation> {
        let size = Size::new(rows.len() as u32, rows[0].len() as u32).unwrap();
        let holes = match holes {
            Some(holes) => holes.iter().map(|&(row, col)| Square::new(row, col)).collect(),
            None => size.iter().filter(|at| rows[at.row as usize][at.col as usize] == 0).collect(),
        };
        let problem = Problem::new(size, holes).unwrap();
        let tile_count = ((size.squares() - problem.holes().len()) / 3) as u32;
        let fill = |row: usize, out: &mut [u32]| {
            out.copy_from_slice(rows[row]);
            Ok::<_, Interrupted>(())
        };
        check_rows(&problem, tile_count, fill).unwrap()
    }

    #[test]
    fn each_of_the_four_shapes_passes() {
        for rows in [[[1, 1], [1, 0]], [[1, 1], [0, 1]], [[1, 0], [1, 1]], [[0, 1], [1, 1]]] {
            assert_eq!(check(&[&rows[0], &rows[1]], None), Ok(()));
        }
    }

    #[test]
    fn a_rectangle_of_two_tiles_passes_and_numbers_may_come_in_any_order() {
        assert_eq!(check(&[&[1, 1, 2], &[1, 2, 2]], None), Ok(()));
        assert_eq!(check(&[&[2, 2, 1], &[2, 1, 1]], None), Ok(()));
    }

    #[test]
    fn a_straight_tile_fails() {
        let at = Square::new(0, 0);
        assert_eq!(check(&[&[1, 1, 1], &[2, 2, 2]], None), Err(Violation::NotAnL(at, 1)));
        assert_eq!(check(&[&[1], &[1], &[1]], None), Err(Violation::NotAnL(at, 1)));
        assert_eq!(check(&[&[1, 2], &[1, 2], &[1, 2]], None), Err(Violation::NotAnL(at, 1)));
    }

    #[test]
    fn a_tile_of_two_or_of_four_squares_fails() {
        assert_eq!(
            check(&[&[1, 1, 1], &[1, 2, 2]], None),
            Err(Violation::NumberRepeated(Square::new(0, 2), 1))
        );
        assert_eq!(check(&[&[1, 1, 2], &[1, 1, 2]], None), Err(Violation::NotAnL(Square::new(0, 0), 1)));
    }

    #[test]
    fn a_number_on_two_tiles_fails() {
        let rows: [&[u32]; 2] = [&[1, 1, 2, 1, 1, 3], &[1, 2, 2, 1, 3, 3]];
        assert_eq!(check(&rows, None), Err(Violation::NumberRepeated(Square::new(0, 3), 1)));
    }

    #[test]
    fn a_number_beyond_the_last_tile_fails() {
        assert_eq!(
            check(&[&[1, 1, 3], &[1, 3, 3]], None),
            Err(Violation::NumberTooLarge(Square::new(0, 2), 3))
        );
    }

    #[test]
    fn holes_are_uncovered_and_nothing_else_is() {
        let rows: [&[u32]; 2] = [&[1, 1], &[1, 0]];
        assert_eq!(check(&rows, Some(&[(0, 0)])), Err(Violation::HoleCovered(Square::new(0, 0))));
        let rows: [&[u32]; 2] = [&[1, 1, 0], &[1, 0, 0]];
        let holes = [(0, 2), (1, 2)];
        assert_eq!(check(&rows, Some(&holes)), Err(Violation::Uncovered(Square::new(1, 1))));
    }

    #[test]
    fn a_board_of_holes_passes() {
        assert_eq!(check(&[&[0, 0], &[0, 0]], None), Ok(()));
    }
}
