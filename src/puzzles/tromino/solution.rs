//! What a solver gives: a tiling, read row by row.

use std::sync::Arc;

use num_bigint::BigUint;

use super::colors;
use super::quadrants::Quadrants;
use super::tiles::Tiles;
use crate::board::{Grid, Size};
use crate::puzzles::{Budget, Interrupted};

/// How a tiling was found. Where several parts of a board needed different methods, the last of them in this
/// order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    /// The recursion by quadrants on a 2^k × 2^k board with one hole.
    Quadrants,
    /// Blocks of 2 × 3 squares around a small core, on a board with at most one hole.
    Peel,
    /// Every tile was forced.
    Forced,
    /// Dynamic programming over the whole board.
    Profile,
    /// Dynamic programming over one band of rows after the other.
    Horizon,
    /// A satisfiability solver.
    Sat,
}

impl Method {
    /// The word that stands for the method in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Quadrants => "quadrants",
            Self::Peel => "peel",
            Self::Forced => "forced",
            Self::Profile => "profile",
            Self::Horizon => "horizon",
            Self::Sat => "sat",
        }
    }
}

/// A tiling: each square that is not a hole has the number of its tile, from 1.
///
/// The board is read row by row with [`fill_row`](Self::fill_row), the tiles' colours with
/// [`fill_colors`](Self::fill_colors), from any thread; clones share what is held. A tiling by quadrants holds
/// next to nothing, whatever its size; any other one five bytes a square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    tiling: Tiling,
    method: Method,
    tiling_count: Option<BigUint>,
    uniform: Option<bool>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Tiling {
    Quadrants(Quadrants),
    Held(Arc<Held>),
}

#[derive(PartialEq, Eq, Debug)]
struct Held {
    board: Grid<u32>,
    /// In the order of the tiles' numbers.
    colors: Vec<u8>,
}

impl Solution {
    pub(super) const fn by_quadrants(quadrants: Quadrants) -> Self {
        let (tiling, method) = (Tiling::Quadrants(quadrants), Method::Quadrants);
        Self { tiling, method, tiling_count: None, uniform: None }
    }

    /// Numbers the tiles in the order of their blocks, row by row, and colours them.
    pub(super) fn of_tiles(tiles: &Tiles, method: Method, budget: &Budget) -> Result<Self, Interrupted> {
        let board = tiles.numbered(budget)?;
        let colors = colors::color(tiles, budget)?;
        let tiling = Tiling::Held(Arc::new(Held { board, colors }));
        Ok(Self { tiling, method, tiling_count: None, uniform: None })
    }

    /// Says whether every tiling was equally likely, if it is a random one.
    pub(super) fn with_uniform(self, uniform: Option<bool>) -> Self {
        Self { uniform, ..self }
    }

    /// Says how many tilings there are, if that was asked for.
    pub(super) fn with_tiling_count(self, tiling_count: Option<BigUint>) -> Self {
        Self { tiling_count, ..self }
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> Size {
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.size(),
            Tiling::Held(held) => held.board.size(),
        }
    }

    /// How the tiling was found.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// The number of tiles; each has one of the numbers from 1 to this.
    #[must_use]
    pub fn tile_count(&self) -> u32 {
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.tile_count(),
            // One colour for each of fewer than 2^30 tiles.
            Tiling::Held(held) => held.colors.len() as u32,
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
        let (rows, cols) = (self.size().rows(), self.size().cols());
        assert!(row < rows && out.len() == cols, "no row {row} of {cols} squares");
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.fill_row(row, out),
            Tiling::Held(held) => out.copy_from_slice(&held.board.cells()[row * cols..][..cols]),
        }
    }

    /// Writes the colours of the tiles with the numbers `first`, `first` + 1, …, one for each place of `out`.
    /// Colours are small numbers from 1, and tiles that share an edge have different ones: at most three on a
    /// tiling by quadrants, at most five on any other. Takes O(1) time a tile.
    ///
    /// # Panics
    /// Unless there are tiles with all these numbers.
    pub fn fill_colors(&self, first: u32, out: &mut [u8]) {
        let beyond = first as usize + out.len();
        assert!(first >= 1 && beyond <= self.tile_count() as usize + 1, "no tiles {first}..{beyond}");
        match &self.tiling {
            Tiling::Quadrants(quadrants) => quadrants.fill_colors(first, out),
            Tiling::Held(held) => out.copy_from_slice(&held.colors[first as usize - 1..][..out.len()]),
        }
    }
}
