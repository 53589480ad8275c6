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
    let inner_clues = problem.has_inner_clues() && !(problem.closed() && problem.clues().len() == 1);
    if inner_clues || problem.square_count() < 3 || board.width > u128::SLOTS {
        return general::count(problem, budget);
    }
    let turns = board.turns();
    budget.progress().begin(turns.len() as u64);
    let total = if board.width <= u64::SLOTS {
        run::<u64>(&board, &turns, memory, budget)?
    } else {
        run::<u128>(&board, &turns, memory, budget)?
    };
    let both_directions = !problem.closed() && problem.start().is_none() && problem.end().is_none();
    Ok(if both_directions { total * 2_u32 } else { total })
}

/// How many bytes it takes to count the tours of this problem, roughly, or none when they are found one by one: to be asked
/// before [`solve`](super::solve) is.
#[must_use]
pub fn counting_memory(_problem: &Problem) -> u64 {
    0
}

/// The board as it is counted: no higher than wide, column by column.
struct Board<'a> {
    problem: &'a Problem,
    rows: usize,
    cols: usize,
    /// By number, column by column: whether the square is part of the board.
    open: Vec<bool>,
    /// The moves to later squares as differences of numbers, with their (rows, columns).
    moves: Vec<(i32, i32)>,
    /// How many numbers the frontier spans, with the square whose turn it is.
    width: usize,
}

impl<'a> Board<'a> {
    fn new(problem: &'a Problem) -> Self {
        let size = problem.size();
        let upright = if size.rows() <= size.cols() { size } else { size.transposed() };
        let (rows, cols) = (upright.rows(), upright.cols());
        const ORDER: [(i32, i32); 8] =
            [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let moves = problem.leaper().moves(upright, &ORDER);
        let span = |&(down, right): &(i32, i32)| i64::from(right) * rows as i64 + i64::from(down);
        let width = moves.iter().map(span).max().unwrap_or(0) as usize + 1;
        let mut board = Self { problem, rows, cols, open: vec![true; size.squares()], moves, width };
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

    /// The turns of all squares, and after which of them a column ends.
    fn turns(&self) -> Vec<(Turn, bool)> {
        let problem = self.problem;
        let (a, b) = problem.leaper().distances();
        let color = |number: usize| (number % self.rows + number / self.rows) % 2;
        let numbers = || (0..self.open.len()).filter(|&number| self.open[number]);
        let [zeros, ones] = [0, 1].map(|wanted| numbers().filter(|&number| color(number) == wanted).count());
        let changes_colour = (a + b) % 2 == 1;

        let ends: Vec<usize> =
            [problem.start(), problem.end()].into_iter().flatten().map(|end| self.number(end)).collect();
        let closed = problem.closed() && ends.len() < 2;
        let role = |number: usize| {
            if closed {
                Role::Inner
            } else if ends.contains(&number) {
                Role::End
            } else if ends.len() == 2
                || (changes_colour && zeros != ones && (color(number) == 1) == (zeros > ones))
            {
                Role::Inner
            } else {
                Role::Either
            }
        };
        let last = numbers().next_back().unwrap_or(0);
        let mut turns: Vec<(Turn, bool)> = Vec::new();
        let mut col = 0;
        for number in numbers() {
            if number / self.rows > col {
                col = number / self.rows;
                if let Some((_, column_ends)) = turns.last_mut() {
                    *column_ends = true;
                }
            }
            let later = self
                .neighbours(number)
                .filter(|&later| later > number)
                .map(|later| Later {
                    slot: later % self.width,
                    role: role(later),
                    remaining: self.neighbours(later).filter(|&other| other > number).count(),
                })
                .collect();
            let turn = Turn {
                slot: number % self.width,
                role: role(number),
                colour: (changes_colour && zeros == ones).then(|| color(number)),
                later,
                may_complete: last - number < self.width,
                closed,
            };
            turns.push((turn, false));
        }
        turns
    }

    /// Whether turning the rows upside down changes nothing.
    fn is_mirrored(&self) -> bool {
        let mirror = |number: usize| number - number % self.rows + self.rows - 1 - number % self.rows;
        let ends = [self.problem.start(), self.problem.end()].map(|end| end.map(|end| self.number(end)));
        (0..self.open.len()).all(|number| self.open[number] == self.open[mirror(number)])
            && ends.iter().flatten().all(|&end| mirror(end) == end)
    }
}

/// Counts with states of this kind.
fn run<S: State>(
    board: &Board<'_>,
    turns: &[(Turn, bool)],
    memory: usize,
    budget: &Budget,
) -> Result<BigUint, Interrupted> {
    let mut steps = Vec::with_capacity(turns.len());
    let mirrored = board.is_mirrored();
    let mut col = 0;
    let mut numbers = (0..board.open.len()).filter(|&number| board.open[number]);
    for (turn, column_ends) in turns {
        if let Some(number) = numbers.next() {
            col = number / board.rows;
        }
        let mirror = (mirrored && *column_ends).then(|| Mirror::new(board, col));
        steps.push(Step { turn, mirror });
    }
    complete(&steps, Layer::Small(vec![(S::untouched(), 1)]), memory, budget)
}

/// How many tours the states of a layer can be completed to.
fn complete<S: State>(
    steps: &[Step<'_>],
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
struct Step<'a> {
    turn: &'a Turn,
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
    /// For the states after column `col`.
    fn new(board: &Board<'_>, col: usize) -> Self {
        let reach = board.moves.iter().map(|&(_, right)| right).max().unwrap_or(0) as usize;
        let mut mirror =
            Self { slots: Vec::new(), images: [0; 32], changes_colour: board.rows.is_multiple_of(2) };
        for col in col + 1..=col + reach {
            for row in 0..board.rows {
                let [slot, image] =
                    [row, board.rows - 1 - row].map(|row| (col * board.rows + row) % board.width);
                mirror.slots.push((slot, image));
                mirror.images[slot] = image as u8;
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
    fn after(&self, step: &Step<'_>, memory: usize, budget: &Budget) -> Result<Self, Stop> {
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
    step: &Step<'_>,
    memory: usize,
    budget: &Budget,
) -> Result<Vec<(S, C)>, Stop> {
    let memory =
        if states.len() <= FEW { usize::MAX } else { memory.saturating_sub(states.len() * C::bytes::<S>()) };
    let mut table = Table::new(states.len(), memory);
    let mut pacer = budget.pacer(1 << 12);
    for (state, count) in states {
        pacer.tick().map_err(Stop::Interrupted)?;
        let mut added = Ok(());
        step.turn.step(*state, |Next { state, .. }| {
            if added.is_ok() {
                let state = step.mirror.as_ref().map_or(state, |mirror| mirror.canonical(state));
                added = table.add(state, count);
            }
        });
        added?;
    }
    Ok(table.into_states())
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
    fn new(states: usize, memory: usize) -> Self {
        let places = (states * 2).next_power_of_two().max(64);
        Self {
            places: vec![(S::NONE, C::default()); places],
            shift: 64 - places.trailing_zeros(),
            used: 0,
            memory,
        }
    }

    #[inline]
    fn add(&mut self, state: S, count: &C) -> Result<(), Stop> {
        let mut at = (state.hash() >> self.shift) as usize;
        loop {
            let place = &mut self.places[at];
            if place.0 == state {
                return if place.1.add(count) { Ok(()) } else { Err(Stop::Overflow) };
            }
            if place.0 == S::NONE {
                *place = (state, count.clone());
                self.used += 1;
                return if self.used * 4 > self.places.len() * 3 { self.grow() } else { Ok(()) };
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    /// Twice as many places.
    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        let places = self.places.len() * 2;
        // While it grows the old places are there as well.
        if (places + self.places.len()) * C::bytes::<S>() > self.memory {
            return Err(Stop::Full);
        }
        let old = std::mem::replace(&mut self.places, vec![(S::NONE, C::default()); places]);
        self.shift -= 1;
        for (state, count) in old {
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

    fn into_states(mut self) -> Vec<(S, C)> {
        self.places.retain(|place| place.0 != S::NONE);
        self.places.shrink_to_fit();
        self.places
    }
}
