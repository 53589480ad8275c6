//! Counts completions in batches of sixteen states, with AVX2.
//!
//! A search by recursion spends most of its time on branches that no processor can predict: how many squares a
//! row has left is as good as random. So states that wait for the same row are kept in a *level*, and a *pass*
//! takes one square from each of up to 512 states of a level, sixteen at a time: the lowest square that is
//! untried becomes a queen, and the child state goes to the next level if the next three rows have squares left.
//! The children are packed together by a byte shuffle, and so are the parents that have squares left to try.
//! Nothing branches on data. Passes work on the deepest level that holds a full batch, so that no level ever
//! holds more than two, and on the topmost when none is full.
//!
//! A state is four words of 16 bits: columns, the two kinds of diagonals, and the untried squares. That fits
//! boards with at most [`WIDTH`] open columns; wider ones are narrowed first (see [`Strip`](super::Strip)).
//!
//! # Why there is unsafe code here
//!
//! Packing by a shuffle has no counterpart in safe Rust, and each pass loads and stores without a bounds check.
//! Two invariants make it sound. A [`Batch`] can only be had where the processor has AVX2 and POPCNT. And a level
//! never holds more than two batches, while its arrays have room for 32 more words than that: a pass adds at most
//! one batch of children to a level that holds less than one (see [`Batch::completions`]), and loads and stores
//! cover at most sixteen words from where the level ends.
//!
//! Against the plain recursion of [`scalar`](super::scalar), this is some ten times as fast.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_shuffle_epi8, _mm_storeu_si128,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi16,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_min_epu16, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_sll_epi16, _mm256_srl_epi16,
    _mm256_storeu_si256, _mm256_sub_epi16, _mm256_xor_si256,
};

use crate::puzzles::{Budget, Interrupted};

/// The most columns that a batch can hold.
pub const WIDTH: u32 = 16;

/// How many states a pass takes at most: two levels of them fit into the first-level cache.
const BATCH: usize = 512;

/// How far a load or store may reach past the states of a level.
const PADDING: usize = 32;

/// How many passes lie between two looks at the budget; one takes less than a microsecond.
const PASSES_PER_CHECK: u32 = 1 << 10;

/// One word of each state of a level.
type Words = [u16; 2 * BATCH + PADDING];

/// States that wait for the same row.
#[derive(Debug)]
struct Level {
    columns: Words,
    /// Diagonals that fall to the left, as the columns where they cross the row.
    falling_left: Words,
    /// Diagonals that fall to the right.
    falling_right: Words,
    /// The squares of the row that are still to be tried; never 0.
    untried: Words,
    /// How many states there are: at most `2 * BATCH`.
    len: usize,
}

impl Level {
    const EMPTY: Self = Self {
        columns: [0; 2 * BATCH + PADDING],
        falling_left: [0; 2 * BATCH + PADDING],
        falling_right: [0; 2 * BATCH + PADDING],
        untried: [0; 2 * BATCH + PADDING],
        len: 0,
    };
}

/// An open row below the one that a pass works on.
#[derive(Clone, Copy)]
struct Below {
    /// How many rows further down it is.
    distance: u32,
    /// The columns that it allows.
    allowed: u16,
}

/// The working memory of a count. Where there is one, the processor has AVX2 and POPCNT.
#[derive(Debug)]
pub struct Batch {
    levels: Vec<Level>,
}

impl Batch {
    /// `None` when the processor doesn't have what it takes.
    #[must_use]
    pub fn new() -> Option<Self> {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            return Some(Self { levels: (0..WIDTH).map(|_| Level::EMPTY).collect() });
        }
        None
    }

    /// The number of ways to put a queen in each of these rows, which count from the top, such that none attacks
    /// another; bit `c` of `allowed[i]` says whether one may stand in row `rows[i]`, column `c`. All rows together
    /// allow no more columns than there are rows, so that the last row has one column left at most. At most
    /// [`WIDTH`] rows. Takes about half a nanosecond for each partial placement.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn completions(
        &mut self,
        rows: &[u32],
        allowed: &[u16],
        budget: &Budget,
    ) -> Result<u64, Interrupted> {
        // Counts may be so small that none of them comes to the next look below.
        budget.check()?;
        let last = match allowed {
            [] => return Ok(1),
            [only] => return Ok(u64::from(only.count_ones())),
            [first, ..] => {
                for level in &mut self.levels {
                    level.len = 0;
                }
                let top = &mut self.levels[0];
                (top.columns[0], top.falling_left[0], top.falling_right[0]) = (0, 0, 0);
                top.untried[0] = *first;
                top.len = usize::from(*first != 0);
                allowed.len() - 2
            }
        };
        debug_assert!(
            allowed.iter().fold(0, |open: u16, row| open | row).count_ones() as usize <= rows.len(),
            "the last row has one column left at most"
        );
        let mut pacer = budget.pacer(PASSES_PER_CHECK);
        let mut total = 0;
        // The deepest full level first: all below it hold less than a batch, and so does each when none is full.
        while let Some(place) = (0..=last)
            .rev()
            .find(|&place| self.levels[place].len >= BATCH)
            .or_else(|| (0..=last).find(|&place| self.levels[place].len > 0))
        {
            pacer.tick()?;
            // The next three rows; the last one again when there are less.
            let below = [1, 2, 3].map(|further| {
                let other = (place + further).min(last + 1);
                Below { distance: rows[other] - rows[place], allowed: allowed[other] }
            });
            let (upper, lower) = self.levels.split_at_mut(place + 1);
            let parents = &mut upper[place];
            // SAFETY: there is a `Batch`, so the processor has the features. `children` holds less than a batch,
            // as said above, and so after this pass at most two.
            unsafe {
                total += if place == last {
                    pass::<true>(parents, &mut lower[0], below)
                } else {
                    pass::<false>(parents, &mut lower[0], below)
                };
            }
        }
        Ok(total)
    }
}

/// Takes one untried square from each of up to [`BATCH`] parents, the last ones. Adds those children to the next
/// level that leave squares in each of the next three rows; or, when the next row is the `LAST`, returns how many
/// children leave a square in it: the solutions.
///
/// # Safety
/// The processor has AVX2 and POPCNT; `parents.len <= 2 * BATCH`, and `children.len < BATCH`.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn pass<const LAST: bool>(parents: &mut Level, children: &mut Level, below: [Below; 3]) -> u64 {
    debug_assert!(parents.len <= 2 * BATCH && children.len < BATCH, "levels hold two batches at most");
    let zero = _mm256_setzero_si256();
    let [next, second, third] = below;
    let allowed = below.map(|row| _mm256_set1_epi16(row.allowed.cast_signed()));
    let gap = _mm_cvtsi32_si128(next.distance.cast_signed());
    let [to_second, to_third] =
        [second, third].map(|row| _mm_cvtsi32_si128((row.distance - next.distance).cast_signed()));

    let start = parents.len.saturating_sub(BATCH);
    let end = parents.len;
    let mut solutions = 0;
    let mut kept = start;
    // SAFETY: `end <= 2 * BATCH`, and a level is `PADDING` >= 16 words longer than that.
    unsafe {
        // The last sixteen may be less than that: fill up with states that die at once.
        store(&mut parents.untried, end, zero);
        store(&mut parents.columns, end, _mm256_set1_epi16(-1));
    }
    for at in (start..end).step_by(16) {
        // SAFETY: `at < end`, as before.
        let state = unsafe { States::load(parents, at) };
        let queen = _mm256_and_si256(state.untried, _mm256_sub_epi16(zero, state.untried));
        let left = _mm256_xor_si256(state.untried, queen);
        let columns = _mm256_or_si256(state.columns, queen);
        let falling_left = _mm256_srl_epi16(_mm256_or_si256(state.falling_left, queen), gap);
        let falling_right = _mm256_sll_epi16(_mm256_or_si256(state.falling_right, queen), gap);
        let attacked = _mm256_or_si256(columns, _mm256_or_si256(falling_left, falling_right));
        let untried = _mm256_andnot_si256(attacked, allowed[0]);
        let least = if LAST {
            untried
        } else {
            let further = |distance, allowed| {
                let left = _mm256_srl_epi16(falling_left, distance);
                let right = _mm256_sll_epi16(falling_right, distance);
                _mm256_andnot_si256(_mm256_or_si256(columns, _mm256_or_si256(left, right)), allowed)
            };
            let both = _mm256_min_epu16(further(to_second, allowed[1]), further(to_third, allowed[2]));
            _mm256_min_epu16(untried, both)
        };

        // A byte for each: the eight lower children, the eight lower parents, then the upper ones.
        let finished = _mm256_packs_epi16(_mm256_cmpeq_epi16(least, zero), _mm256_cmpeq_epi16(left, zero));
        let [low_children, low_parents, high_children, high_parents] =
            (!_mm256_movemask_epi8(finished)).to_le_bytes();
        if LAST {
            solutions += u64::from(low_children.count_ones() + high_children.count_ones());
        } else {
            let child = States { columns, falling_left, falling_right, untried };
            // SAFETY: there were less than `BATCH`, and each of at most `BATCH` parents adds one at most.
            children.len = unsafe { child.pack(children, children.len, low_children, high_children) };
        }
        let parent = States { untried: left, ..state };
        // SAFETY: `kept <= at`, so this stays within what was loaded.
        kept = unsafe { parent.pack(parents, kept, low_parents, high_parents) };
    }
    parents.len = kept;
    solutions
}

/// Sixteen states side by side.
#[derive(Clone, Copy)]
struct States {
    columns: __m256i,
    falling_left: __m256i,
    falling_right: __m256i,
    untried: __m256i,
}

impl States {
    /// The states of a level from this one on.
    ///
    /// # Safety
    /// The processor has AVX2; `at <= 2 * BATCH`.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(level: &Level, at: usize) -> Self {
        // SAFETY: the arrays have `PADDING` >= 16 words from there on.
        let load = |words: &Words| unsafe { _mm256_loadu_si256(words.as_ptr().add(at).cast::<__m256i>()) };
        Self {
            columns: load(&level.columns),
            falling_left: load(&level.falling_left),
            falling_right: load(&level.falling_right),
            untried: load(&level.untried),
        }
    }

    /// Writes those of the eight lower and the eight upper states whose bits are set to a level, side by side
    /// from `at` on, and returns where they end. What follows there, up to 16 words from `at`, is overwritten.
    ///
    /// # Safety
    /// The processor has AVX2 and POPCNT; `at <= 2 * BATCH`.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    unsafe fn pack(&self, level: &mut Level, at: usize, low: u8, high: u8) -> usize {
        let middle = at + low.count_ones() as usize;
        // SAFETY: the arrays have `PADDING` >= 16 words from `at` on, and `middle <= at + 8`.
        unsafe {
            let low = _mm_loadu_si128(PACKING[usize::from(low)].as_ptr().cast::<__m128i>());
            let high = _mm_loadu_si128(PACKING[usize::from(high)].as_ptr().cast::<__m128i>());
            let pack = |words: &mut Words, states: __m256i| {
                let packed = _mm_shuffle_epi8(_mm256_castsi256_si128(states), low);
                _mm_storeu_si128(words.as_mut_ptr().add(at).cast::<__m128i>(), packed);
                let packed = _mm_shuffle_epi8(_mm256_extracti128_si256::<1>(states), high);
                _mm_storeu_si128(words.as_mut_ptr().add(middle).cast::<__m128i>(), packed);
            };
            pack(&mut level.columns, self.columns);
            pack(&mut level.falling_left, self.falling_left);
            pack(&mut level.falling_right, self.falling_right);
            pack(&mut level.untried, self.untried);
        }
        middle + high.count_ones() as usize
    }
}

/// Writes sixteen words.
///
/// # Safety
/// The processor has AVX2; `at <= 2 * BATCH`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store(words: &mut Words, at: usize, states: __m256i) {
    // SAFETY: the array has `PADDING` >= 16 words from there on.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().add(at).cast::<__m256i>(), states) }
}

/// For each set of eight words, the shuffle that moves them to the front, as byte numbers; the top bit gives 0.
static PACKING: [[u8; 16]; 256] = {
    let mut packing = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut word, mut to) = (0, 0);
        while word < 8 {
            if set >> word & 1 == 1 {
                packing[set][to] = 2 * word;
                packing[set][to + 1] = 2 * word + 1;
                to += 2;
            }
            word += 1;
        }
        set += 1;
    }
    packing
};

#[cfg(test)]
mod tests {
    use super::super::scalar;
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    proptest! {
        #[test]
        fn batches_count_what_the_scalar_path_counts(
            rows in subsequence((0u32..24).collect::<Vec<_>>(), 0..=11),
            columns in subsequence((0..16).collect::<Vec<_>>(), 11),
            allowed in proptest::collection::vec((any::<u16>(), any::<u16>()), 11),
        ) {
            let Some(mut batch) = Batch::new() else { return Ok(()) };
            // As many columns as rows, and most of them allowed, so that there is something to count.
            let open = columns.iter().take(rows.len()).fold(0, |open, col| open | 1 << col);
            let allowed: Vec<u16> = allowed.iter().take(rows.len()).map(|(one, two)| (one | two) & open).collect();
            let wide: Vec<u32> = allowed.iter().copied().map(u32::from).collect();
            let budget = Budget::unlimited();
            let expected = scalar::completions(&rows, &wide, &budget);
            // Twice, to see that a used batch is as good as a new one.
            prop_assert_eq!(batch.completions(&rows, &allowed, &budget), expected);
            prop_assert_eq!(batch.completions(&rows, &allowed, &budget), expected);
        }
    }

    #[test]
    fn levels_that_fill_up_lose_nothing() {
        let Some(mut batch) = Batch::new() else { return };
        let rows: Vec<u32> = (0..14).collect();
        let budget = Budget::unlimited();
        let expected = scalar::completions(&rows, &[(1 << 14) - 1; 14], &budget);
        assert_eq!(expected, Ok(365_596));
        assert_eq!(batch.completions(&rows, &[(1 << 14) - 1; 14], &budget), expected);
    }
}
