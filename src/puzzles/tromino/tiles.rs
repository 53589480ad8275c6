//! What the solvers build: L-shaped tiles on a board, before they get their numbers.
//!
//! A tile is a block of 2 × 2 squares without one corner, so its place is the block's top left square and the
//! missing corner. No two tiles of a tiling can share a block: three and three squares don't fit in four. So a
//! tiling is one small code for each square, and turning the board over is turning codes over.

use crate::board::{Grid, Size, Square};
use crate::puzzles::{Budget, Interrupted};

/// The corner of its 2 × 2 block that a tile leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Corner {
    TopLeft = 1,
    TopRight,
    BottomLeft,
    BottomRight,
}

/// A tile: the top left square of its 2 × 2 block, and the corner it leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    /// The top left square of the block, which the tile may leave out.
    pub(super) block: Square,
    /// The corner that is left out.
    pub(super) missing: Corner,
}

impl Tile {
    /// The tile in the block whose top left square is (`row`, `col`).
    pub(super) const fn new(row: u32, col: u32, missing: Corner) -> Self {
        Self { block: Square::new(row, col), missing }
    }

    /// The three squares of the tile, row by row.
    pub(super) const fn squares(self) -> [Square; 3] {
        let Square { row, col } = self.block;
        let [a, b] = [Square::new(row, col), Square::new(row, col + 1)];
        let [c, d] = [Square::new(row + 1, col), Square::new(row + 1, col + 1)];
        match self.missing {
            Corner::TopLeft => [b, c, d],
            Corner::TopRight => [a, c, d],
            Corner::BottomLeft => [a, b, d],
            Corner::BottomRight => [a, b, c],
        }
    }

    /// The same tile with rows and columns exchanged.
    pub(super) const fn transposed(self) -> Self {
        let missing = match self.missing {
            Corner::TopRight => Corner::BottomLeft,
            Corner::BottomLeft => Corner::TopRight,
            same => same,
        };
        Self { block: self.block.transposed(), missing }
    }

    /// The same tile further down and to the right.
    pub(super) const fn moved(self, rows: u32, cols: u32) -> Self {
        Self { block: Square::new(self.block.row + rows, self.block.col + cols), ..self }
    }
}

/// The tiles that lie on a board.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    /// For each square what the tile leaves out whose block has it as its top left square, if there is one.
    missing: Grid<Option<Corner>>,
    count: u32,
}

impl Tiles {
    /// An empty board.
    pub(super) fn none(size: Size) -> Self {
        Self { missing: Grid::filled(size, None), count: 0 }
    }

    pub(super) const fn size(&self) -> Size {
        self.missing.size()
    }

    /// Lays a tile on squares that have none.
    #[inline]
    pub(super) fn lay(&mut self, tile: Tile) {
        self.missing[tile.block] = Some(tile.missing);
        self.count += 1;
    }

    /// The number of tiles.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// The tiles in the order of their blocks, row by row.
    pub(super) fn iter(&self) -> impl Iterator<Item = Tile> {
        self.missing.rows().enumerate().flat_map(|(row, corners)| {
            corners.iter().enumerate().filter_map(move |(col, &missing)| {
                missing.map(|missing| Tile::new(row as u32, col as u32, missing))
            })
        })
    }

    /// The tile that covers this square.
    pub(super) fn on(&self, square: Square) -> Option<Tile> {
        [(0, 0), (0, -1), (-1, 0), (-1, -1)]
            .into_iter()
            .filter_map(|(down, right)| {
                let block = self.missing.size().offset(square, down, right)?;
                Some(Tile { block, missing: self.missing[block]? })
            })
            .find(|tile| tile.squares().contains(&square))
    }

    /// The board with each tile's number, from 1 in the order of their blocks, row by row; 0 where no tile lies.
    /// Takes a few nanoseconds a square.
    pub(super) fn numbered(&self, budget: &Budget) -> Result<Grid<u32>, Interrupted> {
        let size = self.missing.size();
        let mut board = Grid::filled(size, 0);
        let numbers = board.cells_mut();
        let (right, below) = (1, size.cols());
        let diagonal = below + right;
        // By the missing corner, how far the three squares are from the block's top left one.
        let distances =
            [[right, below, diagonal], [0, below, diagonal], [0, right, diagonal], [0, right, below]];
        let mut pacer = budget.pacer(1 << 16);
        let mut number = 0;
        for (at, missing) in self.missing.cells().iter().enumerate() {
            let Some(missing) = missing else { continue };
            pacer.tick()?;
            number += 1;
            for distance in distances[*missing as usize - Corner::TopLeft as usize] {
                numbers[at + distance] = number;
            }
        }
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Corner; 4] = [Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight];

    #[test]
    fn a_transposed_tile_covers_the_transposed_squares() {
        for missing in CORNERS {
            let tile = Tile::new(3, 5, missing);
            let mut squares = tile.squares().map(Square::transposed);
            squares.sort_unstable();
            assert_eq!(tile.transposed().squares(), squares);
        }
    }

    #[test]
    fn numbers_stand_on_the_squares_of_their_tiles() {
        for missing in CORNERS {
            let mut tiles = Tiles::none(Size::new(3, 4).unwrap());
            tiles.lay(Tile::new(1, 2, missing));
            let board = tiles.numbered(&Budget::unlimited()).unwrap();
            for square in board.size().iter() {
                let covered = Tile::new(1, 2, missing).squares().contains(&square);
                assert_eq!(board[square], u32::from(covered), "{missing:?} {square}");
            }
        }
    }
}
