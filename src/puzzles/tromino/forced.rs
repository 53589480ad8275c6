//! Proofs and tiles that cost next to nothing: looking at each square and its neighbours.
//!
//! - A connected part whose number of squares is not a multiple of 3 has no tiling.
//! - A square that no tile can cover proves the same.
//! - A square that only one tile can cover *forces* that tile. Its squares are then covered, which may force
//!   others, until no square is forced or one is left without any tile. What remains is a smaller board that has
//!   exactly as many tilings.

use super::region::Region;
use super::tiles::{Corner, Tile};
use crate::board::Square;
use crate::puzzles::{Budget, Impossible, Interrupted, Proof};

/// How many tiles in a 2 × 2 block cover a given open square of it, by the number of open squares in the block.
const TILES_IN_BLOCK: [u8; 5] = [0, 0, 0, 1, 3];

/// Lays every forced tile on the region, closes its squares, and returns the tiles.
///
/// Takes O(squares) time; some nanoseconds a square.
///
/// # Errors
/// Outside, [`Interrupted`] when the budget ran out; inside, the proof that the region has no tiling.
pub(super) fn lay_forced(
    region: &mut Region,
    budget: &Budget,
) -> Result<Result<Vec<Tile>, Impossible>, Interrupted> {
    for part in region.parts(budget)? {
        if part.area() % 3 != 0 {
            let at = part.first_square();
            let reason = match part.area() {
                1 => format!("The square {at} has no open neighbour, and a tile needs three squares."),
                area => format!(
                    "The part of the board around {at} that holes cut off has {area} squares, which is not \
                     a multiple of 3."
                ),
            };
            return Ok(Err(Impossible::new(Proof::Area, reason)));
        }
    }

    let mut forced = squares_with_few_tiles(region, budget)?;
    if let Some(&at) = forced.iter().find(|&&at| tiles_at(region, at) == 0) {
        let reason = format!("No L-shaped tile fits on the square {}.", region.square(at));
        return Ok(Err(Impossible::new(Proof::Degree, reason)));
    }
    let mut tiles = Vec::new();
    let mut pacer = budget.pacer(1 << 12);
    while let Some(at) = forced.pop() {
        pacer.tick()?;
        if region.bordered()[at] == 0 {
            continue;
        }
        let Some(tile) = only_tile(region, at) else {
            return Ok(Err(contradiction(region.square(at), tiles.len())));
        };
        tiles.push(tile);
        for square in tile.squares() {
            region.close(square);
        }
        for square in tile.squares() {
            forced.extend(
                neighbours(region.stride(), region.index(square))
                    .into_iter()
                    .filter(|&near| region.bordered()[near] == 1 && tiles_at(region, near) < 2),
            );
        }
    }
    if !tiles.is_empty()
        && let Some(part) = region.parts(budget)?.into_iter().find(|part| part.area() % 3 != 0)
    {
        let reason = format!(
            "After {} that nothing else can replace, the part around {} has {} left, which is not a multiple \
             of 3.",
            plural(tiles.len(), "tile"),
            part.first_square(),
            plural(part.area(), "square"),
        );
        return Ok(Err(Impossible::new(Proof::Forced, reason)));
    }
    Ok(Ok(tiles))
}

fn contradiction(at: Square, laid: usize) -> Impossible {
    let reason = format!(
        "After {} that nothing else can replace, no tile fits on the square {at}.",
        plural(laid, "tile")
    );
    Impossible::new(Proof::Forced, reason)
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The indices of the open squares that fewer than two tiles can cover, in the order of the squares.
fn squares_with_few_tiles(region: &Region, budget: &Budget) -> Result<Vec<usize>, Interrupted> {
    let stride = region.stride();
    let mut few = Vec::new();
    // By the column of its left squares, how many tiles in a block cover each of its open squares: blocks that
    // begin in the row above, and in this one.
    let mut above = vec![0; stride];
    let mut below = vec![0; stride];
    let block_row = |row: usize, out: &mut [u8]| {
        let (upper, lower) = (&region.bordered()[row * stride..], &region.bordered()[(row + 1) * stride..]);
        for (col, tiles) in out[..stride - 1].iter_mut().enumerate() {
            let open = upper[col] + upper[col + 1] + lower[col] + lower[col + 1];
            *tiles = u8::from(open == 3) + 3 * u8::from(open == 4);
        }
    };
    block_row(0, &mut below);
    for row in 1..=region.size().rows() {
        budget.check()?;
        std::mem::swap(&mut above, &mut below);
        block_row(row, &mut below);
        let open = &region.bordered()[row * stride..][..stride];
        let few_at =
            |col: usize| open[col] == 1 && above[col - 1] + above[col] + below[col - 1] + below[col] < 2;
        // Nearly all rows have none: ask for the whole row before asking where.
        if (1..stride - 1).fold(false, |any, col| any | few_at(col)) {
            few.extend((1..stride - 1).filter(|&col| few_at(col)).map(|col| row * stride + col));
        }
    }
    Ok(few)
}

/// The eight squares around the one with this index.
fn neighbours(stride: usize, at: usize) -> [usize; 8] {
    let (above, below) = (at - stride, at + stride);
    [above - 1, above, above + 1, at - 1, at + 1, below - 1, below, below + 1]
}

/// The indices of the top left squares of the four blocks that have the square with this index.
fn blocks(stride: usize, at: usize) -> [usize; 4] {
    [at - stride - 1, at - stride, at - 1, at]
}

fn open_in_block(region: &Region, block: usize) -> u8 {
    let (open, stride) = (region.bordered(), region.stride());
    open[block] + open[block + 1] + open[block + stride] + open[block + stride + 1]
}

/// How many tiles can cover the open square with this index.
fn tiles_at(region: &Region, at: usize) -> u8 {
    blocks(region.stride(), at)
        .map(|block| TILES_IN_BLOCK[open_in_block(region, block) as usize])
        .iter()
        .sum()
}

/// The tile on the open square with this index, which fewer than two can cover; `None` if none can.
fn only_tile(region: &Region, at: usize) -> Option<Tile> {
    let (open, stride) = (region.bordered(), region.stride());
    let block = blocks(stride, at).into_iter().find(|&block| open_in_block(region, block) == 3)?;
    let missing = match [open[block], open[block + 1], open[block + stride]] {
        [0, _, _] => Corner::TopLeft,
        [_, 0, _] => Corner::TopRight,
        [_, _, 0] => Corner::BottomLeft,
        _ => Corner::BottomRight,
    };
    // Two squares of a block that reaches into the border are closed, so this one does not.
    Some(Tile::new((block / stride - 1) as u32, (block % stride - 1) as u32, missing))
}
