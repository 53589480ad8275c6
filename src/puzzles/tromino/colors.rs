//! Colours for tiles: small numbers from 1, different for tiles that share an edge.
//!
//! In the order of their blocks, row by row, tiles take the smallest colour that no neighbour before them has. A
//! tile touches seven squares, of which at most five belong to tiles before it; the others lie below or to the
//! right. So a sixth colour would be needed only where five neighbours have five colours, which is very rare.
//! There Kempe's exchange (1879) frees one of the five, as in Heawood's proof (1890) that five colours are
//! enough for every map.

use super::tiles::{Tile, Tiles};
use crate::board::{Grid, Square};
use crate::puzzles::{Budget, Interrupted};

/// The most colours that are used.
const MAX_COLORS: u8 = 5;

/// A square by its distance from a block's top left one: rows down, columns to the right.
type Distance = (isize, isize);

/// By the code of a tile, the neighbouring squares that tiles before it may have.
const BEFORE: [&[Distance]; 5] = [
    &[],
    &[(-1, 1), (0, 0), (0, 2), (1, -1)],
    &[(-1, 0), (0, -1), (0, 1), (1, -1)],
    &[(-1, 0), (-1, 1), (0, -1), (0, 2), (1, 0)],
    &[(-1, 0), (-1, 1), (0, -1), (0, 2), (1, -1)],
];

/// By the code of a tile, its other neighbouring squares.
const AFTER: [&[Distance]; 5] =
    [&[], &[(1, 2), (2, 0), (2, 1)], &[(1, 2), (2, 0), (2, 1)], &[(1, 2), (2, 1)], &[(1, 1), (2, 0)]];

/// The colours of the tiles in the order of their numbers, from 1 to at most 5. `board` has the tiles' numbers.
///
/// Takes O(squares) time: some nanoseconds a square.
pub(super) fn color(tiles: &Tiles, board: &Grid<u32>, budget: &Budget) -> Result<Vec<u8>, Interrupted> {
    let mut coloring = Coloring { tiles, board, colors: vec![0; tiles.count() as usize + 1] };
    let mut number = 0;
    for (row, codes) in tiles.codes().rows().enumerate() {
        budget.check()?;
        for (col, &code) in codes.iter().enumerate() {
            if code == 0 {
                continue;
            }
            number += 1;
            let used = coloring.colors_of(row, col, BEFORE[code as usize]);
            // The bit 0 stands for holes and for tiles without a colour.
            let mut color = (used | 1).trailing_ones() as u8;
            if color > MAX_COLORS {
                color = coloring.free_a_color(row, col, code);
            }
            coloring.colors[number] = color;
        }
    }
    coloring.colors.remove(0);
    Ok(coloring.colors)
}

struct Coloring<'a> {
    tiles: &'a Tiles,
    board: &'a Grid<u32>,
    /// By the tiles' numbers; 0 for those that have none yet, and for the number 0 of holes.
    colors: Vec<u8>,
}

impl Coloring<'_> {
    /// The tile numbers on the squares at these distances from a block, 0 for a hole; none off the board.
    #[inline]
    fn numbers(&self, row: usize, col: usize, distances: &[Distance]) -> impl Iterator<Item = u32> {
        let (rows, cols) = (self.board.size().rows(), self.board.size().cols());
        distances.iter().filter_map(move |&(down, right)| {
            let (row, col) = (row.wrapping_add_signed(down), col.wrapping_add_signed(right));
            (row < rows && col < cols).then(|| self.board.cells()[row * cols + col])
        })
    }

    /// The colours at these distances from a block, as bits.
    #[inline]
    fn colors_of(&self, row: usize, col: usize, distances: &[Distance]) -> u32 {
        self.numbers(row, col, distances).fold(0, |used, number| used | 1 << self.colors[number as usize])
    }

    /// Frees a colour for a tile whose five neighbours before it have all five.
    ///
    /// For two of the colours, take the neighbour that has the first one, and all tiles that hang together with
    /// it in these two colours. If the neighbour with the second one is not among them, they exchange their
    /// colours, and no neighbour has the first one any more. Since tiles lie in the plane, not every pair of
    /// colours can have its two neighbours connected: two such chains would have to cross.
    #[cold]
    fn free_a_color(&mut self, row: usize, col: usize, code: u8) -> u8 {
        let blocks: Vec<_> = self.tiles.iter().collect();
        let neighbours: Vec<_> = self.numbers(row, col, BEFORE[code as usize]).collect();
        let with_color = |colors: &[u8], color: u8| {
            neighbours.iter().copied().find(|&number| colors[number as usize] == color)
        };
        let pairs = (1..=MAX_COLORS).flat_map(|first| (1..first).map(move |second| (first, second)));
        let (freed, other, chain) = pairs
            .filter_map(|(first, second)| {
                let from = with_color(&self.colors, first)?;
                let chain = self.chain(&blocks, from, second);
                let free = with_color(&self.colors, second).is_none_or(|to| !chain.contains(&to));
                free.then_some((first, second, chain))
            })
            .next()
            .expect("chains of tiles can't cross in the plane");
        for number in chain {
            let color = &mut self.colors[number as usize];
            *color = if *color == freed { other } else { freed };
        }
        freed
    }

    /// The tiles that hang together with this one in its colour and another one.
    fn chain(&self, blocks: &[Tile], from: u32, other: u8) -> Vec<u32> {
        let colors = [self.colors[from as usize], other];
        let mut chain = vec![from];
        let mut seen = vec![false; self.colors.len()];
        seen[from as usize] = true;
        let mut next = 0;
        while let Some(&number) = chain.get(next) {
            next += 1;
            let Tile { block: Square { row, col }, missing } = blocks[number as usize - 1];
            for distances in [BEFORE[missing as usize], AFTER[missing as usize]] {
                for neighbour in self.numbers(row as usize, col as usize, distances) {
                    let at = neighbour as usize;
                    if !seen[at] && colors.contains(&self.colors[at]) {
                        seen[at] = true;
                        chain.push(neighbour);
                    }
                }
            }
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::puzzles::tromino::tiles::Corner;

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
        let board = tiles.numbered();
        let colors = color(&tiles, &board, &Budget::unlimited()).unwrap();
        assert_eq!(colors, [1, 2, 2, 1, 1, 3]);
        assert_neighbours_differ(&board, &colors);
    }

    #[test]
    fn a_colour_is_freed_where_five_neighbours_have_all_five() {
        let tiles = surrounded();
        let board = tiles.numbered();
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
            let colors = [&[0], &order[..], &[0]].concat();
            let mut coloring = Coloring { tiles: &tiles, board: &board, colors };
            coloring.colors[6] = coloring.free_a_color(2, 2, Corner::BottomRight as u8);
            assert!(coloring.colors[1..].iter().all(|color| (1..=5).contains(color)));
            assert_neighbours_differ(&board, &coloring.colors[1..]);
        }
    }
}
