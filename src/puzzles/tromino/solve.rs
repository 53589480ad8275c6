//! Which method when: the way from a problem to a tiling or a proof.

use num_bigint::BigUint;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::horizon::Sweep;
use super::profile::{Strip, count, sample};
use super::region::{Part, Region};
use super::tiles::{Tile, Tiles};
use super::{Method, Options, Problem, Solution};
use super::{forced, horizon, peel, profile, sat, theorems};
use crate::board::Square;
use crate::puzzles::{Budget, Impossible, Interrupted, Outcome, Proof};

/// Up to this width dynamic programming takes a whole part, whatever its length: nothing is quicker.
const NARROW: usize = 10;

/// Up to this many words of work, a few milliseconds, dynamic programming takes a whole part, whatever its width.
const SMALL_WORK: u64 = 1 << 22;

/// Up to this width dynamic programming finds the tiling that the horizon missed, or shows that there is none.
const MAX_SEARCHED_WIDTH: usize = 23;

/// Up to this width it shows at least that there is none.
const MAX_DECIDED_WIDTH: usize = profile::MAX_WIDTH;

/// Covers the board, or proves that it can't be covered. Equal requests get equal answers.
///
/// A board with no hole, or with one, takes O(squares) time. So do nearly all others; but deciding a board with many
/// holes is NP-complete, and there is always one that takes longer than anybody waits. Counting takes time and
/// memory exponential in the board's shorter side, as does a random tiling where that is at most 16.
///
/// The solution has a count only if [`Options::new`] allowed it for a board of this size.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solve(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
) -> Result<Outcome<Solution>, Interrupted> {
    budget.check()?;
    let solved = match plan(problem, options, budget)? {
        Ok(solution) => solution,
        Err(impossible) => return Ok(Outcome::Impossible(impossible)),
    };
    let counted = options.count() && problem.size().short_side() <= Options::MAX_COUNTED_SIDE;
    let tiling_count = if counted { Some(count_tilings(problem, budget)?) } else { None };
    Ok(Outcome::Solved(solved.with_tiling_count(tiling_count)))
}

/// Tries what settles a whole board, then the general way.
fn plan(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
) -> Result<Result<Solution, Impossible>, Interrupted> {
    let size = problem.size();
    let area = size.squares() - problem.holes().len();
    if !area.is_multiple_of(3) {
        let reason = format!("There are {area} squares to cover, which is not a multiple of 3.");
        return Ok(Err(Impossible::new(Proof::Area, reason)));
    }
    let at_most_one_hole = match problem.holes()[..] {
        [] => Some(None),
        [hole] => Some(Some(hole)),
        _ => None,
    };
    if let Some(hole) = at_most_one_hole
        && let Err(impossible) = theorems::tileable(size, hole)
    {
        return Ok(Err(impossible));
    }
    let mut random = options.seed().map(ChaCha8Rng::seed_from_u64);
    if random.is_none() {
        if let Some(quadrants) = problem.quadrants() {
            return Ok(Ok(Solution::by_quadrants(quadrants)));
        }
        if let Some(hole) = at_most_one_hole {
            let tiles = peel::tile(size, hole, budget)?;
            return Ok(Ok(Solution::of_tiles(&tiles, Method::Peel, budget)?));
        }
    }
    Ok(match tile_parts(problem, random.as_mut(), budget)? {
        Ok(tiled) => {
            let uniform = random.map(|_| tiled.uniform);
            Ok(Solution::of_tiles(&tiled.tiles, tiled.method, budget)?.with_uniform(uniform))
        }
        Err(impossible) => Err(impossible),
    })
}

/// The forced tiles of a board, and the parts that are left.
struct Reduced {
    forced: Vec<Tile>,
    parts: Vec<Part>,
}

fn reduce(problem: &Problem, budget: &Budget) -> Result<Result<Reduced, Impossible>, Interrupted> {
    let mut region = Region::new(problem.size(), problem.holes());
    Ok(match forced::lay_forced(&mut region, budget)? {
        Ok(forced) => Ok(Reduced { forced, parts: region.parts(budget)? }),
        Err(impossible) => Err(impossible),
    })
}

/// The number of tilings of a board whose shorter side is at most [`Options::MAX_COUNTED_SIDE`]: the product of
/// those of its parts.
fn count_tilings(problem: &Problem, budget: &Budget) -> Result<BigUint, Interrupted> {
    let mut product = BigUint::from(1_u8);
    match reduce(problem, budget)? {
        Err(_) => product = BigUint::ZERO,
        Ok(reduced) => {
            for part in reduced.parts {
                let (region, _) = part.cut_out();
                product *= count::count(&upright(&region).0, budget)?;
            }
        }
    }
    Ok(product)
}

/// The region as a strip along its longer side, and whether that turned it.
fn upright(region: &Region) -> (Strip, bool) {
    let turned = region.size().cols() > region.size().rows();
    let strip = if turned { Strip::of_rows(&region.transposed()) } else { Strip::of_rows(region) };
    (strip, turned)
}

/// Tiles as they were before the region was turned.
fn turn_back(tiles: Vec<Tile>, turned: bool) -> Vec<Tile> {
    if turned { tiles.into_iter().map(Tile::transposed).collect() } else { tiles }
}

/// A tiling of a board, or of a part.
struct Tiled<T> {
    tiles: T,
    method: Method,
    /// Whether every tiling was equally likely.
    uniform: bool,
}

/// A part's tiling, or what proves that it has none.
type PartOutcome = Result<Tiled<Vec<Tile>>, Untileable>;

/// Lays the forced tiles, and covers each part that is left.
fn tile_parts(
    problem: &Problem,
    mut random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Result<Tiled<Tiles>, Impossible>, Interrupted> {
    let reduced = match reduce(problem, budget)? {
        Ok(reduced) => reduced,
        Err(impossible) => return Ok(Err(impossible)),
    };
    let mut all = Tiled { tiles: Tiles::none(problem.size()), method: Method::Forced, uniform: true };
    reduced.forced.into_iter().for_each(|tile| all.tiles.lay(tile));
    for part in reduced.parts {
        let (region, corner) = part.cut_out();
        match tile_part(&region, random.as_deref_mut(), budget)? {
            Ok(tiled) => {
                all.method = all.method.max(tiled.method);
                all.uniform &= tiled.uniform;
                tiled.tiles.into_iter().for_each(|tile| all.tiles.lay(tile.moved(corner.row, corner.col)));
            }
            Err(untileable) => {
                let reason = untileable.reason(&part, corner);
                return Ok(Err(Impossible::new(Proof::Search, reason)));
            }
        }
    }
    Ok(Ok(all))
}

/// What was shown to have no tiling, within a part.
enum Untileable {
    Part,
    /// The rows from the first to the last of these, counted from the part's own top.
    Rows(usize, usize),
    /// The columns from the first to the last of these, counted from the part's own left side.
    Cols(usize, usize),
}

impl Untileable {
    /// The proof as a sentence; `corner` is the top left square of the smallest board that has all of the part.
    fn reason(&self, part: &Part, corner: Square) -> String {
        let around = format!("the part of the board around {}", part.first_square());
        let lines = |what: &str, from: u32, first: usize, last: usize| {
            let (first, last) = (from as usize + first, from as usize + last);
            format!(
                "A search through all possibilities finds no way to cover {around} in its {what}s {first} to \
                 {last}, even when tiles may reach into the {what}s beside them at will."
            )
        };
        match *self {
            Self::Part => {
                let area = part.area();
                format!(
                    "A search through all possibilities finds no way to cover {around}, of which {area} squares are \
                     left when every forced tile is laid."
                )
            }
            Self::Rows(first, last) => lines("row", corner.row, first, last),
            Self::Cols(first, last) => lines("column", corner.col, first, last),
        }
    }
}

/// Covers a connected region of any size.
fn tile_part(
    region: &Region,
    mut random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<PartOutcome, Interrupted> {
    let width = region.size().short_side();
    let tiled = |tiles: Option<Vec<Tile>>, method: Method, uniform: bool| {
        tiles.map(|tiles| Tiled { tiles, method, uniform }).ok_or(Untileable::Part)
    };
    if let Some(random) = random.as_deref_mut()
        && width <= sample::MAX_WIDTH
    {
        let (strip, turned) = upright(region);
        let tiles = sample::tile(&strip, random, budget)?;
        return Ok(tiled(tiles.map(|tiles| turn_back(tiles, turned)), Method::Profile, true));
    }
    let by_profile = |random: Option<&mut ChaCha8Rng>| {
        let (strip, turned) = upright(region);
        let tiles = profile::tile(&strip, random, budget)?;
        Ok(tiled(tiles.map(|tiles| turn_back(tiles, turned)), Method::Profile, false))
    };
    if width <= NARROW || profile::words_of_work(region.size()) <= SMALL_WORK {
        return by_profile(random);
    }
    if let Some(decided) = by_horizon(region, random.as_deref_mut(), budget)? {
        return Ok(decided);
    }
    if width <= MAX_SEARCHED_WIDTH {
        return by_profile(random);
    }
    if width <= MAX_DECIDED_WIDTH && !profile::is_tileable(&upright(region).0, budget)? {
        return Ok(Err(Untileable::Part));
    }
    if region.area() <= sat::MAX_AREA {
        return Ok(tiled(sat::tile(region, budget)?, Method::Sat, false));
    }
    // Too large for that: the same sweeps, with other tilings of the bands each time, as long as there is time.
    let mut own = ChaCha8Rng::seed_from_u64(0);
    let random = random.unwrap_or(&mut own);
    loop {
        if let Some(decided) = by_horizon(region, Some(random), budget)? {
            return Ok(decided);
        }
    }
}

/// Sweeps over a region along its longer side, whose bands are the shorter ones, and if that leaves it undecided
/// along the other one.
fn by_horizon(
    region: &Region,
    mut random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Option<PartOutcome>, Interrupted> {
    let lies = region.size().cols() > region.size().rows();
    for turned in [lies, !lies] {
        let random = random.as_deref_mut();
        let sweep = if turned {
            horizon::sweep(&region.transposed(), random, budget)?
        } else {
            horizon::sweep(region, random, budget)?
        };
        let decided = match sweep {
            Sweep::Tiled(tiles) => {
                let tiles = turn_back(tiles, turned);
                Ok(Tiled { tiles, method: Method::Horizon, uniform: false })
            }
            Sweep::Untileable { first, last } if turned => Err(Untileable::Cols(first, last)),
            Sweep::Untileable { first, last } => Err(Untileable::Rows(first, last)),
            Sweep::Undecided => continue,
        };
        return Ok(Some(decided));
    }
    Ok(None)
}
