//! Counting all tours, exactly, by the [frontier method](super::frontier).
//!
//! Each state has a count: in how many ways the squares dealt with so far can lead to it. Where the board and the
//! request are their own mirror image, a state between two columns has the same number of completions as its mirror image,
//! and the two are kept as one. Counts begin as 64-bit numbers; when one overflows, the step is done again with wider
//! ones.
//!
//! The number of states grows exponentially with the shorter side of the board and hardly with the longer. The memory
//! they may take is bounded: when a step would take more, the states are split in two halves that are counted one after
//! the other. That may find the same state twice, so it takes longer.

use num_bigint::BigUint;

use crate::board::{Size, Square};
use crate::puzzles::{Budget, Interrupted};

use super::frontier::{Later, Next, Role, State, Turn, finished};
use super::{Problem, general};

/// How many tours there are that `problem` asks for: closed ones as cycles without direction, open ones with. A closed
/// tour whose start and end are given counts if it has that closing move. Exponential in the shorter side; uses about
/// `memory` bytes at most.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn count(problem: &Problem, memory: usize, budget: &Budget) -> Result<BigUint, Interrupted> {
    let board = Board::new(problem);
    if one_by_one(problem) || board.widest_frontier() > u128::SLOTS {
        return general::count(problem, budget);
    }
    let steps = board.steps();
    budget.progress().begin(steps.len() as u64);
    let total = if board.widest_frontier() <= u64::SLOTS {
        complete(&steps, Layer::Small(vec![(u64::untouched(), 1)]), memory, budget)?
    } else {
        complete(&steps, Layer::Small(vec![(u128::untouched(), 1)]), memory, budget)?
    };
    let both_directions = !problem.closed() && problem.start().is_none() && problem.end().is_none();
    Ok(if both_directions { total * 2_u32 } else { total })
}

/// Whether tours are found one by one to be counted: where the numbers of squares matter, and where there are too few.
fn one_by_one(problem: &Problem) -> bool {
    let inner_clues = problem.has_inner_clues() && !(problem.closed() && problem.clues().len() == 1);
    inner_clues || problem.square_count() < 3
}

/// About how many bytes it takes to count the tours that `problem` asks for, to be asked before it is tried: an estimate from
/// the widest frontier, rather too large than too small. 0 where tours are found one by one, which takes hardly any
/// memory, but time. O(squares).
#[must_use]
pub fn counting_memory(problem: &Problem) -> u64 {
    if one_by_one(problem) {
        return 0;
    }
    let ends = if problem.closed() { 0 } else { 2 };
    let given = [problem.start(), problem.end()].iter().flatten().count();
    let board = Board::new(problem);
    let frontier = board.widest_frontier() as i32;
    // What was measured for whole boards of 5 to 7 rows: the number of states grows fourfold with each square of
    // the frontier, and more where the ends can be anywhere.
    let states = match (ends, ends.min(given)) {
        (0, _) => 4.2e5 * 4.1_f64.powi(frontier - 13),
        (_, 2) => 8.4e5 * 4.1_f64.powi(frontier - 13),
        _ => 2.5e6 * 4.9_f64.powi(frontier - 13),
    };
    let asymmetric = if board.is_mirrored() { 1.0 } else { 2.0 };
    // Two layers, the table of one of which may be half empty and grow, and counts of up to 128 bits; a float to an
    // integer saturates.
    let bytes = if board.widest_frontier() <= u64::SLOTS { 32.0 } else { 48.0 };
    ((states * asymmetric * bytes * 3.0) as u64).saturating_add(1 << 20)
}

/// The board as it is counted: no higher than wide, column by column.
struct Board<'a> {
    problem: &'a Problem,
    rows: usize,
    cols: usize,
    /// By number, column by column: whether the square is part of the board.
    open: Vec<bool>,
    /// The moves as (rows, columns).
    moves: Vec<(i32, i32)>,
}

impl<'a> Board<'a> {
    fn new(problem: &'a Problem) -> Self {
        let size = problem.size();
        let upright = if size.rows() <= size.cols() { size } else { size.transposed() };
        let (rows, cols) = (upright.rows(), upright.cols());
        const ORDER: [(i32, i32); 8] =
            [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let moves = problem.leaper().moves(upright, &ORDER);
        let mut board = Self { problem, rows, cols, open: vec![true; size.squares()], moves };
        for &square in problem.blocked() {
            let number = board.number(square);
            board.open[number] = false;
        }
        board
    }

    /// The number of a square of the problem.
    fn number(&self, square: Square) -> usize {
        let size = self.problem.size();
        let square = if size.rows() <= size.cols() { square } else { square.transposed() };
        square.col as usize * self.rows + square.row as usize
    }

    /// The squares that a move joins to the one with this number.
    fn neighbours(&self, number: usize) -> impl Iterator<Item = usize> {
        let upright = Size::new(self.rows as u32, self.cols as u32).expect("the board, maybe turned");
        let square = Square::new((number % self.rows) as u32, (number / self.rows) as u32);
        self.moves
            .iter()
            .filter_map(move |&(down, right)| upright.offset(square, down, right))
            .map(|square| square.col as usize * self.rows + square.row as usize)
            .filter(|&number| self.open[number])
    }

    /// The numbers of all squares that are part of the board.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.open.len()).filter(|&number| self.open[number])
    }

    /// When each square comes into the frontier: with the first move that can lead there, or when it is its turn.
    fn entries(&self) -> Vec<usize> {
        (0..self.open.len()).map(|number| self.neighbours(number).fold(number, usize::min)).collect()
    }

    /// The most squares that are in the frontier together, with the one whose turn it is. O(squares).
    fn widest_frontier(&self) -> usize {
        let mut entering = vec![0_usize; self.open.len()];
        let entries = self.entries();
        for number in self.numbers() {
            entering[entries[number]] += 1;
        }
        let (mut frontier, mut widest) = (0, 0);
        for number in self.numbers() {
            frontier += entering[number];
            widest = widest.max(frontier);
            frontier -= 1;
        }
        widest
    }

    /// What the squares can be.
    fn roles(&self) -> Vec<Role> {
        let problem = self.problem;
        let ends: Vec<usize> =
            [problem.start(), problem.end()].into_iter().flatten().map(|end| self.number(end)).collect();
        let majority = self.majority();
        (0..self.open.len())
            .map(|number| {
                if self.is_closed() {
                    Role::Inner
                } else if ends.contains(&number) {
                    Role::End
                } else if ends.len() == 2 || majority.is_some_and(|majority| self.color(number) != majority) {
                    Role::Inner
                } else {
                    Role::Either
                }
            })
            .collect()
    }

    /// Whether the tour is closed and any of its moves may be the closing one.
    fn is_closed(&self) -> bool {
        self.problem.closed() && (self.problem.start().is_none() || self.problem.end().is_none())
    }

    fn color(&self, number: usize) -> usize {
        (number % self.rows + number / self.rows) % 2
    }

    fn changes_colour(&self) -> bool {
        let (a, b) = self.problem.leaper().distances();
        (a ^ b) & 1 == 1
    }

    /// The colour that an open tour begins and ends on, if moves change the colour and there are more squares of one.
    fn majority(&self) -> Option<usize> {
        let ones = self.numbers().filter(|&number| self.color(number) == 1).count();
        let zeros = self.problem.square_count() - ones;
        (self.changes_colour() && zeros != ones).then_some(usize::from(ones > zeros))
    }

    /// What happens, square by square. O(squares).
    fn steps(&self) -> Vec<Step> {
        const NONE: usize = usize::MAX;
        let roles = self.roles();
        let ends_differ = self.changes_colour() && self.majority().is_none();
        let mirrored = self.is_mirrored();
        let entries = self.entries();
        let all_entered = self.numbers().map(|number| entries[number]).max().unwrap_or(0);
        let mut slots = vec![NONE; self.open.len()];
        // Free slots, the lowest last.
        let mut free: Vec<usize> = (0..self.widest_frontier()).rev().collect();
        let mut steps: Vec<Step> = Vec::with_capacity(self.open.len());
        let mut open = self.numbers().peekable();
        while let Some(number) = open.next() {
            let mut entering: Vec<usize> = self.neighbours(number).chain([number]).collect();
            entering.sort_unstable();
            for entering in entering {
                if entries[entering] == number {
                    slots[entering] =
                        free.pop().expect("there is a slot for each square of the widest frontier");
                }
            }
            let later = self
                .neighbours(number)
                .filter(|&later| later > number)
                .map(|later| Later {
                    slot: slots[later],
                    role: roles[later],
                    remaining: self.neighbours(later).filter(|&other| other > number).count(),
                })
                .collect();
            let turn = Turn {
                slot: slots[number],
                role: roles[number],
                colour: ends_differ.then(|| self.color(number)),
                later,
                // Otherwise there are squares that no move leads to any more.
                may_complete: all_entered <= number,
                closed: self.is_closed(),
            };
            free.push(std::mem::replace(&mut slots[number], NONE));
            let col = number / self.rows;
            let column_ends = open.peek().is_none_or(|&next| next / self.rows > col);
            let mirror = (mirrored && column_ends).then(|| Mirror::new(self, &slots, col));
            steps.push(Step { turn, mirror });
        }
        steps
    }

    /// Whether turning the rows upside down changes nothing.
    fn is_mirrored(&self) -> bool {
        let mirror = |number: usize| number - number % self.rows + self.rows - 1 - number % self.rows;
        let ends = [self.problem.start(), self.problem.end()].map(|end| end.map(|end| self.number(end)));
        (0..self.open.len()).all(|number| self.open[number] == self.open[mirror(number)])
            && ends.iter().flatten().all(|&end| mirror(end) == end)
    }
}

/// How many tours the states of a layer can be completed to.
fn complete<S: State>(
    steps: &[Step],
    mut layer: Layer<S>,
    memory: usize,
    budget: &Budget,
) -> Result<BigUint, Interrupted> {
    for (index, step) in steps.iter().enumerate() {
        layer = loop {
            match layer.after(step, memory, budget) {
                Ok(next) => break next,
                Err(Stop::Overflow) => layer = layer.widened(),
                Err(Stop::Full) => {
                    let (one, other) = layer.halves();
                    let left = memory.saturating_sub(other.bytes());
                    let total = complete(&steps[index..], one, left, budget)?;
                    return Ok(total + complete(&steps[index..], other, memory, budget)?);
                }
                Err(Stop::Interrupted(interrupted)) => return Err(interrupted),
            }
        };
        budget.progress().advance(1);
    }
    Ok(layer.count_of(finished()))
}

/// What happens in one turn.
struct Step {
    turn: Turn,
    /// At the end of a column of a board that is its own mirror image.
    mirror: Option<Mirror>,
}

/// Turns states upside down.
struct Mirror {
    /// The slots of the frontier, each with that of its mirror image.
    slots: Vec<(usize, usize)>,
    /// By slot, its mirror image.
    images: [u8; 32],
    /// Whether a square and its mirror image have different colours.
    changes_colour: bool,
}

impl Mirror {
    /// For the states after column `col`, where `slots` has the slots of the squares of the frontier.
    fn new(board: &Board<'_>, slots: &[usize], col: usize) -> Self {
        let reach = board.moves.iter().map(|&(_, right)| right).max().unwrap_or(0) as usize;
        let mut mirror =
            Self { slots: Vec::new(), images: [0; 32], changes_colour: board.rows.is_multiple_of(2) };
        for col in col + 1..=(col + reach).min(board.cols - 1) {
            for row in 0..board.rows {
                let [slot, image] = [row, board.rows - 1 - row].map(|row| slots[col * board.rows + row]);
                // The frontier is its own mirror image as well.
                if slot < mirror.images.len() && image < mirror.images.len() {
                    mirror.slots.push((slot, image));
                    mirror.images[slot] = image as u8;
                }
            }
        }
        mirror
    }

    /// The lesser of the state and its mirror image.
    fn canonical<S: State>(&self, state: S) -> S {
        let mut image = S::untouched();
        for &(slot, mirrored) in &self.slots {
            let code = state.get(slot);
            let code = if code == S::INSIDE || code == S::MATE_IS_END {
                code
            } else {
                usize::from(self.images[code])
            };
            image = image.with(mirrored, code);
        }
        let (count, colour) = state.ends();
        let colour = if count == 1 { colour ^ usize::from(self.changes_colour) } else { colour };
        state.min(image.with_ends(count, colour))
    }
}

/// Why a step was not completed.
enum Stop {
    /// A count is too large for its type.
    Overflow,
    /// The states take more memory than they may.
    Full,
    Interrupted(Interrupted),
}

/// The states at one point of time, each with its count.
enum Layer<S> {
    Small(Vec<(S, u64)>),
    Medium(Vec<(S, u128)>),
    Large(Vec<(S, BigUint)>),
}

impl<S: State> Layer<S> {
    fn after(&self, step: &Step, memory: usize, budget: &Budget) -> Result<Self, Stop> {
        Ok(match self {
            Self::Small(states) => Self::Small(after(states, step, memory, budget)?),
            Self::Medium(states) => Self::Medium(after(states, step, memory, budget)?),
            Self::Large(states) => Self::Large(after(states, step, memory, budget)?),
        })
    }

    fn widened(self) -> Self {
        match self {
            Self::Small(states) => {
                Self::Medium(states.into_iter().map(|(state, count)| (state, u128::from(count))).collect())
            }
            Self::Medium(states) => {
                Self::Large(states.into_iter().map(|(state, count)| (state, BigUint::from(count))).collect())
            }
            large @ Self::Large(_) => large,
        }
    }

    fn halves(self) -> (Self, Self) {
        fn halves<T>(mut states: Vec<T>) -> (Vec<T>, Vec<T>) {
            let other = states.split_off(states.len() / 2);
            states.shrink_to_fit();
            (states, other)
        }
        match self {
            Self::Small(states) => {
                let (one, other) = halves(states);
                (Self::Small(one), Self::Small(other))
            }
            Self::Medium(states) => {
                let (one, other) = halves(states);
                (Self::Medium(one), Self::Medium(other))
            }
            Self::Large(states) => {
                let (one, other) = halves(states);
                (Self::Large(one), Self::Large(other))
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Small(states) => states.len() * u64::bytes::<S>(),
            Self::Medium(states) => states.len() * u128::bytes::<S>(),
            Self::Large(states) => states.len() * BigUint::bytes::<S>(),
        }
    }

    fn count_of(&self, state: S) -> BigUint {
        fn find<S: State, C: Count>(states: &[(S, C)], state: S) -> BigUint {
            states
                .iter()
                .find(|known| known.0 == state)
                .map_or_else(BigUint::default, |known| known.1.clone().into())
        }
        match self {
            Self::Small(states) => find(states, state),
            Self::Medium(states) => find(states, state),
            Self::Large(states) => find(states, state),
        }
    }
}

/// A type to count in.
trait Count: Clone + Default + Into<BigUint> {
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

/// So few states are not split however little memory is left.
const FEW: usize = 1 << 10;

/// The states after a step, each with the sum of the counts of those that lead to it.
fn after<S: State, C: Count>(
    states: &[(S, C)],
    step: &Step,
    memory: usize,
    budget: &Budget,
) -> Result<Vec<(S, C)>, Stop> {
    let memory =
        if states.len() <= FEW { usize::MAX } else { memory.saturating_sub(states.len() * C::bytes::<S>()) };
    let mut table = Table::new(states.len(), memory, budget)?;
    let mut pacer = budget.pacer(1 << 12);
    for (state, count) in states {
        pacer.tick().map_err(Stop::Interrupted)?;
        let mut added = Ok(());
        step.turn.step(*state, |Next { state, .. }| {
            if added.is_ok() {
                let state = step.mirror.as_ref().map_or(state, |mirror| mirror.canonical(state));
                added = table.add(state, count, budget);
            }
        });
        added?;
    }
    table.into_states(budget).map_err(Stop::Interrupted)
}

/// A hash table with open addressing (linear probing): half the memory and time of the standard one.
struct Table<S, C> {
    /// A power of two of places; free ones hold `NONE`.
    places: Vec<(S, C)>,
    /// How far to shift a hash to the right for its place.
    shift: u32,
    used: usize,
    memory: usize,
}

impl<S: State, C: Count> Table<S, C> {
    /// A table for about so many states, which may grow to so much memory.
    fn new(states: usize, memory: usize, budget: &Budget) -> Result<Self, Stop> {
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
    fn add(&mut self, state: S, count: &C, budget: &Budget) -> Result<(), Stop> {
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
    fn into_states(mut self, budget: &Budget) -> Result<Vec<(S, C)>, Interrupted> {
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

#[cfg(test)]
mod tests {
    use super::super::{Leaper, Spec};
    use super::*;

    /// The two ways to count know nothing of each other.
    #[test]
    fn the_frontier_method_counts_what_is_found_one_by_one() {
        let square = |(row, col): (u32, u32)| Square::new(row, col);
        let holes = |list: &[(u32, u32)]| list.iter().copied().map(square).collect::<Vec<_>>();
        for (rows, cols, blocked, leaper) in [
            (3, 7, holes(&[]), Leaper::KNIGHT),
            (4, 6, holes(&[]), Leaper::KNIGHT),
            (5, 5, holes(&[(0, 0)]), Leaper::KNIGHT),
            (5, 5, holes(&[(2, 2)]), Leaper::KNIGHT),
            (5, 6, holes(&[(0, 0), (4, 5), (2, 3)]), Leaper::KNIGHT),
            (4, 5, holes(&[]), Leaper::new(0, 1)),
            (5, 5, holes(&[(4, 4)]), Leaper::new(0, 1)),
            (5, 5, holes(&[(2, 1), (2, 2), (2, 3)]), Leaper::new(2, 3)),
        ] {
            let size = Size::new(rows, cols).unwrap();
            let free = size.iter().filter(|square| !blocked.contains(square)).collect::<Vec<_>>();
            for (start, end, closed) in [
                (None, None, false),
                (Some(free[0]), None, false),
                (Some(free[0]), free.last().copied(), false),
                (None, Some(free[3]), false),
                (None, None, true),
            ] {
                let spec = Spec { start, end, closed, leaper, blocked: blocked.clone(), ..Spec::default() };
                let problem = Problem::new(size, &spec).unwrap();
                let budget = Budget::unlimited();
                let frontier = count(&problem, 1 << 30, &budget);
                assert_eq!(frontier, general::count(&problem, &budget), "{size} {spec:?}");
            }
        }
    }
}
