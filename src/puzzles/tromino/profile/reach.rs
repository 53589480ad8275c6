//! Whether a strip has a tiling, and one: a bit for each profile that can be reached.
//!
//! The profiles of 64 neighbouring numbers share a word, so a step of the table in the [module above](super)
//! handles 64 profiles at once: moving a set of profiles from a free to a covered column shifts all of its words
//! by the same distance, within a word for the first six columns and from word to word for the others.

use rand_chacha::ChaCha8Rng;

use super::layers::walk_back;
use super::sample::below;
use super::step::{Algebra, Kind, Quad, step, with_kind};
use super::{Cell, Origin, Profile, Strip, origins};
use crate::board::Size;
use crate::puzzles::tromino::tiles::Tile;
use crate::puzzles::{Budget, Interrupted, Pacer};

/// The first columns, whose bits number the profiles within a word.
const IN_WORD: u32 = 6;

/// For each column within a word, the profiles in which it is free.
const FREE: [u64; IN_WORD as usize] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// How much memory the layers of a tiling may take.
const LAYER_BYTES: usize = 64 << 20;

/// Sets of 64 profiles with neighbouring numbers, one in a word; adding is union.
struct Union;

impl Algebra for Union {
    type Entry = u64;
    const ZERO: u64 = 0;

    #[inline(always)]
    fn sum(&self, a: u64, b: u64) -> u64 {
        a | b
    }

    #[inline(always)]
    fn cover_left(&self, set: u64) -> u64 {
        cover(set, IN_WORD - 1)
    }
}

/// The profiles of a set in which this column, one of the first six, is free, with it covered.
#[inline(always)]
const fn cover(set: u64, col: u32) -> u64 {
    (set & FREE[col as usize]) << (1 << col)
}

/// The profiles that can be reached: those with x, the square below the current one, free, and covered.
#[derive(Clone, Debug)]
struct Reached {
    free: Vec<u64>,
    covered: Vec<u64>,
}

impl Reached {
    /// The start of a strip: its closed squares are covered, and nothing else.
    fn start(strip: &Strip) -> Self {
        let words = 1 << strip.width().saturating_sub(IN_WORD);
        let mut start = Self { free: vec![0; words], covered: vec![0; words] };
        let first = strip.closed(0);
        start.free[first as usize / 64] = 1 << (first % 64);
        start
    }

    fn contains(&self, profile: Profile) -> bool {
        let words = if profile.below { &self.covered } else { &self.free };
        words[profile.covered as usize / 64] >> (profile.covered % 64) & 1 == 1
    }

    /// Goes on from the layer between two rows, in which x is always free, to the first square of a row.
    fn enter_row(&mut self, strip: &Strip, row: usize) {
        if strip.enters_covered(row) {
            std::mem::swap(&mut self.free, &mut self.covered);
        }
    }

    fn step(&mut self, cell: Cell) {
        let (a, b) = (&mut self.free[..], &mut self.covered[..]);
        if cell.col >= IN_WORD {
            step(&Union, a, b, cell.col - IN_WORD, cell);
        } else if cell.right && cell.col + 1 == IN_WORD {
            with_kind!(cell, step_last_in_word(&Union, a, b));
        } else {
            with_kind!(cell, step_in_word(&Union, a, b, cell.col));
        }
    }

    fn step_row(&mut self, strip: &Strip, row: usize) {
        self.enter_row(strip, row);
        for cell in strip.cells(row) {
            self.step(cell);
        }
    }
}

/// Splits sets by a column within their words.
#[inline(always)]
const fn split(a: u64, b: u64, col: u32) -> Quad<u64> {
    let (free, by) = (FREE[col as usize], 1 << col);
    Quad { a0: a & free, a1: a >> by & free, b0: b & free, b1: b >> by & free }
}

/// Puts together what [`split`] has taken apart.
#[inline(always)]
const fn join(quad: Quad<u64>, col: u32) -> (u64, u64) {
    (quad.a0 | quad.a1 << (1 << col), quad.b0 | quad.b1 << (1 << col))
}

/// A step at a column within the words, as is the one to its right, if there is one.
fn step_in_word<A: Algebra<Entry = u64>, const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>(
    union: &A,
    a: &mut [u64],
    b: &mut [u64],
    col: u32,
) {
    for (a, b) in a.iter_mut().zip(b) {
        let quad = split(*a, *b, col);
        let right = |set| if RIGHT { cover(set, col + 1) } else { 0 };
        let a_left = if col == 0 { 0 } else { cover(quad.a0, col - 1) };
        let new =
            Kind::<RIGHT, CLOSED, OPTIONAL>::combine(union, quad, right(quad.a0), right(quad.b0), a_left);
        (*a, *b) = join(new, col);
    }
}

/// A step at the last column within the words: the one to its right tells neighbouring words apart.
fn step_last_in_word<A: Algebra<Entry = u64>, const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>(
    union: &A,
    a: &mut [u64],
    b: &mut [u64],
) {
    const COL: u32 = IN_WORD - 1;
    for (a, b) in a.as_chunks_mut::<2>().0.iter_mut().zip(b.as_chunks_mut::<2>().0) {
        let (free, covered) = (split(a[0], b[0], COL), split(a[1], b[1], COL));
        let left = |set| cover(set, COL - 1);
        let combine = Kind::<RIGHT, CLOSED, OPTIONAL>::combine::<A>;
        (a[0], b[0]) = join(combine(union, free, 0, 0, left(free.a0)), COL);
        (a[1], b[1]) = join(combine(union, covered, free.a0, free.b0, left(covered.a0)), COL);
    }
}

/// Ticks once a row: so often that a row of a wide strip, which takes milliseconds, is one interval.
fn pacer<'a>(strip: &Strip, budget: &'a Budget) -> Pacer<'a> {
    budget.pacer((1_u32 << 16 >> strip.width()).max(1))
}

/// Whether the strip has a tiling.
///
/// Takes O(rows · width · 2^width / 64) time and O(2^width / 8) bytes.
pub(in crate::puzzles::tromino) fn is_tileable(strip: &Strip, budget: &Budget) -> Result<bool, Interrupted> {
    let mut reached = Reached::start(strip);
    let mut pacer = pacer(strip, budget);
    for row in 0..strip.rows() {
        pacer.tick()?;
        reached.step_row(strip, row);
    }
    Ok(reached.contains(end(strip)))
}

/// How many words [`tile`] has to step through for a board of this size: each takes about a nanosecond.
pub(in crate::puzzles::tromino) fn words_of_work(size: Size) -> u64 {
    let words = 1_u64 << size.short_side().saturating_sub(IN_WORD as usize).min(32);
    2 * size.squares() as u64 * (2 * words + 8)
}

/// The profile below the last row.
fn end(strip: &Strip) -> Profile {
    Profile { covered: strip.closed(strip.rows()), below: false }
}

/// A tiling of the strip, from the last row to the first; `None` if there is none.
///
/// At each square it has the choice between the ways to come to the profile chosen so far: it takes the first
/// one, or with `random` any, with equal probabilities (which doesn't make tilings equally likely).
///
/// Takes twice the time of [`is_tileable`] and at most 100 MB, more only as the tiling grows.
pub(in crate::puzzles::tromino) fn tile(
    strip: &Strip,
    mut random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Option<Vec<Tile>>, Interrupted> {
    if !is_tileable(strip, budget)? {
        return Ok(None);
    }
    let first = Reached::start(strip);
    let capacity = LAYER_BYTES / (16 * first.free.len());
    let mut steps = pacer(strip, budget);
    let mut step = |row: usize, reached: &mut Reached| {
        steps.tick()?;
        reached.step_row(strip, row);
        Ok(())
    };

    let mut tiles = Vec::new();
    let mut profile = end(strip);
    let mut before: Vec<Reached> = vec![first.clone(); strip.width() as usize];
    let mut visits = pacer(strip, budget);
    let mut visit = |row: usize, layer: &Reached| {
        visits.tick()?;
        let mut reached = layer.clone();
        reached.enter_row(strip, row);
        for (cell, before) in strip.cells(row).zip(&mut before) {
            before.clone_from(&reached);
            reached.step(cell);
        }
        for (cell, before) in strip.cells(row).zip(&before).rev() {
            let ways = origins(cell, profile).filter(|origin| before.contains(origin.from));
            let way = match random.as_deref_mut() {
                None => ways.into_iter().next(),
                Some(random) => pick(ways, random),
            };
            let way = way.expect("a profile is only reached from one that was");
            tiles.extend(way.tile(row, cell));
            profile = way.from;
        }
        profile.below = false;
        Ok(())
    };
    walk_back(0..strip.rows(), first.clone(), capacity, &mut step, &mut visit)?;
    Ok(Some(tiles))
}

/// One of the ways, each with the same probability.
fn pick(ways: impl Iterator<Item = Origin>, random: &mut ChaCha8Rng) -> Option<Origin> {
    let ways: Vec<_> = ways.collect();
    let one = if ways.len() > 1 { below(ways.len() as u128, random) as usize } else { 0 };
    ways.get(one).copied()
}
