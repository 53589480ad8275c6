//! L-trominoes: cover a board, squares left out, with L-shaped tiles of three squares.
//!
//! A [`Problem`] is a board of any size and its holes. [`solve`] gives a [`Solution`], in which every square
//! that is not a hole has the number of its tile, or a proof that there is none. [`verify()`] checks a solution
//! without trusting any of the solvers.
//!
//! - `quadrants`: a 2^k × 2^k board with one hole, by the classic recursion.

mod quadrants;
mod verify;

use num_bigint::BigUint;

use self::quadrants::Quadrants;
use crate::board::{Size, Square};
use crate::puzzles::{Budget, Fault, Interrupted, Outcome};

pub use self::verify::{Violation, verify, verify_within};

/// A board to cover: its size, and the squares left out.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    size: Size,
    /// In the order of the squares, row by row, and all different.
    holes: Vec<Square>,
}

impl Problem {
    /// A board of this size without the squares `holes`, which may come in any order.
    ///
    /// Takes O(h log h) time for h holes.
    ///
    /// # Errors
    /// A fault on `holes` for each hole that is off the board, and for each square that is given more than once.
    pub fn new(size: Size, mut holes: Vec<Square>) -> Result<Self, Vec<Fault>> {
        let mut faults: Vec<_> = holes
            .iter()
            .filter(|&&hole| !size.contains(hole))
            .map(|hole| Fault::new("holes", format!("must lie on the {size} board, got {hole}")))
            .collect();
        holes.retain(|&hole| size.contains(hole));
        holes.sort_unstable();
        for same in holes.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
            let detail = format!("must differ from each other, got {} {} times", same[0], same.len());
            faults.push(Fault::new("holes", detail));
        }
        if faults.is_empty() { Ok(Self { size, holes }) } else { Err(faults) }
    }

    /// The size of the board.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The squares that are left out, row by row, each once.
    #[must_use]
    pub fn holes(&self) -> &[Square] {
        &self.holes
    }

    /// Whether this is the classic board: square, its side a power of two, with one hole. Such a board always has
    /// a tiling, and its solution doesn't hold a board: it can have any size.
    #[must_use]
    pub fn is_deficient_power_of_two(&self) -> bool {
        self.quadrants().is_some()
    }

    fn quadrants(&self) -> Option<Quadrants> {
        match self.holes[..] {
            [hole] => Quadrants::new(self.size, hole),
            _ => None,
        }
    }
}

/// What a caller may ask for beside a tiling. By default nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    seed: Option<u64>,
    count: bool,
}

impl Options {
    /// The seed of a random tiling, if one is asked for.
    #[must_use]
    pub const fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Whether all tilings are to be counted.
    #[must_use]
    pub const fn count(&self) -> bool {
        self.count
    }
}

/// How a tiling was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// The recursion by quadrants on a 2^k × 2^k board with one hole.
    Quadrants,
}

impl Method {
    /// The word that stands for the method in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Quadrants => "quadrants",
        }
    }
}

/// A tiling: each square that is not a hole has the number of its tile, from 1.
///
/// The board is read row by row with [`fill_row`](Self::fill_row), the tiles' colours with
/// [`fill_colors`](Self::fill_colors), from any thread; clones share what is held. A tiling by quadrants holds
/// next to nothing, whatever its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    tiling: Tiling,
    tiling_count: Option<BigUint>,
    uniform: Option<bool>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Tiling {
    Quadrants(Quadrants),
}

impl Solution {
    /// The size of the board.
    #[must_use]
    pub const fn size(&self) -> Size {
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.size(),
        }
    }

    /// How the tiling was found.
    #[must_use]
    pub const fn method(&self) -> Method {
        match &self.tiling {
            Tiling::Quadrants(_) => Method::Quadrants,
        }
    }

    /// The number of tiles; each has one of the numbers from 1 to this.
    #[must_use]
    pub const fn tile_count(&self) -> u32 {
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.tile_count(),
        }
    }

    /// The number of all tilings of the board; `None` when it was not asked for.
    #[must_use]
    pub const fn tiling_count(&self) -> Option<&BigUint> {
        self.tiling_count.as_ref()
    }

    /// Whether every tiling of the board was equally likely to be this one; `None` unless a random one was asked
    /// for.
    #[must_use]
    pub const fn uniform(&self) -> Option<bool> {
        self.uniform
    }

    /// Writes the tile numbers of a row, from left to right, 0 for a hole. Takes O(1) time a square.
    ///
    /// # Panics
    /// Unless the board has that row, and `out` one place for each of its columns.
    pub fn fill_row(&self, row: usize, out: &mut [u32]) {
        assert!(row < self.size().rows() && out.len() == self.size().cols(), "no such row");
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.fill_row(row, out),
        }
    }

    /// Writes the colours of the tiles with the numbers `first`, `first` + 1, …, one for each place of `out`.
    /// Colours are small numbers from 1, and tiles that share an edge have different ones: at most three on a
    /// tiling by quadrants. Takes O(1) time a tile.
    ///
    /// # Panics
    /// Unless there are tiles with all these numbers.
    pub fn fill_colors(&self, first: u32, out: &mut [u8]) {
        let beyond = first as usize + out.len();
        assert!(first >= 1 && beyond <= self.tile_count() as usize + 1, "no such tiles");
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.fill_colors(first, out),
        }
    }
}

/// Covers the board, or proves that it can't be covered.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
///
/// # Panics
/// Unless the board [is a classic one](Problem::is_deficient_power_of_two).
pub fn solve(
    problem: &Problem,
    _options: &Options,
    budget: &Budget,
) -> Result<Outcome<Solution>, Interrupted> {
    budget.check()?;
    let quadrants = problem.quadrants().expect("the caller asks for a classic board");
    Ok(Outcome::Solved(Solution { tiling: Tiling::Quadrants(quadrants), tiling_count: None, uniform: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_of_the_holes_are_listed_with_their_squares() {
        let size = Size::new(4, 4).unwrap();
        let holes = [(4, 1), (2, 2), (0, 9), (2, 2), (1, 1), (2, 2)];
        let holes = holes.map(|(row, col)| Square::new(row, col)).to_vec();
        let faults = Problem::new(size, holes).unwrap_err();
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "holes must lie on the 4 × 4 board, got (4, 1)",
                "holes must lie on the 4 × 4 board, got (0, 9)",
                "holes must differ from each other, got (2, 2) 3 times",
            ]
        );
    }

    #[test]
    fn holes_come_out_row_by_row_however_they_went_in() {
        let size = Size::new(3, 3).unwrap();
        let square = Square::new;
        let problem = Problem::new(size, vec![square(2, 0), square(0, 2), square(1, 1)]).unwrap();
        assert_eq!(problem.holes(), [square(0, 2), square(1, 1), square(2, 0)]);
    }
}
