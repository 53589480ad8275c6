//! The board with a margin of squares that can't be entered, so that a move needs no bounds check: what the classic
//! methods walk on.

use crate::board::Square;

use super::Problem;

/// Where squares are on a board with a margin as wide as the longest move.
pub(super) struct Padded {
    cols: usize,
    stride: usize,
    margin_rows: usize,
    margin_cols: usize,
    places: usize,
    /// The moves, as steps from place to place.
    pub(super) steps: Vec<isize>,
}

impl Padded {
    /// The problem's board, with its moves in the order of the knight's moves `order`.
    pub(super) fn new(problem: &Problem, order: &[(i32, i32); 8]) -> Self {
        let size = problem.size();
        let moves = problem.leaper().moves(size, order);
        let widest = |part: fn(&(i32, i32)) -> i32| {
            moves.iter().map(|step| part(step).unsigned_abs()).max().unwrap_or(0) as usize
        };
        let (margin_rows, margin_cols) = (widest(|step| step.0), widest(|step| step.1));
        let stride = size.cols() + 2 * margin_cols;
        Self {
            cols: size.cols(),
            stride,
            margin_rows,
            margin_cols,
            places: stride * (size.rows() + 2 * margin_rows),
            steps: moves
                .iter()
                .map(|&(rows, cols)| rows as isize * stride as isize + cols as isize)
                .collect(),
        }
    }

    /// How many places there are, with the margin: at most nine times the number of squares.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// The place of a square.
    pub(super) fn place(&self, square: Square) -> usize {
        (square.row as usize + self.margin_rows) * self.stride + square.col as usize + self.margin_cols
    }

    /// The index of the square at this place.
    pub(super) fn index(&self, place: usize) -> u32 {
        let (row, col) = (place / self.stride - self.margin_rows, place % self.stride - self.margin_cols);
        (row * self.cols + col) as u32
    }

    /// The places of all squares that are not blocked, row by row.
    pub(super) fn open_places(&self, problem: &Problem) -> impl Iterator<Item = usize> {
        let mut blocked = problem.blocked().iter().peekable();
        problem
            .size()
            .iter()
            .filter(move |square| blocked.next_if_eq(&square).is_none())
            .map(|square| self.place(square))
    }
}

/// Which numbers are given to which squares. Without any but the start's, it holds nothing and allows all.
pub(super) struct Numbers {
    /// By place: the number, or 0.
    given: Vec<u32>,
    /// By number: whether a square has it.
    taken: Vec<bool>,
}

impl Numbers {
    /// The clues and ends of the problem.
    pub(super) fn new(problem: &Problem, padded: &Padded) -> Self {
        if problem.end().is_none() && !problem.has_inner_clues() {
            return Self { given: Vec::new(), taken: Vec::new() };
        }
        let mut given = vec![0; padded.places()];
        // One more than there are squares: the number after the last is asked for as well.
        let mut taken = vec![false; problem.square_count() + 2];
        for clue in problem.clues() {
            given[padded.place(clue.square)] = clue.number;
            taken[clue.number as usize] = true;
        }
        Self { given, taken }
    }

    /// Whether the square at `place` can be the one with this number.
    #[inline]
    pub(super) fn allow(&self, place: usize, number: usize) -> bool {
        self.given.is_empty() || self.given[place] as usize == if self.taken[number] { number } else { 0 }
    }
}
