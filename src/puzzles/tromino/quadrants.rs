//! The classic tiling of a 2^k × 2^k board with one hole, by quadrants (Golomb 1954).
//!
//! Cut the board into four quadrants. One of them has the hole; one tile around the centre covers a square of
//! each of the other three, which from then on counts as that quadrant's hole. So there are four smaller boards
//! with one hole each, down to boards of a single square that is its own hole.
//!
//! Tiles are numbered in pre-order: the central tile first, then the quadrants top left, top right, bottom
//! left, bottom right. So each quadrant has one contiguous range of numbers, and where its hole is tells all
//! about it. [`Quadrants`] therefore holds no board: it writes any row, or the colours of any range of tiles,
//! when asked, at a cost of the order of what it writes. Most of the work is copying: a quadrant of 32 × 32
//! squares that doesn't have the board's hole has it in one of its four corners, and is one of four templates
//! plus a constant.

use crate::board::{Size, Square};

/// The side of the quadrants that are copied from a template.
const TEMPLATE_SIDE: usize = 32;

/// Tile numbers, from 1, of a board of [`TEMPLATE_SIDE`] squares a side.
type Template = [[u32; TEMPLATE_SIDE]; TEMPLATE_SIDE];

/// The tilings whose hole is the top left, top right, bottom left and bottom right corner. What stands on the
/// corner itself is always overwritten.
static TEMPLATES: [Template; 4] = templates();

/// The colour of a tile that joins three quadrants of side 2 or more.
const JOINING_COLOR: u8 = 3;

/// The colours of the five tiles of a 4 × 4 quadrant, in pre-order: see [`Quadrants::fill_colors`].
const COLORS_OF_SIDE_4: [u8; 5] = [JOINING_COLOR, 1, 2, 2, 1];

/// The number of tiles on a 2^`order` board with one hole.
const fn tiles_of_order(order: u32) -> u32 {
    // 4^15 - 1 fits, and orders beyond 15 exceed the largest board.
    ((1 << (2 * order)) - 1) / 3
}

/// A 2^k × 2^k board with one hole, tiled by quadrants and numbered in pre-order. Holds only its size and its
/// hole, whatever the size of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Quadrants {
    size: Size,
    hole: Square,
}

impl Quadrants {
    /// The tiling for a board of this size whose only hole is `hole`; `None` unless the board is square and its
    /// side a power of two.
    pub(super) const fn new(size: Size, hole: Square) -> Option<Self> {
        let fits = size.rows() == size.cols() && size.rows().is_power_of_two() && size.contains(hole);
        if fits { Some(Self { size, hole }) } else { None }
    }

    pub(super) const fn size(self) -> Size {
        self.size
    }

    pub(super) const fn tile_count(self) -> u32 {
        tiles_of_order(self.size.rows().trailing_zeros())
    }

    /// Writes the tile numbers of a row, from left to right, 0 for the hole. Costs O(1) a square.
    ///
    /// `out` has one place for each column, and `row` is on the board.
    pub(super) fn fill_row(self, row: usize, out: &mut [u32]) {
        debug_assert_eq!(out.len(), self.size.cols());
        let hole = (self.hole.row as usize, self.hole.col as usize);
        Quadrant { numbered: 0, hole, on_hole: 0 }.fill_row(row, out);
    }

    /// Writes the colours of the tiles with the numbers `first`, `first` + 1, …: 1, 2 or 3, such that tiles
    /// that share an edge differ. Costs O(1) a tile.
    ///
    /// Cut the board into blocks of 2 × 2 squares. Each has one tile of its own, on three of its squares, that
    /// gets colour 1 or 2 as on a chessboard of blocks; the fourth square is the hole or belongs to a tile that
    /// joins quadrants, and gets colour 3. Two such squares can only touch where they are corners of two
    /// blocks at one point, and then the tile around that point covers both. The colours of a quadrant
    /// therefore depend on its size alone.
    ///
    /// `out` is no longer than there are tiles from `first` on.
    pub(super) fn fill_colors(self, first: u32, out: &mut [u8]) {
        debug_assert!(first >= 1 && first as usize - 1 + out.len() <= self.tile_count() as usize);
        fill_colors(self.size.rows().trailing_zeros(), first - 1, out);
    }
}

/// A quadrant of some size, and what its surroundings determine.
#[derive(Clone, Copy)]
struct Quadrant {
    /// How many tiles are numbered before those of this quadrant.
    numbered: u32,
    /// Row and column within the quadrant of the square that it doesn't cover itself.
    hole: (usize, usize),
    /// What stands on that square: 0, or the number of the tile that comes in from outside.
    on_hole: u32,
}

impl Quadrant {
    /// Writes a row of the quadrant, whose side is the length of `out`.
    fn fill_row(self, row: usize, out: &mut [u32]) {
        if let Some(template) = self.template(out.len()) {
            for (number, &in_template) in out.iter_mut().zip(&template[row]) {
                *number = self.numbered + in_template;
            }
            if row == self.hole.0 {
                out[self.hole.1] = self.on_hole;
            }
            return;
        }
        if out.len() == 1 {
            out[0] = self.on_hole;
            return;
        }
        let half = out.len() / 2;
        let (left, right) = out.split_at_mut(half);
        let lower = row >= half;
        let row = if lower { row - half } else { row };
        self.child(half, lower, false).fill_row(row, left);
        self.child(half, lower, true).fill_row(row, right);
    }

    /// The template for this quadrant, if it has the right size and its hole in a corner.
    #[inline]
    fn template(self, side: usize) -> Option<&'static Template> {
        const LAST: usize = TEMPLATE_SIDE - 1;
        if side != TEMPLATE_SIDE {
            return None;
        }
        match self.hole {
            (0, 0) => Some(&TEMPLATES[0]),
            (0, LAST) => Some(&TEMPLATES[1]),
            (LAST, 0) => Some(&TEMPLATES[2]),
            (LAST, LAST) => Some(&TEMPLATES[3]),
            _ => None,
        }
    }

    /// One of the four quadrants, of side `half`, that this one is cut into.
    #[inline]
    const fn child(self, half: usize, lower: bool, right: bool) -> Self {
        let tiles = tiles_of_order(half.trailing_zeros());
        let center = self.numbered + 1;
        let numbered = center + (2 * lower as u32 + right as u32) * tiles;
        let (row, col) = self.hole;
        if (row >= half) == lower && (col >= half) == right {
            Self { numbered, hole: (row % half, col % half), on_hole: self.on_hole }
        } else {
            // The central tile covers the square next to the centre.
            let hole = (if lower { 0 } else { half - 1 }, if right { 0 } else { half - 1 });
            Self { numbered, hole, on_hole: center }
        }
    }
}

/// Writes the colours of a quadrant's tiles in pre-order, after leaving out the first `skip`, as far as `out`
/// goes.
fn fill_colors(order: u32, skip: u32, out: &mut [u8]) {
    match order {
        0 => {}
        1 => out.fill(COLORS_OF_SIDE_4[1]),
        2 => out.copy_from_slice(&COLORS_OF_SIDE_4[skip as usize..][..out.len()]),
        _ => {
            let (mut skip, mut rest) = (skip, out);
            if skip == 0 {
                let Some((center, others)) = rest.split_first_mut() else { return };
                *center = JOINING_COLOR;
                (skip, rest) = (1, others);
            }
            let tiles = tiles_of_order(order - 1);
            while !rest.is_empty() {
                let within = (skip - 1) % tiles;
                let left_in_child = tiles - within;
                let (child, others) = rest.split_at_mut(rest.len().min(left_in_child as usize));
                fill_colors(order - 1, within, child);
                (skip, rest) = (skip + left_in_child, others);
            }
        }
    }
}

const fn templates() -> [Template; 4] {
    const LAST: usize = TEMPLATE_SIDE - 1;
    let holes = [(0, 0), (0, LAST), (LAST, 0), (LAST, LAST)];
    let mut templates = [[[0; TEMPLATE_SIDE]; TEMPLATE_SIDE]; 4];
    let mut at = 0;
    while at < 4 {
        let whole = Quadrant { numbered: 0, hole: holes[at], on_hole: 0 };
        draw(whole, TEMPLATE_SIDE, 0, 0, &mut templates[at]);
        at += 1;
    }
    templates
}

/// Draws a quadrant with its top left square at (`top`, `left`): the plain recursion, at compile time.
const fn draw(quadrant: Quadrant, side: usize, top: usize, left: usize, template: &mut Template) {
    if side == 1 {
        template[top][left] = quadrant.on_hole;
        return;
    }
    let half = side / 2;
    draw(quadrant.child(half, false, false), half, top, left, template);
    draw(quadrant.child(half, false, true), half, top, left + half, template);
    draw(quadrant.child(half, true, false), half, top + half, left, template);
    draw(quadrant.child(half, true, true), half, top + half, left + half, template);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook's way: one tile after the other, on a board that is held.
    fn tile_plainly(
        board: &mut [Vec<u32>],
        next: &mut u32,
        top: usize,
        left: usize,
        side: usize,
        hole: (usize, usize),
    ) {
        if side == 1 {
            return;
        }
        let half = side / 2;
        let center = *next;
        *next += 1;
        for (lower, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (row, col) = (top + lower * half, left + right * half);
            let inside = (row..row + half).contains(&hole.0) && (col..col + half).contains(&hole.1);
            let its_hole = if inside {
                hole
            } else {
                let corner = (top + half - 1 + lower, left + half - 1 + right);
                board[corner.0][corner.1] = center;
                corner
            };
            tile_plainly(board, next, row, col, half, its_hole);
        }
    }

    fn board(quadrants: Quadrants) -> Vec<Vec<u32>> {
        let size = quadrants.size();
        let mut rows = vec![vec![u32::MAX; size.cols()]; size.rows()];
        for (row, out) in rows.iter_mut().enumerate() {
            quadrants.fill_row(row, out);
        }
        rows
    }

    fn quadrants(side: u32, hole: Square) -> Quadrants {
        Quadrants::new(Size::new(side, side).unwrap(), hole).unwrap()
    }

    #[test]
    fn rows_are_those_of_the_plain_recursion_wherever_the_hole_is() {
        for side in [1, 2, 4, 8, 16, 32] {
            for hole in Size::new(side, side).unwrap().iter() {
                let mut plain = vec![vec![0; side as usize]; side as usize];
                tile_plainly(&mut plain, &mut 1, 0, 0, side as usize, (hole.row as usize, hole.col as usize));
                assert_eq!(board(quadrants(side, hole)), plain, "side {side}, hole {hole}");
            }
        }
    }

    #[test]
    fn a_part_of_the_colours_is_that_part_of_all_colours() {
        let quadrants = quadrants(32, Square::new(3, 17));
        let count = quadrants.tile_count() as usize;
        let mut all = vec![0; count];
        quadrants.fill_colors(1, &mut all);
        for first in 1..=count {
            for len in [0, 1, 2, 5, 21, 100, count].map(|len| len.min(count + 1 - first)) {
                let mut part = vec![0; len];
                quadrants.fill_colors(first as u32, &mut part);
                assert_eq!(part, all[first - 1..][..len], "from {first}, {len} long");
            }
        }
    }

    #[test]
    fn three_colours_keep_neighbours_apart() {
        for side in [2, 4, 8, 16, 32] {
            for hole in Size::new(side, side).unwrap().iter() {
                let quadrants = quadrants(side, hole);
                let mut colors = vec![0; quadrants.tile_count() as usize];
                quadrants.fill_colors(1, &mut colors);
                assert!(colors.iter().all(|color| (1..=3).contains(color)));
                let board = board(quadrants);
                let differ = |a: u32, b: u32| {
                    a == b || a == 0 || b == 0 || colors[a as usize - 1] != colors[b as usize - 1]
                };
                for row in 0..side as usize {
                    for col in 0..side as usize {
                        assert!(col == 0 || differ(board[row][col - 1], board[row][col]));
                        assert!(row == 0 || differ(board[row - 1][col], board[row][col]));
                    }
                }
            }
        }
    }

    #[test]
    fn only_square_boards_of_a_power_of_two_are_taken() {
        let size = |rows, cols| Size::new(rows, cols).unwrap();
        assert!(Quadrants::new(size(6, 6), Square::new(0, 0)).is_none());
        assert!(Quadrants::new(size(4, 8), Square::new(0, 0)).is_none());
        assert!(Quadrants::new(size(4, 4), Square::new(4, 0)).is_none());
        assert_eq!(Quadrants::new(size(1, 1), Square::new(0, 0)).map(Quadrants::tile_count), Some(0));
    }
}
