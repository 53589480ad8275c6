//! Any board without a hole, or with one: cut away what 2 × 3 blocks cover, and solve the small rest.
//!
//! Two tiles make a 2 × 3 block, and such blocks cover every strip that is 6 squares wide and at least 2 long.
//! So strips of 6 rows and of 6 columns are peeled off the ends of the board, away from the hole, until each
//! side of the *core* is 6 to 11 squares long, or as short as the board's own. By the theorems in
//! [`theorems`] such a core has a tiling, but for a few with a side under 6; then a longer core
//! does, or the hole lies elsewhere in another one. Dynamic programming finds the core's tiling.

use super::profile::{self, Strip};
use super::region::Region;
use super::theorems;
use super::tiles::{Corner, Tile, Tiles};
use crate::board::{Size, Square};
use crate::puzzles::{Budget, Interrupted};

/// The width of what is peeled off.
const PEEL: usize = 6;

/// By how many strips the core may be longer than it has to be.
const SPARE: usize = 2;

/// A tiling of a board with no hole, or with this one, that has one by the theorems.
///
/// Takes O(squares) time: about a nanosecond a square.
pub(super) fn tile(size: Size, hole: Option<Square>, budget: &Budget) -> Result<Tiles, Interrupted> {
    let core = Core::find(size, hole);
    let mut tiles = Tiles::none(size);

    // Above and below the core in full width, left and right of it in its own height.
    let (rows, cols) = (size.rows(), size.cols());
    let (bottom, right) = (core.top + core.size.rows(), core.left + core.size.cols());
    for top in (0..core.top).step_by(PEEL).chain((bottom..rows).step_by(PEEL)) {
        budget.check()?;
        lay_blocks(&mut tiles, top, 0, PEEL, cols);
    }
    for left in (0..core.left).step_by(PEEL).chain((right..cols).step_by(PEEL)) {
        budget.check()?;
        lay_blocks(&mut tiles, core.top, left, core.size.rows(), PEEL);
    }
    for tile in core.tiles(budget)? {
        tiles.lay(tile.moved(core.top as u32, core.left as u32));
    }
    Ok(tiles)
}

/// The part of the board that is left after peeling.
struct Core {
    size: Size,
    top: usize,
    left: usize,
    /// The hole, from the core's own top left square.
    hole: Option<Square>,
}

impl Core {
    /// The smallest core that has a tiling.
    fn find(size: Size, hole: Option<Square>) -> Self {
        let row_spans = spans(size.rows(), hole.map(|hole| hole.row as usize));
        let col_spans = spans(size.cols(), hole.map(|hole| hole.col as usize));
        let cores = row_spans.iter().flat_map(|&(top, rows)| {
            col_spans.iter().map(move |&(left, cols)| Self {
                size: Size::new(rows as u32, cols as u32)
                    .expect("a span has squares, and no more than the board"),
                top,
                left,
                hole: hole.map(|hole| Square::new(hole.row - top as u32, hole.col - left as u32)),
            })
        });
        cores
            .filter(|core| theorems::tileable(core.size, core.hole).is_ok())
            .min_by_key(|core| core.size.squares())
            .expect("each board with a tiling has a core with one: a test tries all kinds")
    }

    fn tiles(&self, budget: &Budget) -> Result<Vec<Tile>, Interrupted> {
        let region = Region::new(self.size, self.hole.as_slice());
        let tiles = if self.size.cols() <= self.size.rows() {
            profile::tile(&Strip::of_rows(&region), None, budget)?
        } else {
            let turned = profile::tile(&Strip::of_rows(&region.transposed()), None, budget)?;
            turned.map(|tiles| tiles.into_iter().map(Tile::transposed).collect())
        };
        Ok(tiles.expect("the core has a tiling by the theorems"))
    }
}

/// What may be left of a side after peeling strips off both ends, away from the hole: starts and lengths.
fn spans(side: usize, hole: Option<usize>) -> Vec<(usize, usize)> {
    let shortest = if side < PEEL { side } else { PEEL + side % PEEL };
    (shortest..=side)
        .step_by(PEEL)
        .take(1 + SPARE)
        .flat_map(|len| {
            let starts = (0..=side - len).step_by(PEEL);
            // Without a hole one end is as good as the other.
            starts
                .filter(move |start| hole.map_or(*start == 0, |hole| (*start..start + len).contains(&hole)))
                .map(move |start| (start, len))
        })
        .collect()
}

/// Covers a rectangle, of which one side is a multiple of 6 and the other at least 2, by blocks of 2 × 3.
fn lay_blocks(tiles: &mut Tiles, top: usize, left: usize, rows: usize, cols: usize) {
    if cols.is_multiple_of(PEEL) {
        // Slices of 2 rows, and one of 3 where that leaves one over.
        let (end, mut row) = (top + rows, top);
        while row < end {
            let three = (end - row) % 2 == 1;
            let width = if three { 2 } else { 3 };
            for col in (left..left + cols).step_by(width) {
                lay_block(tiles, row, col, three);
            }
            row += if three { 3 } else { 2 };
        }
    } else {
        let (end, mut col) = (left + cols, left);
        while col < end {
            let three = (end - col) % 2 == 1;
            let height = if three { 2 } else { 3 };
            for row in (top..top + rows).step_by(height) {
                lay_block(tiles, row, col, !three);
            }
            col += if three { 3 } else { 2 };
        }
    }
}

/// Covers a block of 2 × 3 squares, or of 3 × 2 when it stands upright.
fn lay_block(tiles: &mut Tiles, row: usize, col: usize, upright: bool) {
    let (row, col) = (row as u32, col as u32);
    let (down, right) = if upright { (1, 0) } else { (0, 1) };
    tiles.lay(Tile::new(row, col, Corner::BottomRight));
    tiles.lay(Tile::new(row + down, col + right, Corner::TopLeft));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_covers(size: Size, hole: Option<Square>) {
        let tiles = tile(size, hole, &Budget::unlimited()).unwrap();
        Region::new(size, hole.as_slice()).assert_covered_by(tiles.iter());
    }

    /// All 676 sizes, and all 29,565 places of a hole where the area fits.
    #[test]
    fn boards_up_to_26_by_26_are_tiled_or_searched_in_vain_as_the_theorems_say() {
        let mut boards = 0;
        for (rows, cols) in (1..=26).flat_map(|rows| (1..=26).map(move |cols| (rows, cols))) {
            let size = Size::new(rows, cols).unwrap();
            let holes = size.iter().filter(|_| size.squares() % 3 == 1).map(Some);
            for hole in holes.chain([None]) {
                boards += 1;
                let area = size.squares() - usize::from(hole.is_some());
                if !area.is_multiple_of(3) {
                    continue;
                }
                if theorems::tileable(size, hole).is_ok() {
                    assert_covers(size, hole);
                } else {
                    let region = Region::new(size, hole.as_slice());
                    let region = if cols > rows { region.transposed() } else { region };
                    let found = profile::is_tileable(&Strip::of_rows(&region), &Budget::unlimited());
                    assert_eq!(found, Ok(false), "{size}, hole {hole:?}");
                }
            }
        }
        assert_eq!(boards, 30_241);
    }

    #[test]
    fn long_boards_have_a_core_wherever_the_hole_is() {
        for (rows, cols) in [(2, 62), (62, 2), (4, 61), (5, 62), (5, 65), (65, 5), (7, 61), (61, 7)] {
            let size = Size::new(rows, cols).unwrap();
            for hole in size.iter().filter(|&hole| theorems::tileable(size, Some(hole)).is_ok()) {
                assert_covers(size, Some(hole));
            }
        }
    }
}
