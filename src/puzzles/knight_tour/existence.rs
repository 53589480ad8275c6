//! Which boards have a tour: exact rules, each with its reason.
//!
//! Most rests on a colouring: a knight changes colour with every move. So a tour of an even number of squares
//! ends on the other colour than it began on, and on an odd number of squares it begins and ends on the colour
//! that has one square more, which is that of the corners. Published theorems say where that is all there is
//! to it:
//!
//! - closed tours: A. J. Schwenk, "Which rectangular chessboards have a knight's tour?" (1991);
//! - open tours: P. Cull & J. De Curtins, "Knight's tour revisited" (1978), and G. L. Chia & S.-H. Ong,
//!   "Generalized knight's tours on rectangular chessboards" (2005).
//!
//! The rules for a given start, and for a given start and end, were checked by exhaustive search on all boards to
//! 4 × 32, 3 × 42 and 12 × 12. A few small boards follow no rule for pairs of ends; those are left to a search.

use crate::board::{Size, Square};
use crate::puzzles::{Impossible, Proof};

/// Whether a whole board can have a knight's tour, with these ends where they are given.
///
/// `Ok` means that there is one, except with both ends given on 3 × 4, 3 × 7 to 3 × 10, 3 × 13, 4 × 5, 4 × 6 and
/// 5 × 6: there it means that nothing is known.
///
/// # Errors
/// The proof that there is none.
pub(super) fn check(
    size: Size,
    start: Option<Square>,
    end: Option<Square>,
    closed: bool,
) -> Result<(), Impossible> {
    let board = Board { size, short: size.short_side(), long: size.long_side() };
    board.any_tour()?;
    if closed {
        // A closed tour passes every square, so it can begin at any.
        board.closed()?;
    } else {
        board.open()?;
        for given in [start, end].into_iter().flatten() {
            board.open_from(given)?;
        }
    }
    // A closed tour with a given closing move is an open one between its squares, and that.
    match (start, end) {
        (Some(start), Some(end)) if start != end => board.open_between(start, end),
        _ => Ok(()),
    }
}

/// A board with its sides in order.
#[derive(Clone, Copy)]
struct Board {
    size: Size,
    short: usize,
    long: usize,
}

impl Board {
    /// The square as it lies when the short side is the number of rows.
    fn upright(self, square: Square) -> (usize, usize) {
        let square = if self.size.rows() <= self.size.cols() { square } else { square.transposed() };
        (square.row as usize, square.col as usize)
    }

    /// "row" or "column": the lines whose number is the length of the short side.
    fn line(self) -> &'static str {
        if self.size.rows() <= self.size.cols() { "row" } else { "column" }
    }

    /// The lines that cross those.
    fn cross_line(self) -> &'static str {
        if self.size.rows() <= self.size.cols() { "column" } else { "row" }
    }

    /// What stands in the way of closed and open tours alike.
    fn any_tour(self) -> Result<(), Impossible> {
        let size = self.size;
        match (self.short, self.long) {
            (1, 1) => Ok(()),
            (1, _) => {
                impossible(Proof::Connectivity, format!("On a {size} board the knight has no move at all."))
            }
            (2, _) => impossible(
                Proof::Connectivity,
                format!(
                    "With two {}s every move goes two {}s along, so the knight never comes to every other one of them: the {size} board falls into separate parts.",
                    self.line(),
                    self.cross_line()
                ),
            ),
            (3, 3) => impossible(
                Proof::Connectivity,
                "No move leads to or from the centre of a 3 × 3 board.".to_owned(),
            ),
            _ => Ok(()),
        }
    }

    fn closed(self) -> Result<(), Impossible> {
        let Self { size, short, long } = self;
        match (short, long) {
            (1, 1) => {
                impossible(Proof::Degree, "A single square has no move to close a tour with.".to_owned())
            }
            _ if short * long % 2 == 1 => impossible(
                Proof::Colour,
                format!(
                    "Every move changes the colour, so a closed tour has as many squares of one colour as of the other; the {size} board has an odd number of squares."
                ),
            ),
            (4, _) => impossible(
                Proof::Theorem,
                format!(
                    "No board with four {0}s has a closed tour (Schwenk 1991): squares of the outer {0}s have moves to the inner {0}s only, so a closed tour would alternate between outer and inner ones, and all outer squares would have one colour.",
                    self.line()
                ),
            ),
            (3, 4 | 6 | 8) => impossible(
                Proof::Theorem,
                format!(
                    "With three {}s a closed tour needs at least ten in the other direction (Schwenk 1991); the board is {size}.",
                    self.line()
                ),
            ),
            _ => Ok(()),
        }
    }

    fn open(self) -> Result<(), Impossible> {
        match (self.short, self.long) {
            (3, 5 | 6) | (4, 4) => impossible(
                Proof::Theorem,
                format!(
                    "The {} board is one of the few that have no open tour (Cull & De Curtins 1978, Chia & Ong 2005).",
                    self.size
                ),
            ),
            _ => Ok(()),
        }
    }

    /// For boards with an open tour: whether there is one from this square.
    fn open_from(self, start: Square) -> Result<(), Impossible> {
        let Self { size, short, long } = self;
        if short * long % 2 == 1 && start.color() != 0 {
            return impossible(
                Proof::Colour,
                format!(
                    "The {size} board has an odd number of squares, so an open tour begins and ends on the colour of the corners; {start} has the other."
                ),
            );
        }
        let (row, col) = self.upright(start);
        let exists = match (short, long) {
            (4, _) if row == 1 || row == 2 => {
                return impossible(
                    Proof::Colour,
                    format!(
                        "With four {0}s an open tour begins and ends in the outer {0}s, whose squares have moves to the inner {0}s only; {start} is in an inner one.",
                        self.line()
                    ),
                );
            }
            (3, 4) => col == 0 || col == 3,
            (3, 7) => (row, col) != (1, 3),
            (3, 8) => (row, col) != (1, 2) && (row, col) != (1, 5),
            _ => true,
        };
        if exists {
            Ok(())
        } else {
            impossible(
                Proof::Search,
                format!(
                    "An exhaustive search of the {size} board found no open tour that begins or ends on {start}."
                ),
            )
        }
    }

    /// For boards with an open tour from either of these squares: whether there is one from one to the other.
    fn open_between(self, start: Square, end: Square) -> Result<(), Impossible> {
        let Self { size, short, long } = self;
        if short * long % 2 == 0 && start.color() == end.color() {
            return impossible(
                Proof::Colour,
                format!(
                    "Every move changes the colour, so an open tour of the {size} board, an even number of squares, ends on another colour than it began on; {start} and {end} have the same."
                ),
            );
        }
        if (short == 5 && long >= 8 && long % 2 == 0) || (short == 3 && long >= 12 && long % 2 == 0) {
            // Two corners whose moves lead to this square and one other each.
            let (row, near) = if short == 5 { (2, 1) } else { (1, 2) };
            for (one, other) in [(start, end), (end, start)] {
                for (corner, at) in [(0, near), (long - 1, long - 1 - near)] {
                    let other = self.upright(other);
                    if self.upright(one) == (row, at) && other != (0, corner) && other != (short - 1, corner)
                    {
                        let corners = [(0, corner), (short - 1, corner)].map(|place| self.as_asked(place));
                        return impossible(
                            Proof::Degree,
                            format!(
                                "The corners {} and {} have two moves each, and {one} is one of them for both; a tour with its end there serves only one corner, so that the other has to be the other end.",
                                corners[0], corners[1]
                            ),
                        );
                    }
                }
            }
        }
        let (from, to) = (self.upright(start), self.upright(end));
        let is_corner =
            |(row, col): (usize, usize)| (row == 0 || row == short - 1) && (col == 0 || col == long - 1);
        let exists = match (short, long) {
            (5, 5) => is_corner(from) || is_corner(to),
            (3, 11) | (3, 15..) if long % 2 == 1 => {
                let left = [(0, 2), (2, 2), (1, 3)];
                let right = left.map(|(row, col)| (row, long - 1 - col));
                ![left, right].iter().any(|trap| trap.contains(&from) && trap.contains(&to))
            }
            _ => true,
        };
        if exists {
            Ok(())
        } else {
            impossible(
                Proof::Search,
                format!("An exhaustive search of the {size} board found no open tour from {start} to {end}."),
            )
        }
    }

    /// The inverse of [`Board::upright`].
    fn as_asked(self, (row, col): (usize, usize)) -> Square {
        let square = Square::new(row as u32, col as u32);
        if self.size.rows() <= self.size.cols() { square } else { square.transposed() }
    }
}

fn impossible(proof: Proof, reason: String) -> Result<(), Impossible> {
    Err(Impossible::new(proof, reason))
}
