//! How many tilings a strip has, exactly, however many digits that takes.
//!
//! The numbers of long strips have thousands of digits, and there is one for each profile: too much to hold. So
//! the count is computed modulo several numbers that have no common factor, in one pass over the strip for
//! each, and put together at the end (the Chinese remainder theorem). A first pass in floating point tells how
//! many digits there are at most. Memory depends on the width alone: 16 bytes for each of 2^(width + 1) profiles.
//!
//! Wide tables don't fit in a processor's cache. A step touches only neighbouring columns, so the first columns
//! of a row are done piece by piece on a table cut into pieces, and the last ones on small tables gathered from
//! all over it: two passes through memory for a row instead of one for each square.

use num_bigint::BigUint;

use super::step::{Algebra, step};
use super::{Cell, Strip};
use crate::puzzles::{Budget, Interrupted};

/// The widest strip whose tilings are counted: its tables take 32 MB.
pub(in crate::puzzles::tromino) const MAX_WIDTH: usize = 20;

/// Tables of strips up to this width are not cut into pieces: 256 KB, which fits beside other things in a
/// processor's second cache.
const WHOLE_WIDTH: u32 = 13;

/// The pieces of wider tables have profiles that differ in this many columns.
const PIECE_COLUMNS: u32 = WHOLE_WIDTH;

/// So many neighbouring profiles, as a power of two, are gathered at a time.
const GATHERED: u32 = 3;

/// Modulo 2^128.
struct Wrapping;

impl Algebra for Wrapping {
    type Entry = u128;
    const ZERO: u128 = 0;

    #[inline(always)]
    fn sum(&self, a: u128, b: u128) -> u128 {
        a.wrapping_add(b)
    }
}

/// Modulo some numbers below 2^63.
struct Modulo<const N: usize>([u64; N]);

impl<const N: usize> Algebra for Modulo<N> {
    type Entry = [u64; N];
    const ZERO: [u64; N] = [0; N];

    #[inline(always)]
    fn sum(&self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        std::array::from_fn(|at| {
            let sum = a[at] + b[at];
            // Too small a sum wraps around to a large number.
            sum.min(sum.wrapping_sub(self.0[at]))
        })
    }
}

/// Approximate.
struct Approximate;

impl Algebra for Approximate {
    type Entry = f64;
    const ZERO: f64 = 0.0;

    #[inline(always)]
    fn sum(&self, a: f64, b: f64) -> f64 {
        a + b
    }
}

/// The number of tilings of the strip, which is at most [`MAX_WIDTH`] wide and has no optional columns.
///
/// Takes O(rows · width · 2^width) time for each 128 bits of the answer, and at most 50 MB.
pub(in crate::puzzles::tromino) fn count(strip: &Strip, budget: &Budget) -> Result<BigUint, Interrupted> {
    // There are at most four ways to lay the tile that begins at a given square.
    let area: u64 =
        (0..strip.rows()).map(|row| u64::from(strip.width() - strip.closed(row).count_ones())).sum();
    let mut bits = 2 * area / 3;
    if bits >= 128 {
        bits = bits_at_most(strip, budget)?;
    }

    let low = pass(strip, &Wrapping, 1, |_| {}, budget)?;
    let mut count = Remainder { value: low.into(), modulus: one() << 128_u32 };
    let mut moduli = Moduli { product: count.modulus.clone(), candidates: (0..1 << 63).rev() };
    while count.modulus.bits() <= bits {
        if bits - count.modulus.bits() < 62 {
            count.refine(strip, [moduli.next()], budget)?;
        } else {
            count.refine(strip, [moduli.next(), moduli.next()], budget)?;
        }
    }
    Ok(count.value)
}

/// Numbers below 2^63, the largest ones first, of which no two have a common factor.
struct Moduli {
    product: BigUint,
    candidates: std::iter::Rev<std::ops::Range<u64>>,
}

impl Moduli {
    fn next(&mut self) -> u64 {
        let is_coprime = |&candidate: &u64| gcd(remainder(&self.product, candidate), candidate) == 1;
        let found = self.candidates.find(is_coprime).expect("no count has so many digits");
        self.product *= found;
        found
    }
}

fn one() -> BigUint {
    BigUint::from(1_u8)
}

/// What is known of a number: its remainder.
struct Remainder {
    value: BigUint,
    modulus: BigUint,
}

impl Remainder {
    /// Counts modulo numbers without a common factor with each other and with what was done before.
    fn refine<const N: usize>(
        &mut self,
        strip: &Strip,
        moduli: [u64; N],
        budget: &Budget,
    ) -> Result<(), Interrupted> {
        let values = pass(strip, &Modulo(moduli), [1; N], |_| {}, budget)?;
        values.into_iter().zip(moduli).for_each(|(value, modulus)| self.add(value, modulus));
        Ok(())
    }

    /// Adds what the number is modulo another number without a common factor.
    fn add(&mut self, value: u64, modulus: u64) {
        let inverse = BigUint::from(remainder(&self.modulus, modulus))
            .modinv(&modulus.into())
            .expect("the moduli have no common factor");
        let wide = u128::from(modulus);
        let missing = (u128::from(value) + wide - u128::from(remainder(&self.value, modulus))) % wide;
        self.value += &self.modulus * (inverse * missing % modulus);
        self.modulus *= modulus;
    }
}

fn remainder(number: &BigUint, modulus: u64) -> u64 {
    (number % modulus).try_into().expect("a remainder is below the modulus")
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An upper bound for the number of binary digits of the count.
///
/// Every sum is off by at most a factor 1 ± 2^-53, and there are at most four in a row for each of 2^30 squares:
/// a digit more than the floating point result has is enough.
fn bits_at_most(strip: &Strip, budget: &Budget) -> Result<u64, Interrupted> {
    let mut scale = 0;
    let keep_in_range = |table: &mut [f64]| {
        let largest = table.iter().fold(0.0, |largest: f64, &weight| largest.max(weight));
        if largest > 2_f64.powi(512) {
            scale += 512;
            for weight in table.iter_mut().filter(|weight| **weight > 0.0) {
                // Rounding up, so that nothing gets lost.
                *weight = (*weight * 2_f64.powi(-512)).max(f64::MIN_POSITIVE);
            }
        }
    };
    let approximate = pass(strip, &Approximate, 1.0, keep_in_range, budget)?;
    Ok(if approximate == 0.0 { 0 } else { scale + approximate.log2().ceil().max(0.0) as u64 + 1 })
}

/// Takes the steps of all rows, with one tiling of nothing to begin with, and gives what is kept for the end.
/// Calls `between` on the table after each row.
fn pass<A: Algebra>(
    strip: &Strip,
    algebra: &A,
    unit: A::Entry,
    mut between: impl FnMut(&mut [A::Entry]),
    budget: &Budget,
) -> Result<A::Entry, Interrupted> {
    let profiles = 1 << strip.width();
    let (mut free, mut covered) = (vec![A::ZERO; profiles], vec![A::ZERO; profiles]);
    free[strip.closed(0) as usize] = unit;
    let mut gathered = Gathered::new(strip.width(), A::ZERO);
    let mut pacer = budget.pacer((1_u32 << 12 >> strip.width()).max(1));
    for row in 0..strip.rows() {
        if strip.enters_covered(row) {
            std::mem::swap(&mut free, &mut covered);
        }
        let cells: Vec<_> = strip.cells(row).collect();
        if strip.width() <= WHOLE_WIDTH {
            pacer.tick()?;
            for cell in cells {
                step(algebra, &mut free, &mut covered, cell.col, cell);
            }
        } else {
            let (first, last) = cells.split_at(PIECE_COLUMNS as usize - 1);
            let piece = 1 << PIECE_COLUMNS;
            for (free, covered) in free.chunks_exact_mut(piece).zip(covered.chunks_exact_mut(piece)) {
                pacer.tick()?;
                for &cell in first {
                    step(algebra, free, covered, cell.col, cell);
                }
            }
            for from in (0..piece / 4).step_by(1 << GATHERED) {
                pacer.tick()?;
                gathered.steps(algebra, &mut free, &mut covered, from, last);
            }
        }
        between(&mut free);
    }
    Ok(free[strip.closed(strip.rows()) as usize])
}

/// The part of a wide table whose profiles differ only in the last columns, and in the first few.
struct Gathered<E> {
    free: Vec<E>,
    covered: Vec<E>,
}

impl<E: Copy> Gathered<E> {
    /// How far apart in the table are profiles that differ in the first of the last columns.
    const STRIDE: usize = 1 << (PIECE_COLUMNS - 2);

    fn new(width: u32, zero: E) -> Self {
        let profiles = 1 << (width + GATHERED).saturating_sub(PIECE_COLUMNS - 2);
        Self { free: vec![zero; profiles], covered: vec![zero; profiles] }
    }

    /// Takes the steps at these cells, in the last columns, for the profiles that agree with number `from` in
    /// the columns between the first few and the last.
    fn steps<A: Algebra<Entry = E>>(
        &mut self,
        algebra: &A,
        free: &mut [E],
        covered: &mut [E],
        from: usize,
        cells: &[Cell],
    ) {
        const RUN: usize = 1 << GATHERED;
        for (here, table) in [(&mut self.free, &*free), (&mut self.covered, &*covered)] {
            for (run, from) in here.chunks_exact_mut(RUN).zip((from..).step_by(Self::STRIDE)) {
                run.copy_from_slice(&table[from..from + RUN]);
            }
        }
        for &cell in cells {
            let position = cell.col - (PIECE_COLUMNS - 2) + GATHERED;
            step(algebra, &mut self.free, &mut self.covered, position, cell);
        }
        for (here, table) in [(&self.free, free), (&self.covered, covered)] {
            for (run, from) in here.chunks_exact(RUN).zip((from..).step_by(Self::STRIDE)) {
                table[from..from + RUN].copy_from_slice(run);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_put_together_from_its_remainders() {
        let number = (one() << 300_u32) - 12_345_u32;
        let mut known = Remainder { value: &number % (one() << 128_u32), modulus: one() << 128_u32 };
        for modulus in [(1 << 63) - 1, (1 << 61) - 1, (1 << 63) - 25] {
            known.add(remainder(&number, modulus), modulus);
        }
        assert_eq!(known.value, number);
    }
}
