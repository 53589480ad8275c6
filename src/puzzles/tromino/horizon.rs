//! Large boards with any holes: a band of rows at a time, looking a little further than is laid.
//!
//! A band of a few rows is a strip for dynamic programming, however long it is. So cover the board from the top:
//! find a tiling of the band of the first rows still open, in which tiles may reach into the row below it; lay
//! only those that begin in the band's upper rows, and move on (a *receding horizon*). The lower rows are what
//! the band looks ahead: tiles there show that the part laid so far can be continued.
//!
//! Where a band has no tiling, what was laid before may be to blame, or the board itself. If the band has none on
//! the bare board either, even when the rows above and below it may stay uncovered as they like, then no tiling
//! of the board exists: its tiles on the band would make one. Otherwise some steps are undone, and done again with
//! random tilings of their bands; if that fails too often, with taller bands, which see more of the board and so
//! prove more as well.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::profile::{self, Strip};
use super::region::Region;
use super::tiles::Tile;
use crate::puzzles::{Budget, Interrupted};

/// The heights of bands, the usual one first, and how often each is tried where no band gets past a place.
const HEIGHTS: [(usize, usize); 3] = [(7, 16), (14, 6), (18, 3)];

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

/// Sweeps over a region from top to bottom. With `random` the tilings of the bands are random ones.
///
/// Takes O(squares) time while the lowest bands do: some 100 ns a square.
pub(super) fn sweep(
    region: &Region,
    mut random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Sweep, Interrupted> {
    let rows = region.size().rows();
    let mut laid = Laid { open: region.clone(), steps: Vec::new(), top: 0 };
    let mut own_random = ChaCha8Rng::seed_from_u64(0);
    let (usual_height, _) = HEIGHTS[0];
    let mut height = usual_height;
    // How often no band got past the furthest place so far.
    let (mut furthest, mut failures) = (0, 0);
    while laid.top < rows {
        budget.check()?;
        let band = Band::new(laid.top, height, rows);
        let random = random.as_deref_mut().or((failures > 0).then_some(&mut own_random));
        if let Some(tiles) = profile::tile(&band.strip(&laid.open), random, budget)? {
            laid.lay(band, tiles);
            height = usual_height;
            if laid.top > furthest {
                failures = 0;
            }
            continue;
        }
        furthest = furthest.max(laid.top);
        let Some(retry) = Retry::after(failures) else { return Ok(Sweep::Undecided) };
        failures += 1;
        height = retry.height;
        if retry.is_first {
            // Whether the board is to blame.
            for top in (0..=laid.top).rev().step_by(LOOK_AHEAD).take(height / LOOK_AHEAD) {
                let band = Band::new(top, height, rows);
                if !band.is_tileable_alone(region, budget)? {
                    return Ok(Sweep::Untileable { first: top, last: top + band.height - 1 });
                }
            }
        }
        laid.undo(retry.undo);
    }
    Ok(Sweep::Tiled(laid.steps.into_iter().flat_map(|step| step.tiles).collect()))
}

/// What to try where no band gets past a place.
struct Retry {
    /// How many steps to undo.
    undo: usize,
    /// The height of the next band.
    height: usize,
    /// Whether it is the first try with this height.
    is_first: bool,
}

impl Retry {
    /// The next try after so many; `None` when it is time to give up.
    fn after(failures: usize) -> Option<Self> {
        let mut before = failures;
        for (height, tries) in HEIGHTS {
            if before < tries {
                return Some(Self { undo: before + 1, height, is_first: before == 0 });
            }
            before -= tries;
        }
        None
    }
}

/// What a sweep has laid so far.
struct Laid {
    /// The squares that are left.
    open: Region,
    steps: Vec<Step>,
    /// The first row that is not covered.
    top: usize,
}

/// The tiles of one step.
struct Step {
    top: usize,
    tiles: Vec<Tile>,
}

impl Laid {
    /// Lays those of a band's tiles that begin in its upper rows.
    fn lay(&mut self, band: Band, tiles: Vec<Tile>) {
        let (top, end) = (self.top, self.top + band.laid());
        let tiles: Vec<_> = tiles
            .into_iter()
            .map(|tile| tile.transposed().moved(top as u32, 0))
            .filter(|tile| (tile.block.row as usize) < end)
            .collect();
        tiles.iter().flat_map(|tile| tile.squares()).for_each(|square| self.open.close(square));
        self.steps.push(Step { top, tiles });
        self.top = end;
    }

    /// Undoes the last steps, as many as there are up to this number.
    fn undo(&mut self, steps: usize) {
        for step in self.steps.drain(self.steps.len().saturating_sub(steps)..).rev() {
            step.tiles.iter().flat_map(|tile| tile.squares()).for_each(|square| self.open.reopen(square));
            self.top = step.top;
        }
    }
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

    /// Whether the band has a tiling on the bare board when tiles may reach into both its neighbouring rows.
    fn is_tileable_alone(self, region: &Region, budget: &Budget) -> Result<bool, Interrupted> {
        let (above, below) = (usize::from(self.above), usize::from(self.below));
        let optional = above | below << (above + self.height);
        let rows = above + self.height + below;
        profile::is_tileable(&Strip::of_columns(region, self.top - above, rows, optional as u32), budget)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::{Size, Square};

    /// Regions 8 to 16 wide and up to 60 long whose area fits, with walls of closed squares, each with a length.
    fn regions() -> impl Strategy<Value = Region> {
        let wall = (any::<prop::sample::Index>(), any::<bool>(), 1..12_u32);
        (8..=60_u32, 8..=16_u32, prop::collection::vec(wall, 0..12)).prop_map(|(rows, cols, walls)| {
            let size = Size::new(rows, cols).unwrap();
            let mut region = Region::new(size, &[]);
            for (at, lies, length) in walls {
                let start = size.square(at.index(size.squares()));
                let squares = (0..length as i32).map(|on| if lies { (0, on) } else { (on, 0) });
                squares
                    .filter_map(|(down, right)| size.offset(start, down, right))
                    .for_each(|square| region.close(square));
            }
            let surplus = region.area() % 3;
            let open: Vec<_> =
                size.iter().filter(|&square| region.bordered()[region.index(square)] == 1).collect();
            open.into_iter().take(surplus).for_each(|square| region.close(square));
            region
        })
    }

    proptest! {
        #[test]
        fn what_a_sweep_says_is_what_dynamic_programming_on_the_whole_says(region in regions(), seed: u64) {
            let budget = Budget::unlimited();
            let tileable = profile::is_tileable(&Strip::of_rows(&region), &budget).unwrap();
            for region in [&region, &region.transposed()] {
                for random in [None, Some(&mut ChaCha8Rng::seed_from_u64(seed))] {
                    match sweep(region, random, &budget).unwrap() {
                        Sweep::Tiled(tiles) => region.assert_covered_by(tiles),
                        Sweep::Untileable { .. } => prop_assert!(!tileable),
                        Sweep::Undecided => {}
                    }
                }
            }
        }
    }

    #[test]
    fn a_large_board_with_scattered_holes_is_swept_in_one_go() {
        let size = Size::new(100, 120).unwrap();
        let holes: Vec<_> = (0..300).map(|at| Square::new(at * 37 % 100, at * 53 % 120)).collect();
        let region = Region::new(size, &holes);
        assert_eq!(region.area() % 3, 0);
        let Sweep::Tiled(tiles) = sweep(&region, None, &Budget::unlimited()).unwrap() else {
            panic!("undecided");
        };
        region.assert_covered_by(tiles);
    }

    #[test]
    fn a_band_that_no_tiles_can_cover_is_named() {
        // A chamber of 2 × 4 squares without a door.
        let size = Size::new(40, 30).unwrap();
        let wall = |square: &Square| {
            let (row, col) = (square.row, square.col);
            (20..24).contains(&row)
                && (10..16).contains(&col)
                && !((21..23).contains(&row) && (11..15).contains(&col))
        };
        let walls: Vec<_> = size.iter().filter(wall).collect();
        let region = Region::new(size, &walls);
        let sweep = sweep(&region, None, &Budget::unlimited()).unwrap();
        assert!(matches!(sweep, Sweep::Untileable { first, last } if first <= 21 && last >= 22), "{sweep:?}");
    }

    #[test]
    fn tries_go_further_back_and_then_to_taller_bands() {
        let tries: Vec<_> = (0..).map_while(Retry::after).map(|retry| (retry.height, retry.undo)).collect();
        assert_eq!(tries.len(), 25);
        assert_eq!((tries[0], tries[15], tries[16], tries[24]), ((7, 1), (7, 16), (14, 1), (18, 3)));
    }
}
