//! Dynamic programming over *broken profiles*: exact answers on boards with a short side.
//!
//! Cover the squares of a strip row by row, each row from left to right, and at each square decide only for the
//! tile that has this square as its first one, if any. Since a tile reaches at most one row down, all that
//! the future has to know of the past is which squares are covered in a line of `width` + 1 squares: the
//! *profile*, which breaks from the row below to this row where the work goes on:
//!
//! ```text
//!     · · · · c r · ·     this row, from the current square c on
//!     · · · l x           the row below, up to the square x under the current one
//! ```
//!
//! A profile is kept as one bit for each column, the square of the row below for columns left of c, of this row
//! from c on, and a bit more for x. With a0 and b0 (a1 and b1) for the profiles in which c is free (covered), x
//! being free in a and covered in b, moving on from c to r gives new profiles, in which the bit of column c now
//! means x, and x means the square below r:
//!
//! | from | tile | needs | column c | column r or l | new x |
//! | --- | --- | --- | --- | --- | --- |
//! | a1, b1 | none | | x | | free |
//! | a0 | ⌜ c, r, x | r free | covered | r covered | free |
//! | a0 | ⌟ c, x, left of x | l free | covered | l covered | free |
//! | a0, b0 | ⌝ c, r, below r | r free | x | r covered | covered |
//! | a0 | ⌞ c, x, below r | | covered | | covered |
//!
//! A new x that would be free is covered when the square below r is closed; the tiles that need that square
//! then drop out. A square that is *optional* may also stay free: a0 and b0 then go the way of a1 and b1 as well.
//! (This is the transfer matrix method of statistical mechanics, taken one square at a time; programmers know it
//! as dynamic programming over broken profiles.)
//!
//! What is kept for each profile makes the program: one bit tells whether there is a tiling ([`reach`]), a number
//! how many there are ([`count`]), and a number that is never too small draws one of them at random, each
//! with the same probability ([`sample`]).

pub(super) mod count;
mod layers;
mod reach;
pub(super) mod sample;
mod step;

use super::region::Region;
use super::tiles::{Corner, Tile};

pub(super) use self::reach::{is_tileable, tile, words_of_work};

/// The widest strip: a bit for each of its profiles takes 64 MB.
pub(super) const MAX_WIDTH: usize = 28;

/// What the profiles run over: a strip of rows that are at most [`MAX_WIDTH`] squares wide.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    width: u32,
    /// For each row the columns, as bits, whose squares are closed.
    closed: Vec<u32>,
    /// The columns, as bits, whose open squares may stay uncovered.
    optional: u32,
}

impl Strip {
    /// All rows of a region that is at most [`MAX_WIDTH`] squares wide.
    pub(super) fn of_rows(region: &Region) -> Self {
        let width = region.size().cols();
        debug_assert!(width <= MAX_WIDTH);
        let bits = |row: &[u8]| {
            row.iter().enumerate().fold(0, |bits, (col, &open)| bits | u32::from(open ^ 1) << col)
        };
        let closed = (0..region.size().rows()).map(|row| bits(region.row(row))).collect();
        Self { width: width as u32, closed, optional: 0 }
    }

    /// The rows of a region from `top` on, as many as `width` says, turned over the diagonal: the strip's rows
    /// are the region's columns. The squares in the columns of `optional` may stay uncovered.
    pub(super) fn of_columns(region: &Region, top: usize, width: usize, optional: u32) -> Self {
        debug_assert!(width <= MAX_WIDTH);
        let mut closed = vec![0; region.size().cols()];
        for (at, row) in (top..top + width).enumerate() {
            for (bits, &open) in closed.iter_mut().zip(region.row(row)) {
                *bits |= u32::from(open ^ 1) << at;
            }
        }
        Self { width: width as u32, closed, optional }
    }

    pub(super) fn rows(&self) -> usize {
        self.closed.len()
    }

    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    /// The profile in which exactly the closed squares of this row are covered; below the last row all are.
    fn closed(&self, row: usize) -> u32 {
        let all = (1 << self.width) - 1;
        self.closed.get(row).map_or(all, |&closed| closed & all)
    }

    /// Whether the square below the first one of this row is closed.
    fn enters_covered(&self, row: usize) -> bool {
        self.closed(row + 1) & 1 == 1
    }

    /// The current squares of a row, from left to right.
    fn cells(&self, row: usize) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator + use<> {
        let (width, optional, below) = (self.width, self.optional, self.closed(row + 1));
        (0..width).map(move |col| Cell {
            col,
            right: col + 1 < width,
            closed_below_right: col + 1 < width && below >> (col + 1) & 1 == 1,
            optional: optional >> col & 1 == 1,
        })
    }
}

/// The current square of a step, and what of its surroundings is fixed beforehand.
#[derive(Clone, Copy, Debug)]
struct Cell {
    col: u32,
    /// Whether there is a column to the right.
    right: bool,
    /// Whether that column's square in the row below is closed.
    closed_below_right: bool,
    /// Whether the square may stay uncovered.
    optional: bool,
}

impl Cell {
    /// Whether a tile may cover the square below the one to the right.
    const fn open_below_right(self) -> bool {
        self.right && !self.closed_below_right
    }
}

/// A profile: the columns whose square is covered, and whether x, the square below the current one, is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Profile {
    covered: u32,
    below: bool,
}

/// One way to come to a profile: the profile before, and the corner that the tile laid leaves out, if one was.
#[derive(Clone, Copy, Debug)]
struct Origin {
    from: Profile,
    laid: Option<Corner>,
}

impl Origin {
    /// The tile that was laid when this cell of a row was current.
    fn tile(self, row: usize, cell: Cell) -> Option<Tile> {
        let missing = self.laid?;
        let col = if missing == Corner::TopLeft { cell.col - 1 } else { cell.col };
        Some(Tile::new(row as u32, col, missing))
    }
}

/// Every way in which a step at this cell can end in this profile: the table above, read from right to left.
fn origins(cell: Cell, to: Profile) -> impl Iterator<Item = Origin> + Clone {
    let column = 1 << cell.col;
    let (left, right) = (column >> 1, column << 1);
    let has = |bits: u32| to.covered & bits != 0;
    let under = has(column);
    // The square below the current one is now column c's: it was x, or a tile has covered it.
    let plain = to.below == cell.closed_below_right;
    let diagonal = to.below && cell.open_below_right();
    let origin = |allowed: bool, covered: u32, below: bool, laid: Option<Corner>| {
        allowed.then_some(Origin { from: Profile { covered, below }, laid })
    };
    let (free, rest) = (to.covered & !column, to.covered);
    [
        origin(plain, rest | column, under, None),
        origin(plain && cell.optional, free, under, None),
        origin(plain && under && cell.right && has(right), free & !right, false, Some(Corner::BottomRight)),
        origin(plain && under && has(left), free & !left, false, Some(Corner::TopLeft)),
        origin(diagonal && has(right), free & !right, under, Some(Corner::BottomLeft)),
        origin(diagonal && under, free, false, Some(Corner::TopRight)),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests;
