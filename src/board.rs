//! The words that all puzzles share: a [`Square`], the [`Size`] of a board, and a [`Grid`] with one value a
//! square.
//!
//! Rows and columns count from 0; row 0 is the top, column 0 the left. A board's squares are numbered row by
//! row, so square `(row, col)` has the index `row * cols + col`. A [`Size`] can't be empty or larger than
//! [`Size::MAX_SQUARES`], therefore every index, and every tile or move number, fits in a `u32`.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A square of a board, counted from 0: row 0 at the top, column 0 at the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    /// The row, counted from the top.
    pub row: u32,
    /// The column, counted from the left.
    pub col: u32,
}

impl Square {
    /// The square in `row` and `col`.
    #[must_use]
    pub const fn new(row: u32, col: u32) -> Self {
        Self { row, col }
    }

    /// The same square with rows and columns exchanged.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self { row: self.col, col: self.row }
    }

    /// 0 or 1: the colour of the square on a chessboard whose top left corner has colour 0.
    #[must_use]
    pub const fn color(self) -> u32 {
        (self.row ^ self.col) & 1
    }
}

impl fmt::Display for Square {
    /// Writes `(row, col)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.row, self.col)
    }
}

/// The size of a board: at least one row and one column, at most [`Size::MAX_SQUARES`] squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    rows: u32,
    cols: u32,
}

impl Size {
    /// The largest number of squares that a board may have, whatever a server's own limit: 2^30.
    pub const MAX_SQUARES: u64 = 1 << 30;

    /// A board of `rows` by `cols`; `None` when one of them is 0 or the board has more than
    /// [`Size::MAX_SQUARES`] squares.
    #[must_use]
    pub const fn new(rows: u32, cols: u32) -> Option<Self> {
        let squares = rows as u64 * cols as u64;
        if squares == 0 || squares > Self::MAX_SQUARES { None } else { Some(Self { rows, cols }) }
    }

    /// The number of rows, at least 1.
    #[must_use]
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// The number of columns, at least 1.
    #[must_use]
    pub const fn cols(self) -> usize {
        self.cols as usize
    }

    /// The number of squares, from 1 to [`Size::MAX_SQUARES`].
    #[must_use]
    pub const fn squares(self) -> usize {
        self.rows as usize * self.cols as usize
    }

    /// The shorter side.
    #[must_use]
    pub const fn short_side(self) -> usize {
        if self.rows < self.cols { self.rows() } else { self.cols() }
    }

    /// The longer side.
    #[must_use]
    pub const fn long_side(self) -> usize {
        if self.rows < self.cols { self.cols() } else { self.rows() }
    }

    /// The board turned over its main diagonal.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows }
    }

    /// Whether `square` lies on the board.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        square.row < self.rows && square.col < self.cols
    }

    /// The index of a square that lies on the board, row by row from 0.
    #[must_use]
    pub const fn index(self, square: Square) -> usize {
        square.row as usize * self.cols as usize + square.col as usize
    }

    /// The square with this index; the inverse of [`Size::index`].
    #[must_use]
    pub const fn square(self, index: usize) -> Square {
        // An index is below 2^30, so both fit.
        Square { row: (index / self.cols as usize) as u32, col: (index % self.cols as usize) as u32 }
    }

    /// The square `rows` further down and `cols` further right, where the board has it.
    #[must_use]
    pub fn offset(self, square: Square, rows: i32, cols: i32) -> Option<Square> {
        let to = Square::new(square.row.checked_add_signed(rows)?, square.col.checked_add_signed(cols)?);
        self.contains(to).then_some(to)
    }

    /// All squares, row by row.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        (0..self.rows).flat_map(move |row| (0..self.cols).map(move |col| Square { row, col }))
    }
}

impl fmt::Display for Size {
    /// Writes `rows × cols`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {}", self.rows, self.cols)
    }
}

/// A board with one value on each square, held row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid<T> {
    size: Size,
    cells: Vec<T>,
}

impl<T: Clone> Grid<T> {
    /// A board with the same value everywhere.
    #[must_use]
    pub fn filled(size: Size, value: T) -> Self {
        Self { size, cells: vec![value; size.squares()] }
    }
}

impl<T> Grid<T> {
    /// A board whose values, row by row, are `cells`; `None` unless there is one for each square.
    #[must_use]
    pub fn from_cells(size: Size, cells: Vec<T>) -> Option<Self> {
        (cells.len() == size.squares()).then_some(Self { size, cells })
    }

    /// The size of the board.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// All values, row by row.
    #[must_use]
    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    /// All values, row by row, to change.
    #[must_use]
    pub fn cells_mut(&mut self) -> &mut [T] {
        &mut self.cells
    }

    /// A row, from left to right.
    ///
    /// # Panics
    /// Unless the board has that row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        let cols = self.size.cols();
        &self.cells[row * cols..(row + 1) * cols]
    }

    /// The rows from top to bottom, each a slice from left to right.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, T> {
        self.cells.chunks_exact(self.size.cols())
    }
}

impl<T: Copy> Grid<T> {
    /// The board turned over its main diagonal.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let size = self.size.transposed();
        let cells = size.iter().map(|square| self[square.transposed()]).collect();
        Self { size, cells }
    }
}

impl<T> Index<Square> for Grid<T> {
    type Output = T;

    fn index(&self, square: Square) -> &T {
        &self.cells[self.size.index(square)]
    }
}

impl<T> IndexMut<Square> for Grid<T> {
    fn index_mut(&mut self, square: Square) -> &mut T {
        &mut self.cells[self.size.index(square)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_neither_empty_nor_larger_than_the_limit() {
        assert!(Size::new(0, 5).is_none());
        assert!(Size::new(5, 0).is_none());
        assert!(Size::new(u32::MAX, u32::MAX).is_none());
        assert!(Size::new(32_768, 32_769).is_none());
        assert_eq!(Size::new(32_768, 32_768).map(Size::squares), Some(1 << 30));
    }

    #[test]
    fn squares_are_numbered_row_by_row() {
        let size = Size::new(3, 5).unwrap();
        for (index, square) in size.iter().enumerate() {
            assert_eq!(size.index(square), index);
            assert_eq!(size.square(index), square);
        }
        assert_eq!(size.iter().count(), 15);
    }

    #[test]
    fn an_offset_never_leaves_the_board() {
        let size = Size::new(3, 5).unwrap();
        assert_eq!(size.offset(Square::new(0, 0), 2, 1), Some(Square::new(2, 1)));
        assert_eq!(size.offset(Square::new(0, 0), -1, 2), None);
        assert_eq!(size.offset(Square::new(2, 4), 0, 1), None);
    }

    #[test]
    fn transposing_a_grid_exchanges_rows_and_columns() {
        let size = Size::new(2, 3).unwrap();
        let grid = Grid::from_cells(size, vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(grid.transposed().cells(), [1, 4, 2, 5, 3, 6]);
        assert_eq!(grid.transposed().size(), size.transposed());
    }
}
