//! The squares still to be covered, and their connected parts.

#[cfg(test)]
use super::tiles::Tile;
use crate::board::{Size, Square};
use crate::puzzles::{Budget, Interrupted};

/// The squares of a board that are still to be covered: *open* squares. A border of closed squares surrounds
/// the board, so that every square has eight neighbours to read.
#[derive(Clone, Debug)]
pub(super) struct Region {
    size: Size,
    /// 1 for an open square, 0 for any other, row by row with the border.
    open: Vec<u8>,
}

impl Region {
    /// A board on which every square is open but `holes`.
    pub(super) fn new(size: Size, holes: &[Square]) -> Self {
        let mut region = Self::closed(size);
        for row in 0..size.rows() {
            region.row_mut(row).fill(1);
        }
        for &hole in holes {
            region.close(hole);
        }
        region
    }

    /// A board without any open square.
    pub(super) fn closed(size: Size) -> Self {
        Self { size, open: vec![0; (size.rows() + 2) * (size.cols() + 2)] }
    }

    pub(super) const fn size(&self) -> Size {
        self.size
    }

    /// The distance between a square and the one below it in [`squares`](Self::bordered).
    pub(super) const fn stride(&self) -> usize {
        self.size.cols() + 2
    }

    /// The index of a square among the squares with their border.
    #[inline]
    pub(super) const fn index(&self, square: Square) -> usize {
        (square.row as usize + 1) * self.stride() + square.col as usize + 1
    }

    /// The square with this index; the inverse of [`index`](Self::index).
    pub(super) const fn square(&self, index: usize) -> Square {
        Square::new((index / self.stride() - 1) as u32, (index % self.stride() - 1) as u32)
    }

    /// All squares with their border, row by row: 1 where open.
    pub(super) fn bordered(&self) -> &[u8] {
        &self.open
    }

    /// The squares of a row: 1 where open.
    pub(super) fn row(&self, row: usize) -> &[u8] {
        &self.open[(row + 1) * self.stride() + 1..][..self.size.cols()]
    }

    fn row_mut(&mut self, row: usize) -> &mut [u8] {
        let start = (row + 1) * self.stride() + 1;
        &mut self.open[start..][..self.size.cols()]
    }

    pub(super) fn close(&mut self, square: Square) {
        let index = self.index(square);
        self.open[index] = 0;
    }

    pub(super) fn reopen(&mut self, square: Square) {
        let index = self.index(square);
        self.open[index] = 1;
    }

    /// The number of open squares.
    pub(super) fn area(&self) -> usize {
        self.open.iter().map(|&open| usize::from(open)).sum()
    }

    /// The region turned over its main diagonal.
    pub(super) fn transposed(&self) -> Self {
        let mut turned = Self::closed(self.size.transposed());
        for row in 0..self.size.rows() {
            for (col, &open) in self.row(row).iter().enumerate() {
                turned.row_mut(col)[row] = open;
            }
        }
        turned
    }

    /// The region's connected parts: open squares are joined by edges. In the order of their first squares.
    ///
    /// Takes O(squares) time, and memory for the runs of open squares in the rows.
    pub(super) fn parts(&self, budget: &Budget) -> Result<Vec<Part>, Interrupted> {
        let mut runs: Vec<Run> = Vec::new();
        // Union and find over runs; the root of a part is its first run.
        let mut parents: Vec<u32> = Vec::new();
        let mut above = 0..0;
        for row in 0..self.size.rows() {
            budget.check()?;
            let first = runs.len();
            let squares = self.row(row);
            let mut col = 0;
            let mut over = above.start;
            while let Some(start) = position(squares, col, 1) {
                let end = position(squares, start, 0).unwrap_or(squares.len());
                let this = runs.len() as u32;
                runs.push(Run { row: row as u32, start: start as u32, end: end as u32 });
                parents.push(this);
                while over < above.end && (runs[over].end as usize) <= start {
                    over += 1;
                }
                let mut touching = over;
                while touching < above.end && (runs[touching].start as usize) < end {
                    let (a, b) = (root(&mut parents, this), root(&mut parents, touching as u32));
                    parents[a.max(b) as usize] = a.min(b);
                    touching += 1;
                }
                col = end;
            }
            above = first..runs.len();
        }

        let mut parts: Vec<Part> = Vec::new();
        let mut part_of = vec![0_u32; runs.len()];
        for (at, &run) in runs.iter().enumerate() {
            let root = root(&mut parents, at as u32) as usize;
            if root == at {
                part_of[at] = parts.len() as u32;
                parts.push(Part { runs: Vec::new() });
            }
            part_of[at] = part_of[root];
            parts[part_of[at] as usize].runs.push(run);
        }
        Ok(parts)
    }
}

#[cfg(test)]
impl Region {
    /// Checks that the tiles cover each open square once, and no other.
    pub(super) fn assert_covered_by(&self, tiles: impl IntoIterator<Item = Tile>) {
        let mut left = self.clone();
        for square in tiles.into_iter().flat_map(Tile::squares) {
            let index = left.index(square);
            assert_eq!(left.open[index], 1, "{square} of {} is covered twice, or not to be", self.size);
            left.open[index] = 0;
        }
        assert_eq!(left.area(), 0, "squares of {} are left", self.size);
    }
}

fn position(squares: &[u8], from: usize, value: u8) -> Option<usize> {
    squares[from..].iter().position(|&square| square == value).map(|at| from + at)
}

fn root(parents: &mut [u32], of: u32) -> u32 {
    let mut at = of;
    while parents[at as usize] != at {
        // Halves the path for those who come after.
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

/// Open squares side by side in a row: from `start` up to but not including `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    row: u32,
    start: u32,
    end: u32,
}

/// A connected part of a region: at least one open square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    runs: Vec<Run>,
}

impl Part {
    /// The number of squares.
    pub(super) fn area(&self) -> usize {
        self.runs.iter().map(|run| (run.end - run.start) as usize).sum()
    }

    /// The first square, row by row.
    pub(super) fn first_square(&self) -> Square {
        Square::new(self.runs[0].row, self.runs[0].start)
    }

    /// The part alone, on the smallest board that has all of it, and where that board's top left square lies.
    pub(super) fn cut_out(&self) -> (Region, Square) {
        let (top, bottom) = (self.runs[0].row, self.runs[self.runs.len() - 1].row);
        let left = self.runs.iter().map(|run| run.start).min().unwrap_or(0);
        let right = self.runs.iter().map(|run| run.end).max().unwrap_or(1);
        let size = Size::new(bottom - top + 1, right - left).expect("a part has squares, on a board");
        let mut region = Region::closed(size);
        for run in &self.runs {
            let squares = region.row_mut((run.row - top) as usize);
            squares[(run.start - left) as usize..(run.end - left) as usize].fill(1);
        }
        (region, Square::new(top, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(rows: &[&str]) -> Region {
        let size = Size::new(rows.len() as u32, rows[0].len() as u32).unwrap();
        let is_hole = |at: &Square| rows[at.row as usize].as_bytes()[at.col as usize] == b'#';
        Region::new(size, &size.iter().filter(is_hole).collect::<Vec<_>>())
    }

    #[test]
    fn parts_are_joined_by_edges_and_not_by_corners() {
        let region = region(&["..#..", "..#..", "##.##", ".....", "#.#.#"]);
        let parts = region.parts(&Budget::unlimited()).unwrap();
        assert_eq!(parts.iter().map(Part::area).collect::<Vec<_>>(), [4, 4, 8]);
        assert_eq!(parts[1].first_square(), Square::new(0, 3));
    }

    #[test]
    fn a_part_that_meets_itself_lower_down_is_one() {
        let region = region(&[".#.#.", ".#.#.", "....."]);
        let parts = region.parts(&Budget::unlimited()).unwrap();
        assert_eq!(parts.len(), 1);
        let (alone, corner) = parts[0].cut_out();
        assert_eq!((alone.size(), corner), (region.size(), Square::new(0, 0)));
        assert_eq!(alone.bordered(), region.bordered());
    }

    #[test]
    fn a_part_is_cut_out_without_the_others() {
        let region = region(&["#....", "#.##.", "#.#.#", "#..##"]);
        let parts = region.parts(&Budget::unlimited()).unwrap();
        let (alone, corner) = parts[0].cut_out();
        assert_eq!((alone.size(), corner), (Size::new(4, 4).unwrap(), Square::new(0, 1)));
        assert_eq!(alone.area(), 9);
    }
}
