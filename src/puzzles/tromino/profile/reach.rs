//! Whether a strip has a tiling, and one: a bit for each profile that can be reached.
//!
//! The profiles of 64 neighbouring numbers share a word, so a step of the table in the [module above](super)
//! handles 64 profiles at once: moving a set of profiles from a free to a covered column shifts all of its words
//! by the same distance, within a word for the first six columns and from word to word for the others.

use rand_chacha::ChaCha8Rng;

use super::layers::{LAYER_BYTES, Layers, Walk};
use super::sample::below;
use super::step::{Algebra, Kind, Quad, Table, step, with_kind};
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
    fn cover_left(&self, set: u64) -> Option<u64> {
        Some(cover(set, IN_WORD - 1))
    }

    fn step(&self, table: &mut Table<u64>, cell: Cell) {
        let (a, b) = (&mut table.free[..], &mut table.covered[..]);
        if cell.col >= IN_WORD {
            step(self, a, b, cell.col - IN_WORD, cell);
        } else if cell.right && cell.col + 1 == IN_WORD {
            with_kind!(cell, step_last_in_word(self, a, b));
        } else {
            with_kind!(cell, step_in_word(self, a, b, cell.col));
        }
    }
}

/// The profiles of a set in which this column, one of the first six, is free, with it covered.
#[inline(always)]
const fn cover(set: u64, col: u32) -> u64 {
    (set & FREE[col as usize]) << (1 << col)
}

/// The words for the profiles of a strip, with x free.
fn words(strip: &Strip) -> usize {
    1 << strip.width().saturating_sub(IN_WORD)
}

/// The layer before the first row: its closed squares are covered, and nothing else.
fn start(strip: &Strip) -> Vec<u64> {
    let mut start = vec![0; words(strip)];
    let first = strip.closed(0);
    start[first as usize / 64] = 1 << (first % 64);
    start
}

/// Whether the strip is covered in the layer behind its last row.
fn is_covered(strip: &Strip, last: &[u64]) -> bool {
    contains(last, strip.closed(strip.rows()))
}

fn contains(words: &[u64], covered: u32) -> bool {
    words[covered as usize / 64] >> (covered % 64) & 1 == 1
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
        let right = RIGHT.then(|| (cover(quad.a0, col + 1), cover(quad.b0, col + 1)));
        let left = (col > 0).then(|| cover(quad.a0, col - 1));
        let new = Kind::<RIGHT, CLOSED, OPTIONAL>::combine(union, quad, right, left);
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
        let left = |set| Some(cover(set, COL - 1));
        let combine = Kind::<RIGHT, CLOSED, OPTIONAL>::combine::<A>;
        (a[0], b[0]) = join(combine(union, free, None, left(free.a0)), COL);
        (a[1], b[1]) = join(combine(union, covered, Some((free.a0, free.b0)), left(covered.a0)), COL);
    }
}

/// Ticks for the steps of a strip: one on the widest strip takes milliseconds.
fn pacer<'a>(strip: &Strip, budget: &'a Budget) -> Pacer<'a> {
    budget.pacer((1_u32 << 20 >> strip.width()).clamp(1, 1 << 12))
}

/// Whether the strip has a tiling.
///
/// Takes O(rows · width · 2^width / 64) time and O(2^width / 8) bytes.
pub(in crate::puzzles::tromino) fn is_tileable(strip: &Strip, budget: &Budget) -> Result<bool, Interrupted> {
    let mut table = Table { free: start(strip), covered: vec![0; words(strip)] };
    let mut pacer = pacer(strip, budget);
    for row in 0..strip.rows() {
        table.step_row(&Union, strip, row, &mut pacer)?;
    }
    Ok(is_covered(strip, &table.free))
}

/// How many words [`tile`] has to step through for a board of this size: each takes about a nanosecond.
pub(in crate::puzzles::tromino) fn words_of_work(size: Size) -> u64 {
    let words = 1_u64 << size.short_side().saturating_sub(IN_WORD as usize).min(32);
    2 * size.squares() as u64 * (2 * words + 8)
}

/// A tiling of the strip, from the last row to the first; `None` if there is none.
///
/// At each square it has the choice between the ways to come to the profile chosen so far: it takes the first
/// one, or with `random` any, with equal probabilities (which doesn't make tilings equally likely).
///
/// Takes twice the time of [`is_tileable`] and at most 200 MB, more only as the tiling grows.
pub(in crate::puzzles::tromino) fn tile(
    strip: &Strip,
    random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Option<Vec<Tile>>, Interrupted> {
    tile_within(LAYER_BYTES / (8 * words(strip)), strip, random, budget)
}

/// [`tile`] with room for so many layers.
pub(super) fn tile_within(
    capacity: usize,
    strip: &Strip,
    random: Option<&mut ChaCha8Rng>,
    budget: &Budget,
) -> Result<Option<Vec<Tile>>, Interrupted> {
    let table = Table::filled(words(strip), 0);
    let mut trace = Trace {
        strip,
        before: vec![table.clone(); strip.width() as usize],
        table,
        profile: Profile { covered: strip.closed(strip.rows()), below: false },
        tiles: Vec::new(),
        random,
        pacer: pacer(strip, budget),
    };
    let (layers, last) = Layers::forward(0..strip.rows(), start(strip), capacity, &mut trace)?;
    if !is_covered(strip, &last) {
        return Ok(None);
    }
    layers.back(&mut trace)?;
    Ok(Some(trace.tiles))
}

/// A tiling in the making.
struct Trace<'a> {
    strip: &'a Strip,
    table: Table<u64>,
    /// For each square of a row, the table when it was current.
    before: Vec<Table<u64>>,
    /// Where the way back has come to.
    profile: Profile,
    tiles: Vec<Tile>,
    random: Option<&'a mut ChaCha8Rng>,
    pacer: Pacer<'a>,
}

impl Walk for Trace<'_> {
    type Entry = u64;

    fn forward(&mut self, row: usize, layer: &mut Vec<u64>) -> Result<(), Interrupted> {
        self.table.step_layer(&Union, self.strip, row, layer, &mut self.pacer)
    }

    fn back(&mut self, row: usize, layer: &[u64]) -> Result<(), Interrupted> {
        self.table.free.copy_from_slice(layer);
        self.table.covered.fill(0);
        self.table.enter_row(self.strip, row);
        for (cell, before) in self.strip.cells(row).zip(&mut self.before) {
            self.pacer.tick()?;
            before.clone_from(&self.table);
            Union.step(&mut self.table, cell);
        }
        for (cell, before) in self.strip.cells(row).zip(&self.before).rev() {
            let reached = |from: Profile| {
                contains(if from.below { &before.covered } else { &before.free }, from.covered)
            };
            let mut ways = origins(cell, self.profile).filter(|way| reached(way.from));
            let way = match self.random.as_deref_mut() {
                None => ways.next(),
                Some(random) => pick(ways, random),
            };
            let way = way.expect("a profile is only reached from one that was");
            self.tiles.extend(way.tile(row, cell));
            self.profile = way.from;
        }
        // Between rows x is free, whatever it becomes for the next one.
        self.profile.below = false;
        Ok(())
    }
}

/// One of the ways, each with the same probability.
fn pick(ways: impl Iterator<Item = Origin> + Clone, random: &mut ChaCha8Rng) -> Option<Origin> {
    let count = ways.clone().count() as u128;
    let mut ways = ways;
    if count > 1 { ways.nth(below(count, random) as usize) } else { ways.next() }
}
