//! Random tilings, each with exactly the same probability.
//!
//! Let every profile have a weight: how many ways lead to it. From the end of the strip go back step by step,
//! and take each way to the current profile with the probability that its own weight has in the sum. The product
//! of these fractions telescopes: every tiling comes out with probability 1 / (number of tilings).
//!
//! Long strips have more tilings than an integer can hold, and rounded weights would spoil that. Weights here
//! are only ever rounded *up*, and only between rows, when they grow too large: a weight w is kept as
//! W = ⌈w / 2^k⌉. Where the way back crosses such a point it goes on with probability w / (W · 2^k), and
//! otherwise everything is thrown away and begun again. The product telescopes as before, so every tiling is
//! still equally likely, and hardly an attempt is lost: what is rounded has 90 binary digits or more beneath the
//! largest weights.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::layers::{LAYER_BYTES, Layers, Walk};
use super::step::{Algebra, Table, step};
use super::{Profile, Strip, origins};
use crate::puzzles::tromino::tiles::Tile;
use crate::puzzles::{Budget, Interrupted, Pacer};

/// The widest strip that random tilings are drawn from: its weights take 2 MB.
pub(in crate::puzzles::tromino) const MAX_WIDTH: usize = 16;

/// How large a weight may be at the start of a row. A step makes it at most threefold, so a row of
/// [`MAX_WIDTH`] stays within 128 bits.
const MAX_BITS: u32 = 128 - 2 * MAX_WIDTH as u32;

/// Weights that never overflow; adding is adding.
struct Counts;

impl Algebra for Counts {
    type Entry = u128;
    const ZERO: u128 = 0;

    #[inline(always)]
    fn sum(&self, a: u128, b: u128) -> u128 {
        a + b
    }
}

/// By how many bits the weights behind a row are shortened.
fn surplus_bits(weights: &[u128]) -> u32 {
    let all = weights.iter().fold(0, |all, weight| all | weight);
    (128 - all.leading_zeros()).saturating_sub(MAX_BITS)
}

/// A tiling of the strip, which is at most [`MAX_WIDTH`] wide and has no optional columns, every one being
/// equally likely; `None` if there is none.
///
/// Takes O(rows · width · 2^width) time and at most 100 MB, more only as the tiling grows.
pub(in crate::puzzles::tromino) fn tile(
    strip: &Strip,
    random: &mut ChaCha8Rng,
    budget: &Budget,
) -> Result<Option<Vec<Tile>>, Interrupted> {
    let capacity = LAYER_BYTES / (16 << strip.width());
    tile_within(capacity, strip, random, budget)
}

/// [`tile`] with room for so many layers.
pub(super) fn tile_within(
    capacity: usize,
    strip: &Strip,
    random: &mut ChaCha8Rng,
    budget: &Budget,
) -> Result<Option<Vec<Tile>>, Interrupted> {
    let mut first = vec![0; 1 << strip.width()];
    first[strip.closed(0) as usize] = 1;
    let end = strip.closed(strip.rows());
    let table = Table::filled(first.len(), 0);
    let mut trace = Trace {
        strip,
        before: vec![Table::filled(0, 0); strip.width() as usize],
        table,
        profile: Profile { covered: end, below: false },
        weight: 0,
        shortened: vec![0; strip.rows()],
        tiles: Vec::new(),
        rejected: false,
        random,
        pacer: budget.pacer((1_u32 << 14 >> strip.width()).clamp(1, 1 << 12)),
    };
    loop {
        let (layers, last) = Layers::forward(0..strip.rows(), first.clone(), capacity, &mut trace)?;
        trace.begin(Profile { covered: end, below: false }, last[end as usize]);
        if trace.weight == 0 {
            return Ok(None);
        }
        layers.back(&mut trace)?;
        if !trace.rejected {
            return Ok(Some(trace.tiles));
        }
    }
}

/// A tiling in the making.
struct Trace<'a> {
    strip: &'a Strip,
    table: Table<u128>,
    /// For each square of a row, the table when it was current.
    before: Vec<Table<u128>>,
    /// Where the way back has come to.
    profile: Profile,
    /// The weight of that profile in the layer behind the next row.
    weight: u128,
    /// For each row by how many bits the weights behind it were shortened.
    shortened: Vec<u32>,
    tiles: Vec<Tile>,
    /// Whether this attempt has ended at shortened weights.
    rejected: bool,
    random: &'a mut ChaCha8Rng,
    pacer: Pacer<'a>,
}

impl Trace<'_> {
    /// Begins a way back.
    fn begin(&mut self, profile: Profile, weight: u128) {
        (self.profile, self.weight, self.rejected) = (profile, weight, false);
        self.tiles.clear();
    }

    /// Takes the steps of a row again, from the layer it starts from, to what can lead to the current profile:
    /// the square before the current one is in its column for good, so after each step one half of the table
    /// is left out. Keeps the tables before each step, and gives the profile's weight.
    fn replay(&mut self, row: usize, layer: &[u128]) -> Result<u128, Interrupted> {
        self.table.free.clear();
        self.table.free.extend_from_slice(layer);
        self.table.covered.clear();
        self.table.covered.resize(layer.len(), 0);
        self.table.enter_row(self.strip, row);
        for (cell, before) in self.strip.cells(row).zip(&mut self.before) {
            self.pacer.tick()?;
            before.clone_from(&self.table);
            let Table { free, covered } = &mut self.table;
            step(&Counts, free, covered, cell.col.min(1), cell);
            if cell.col > 0 {
                let is_covered = self.profile.covered >> (cell.col - 1) & 1 == 1;
                keep_half(free, is_covered);
                keep_half(covered, is_covered);
            }
        }
        Ok(self.table.free[number_after(self.strip.width(), self.profile)])
    }
}

/// Leaves the entries of profiles in which the first column is covered, or those in which it is free.
fn keep_half(entries: &mut Vec<u128>, is_covered: bool) {
    let half = entries.len() / 2;
    for at in 0..half {
        entries[at] = entries[2 * at + usize::from(is_covered)];
    }
    entries.truncate(half);
}

/// The number of a profile in a table after so many steps of a [replay](Trace::replay).
const fn number_after(steps: u32, profile: Profile) -> usize {
    (profile.covered >> steps.saturating_sub(1)) as usize
}

impl Walk for Trace<'_> {
    type Entry = u128;

    fn forward(&mut self, row: usize, layer: &mut Vec<u128>) -> Result<(), Interrupted> {
        self.table.step_layer(&Counts, self.strip, row, layer, &mut self.pacer)?;
        let bits = surplus_bits(layer);
        if bits > 0 {
            layer.iter_mut().for_each(|weight| *weight = weight.div_ceil(1 << bits));
        }
        self.shortened[row] = bits;
        Ok(())
    }

    fn back(&mut self, row: usize, layer: &[u128]) -> Result<(), Interrupted> {
        if self.rejected {
            return Ok(());
        }
        let full = self.replay(row, layer)?;
        let bits = self.shortened[row];
        if bits > 0 && below(self.weight << bits, self.random) >= full {
            self.rejected = true;
            return Ok(());
        }
        for (cell, before) in self.strip.cells(row).zip(&self.before).rev() {
            let weight = |from: Profile| {
                (if from.below { &before.covered } else { &before.free })[number_after(cell.col, from)]
            };
            let ways = || origins(cell, self.profile).map(|way| (weight(way.from), way));
            let mut mark = below(ways().map(|(weight, _)| weight).sum(), self.random);
            let way = ways().find_map(|(weight, way)| match mark.checked_sub(weight) {
                None => Some(way),
                Some(left) => {
                    mark = left;
                    None
                }
            });
            let way = way.expect("the mark lies below the sum of the weights");
            self.tiles.extend(way.tile(row, cell));
            self.profile = way.from;
        }
        // Between rows x is free, whatever it becomes for the next one.
        self.profile.below = false;
        self.weight = layer[self.profile.covered as usize];
        Ok(())
    }
}

/// A random number from 0 up to but not including `bound`, which is at least 1, each being equally likely.
pub(super) fn below(bound: u128, random: &mut ChaCha8Rng) -> u128 {
    debug_assert!(bound > 0);
    let spare = (bound - 1).leading_zeros();
    if spare == 128 {
        return 0;
    }
    loop {
        let high = if spare < 64 { u128::from(random.next_u64()) << 64 } else { 0 };
        let drawn = (high | u128::from(random.next_u64())) & (u128::MAX >> spare);
        if drawn < bound {
            return drawn;
        }
    }
}
