//! An independent check of a tour: it shares no code with the solvers.

use std::fmt;

use crate::board::{Size, Square};

use super::{Problem, Tour};

/// What is wrong with a tour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The tour has not as many squares as the board.
    Length {
        /// Squares of the tour.
        got: usize,
        /// Squares of the board.
        expected: usize,
    },
    /// The tour leaves the board.
    OffBoard(u32),
    /// The tour visits a square twice.
    Repeated(Square),
    /// No move leads from one square to the next.
    NoMove(Square, Square),
    /// The tour doesn't begin where it should.
    Start(Square),
    /// The tour should be closed, but its last square is not a move away from its first.
    NotClosed(Square, Square),
    /// The tour is on another board.
    Board(Size),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { got, expected } => write!(f, "the tour has {got} squares, not {expected}"),
            Self::OffBoard(index) => write!(f, "the tour visits square {index}, which is not on the board"),
            Self::Repeated(square) => write!(f, "the tour visits {square} twice"),
            Self::NoMove(from, to) => write!(f, "no move leads from {from} to {to}"),
            Self::Start(square) => write!(f, "the tour begins at {square}, not where it should"),
            Self::NotClosed(last, first) => write!(f, "no move closes the tour from {last} to {first}"),
            Self::Board(size) => write!(f, "the tour is on a {size} board"),
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
    let squares = size.squares() as u32;
    let cols = size.cols() as u32;
    let at = |index: u32| Square::new(index / cols, index % cols);
    let is_move = |from: Square, to: Square| {
        let (rows, cols) = (from.row.abs_diff(to.row), from.col.abs_diff(to.col));
        (rows, cols) == (1, 2) || (rows, cols) == (2, 1)
    };

    let mut visited = vec![false; size.squares()];
    let mut previous = None;
    for &index in &tour.path {
        if index >= squares {
            return Err(Violation::OffBoard(index));
        }
        let square = at(index);
        if std::mem::replace(&mut visited[index as usize], true) {
            return Err(Violation::Repeated(square));
        }
        if let Some(from) = previous
            && !is_move(from, square)
        {
            return Err(Violation::NoMove(from, square));
        }
        previous = Some(square);
    }
    let (Some(&first), Some(&last)) = (tour.path.first(), tour.path.last()) else { return Ok(()) };
    let (first, last) = (at(first), at(last));
    if let Some(start) = problem.start()
        && start != first
    {
        return Err(Violation::Start(first));
    }
    if problem.closed() && !is_move(last, first) {
        return Err(Violation::NotClosed(last, first));
    }
    Ok(())
}
