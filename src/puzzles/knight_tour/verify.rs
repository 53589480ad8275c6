//! An independent check of a tour: it shares no code with the solvers.

use std::fmt;

use crate::board::{Size, Square};

use super::{Problem, Tour};

/// What is wrong with a tour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The tour is on another board.
    Board(Size),
    /// The tour has not as many squares as it should.
    Length {
        /// Squares of the tour.
        got: usize,
        /// Squares of the board that are not blocked.
        expected: usize,
    },
    /// The tour leaves the board.
    OffBoard(u32),
    /// The tour visits a blocked square.
    Blocked(Square),
    /// The tour visits a square twice.
    Repeated(Square),
    /// No move leads from one square to the next.
    NoMove(Square, Square),
    /// Another square than this, whose number is given, has that number.
    Clue(Square, u32),
    /// The tour should be closed, but its last square is not a move away from its first.
    NotClosed(Square, Square),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board(size) => write!(f, "the tour is on a {size} board"),
            Self::Length { got, expected } => write!(f, "the tour has {got} squares, not {expected}"),
            Self::OffBoard(index) => write!(f, "the tour visits square {index}, which is not on the board"),
            Self::Blocked(square) => write!(f, "the tour visits {square}, which is blocked"),
            Self::Repeated(square) => write!(f, "the tour visits {square} twice"),
            Self::NoMove(from, to) => write!(f, "no move leads from {from} to {to}"),
            Self::Clue(square, number) => write!(f, "{square} should have the number {number}"),
            Self::NotClosed(last, first) => write!(f, "no move closes the tour from {last} to {first}"),
        }
    }
}

impl std::error::Error for Violation {}

/// Whether `tour` is what `problem` asks for. O(squares), a few nanoseconds each.
///
/// # Errors
/// The first [`Violation`] found.
pub fn verify(problem: &Problem, tour: &Tour) -> Result<(), Violation> {
    let size = problem.size();
    if tour.size != size {
        return Err(Violation::Board(tour.size));
    }
    if tour.path.len() != problem.square_count() {
        return Err(Violation::Length { got: tour.path.len(), expected: problem.square_count() });
    }
    let (a, b) = problem.leaper().distances();
    let is_move = |from: Square, to: Square| {
        let (rows, cols) = (from.row.abs_diff(to.row), from.col.abs_diff(to.col));
        (rows, cols) == (a, b) || (rows, cols) == (b, a)
    };
    let cols = size.cols() as u32;
    let at = |index: u32| Square::new(index / cols, index % cols);

    const FREE: u8 = 0;
    const VISITED: u8 = 1;
    const BLOCKED: u8 = 2;
    let mut state = vec![FREE; size.squares()];
    for square in problem.blocked() {
        state[(square.row * cols + square.col) as usize] = BLOCKED;
    }
    let mut previous = None;
    for &index in &tour.path {
        let Some(state) = state.get_mut(index as usize) else { return Err(Violation::OffBoard(index)) };
        let square = at(index);
        match std::mem::replace(state, VISITED) {
            FREE => {}
            BLOCKED => return Err(Violation::Blocked(square)),
            _ => return Err(Violation::Repeated(square)),
        }
        if let Some(from) = previous
            && !is_move(from, square)
        {
            return Err(Violation::NoMove(from, square));
        }
        previous = Some(square);
    }
    for clue in problem.clues() {
        if tour.path.get(clue.number as usize - 1).is_none_or(|&index| at(index) != clue.square) {
            return Err(Violation::Clue(clue.square, clue.number));
        }
    }
    if let (true, Some(&first), Some(&last)) = (problem.closed(), tour.path.first(), tour.path.last())
        && !is_move(at(last), at(first))
    {
        return Err(Violation::NotClosed(at(last), at(first)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Clue, Finder, Leaper, Spec};
    use super::*;

    fn problem(rows: u32, cols: u32, spec: &Spec) -> Problem {
        Problem::new(Size::new(rows, cols).unwrap(), spec).unwrap()
    }

    fn tour(size: Size, squares: &[(u32, u32)]) -> Tour {
        let path = squares.iter().map(|&(row, col)| size.index(Square::new(row, col)) as u32).collect();
        Tour::new(size, path, Finder::Exact, 0)
    }

    const RING: [(u32, u32); 8] = [(0, 0), (1, 2), (2, 0), (0, 1), (2, 2), (1, 0), (0, 2), (2, 1)];

    #[test]
    fn each_kind_of_violation_is_seen() {
        let ring = Spec { blocked: vec![Square::new(1, 1)], closed: true, ..Spec::default() };
        let around = problem(3, 3, &ring);
        let size = around.size();
        assert_eq!(verify(&around, &tour(size, &RING)), Ok(()));

        let other = Size::new(3, 4).unwrap();
        assert_eq!(verify(&around, &tour(other, &RING)), Err(Violation::Board(other)));
        assert_eq!(verify(&around, &tour(size, &RING[..7])), Err(Violation::Length { got: 7, expected: 8 }));
        let mut path = tour(size, &RING);
        path.path[3] = 9;
        assert_eq!(verify(&around, &path), Err(Violation::OffBoard(9)));
        path.path[3] = 4;
        assert_eq!(verify(&around, &path), Err(Violation::Blocked(Square::new(1, 1))));
        path.path[3] = path.path[1];
        assert_eq!(verify(&around, &path), Err(Violation::Repeated(Square::new(1, 2))));
        let mut path = tour(size, &RING);
        path.path.swap(2, 4);
        assert_eq!(verify(&around, &path), Err(Violation::NoMove(Square::new(1, 2), Square::new(2, 2))));

        let clue = Clue { square: Square::new(0, 1), number: 5 };
        let clued = problem(3, 3, &Spec { clues: vec![clue], ..ring.clone() });
        assert_eq!(verify(&clued, &tour(size, &RING)), Err(Violation::Clue(clue.square, 5)));
        let camel = problem(3, 3, &Spec { leaper: Leaper::new(1, 3), ..ring.clone() });
        assert_eq!(
            verify(&camel, &tour(size, &RING)),
            Err(Violation::NoMove(Square::new(0, 0), Square::new(1, 2)))
        );

        let open = Spec { blocked: vec![Square::new(1, 1), Square::new(2, 1)], ..Spec::default() };
        assert_eq!(verify(&problem(3, 3, &open), &tour(size, &RING[..7])), Ok(()));
        let closed = Spec { closed: true, ..open };
        assert_eq!(
            verify(&problem(3, 3, &closed), &tour(size, &RING[..7])),
            Err(Violation::NotClosed(Square::new(0, 2), Square::new(0, 0)))
        );
    }
}
