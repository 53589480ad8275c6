//! Colours for tiles: small numbers from 1, different for tiles that share an edge.
//!
//! In the order of their blocks, row by row, tiles take the smallest colour that no neighbour before them has. A
//! tile touches seven squares, of which at most five belong to tiles before it; the others lie below or to the
//! right. So a sixth colour would be needed only where five neighbours have five colours, which is very rare.
//! There Kempe's exchange (1879) frees one of the five, as in Heawood's proof (1890) that five colours are
//! enough for every map.

use std::collections::HashSet;

use super::tiles::{Corner, Tile, Tiles};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// The most colours that are used.
const MAX_COLORS: u8 = 5;

/// A square by its distance from a block's top left one: rows down, columns to the right.
type Distance = (i32, i32);

/// The neighbouring squares of a tile that tiles before it may have.
const fn before(missing: Corner) -> &'static [Distance] {
    match missing {
        Corner::TopLeft => &[(-1, 1), (0, 0), (0, 2), (1, -1)],
        Corner::TopRight => &[(-1, 0), (0, -1), (0, 1), (1, -1)],
        Corner::BottomLeft => &[(-1, 0), (-1, 1), (0, -1), (0, 2), (1, 0)],
        Corner::BottomRight => &[(-1, 0), (-1, 1), (0, -1), (0, 2), (1, -1)],
    }
}

/// The other neighbouring squares of a tile.
const fn after(missing: Corner) -> &'static [Distance] {
    match missing {
        Corner::TopLeft | Corner::TopRight => &[(1, 2), (2, 0), (2, 1)],
        Corner::BottomLeft => &[(1, 2), (2, 1)],
        Corner::BottomRight => &[(1, 1), (2, 0)],
    }
}

/// The colours of the tiles in the order of their numbers, from 1 to at most 5.
///
/// Takes O(squares) time: a few nanoseconds a square.
pub(super) fn color(tiles: &Tiles, budget: &Budget) -> Result<Vec<u8>, Interrupted> {
    let mut coloring = Coloring::new(tiles);
    let corners = [Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight];
    let [top_left, top_right, bottom_left, bottom_right] = corners.map(|missing| coloring.offsets(missing));
    let mut colors = Vec::with_capacity(tiles.count() as usize);
    let mut exchanged = false;
    let mut pacer = budget.pacer(1 << 16);
    tiles.iter().try_for_each(|tile| {
        pacer.tick()?;
        let before = match tile.missing {
            Corner::TopLeft => top_left,
            Corner::TopRight => top_right,
            Corner::BottomLeft => bottom_left,
            Corner::BottomRight => bottom_right,
        };
        let color = match coloring.free_color(tile, before) {
            Some(color) => color,
            None => {
                exchanged = true;
                coloring.exchange(tile, budget)?
            }
        };
        coloring.paint(tile, color);
        colors.push(color);
        Ok(())
    })?;
    if exchanged {
        colors = tiles.iter().map(|tile| coloring.color_at(tile.squares()[0])).collect();
    }
    Ok(colors)
}

/// Squares painted with the colours of their tiles.
struct Coloring<'a> {
    tiles: &'a Tiles,
    /// The colours of the squares row by row, 0 where there is none. A row of squares without colour lies above,
    /// and one such square between the end of each row and the beginning of the next.
    painted: Vec<u8>,
}

impl<'a> Coloring<'a> {
    fn new(tiles: &'a Tiles) -> Self {
        let size = tiles.size();
        Self { tiles, painted: vec![0; (size.rows() + 1) * (size.cols() + 1) + 1] }
    }

    #[inline]
    fn index(&self, square: Square) -> usize {
        (square.row as usize + 1) * (self.tiles.size().cols() + 1) + square.col as usize + 1
    }

    #[inline]
    fn color_at(&self, square: Square) -> u8 {
        self.painted[self.index(square)]
    }

    #[inline]
    fn paint(&mut self, tile: Tile, color: u8) {
        for square in tile.squares() {
            let index = self.index(square);
            self.painted[index] = color;
        }
    }

    /// How far in `painted` the squares that tiles before such a tile may have are from its block. Five of them, if
    /// need be the first one twice.
    fn offsets(&self, missing: Corner) -> [isize; 5] {
        let distances = before(missing);
        std::array::from_fn(|at| {
            let (down, right) = distances.get(at).unwrap_or(&distances[0]);
            *down as isize * (self.tiles.size().cols() as isize + 1) + *right as isize
        })
    }

    /// The smallest colour that no neighbour before this tile has.
    #[inline]
    fn free_color(&self, tile: Tile, before: [isize; 5]) -> Option<u8> {
        let at = self.index(tile.block);
        let color = |offset| self.painted[at.wrapping_add_signed(offset)];
        let used = before.into_iter().fold(1_u32, |used, offset| used | 1 << color(offset));
        let free = used.trailing_ones() as u8;
        (free <= MAX_COLORS).then_some(free)
    }

    /// The squares on the board at these distances from a tile's block.
    fn squares(&self, tile: Tile, distances: &'static [Distance]) -> impl Iterator<Item = Square> {
        let size = self.tiles.size();
        distances.iter().filter_map(move |&(down, right)| size.offset(tile.block, down, right))
    }

    /// Frees a colour for a tile whose five neighbours before it have all five, and returns it.
    ///
    /// For two of the colours, take the neighbour that has the first one, and all tiles that hang together with
    /// it in these two colours. If the neighbour with the second one is not among them, they exchange their
    /// colours, and no neighbour has the first one any more. Since tiles lie in the plane, not every pair of
    /// colours can have its two neighbours connected: two such chains would have to cross.
    #[cold]
    fn exchange(&mut self, tile: Tile, budget: &Budget) -> Result<u8, Interrupted> {
        let neighbours: Vec<_> = self.squares(tile, before(tile.missing)).collect();
        let with_color =
            |color: u8| neighbours.iter().copied().find(|&square| self.color_at(square) == color);
        for first in 1..=MAX_COLORS {
            for second in 1..first {
                let (Some(from), Some(to)) = (with_color(first), with_color(second)) else { continue };
                let chain = self.chain(from, second, budget)?;
                if chain.iter().all(|tile| !tile.squares().contains(&to)) {
                    for tile in chain {
                        let other = if self.color_at(tile.squares()[0]) == first { second } else { first };
                        self.paint(tile, other);
                    }
                    return Ok(first);
                }
            }
        }
        unreachable!("chains of tiles can't cross in the plane")
    }

    /// The tiles that hang together with the one on this square in its colour and another one.
    fn chain(&self, from: Square, other: u8, budget: &Budget) -> Result<Vec<Tile>, Interrupted> {
        let colors = [self.color_at(from), other];
        let on = |square: Square| self.tiles.on(square).expect("a square with a colour has a tile");
        let mut chain = vec![on(from)];
        let mut seen = HashSet::from([chain[0].block]);
        let mut pacer = budget.pacer(1 << 12);
        let mut at = 0;
        while let Some(&tile) = chain.get(at) {
            pacer.tick()?;
            at += 1;
            for next in
                self.squares(tile, before(tile.missing)).chain(self.squares(tile, after(tile.missing)))
            {
                if colors.contains(&self.color_at(next)) && seen.insert(on(next).block) {
                    chain.push(on(next));
                }
            }
        }
        Ok(chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Grid, Size};

    fn assert_neighbours_differ(board: &Grid<u32>, colors: &[u8]) {
        let size = board.size();
        for square in size.iter() {
            for (down, right) in [(0, 1), (1, 0)] {
                let Some(next) = size.offset(square, down, right) else { continue };
                let (a, b) = (board[square], board[next]);
                if a != 0 && b != 0 && a != b {
                    assert_ne!(colors[a as usize - 1], colors[b as usize - 1], "{square} and {next}");
                }
            }
        }
    }

    /// Six tiles, of which the last one has the five others before it and around it.
    ///
    /// ```text
    /// . 1 1 2 2 .
    /// 3 3 1 2 4 4
    /// 5 3 6 6 4 .
    /// 5 5 6 . . .
    /// ```
    fn surrounded() -> Tiles {
        let mut tiles = Tiles::none(Size::new(4, 6).unwrap());
        tiles.lay(Tile::new(0, 1, Corner::BottomLeft));
        tiles.lay(Tile::new(0, 3, Corner::BottomRight));
        tiles.lay(Tile::new(1, 0, Corner::BottomLeft));
        tiles.lay(Tile::new(1, 4, Corner::BottomRight));
        tiles.lay(Tile::new(2, 0, Corner::TopRight));
        tiles.lay(Tile::new(2, 2, Corner::BottomRight));
        tiles
    }

    #[test]
    fn tiles_take_the_smallest_colour_that_is_left() {
        let tiles = surrounded();
        let colors = color(&tiles, &Budget::unlimited()).unwrap();
        assert_eq!(colors, [1, 2, 2, 1, 1, 3]);
        assert_neighbours_differ(&tiles.numbered(&Budget::unlimited()).unwrap(), &colors);
    }

    #[test]
    fn a_colour_is_freed_where_five_neighbours_have_all_five() {
        let tiles = surrounded();
        let mut neighbours: Vec<_> = tiles.iter().collect();
        let last = neighbours.pop().unwrap();
        // All orders of five colours on the neighbours; some make chains that connect.
        let mut orders = vec![vec![]];
        for color in 1..=5 {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<u8>| {
                    (0..=order.len()).map(|at| [&order[..at], &[color], &order[at..]].concat())
                })
                .collect();
        }
        assert_eq!(orders.len(), 120);
        for order in orders {
            let mut coloring = Coloring::new(&tiles);
            neighbours.iter().zip(order).for_each(|(&tile, color)| coloring.paint(tile, color));
            assert_eq!(coloring.free_color(last, coloring.offsets(last.missing)), None);
            let freed = coloring.exchange(last, &Budget::unlimited()).unwrap();
            coloring.paint(last, freed);
            let colors: Vec<_> = tiles.iter().map(|tile| coloring.color_at(tile.squares()[0])).collect();
            assert!(colors.iter().all(|color| (1..=5).contains(color)));
            assert_neighbours_differ(&tiles.numbered(&Budget::unlimited()).unwrap(), &colors);
        }
    }
}
