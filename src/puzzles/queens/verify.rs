//! Checks a placement by the definition alone; shares no code with what found it.

use std::fmt;

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
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { rows, given } => write!(f, "{given} queens for {rows} rows"),
            Self::OffBoard(square) => write!(f, "the queen on {square} is not on the board"),
            Self::Attack(one, other) => write!(f, "the queens on {one} and {other} attack each other"),
        }
    }
}

impl std::error::Error for Violation {}

/// Checks that queens in these columns, one for each of `size` rows, stand on the board and don't attack each
/// other. Takes time and memory linear in the size.
///
/// # Errors
/// The first [`Violation`] from the top.
pub fn verify(size: u32, columns: &[u32]) -> Result<(), Violation> {
    if columns.len() != size as usize {
        return Err(Violation::Length { rows: size, given: columns.len() });
    }
    let lines = 2 * size as usize;
    let mut in_column = vec![None; size as usize];
    let mut on_falling = vec![None; lines];
    let mut on_rising = vec![None; lines];
    for (row, &col) in (0..size).zip(columns) {
        let square = Square::new(row, col);
        if col >= size {
            return Err(Violation::OffBoard(square));
        }
        let falling = &mut on_falling[(size + row - col) as usize];
        let rising = &mut on_rising[(row + col) as usize];
        for line in [&mut in_column[col as usize], falling, rising] {
            if let Some(other) = line.replace(square) {
                return Err(Violation::Attack(other, square));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_passes() {
        assert_eq!(verify(1, &[0]), Ok(()));
        assert_eq!(verify(4, &[1, 3, 0, 2]), Ok(()));
    }

    #[test]
    fn every_kind_of_mistake_is_told() {
        let at = Square::new;
        assert_eq!(verify(4, &[1, 3, 0]), Err(Violation::Length { rows: 4, given: 3 }));
        assert_eq!(verify(4, &[1, 3, 0, 4]), Err(Violation::OffBoard(at(3, 4))));
        assert_eq!(verify(4, &[1, 3, 1, 2]), Err(Violation::Attack(at(0, 1), at(2, 1))));
        assert_eq!(verify(4, &[0, 3, 1, 2]), Err(Violation::Attack(at(2, 1), at(3, 2))));
        assert_eq!(verify(4, &[0, 2, 1, 3]), Err(Violation::Attack(at(1, 2), at(2, 1))));
    }
}
