//! The frontier method: what is to be known about half a tour to complete it, and no more.
//!
//! Squares are dealt with one after the other, column by column. When it is a square's turn, all its moves to later
//! squares are decided at once. What was decided so far is a set of paths. To go on, it suffices to know for each
//! square of the *frontier*, those later squares that an earlier one can reach, whether it is untouched, in the inside of
//! a path, or the end of one, and which is then the other end, its *mate* (D. Knuth's Simpath, TAOCP 4A, 7.1.4; for
//! knight's tours B. McKay, 1997, and N. Elkies). Half tours that agree in that are one state, and there are few enough of
//! those to count or search boards whose tours are beyond number.
//!
//! A state has a code for each *slot*. The frontier moves over the board, so squares share slots: a square gets the
//! slot of one that has been dealt with.

/// A state, packed: a code for each slot, and how many ends of the tour are set.
pub(super) trait State: Copy + Ord {
    /// How many slots there is room for.
    const SLOTS: usize;
    /// The code of a square in the inside of a path.
    const INSIDE: usize;
    /// The code of the end of a path whose other end is an end of the tour.
    const MATE_IS_END: usize;
    /// No state at all.
    const NONE: Self;

    /// All squares untouched. The code of an untouched square is its own slot.
    fn untouched() -> Self;
    /// The code of this slot: one of those above, or the slot of its mate.
    fn get(self, slot: usize) -> usize;
    /// The same with another code.
    fn with(self, slot: usize, code: usize) -> Self;
    /// How many ends of the tour are set, from 0 to 2, or 3 when it is complete; and the colour of the first.
    fn ends(self) -> (usize, usize);
    /// The same with these ends.
    fn with_ends(self, count: usize, colour: usize) -> Self;
    /// Its hash.
    fn hash(self) -> u64;
}

macro_rules! state {
    ($name:ident, $bits:literal, $slots:literal, $hash:expr) => {
        impl State for $name {
            const SLOTS: usize = $slots;
            const INSIDE: usize = (1 << $bits) - 2;
            const MATE_IS_END: usize = (1 << $bits) - 1;
            const NONE: Self = Self::MAX;

            fn untouched() -> Self {
                (0..$slots).fold(0, |state: Self, slot| state | (slot as Self) << ($bits * slot))
            }

            #[inline]
            fn get(self, slot: usize) -> usize {
                (self >> ($bits * slot)) as usize & ((1 << $bits) - 1)
            }

            #[inline]
            fn with(self, slot: usize, code: usize) -> Self {
                self & !(((1 << $bits) - 1) << ($bits * slot)) | (code as Self) << ($bits * slot)
            }

            #[inline]
            fn ends(self) -> (usize, usize) {
                let ends = (self >> ($bits * $slots)) as usize & 7;
                (ends & 3, ends >> 2)
            }

            #[inline]
            fn with_ends(self, count: usize, colour: usize) -> Self {
                self & !(7 << ($bits * $slots)) | ((colour << 2 | count) as Self) << ($bits * $slots)
            }

            #[inline]
            fn hash(self) -> u64 {
                let hash: fn(Self) -> u64 = $hash;
                hash(self)
            }
        }
    };
}

/// Multiplies to 128 bits and folds: all bits of the number go into all bits of the result.
#[inline]
fn mix(number: u64) -> u64 {
    let product = u128::from(number ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}

state!(u64, 4, 14, mix);
state!(u128, 5, 25, |state| mix(state as u64 ^ mix((state >> 64) as u64)));

/// What a square can be in the tour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Role {
    /// Passed through.
    Inner,
    /// An end.
    End,
    /// Either, as long as the tour has no more than two ends.
    Either,
}

/// A later square that a move joins to the one whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Later {
    /// Its slot.
    pub(super) slot: usize,
    /// What it can be.
    pub(super) role: Role,
    /// How many squares that are dealt with after the present one are a move away from it.
    pub(super) remaining: usize,
}

/// A square whose turn it is.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// Its slot.
    pub(super) slot: usize,
    /// What it can be.
    pub(super) role: Role,
    /// Its colour where the two ends of the tour have to be of different colours.
    pub(super) colour: Option<usize>,
    /// The later squares that a move joins to it.
    pub(super) later: Vec<Later>,
    /// Whether this square's moves may complete the tour: false where too many squares are left.
    pub(super) may_complete: bool,
    /// Whether the tour is closed.
    pub(super) closed: bool,
}

/// What a square's moves lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next<S> {
    /// The next state.
    pub(super) state: S,
    /// Which of the later squares the moves lead to, by their place in the list; `NO_MOVE` for none.
    pub(super) moves: [u8; 2],
}

/// Stands for no later square.
pub(super) const NO_MOVE: u8 = u8::MAX;

/// How many ends a state has whose tour is complete: no more moves can be added.
const COMPLETE: usize = 3;

/// The state after the last square of a tour.
pub(super) fn finished<S: State>() -> S {
    S::untouched().with_ends(COMPLETE, 0)
}

impl Turn {
    /// Shows `emit` all that can become of `state` with the moves of this square.
    #[inline]
    pub(super) fn step<S: State>(&self, state: S, mut emit: impl FnMut(Next<S>)) {
        let code = state.get(self.slot);
        // The slot is free for another square.
        let rest = state.with(self.slot, self.slot);
        let used = if code == self.slot {
            0
        } else if code == S::INSIDE {
            2
        } else {
            1
        };
        if state.ends().0 == COMPLETE {
            if used == 2 && self.role != Role::End {
                emit(Next { state: rest, moves: [NO_MOVE; 2] });
            }
            return;
        }
        if self.role != Role::End {
            self.choose(state, rest, code, used, 2, &mut emit);
        }
        if self.role != Role::Inner {
            let (count, first) = state.ends();
            let fits = count == 0 || (count == 1 && self.colour.is_none_or(|colour| colour != first));
            if fits {
                // The colour of the first is of no use any more when both are set.
                let first = if count == 0 { self.colour.unwrap_or(0) } else { 0 };
                self.choose(state, rest.with_ends(count + 1, first), code, used, 1, &mut emit);
            }
        }
    }

    /// All ways to give this square, which has `used` moves to earlier squares, `total` moves in all.
    #[inline]
    fn choose<S: State>(
        &self,
        state: S,
        rest: S,
        code: usize,
        used: usize,
        total: usize,
        emit: &mut impl FnMut(Next<S>),
    ) {
        if used > total {
            return;
        }
        // A path that has its end here goes on from its other end; an end of the tour without moves yet from nowhere.
        let back = match used {
            1 => code,
            _ => S::MATE_IS_END,
        };
        match total - used {
            0 if used == 2 => self.finish(rest, [NO_MOVE; 2], emit),
            0 => self.join(rest, back, S::MATE_IS_END, [NO_MOVE; 2], emit),
            1 => {
                for (index, later) in self.later.iter().enumerate() {
                    if let Some((rest, end)) = self.extend(rest, later.slot) {
                        let moves = [index as u8, NO_MOVE];
                        if used == 1 && code == later.slot {
                            self.close(rest, moves, emit);
                        } else {
                            self.join(rest, back, end, moves, emit);
                        }
                    }
                }
            }
            _ => {
                for (index, later) in self.later.iter().enumerate() {
                    let Some((one, back)) = self.extend(rest, later.slot) else { continue };
                    for (other_index, other) in self.later.iter().enumerate().skip(index + 1) {
                        let Some((both, end)) = self.extend(one, other.slot) else { continue };
                        let moves = [index as u8, other_index as u8];
                        if state.get(later.slot) == other.slot {
                            self.close(both, moves, emit);
                        } else {
                            self.join(both, back, end, moves, emit);
                        }
                    }
                }
            }
        }
    }

    /// A move leads to the square in this slot: the state without its end there, and the other end of its path.
    #[inline]
    fn extend<S: State>(&self, state: S, slot: usize) -> Option<(S, usize)> {
        let code = state.get(slot);
        if code == S::INSIDE {
            None
        } else if code == slot {
            Some((state, slot))
        } else {
            Some((state.with(slot, S::INSIDE), code))
        }
    }

    /// The ends `one` and `other` become those of one path.
    #[inline]
    fn join<S: State>(
        &self,
        state: S,
        one: usize,
        other: usize,
        moves: [u8; 2],
        emit: &mut impl FnMut(Next<S>),
    ) {
        let end = S::MATE_IS_END;
        match (one == end, other == end) {
            (true, true) => self.complete(state, moves, emit),
            (true, false) => self.finish(state.with(other, end), moves, emit),
            (false, true) => self.finish(state.with(one, end), moves, emit),
            (false, false) => self.finish(state.with(one, other).with(other, one), moves, emit),
        }
    }

    /// Shows a state, unless some later square can't get its moves any more.
    #[inline]
    fn finish<S: State>(&self, state: S, moves: [u8; 2], emit: &mut impl FnMut(Next<S>)) {
        let (ends, _) = state.ends();
        let lives = self.later.iter().all(|later| {
            let needs = match later.role {
                Role::Inner => 2,
                Role::End => 1,
                Role::Either => 2 - usize::from(ends < 2),
            };
            let code = state.get(later.slot);
            code == S::INSIDE || usize::from(code != later.slot) + later.remaining >= needs
        });
        if lives {
            emit(Next { state, moves });
        }
    }

    /// A path became a cycle: the tour, or too early.
    #[inline]
    fn close<S: State>(&self, state: S, moves: [u8; 2], emit: &mut impl FnMut(Next<S>)) {
        if self.closed {
            self.complete(state, moves, emit);
        }
    }

    /// Nothing can be added to the tour: it is complete, or it is too early.
    #[inline]
    fn complete<S: State>(&self, state: S, moves: [u8; 2], emit: &mut impl FnMut(Next<S>)) {
        let no_other_path = (0..S::SLOTS).all(|slot| {
            let code = state.get(slot);
            code == slot || code == S::INSIDE
        });
        if self.may_complete && no_other_path {
            emit(Next { state: state.with_ends(COMPLETE, 0), moves });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps_what_is_put_into_it<S: State>() {
        let mut state = S::untouched();
        assert_eq!(state.ends(), (0, 0));
        assert!(state != S::NONE);
        for slot in 0..S::SLOTS {
            assert_eq!(state.get(slot), slot);
        }
        for slot in 0..S::SLOTS {
            state = state.with(slot, S::INSIDE).with_ends(2, slot % 2);
            assert_eq!(state.ends(), (2, slot % 2));
            for other in 0..S::SLOTS {
                assert_eq!(state.get(other), if other <= slot { S::INSIDE } else { other });
            }
        }
        assert_eq!(state.with(3, S::MATE_IS_END).get(3), S::MATE_IS_END);
        assert!(state.with_ends(COMPLETE, 0) != S::NONE);
    }

    #[test]
    fn a_packed_state_keeps_what_is_put_into_it() {
        keeps_what_is_put_into_it::<u64>();
        keeps_what_is_put_into_it::<u128>();
    }

    #[test]
    fn a_move_joins_paths_and_never_closes_one_too_early() {
        // Squares in the slots 1 and 2 are the ends of one path; the square in slot 0 has a move to both, and to slot 3.
        let state = u64::untouched().with(1, 2).with(2, 1);
        let later = [1, 2, 3].map(|slot| Later { slot, role: Role::Inner, remaining: 2 }).to_vec();
        let turn =
            Turn { slot: 0, role: Role::Inner, colour: None, later, may_complete: false, closed: true };
        let mut next = Vec::new();
        turn.step(state, |step| next.push((step.state, step.moves)));
        let through =
            |end: usize, other: usize| u64::untouched().with(end, u64::INSIDE).with(other, 3).with(3, other);
        assert_eq!(next, [(through(1, 2), [0, 2]), (through(2, 1), [1, 2])]);
    }
}
