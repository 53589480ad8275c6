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
//! still equally likely; only a few attempts in 10^20 are lost.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::layers::walk_back;
use super::step::{Algebra, step};
use super::{Profile, Strip, origins};
use crate::puzzles::tromino::tiles::Tile;
use crate::puzzles::{Budget, Interrupted};

/// The widest strip that random tilings are drawn from: its weights take 2 MB, times the width for one row.
pub(in crate::puzzles::tromino) const MAX_WIDTH: usize = 16;

/// How large a weight may be at the start of a row. A step can at most make it fourfold, so a row of
/// [`MAX_WIDTH`] stays within 128 bits.
const MAX_BITS: u32 = 128 - 2 * MAX_WIDTH as u32;

/// How much memory the layers of a tiling may take.
const LAYER_BYTES: usize = 64 << 20;

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

/// The weights of all profiles: those with x, the square below the current one, free, and covered.
#[derive(Clone)]
struct Weights {
    free: Vec<u128>,
    covered: Vec<u128>,
}

impl Weights {
    fn start(strip: &Strip) -> Self {
        let mut start = Self { free: vec![0; 1 << strip.width()], covered: vec![0; 1 << strip.width()] };
        start.free[strip.closed(0) as usize] = 1;
        start
    }

    fn of(&self, profile: Profile) -> u128 {
        let weights = if profile.below { &self.covered } else { &self.free };
        weights[profile.covered as usize]
    }

    fn enter_row(&mut self, strip: &Strip, row: usize) {
        if strip.enters_covered(row) {
            std::mem::swap(&mut self.free, &mut self.covered);
        }
    }

    fn step_row(&mut self, strip: &Strip, row: usize) {
        self.enter_row(strip, row);
        for cell in strip.cells(row) {
            step(&Counts, &mut self.free, &mut self.covered, cell.col, cell);
        }
    }

    /// By how many bits the weights at the end of a row are shortened.
    fn surplus_bits(&self) -> u32 {
        let all = self.free.iter().fold(0, |all, weight| all | weight);
        (128 - all.leading_zeros()).saturating_sub(MAX_BITS)
    }

    /// Shortens the weights at the end of a row to what the next may start with.
    fn shorten(&mut self) {
        let bits = self.surplus_bits();
        if bits > 0 {
            for weight in &mut self.free {
                *weight = shortened(*weight, bits);
            }
        }
    }
}

/// A weight divided by 2^`bits`, rounded up.
const fn shortened(weight: u128, bits: u32) -> u128 {
    weight.div_ceil(1 << bits)
}

/// A tiling of the strip, which is at most [`MAX_WIDTH`] wide and has no optional columns, every one being
/// equally likely; `None` if there is none.
///
/// Takes O(rows · width · 2^width) time and at most 150 MB, more only as the tiling grows.
pub(in crate::puzzles::tromino) fn tile(
    strip: &Strip,
    random: &mut ChaCha8Rng,
    budget: &Budget,
) -> Result<Option<Vec<Tile>>, Interrupted> {
    let mut step_row = |row: usize, weights: &mut Weights| {
        budget.check()?;
        weights.step_row(strip, row);
        weights.shorten();
        Ok(())
    };
    let first = Weights::start(strip);
    let mut last = first.clone();
    for row in 0..strip.rows() {
        step_row(row, &mut last)?;
    }
    let end = Profile { covered: strip.closed(strip.rows()), below: false };
    if last.of(end) == 0 {
        return Ok(None);
    }

    let capacity = LAYER_BYTES / (32 * first.free.len());
    let mut before = vec![first.clone(); strip.width() as usize];
    loop {
        let mut tiles = Vec::new();
        let mut profile = end;
        // The weight that the next row's layer gives the current profile.
        let mut kept = last.of(end);
        let mut rejected = false;
        let mut visit = |row: usize, layer: &Weights| {
            if rejected {
                return Ok(());
            }
            budget.check()?;
            let mut weights = layer.clone();
            weights.enter_row(strip, row);
            for (cell, before) in strip.cells(row).zip(&mut before) {
                before.clone_from(&weights);
                step(&Counts, &mut weights.free, &mut weights.covered, cell.col, cell);
            }
            let bits = weights.surplus_bits();
            if bits > 0 && below(kept << bits, random) >= weights.of(profile) {
                rejected = true;
                return Ok(());
            }
            for (cell, before) in strip.cells(row).zip(&before).rev() {
                let ways = || origins(cell, profile).map(|origin| (before.of(origin.from), origin));
                let mut left = ways().map(|(weight, _)| weight).sum();
                let mut mark = if ways().filter(|&(weight, _)| weight > 0).count() > 1 {
                    below(left, random)
                } else {
                    0
                };
                let way = ways().find_map(|(weight, origin)| {
                    left = weight;
                    if mark < weight {
                        return Some(origin);
                    }
                    mark -= weight;
                    None
                });
                let way = way.expect("the mark lies below the sum of the weights");
                tiles.extend(way.tile(row, cell));
                profile = way.from;
            }
            profile.below = false;
            kept = layer.of(profile);
            Ok(())
        };
        walk_back(0..strip.rows(), first.clone(), capacity, &mut step_row, &mut visit)?;
        if !rejected {
            return Ok(Some(tiles));
        }
    }
}

/// A random number from 0 up to but not including `bound`, which is at least 1, each being equally likely.
pub(super) fn below(bound: u128, random: &mut ChaCha8Rng) -> u128 {
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
