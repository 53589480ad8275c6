//! A hash table from states to counts: half the memory and time of the standard one, bounded, and interruptible.

use num_bigint::BigUint;

use crate::puzzles::{Budget, Interrupted};

use super::super::frontier::State;

/// Why a step was not completed.
pub(super) enum Stop {
    /// A count is too large for its type.
    Overflow,
    /// The states take more memory than they may.
    Full,
    Interrupted(Interrupted),
}

/// A type to count in.
pub(super) trait Count: Clone + Default + Into<BigUint> {
    /// Adds; `false` when the sum is too large.
    fn add(&mut self, more: &Self) -> bool;

    /// How many bytes a state with its count takes.
    fn bytes<S>() -> usize {
        size_of::<(S, Self)>()
    }
}

impl Count for u64 {
    #[inline]
    fn add(&mut self, more: &Self) -> bool {
        let (sum, overflows) = self.overflowing_add(*more);
        *self = sum;
        !overflows
    }
}

impl Count for u128 {
    #[inline]
    fn add(&mut self, more: &Self) -> bool {
        let (sum, overflows) = self.overflowing_add(*more);
        *self = sum;
        !overflows
    }
}

impl Count for BigUint {
    fn add(&mut self, more: &Self) -> bool {
        *self += more;
        true
    }

    fn bytes<S>() -> usize {
        // The digits of a few hundred bits, and what the allocator adds.
        size_of::<(S, Self)>() + 64
    }
}

/// A hash table with open addressing (linear probing).
pub(super) struct Table<S, C> {
    /// A power of two of places; free ones hold `NONE`.
    places: Vec<(S, C)>,
    /// How far to shift a hash to the right for its place.
    shift: u32,
    used: usize,
    memory: usize,
}

impl<S: State, C: Count> Table<S, C> {
    /// A table for about so many states, which may grow to so much memory.
    pub(super) fn new(states: usize, memory: usize, budget: &Budget) -> Result<Self, Stop> {
        let places = (states * 2).next_power_of_two().max(64);
        if places * C::bytes::<S>() > memory {
            return Err(Stop::Full);
        }
        Ok(Self {
            places: free_places(places, budget).map_err(Stop::Interrupted)?,
            shift: 64 - places.trailing_zeros(),
            used: 0,
            memory,
        })
    }

    #[inline]
    pub(super) fn add(&mut self, state: S, count: &C, budget: &Budget) -> Result<(), Stop> {
        let mut at = (state.hash() >> self.shift) as usize;
        loop {
            let place = &mut self.places[at];
            if place.0 == state {
                return if place.1.add(count) { Ok(()) } else { Err(Stop::Overflow) };
            }
            if place.0 == S::NONE {
                *place = (state, count.clone());
                self.used += 1;
                return if self.used * 4 > self.places.len() * 3 { self.grow(budget) } else { Ok(()) };
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    /// Twice as many places.
    #[cold]
    fn grow(&mut self, budget: &Budget) -> Result<(), Stop> {
        let places = self.places.len() * 2;
        // While it grows the old places are there as well.
        if (places + self.places.len()) * C::bytes::<S>() > self.memory {
            return Err(Stop::Full);
        }
        let old =
            std::mem::replace(&mut self.places, free_places(places, budget).map_err(Stop::Interrupted)?);
        self.shift -= 1;
        let mut pacer = budget.pacer(1 << 14);
        for (state, count) in old {
            pacer.tick().map_err(Stop::Interrupted)?;
            if state != S::NONE {
                let mut at = (state.hash() >> self.shift) as usize;
                while self.places[at].0 != S::NONE {
                    at = (at + 1) & (places - 1);
                }
                self.places[at] = (state, count);
            }
        }
        Ok(())
    }

    /// The states in the table, in no particular order that is yet always the same.
    pub(super) fn into_states(mut self, budget: &Budget) -> Result<Vec<(S, C)>, Interrupted> {
        let mut pacer = budget.pacer(1 << 14);
        let mut kept = 0;
        for at in 0..self.places.len() {
            pacer.tick()?;
            if self.places[at].0 != S::NONE {
                self.places.swap(kept, at);
                kept += 1;
            }
        }
        self.places.truncate(kept);
        self.places.shrink_to_fit();
        Ok(self.places)
    }
}

/// So many free places. Memory of gigabytes takes a while to fill.
fn free_places<S: State, C: Count>(places: usize, budget: &Budget) -> Result<Vec<(S, C)>, Interrupted> {
    let mut free = Vec::with_capacity(places);
    while free.len() < places {
        budget.check()?;
        free.resize(places.min(free.len() + (1 << 16)), (S::NONE, C::default()));
    }
    Ok(free)
}
