//! Large boards with any holes: a band of rows at a time, looking a little further than is laid.
//!
//! A band of a few rows is a strip for dynamic programming, however long it is. So cover the board from the top:
//! find a tiling of the band of the first rows still open, in which tiles may reach into the row below it; lay
//! only those that begin in the band's upper rows, and move on (a *receding horizon*). The lower rows are what
//! the band looks ahead: tiles there show that the part laid so far can be continued.
//!
//! Where a band has no tiling, what was laid before may be to blame, or the board itself. If the band has none on
//! the bare board either, even when the rows above and below it may stay uncovered as they like, then no tiling
//! of the board exists: its tiles on the band would make one. Otherwise the last step is undone, and done again
//! with a taller band.

use rand_chacha::ChaCha8Rng;

use super::profile::{self, Strip};
use super::region::Region;
use super::tiles::Tile;
use crate::puzzles::{Budget, Interrupted};

/// The heights of bands: the first one, and those for the places where it fails.
const HEIGHTS: [usize; 3] = [7, 14, 18];

/// So many of a band's rows are looked at only.
const LOOK_AHEAD: usize = 3;

/// How a sweep over a region ended.
#[derive(Debug)]
pub(super) enum Sweep {
    Tiled(Vec<Tile>),
    /// The rows from the first to the last of these can't be covered, whatever is done above and below them.
    Untileable {
        first: usize,
        last: usize,
    },
    /// Not even the tallest band helped: there may be a tiling or not.
    Undecided,
}

/// The tiles of one step.
struct Step {
    top: usize,
    level: usize,
    tiles: Vec<Tile>,
}

/// Sweeps over a region from top to bottom. With `random` the tilings of the bands are random ones.
///
/// Takes O(squares) time while the lowest bands do: some 100 ns a square.
pub(super) fn sweep(
    region: &Region,
    mut random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Sweep, Interrupted> {
    let rows = region.size().rows();
    let mut open = region.clone();
    let mut steps: Vec<Step> = Vec::new();
    let (mut top, mut level) = (0, 0);
    while top < rows {
        budget.check()?;
        let band = Band::new(top, HEIGHTS[level], rows);
        if let Some(tiles) = profile::tile(&band.strip(&open), random.as_deref_mut(), budget)? {
            let laid = band.laid();
            let tiles: Vec<_> = tiles
                .into_iter()
                .map(|tile| tile.transposed().moved(top as u32, 0))
                .filter(|tile| (tile.block.row as usize) < top + laid)
                .collect();
            tiles.iter().flat_map(|tile| tile.squares()).for_each(|square| open.close(square));
            steps.push(Step { top, level, tiles });
            (top, level) = (top + laid, 0);
            continue;
        }
        if !profile::is_tileable(&band.strip_alone(region), budget)? {
            return Ok(Sweep::Untileable { first: top, last: top + band.height - 1 });
        }
        level += 1;
        if let Some(step) = steps.pop() {
            step.tiles.iter().flat_map(|tile| tile.squares()).for_each(|square| open.reopen(square));
            top = step.top;
            // The same band would do the same again.
            level = level.max(step.level + 1);
        }
        if level == HEIGHTS.len() {
            return Ok(Sweep::Undecided);
        }
    }
    Ok(Sweep::Tiled(steps.into_iter().flat_map(|step| step.tiles).collect()))
}

/// Rows of a board that has some.
#[derive(Clone, Copy)]
struct Band {
    top: usize,
    height: usize,
    /// Whether there is a row above, and one below.
    above: bool,
    below: bool,
}

impl Band {
    /// The band of this height from `top` on, or of all rows that are left when they are few more.
    fn new(top: usize, height: usize, rows: usize) -> Self {
        let left = rows - top;
        let height = if left <= height + LOOK_AHEAD { left } else { height };
        Self { top, height, above: top > 0, below: height < left }
    }

    /// How many rows are covered when the band's tiles are laid.
    const fn laid(self) -> usize {
        if self.below { self.height - LOOK_AHEAD } else { self.height }
    }

    /// The band with the row below, if there is one, into which tiles may reach.
    fn strip(self, open: &Region) -> Strip {
        let below = usize::from(self.below);
        Strip::of_columns(open, self.top, self.height + below, (below as u32) << self.height)
    }

    /// The band with both its neighbouring rows, into which tiles may reach.
    fn strip_alone(self, region: &Region) -> Strip {
        let (above, below) = (usize::from(self.above), usize::from(self.below));
        let optional = above | below << (above + self.height);
        Strip::of_columns(region, self.top - above, above + self.height + below, optional as u32)
    }
}
