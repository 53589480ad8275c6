//! Boards of three and four rows, of any length, in linear time.
//!
//! Column by column, the [frontier method](super::frontier) finds which states a tour can be in. From about the
//! thirteenth column on the sets of states repeat, so each set is kept once, under a number, and what a column makes of
//! a set or of a state is looked up after the first time. Walking back from the last column through states that lead to
//! a complete tour gives the moves. What the method doesn't find isn't there: a "no" is a proof.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::rc::Rc;

use crate::board::{Size, Square};
use crate::puzzles::{Budget, Interrupted};

use super::existence;
use super::frontier::{Later, NO_MOVE, Next, Role, State, Turn, finished};

/// A knight's tour of a whole board of three or four rows or columns, as indices of squares in order, or `None` when there
/// is none. With `closed`, `start` and `end` are a move apart, when both are given. O(squares), about 16 bytes each.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn tour(
    size: Size,
    start: Option<Square>,
    end: Option<Square>,
    closed: bool,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    if size.rows() > size.cols() {
        let transposed = |square: Square| square.transposed();
        let path = tour(size.transposed(), start.map(transposed), end.map(transposed), closed, budget)?;
        return Ok(path.map(|mut path| {
            for index in &mut path {
                *index = size.index(size.transposed().square(*index as usize).transposed()) as u32;
            }
            path
        }));
    }
    // A closed tour with a given closing move is an open one between its squares.
    let closed = closed && (start.is_none() || end.is_none());
    // With both ends given there are far fewer states, so look for an open tour to a square that is known to do.
    if !closed && let Some((start, end)) = known_ends(size, start, end) {
        return tour_of_columns(size, Some(start), Some(end), false, budget);
    }
    tour_of_columns(size, start, end, closed, budget)
}

/// Ends of an open tour, one of which is free, where the rules say of some that they do.
fn known_ends(size: Size, start: Option<Square>, end: Option<Square>) -> Option<(Square, Square)> {
    let follows_rules = match (size.rows(), size.cols()) {
        (3, cols) => cols == 11 || cols == 12 || cols > 13,
        (_, cols) => cols > 6,
    };
    if !follows_rules || (start.is_some() && end.is_some()) {
        return None;
    }
    let given = start.or(end).unwrap_or(Square::new(0, 0));
    let other = size
        .iter()
        .find(|&other| other != given && existence::check(size, Some(given), Some(other), false).is_ok())?;
    Some(if start.is_none() && end.is_some() { (other, given) } else { (given, other) })
}

/// A tour of a board that is no higher than wide; a closed one with one end given at most.
fn tour_of_columns(
    size: Size,
    start: Option<Square>,
    end: Option<Square>,
    closed: bool,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let mut search = Search::new(size.rows(), closed);
    let columns = columns(size, start, end, closed);

    let mut sets = Vec::with_capacity(columns.len() + 1);
    let mut set = search.sets.number(vec![BEGIN]);
    sets.push(set);
    let mut pacer = budget.pacer(16);
    for &column in &columns {
        pacer.tick()?;
        set = search.advance(set, column, budget)?;
        sets.push(set);
    }
    if !search.sets.items[set as usize].contains(&FINISHED) {
        return Ok(None);
    }

    let mut links = Links::new(size);
    let mut state = FINISHED;
    for (col, &column) in columns.iter().enumerate().rev() {
        let (previous, moves) = search.origin(sets[col], column, state);
        links.add_column(col, moves);
        state = previous;
    }
    Ok(Some(links.path(start, end)))
}

/// What the squares of a column can be, two bits a row.
type Column = u8;

/// What the columns of the board are.
fn columns(size: Size, start: Option<Square>, end: Option<Square>, closed: bool) -> Vec<Column> {
    let ends: Vec<Square> = if closed { Vec::new() } else { [start, end].into_iter().flatten().collect() };
    let other = if closed || ends.len() == 2 { Role::Inner } else { Role::Either };
    let plain = (0..size.rows()).fold(0, |column, row| with_role(column, row, other));
    let mut columns = vec![plain; size.cols()];
    for end in ends {
        let column = &mut columns[end.col as usize];
        *column = with_role(*column, end.row as usize, Role::End);
    }
    columns
}

const ROLES: [Role; 3] = [Role::Inner, Role::Either, Role::End];

fn with_role(column: Column, row: usize, role: Role) -> Column {
    let code = ROLES.iter().position(|&known| known == role).map_or(0, |code| code as u8);
    column & !(3 << (2 * row)) | code << (2 * row)
}

fn role(column: Column, row: usize) -> Role {
    ROLES[usize::from(column >> (2 * row) & 3)]
}

/// The moves of a column's squares to later squares: for each row two slots, or `NO_MOVE`.
type Moves = [[u8; 2]; 4];

/// The number of the state before the first column.
const BEGIN: u32 = 0;

/// The number of the state after the last column.
const FINISHED: u32 = 1;

/// The numbers of states, each with moves that lead there.
type NextStates = Rc<[(u32, Moves)]>;

/// What is known about states, sets of states and what columns make of them.
struct Search {
    rows: usize,
    closed: bool,
    /// States between columns: the columns to come have the slots 0, 1, 2 … times `rows`.
    states: Numbered<u64>,
    /// Sets of states, in order.
    sets: Numbered<Vec<u32>>,
    next_states: HashMap<(u32, Column), NextStates>,
    next_sets: HashMap<(u32, Column), u32>,
    origins: HashMap<(u32, Column, u32), (u32, Moves)>,
    turns: HashMap<Column, Rc<[Turn]>>,
}

impl Search {
    fn new(rows: usize, closed: bool) -> Self {
        let mut states = Numbered::new();
        states.number(u64::untouched());
        states.number(finished());
        Self {
            rows,
            closed,
            states,
            sets: Numbered::new(),
            next_states: HashMap::new(),
            next_sets: HashMap::new(),
            origins: HashMap::new(),
            turns: HashMap::new(),
        }
    }

    /// The set of states that a column makes of a set.
    fn advance(&mut self, set: u32, column: Column, budget: &Budget) -> Result<u32, Interrupted> {
        if let Some(&next) = self.next_sets.get(&(set, column)) {
            return Ok(next);
        }
        let mut next = Vec::new();
        let mut pacer = budget.pacer(64);
        for state in self.sets.items[set as usize].clone() {
            pacer.tick()?;
            next.extend(self.next_states(state, column).iter().map(|&(state, _)| state));
        }
        next.sort_unstable();
        next.dedup();
        let next = self.sets.number(next);
        self.next_sets.insert((set, column), next);
        Ok(next)
    }

    /// A state of the set that the column makes `state` of, and its moves.
    fn origin(&mut self, set: u32, column: Column, state: u32) -> (u32, Moves) {
        if let Some(&origin) = self.origins.get(&(set, column, state)) {
            return origin;
        }
        let origin = self.sets.items[set as usize]
            .clone()
            .into_iter()
            .find_map(|previous| {
                let next = self.next_states(previous, column);
                next.iter().find(|next| next.0 == state).map(|&(_, moves)| (previous, moves))
            })
            .expect("a state of the next set comes from one of this set");
        self.origins.insert((set, column, state), origin);
        origin
    }

    /// The states that the column makes of a state, each once, with moves that lead there.
    fn next_states(&mut self, state: u32, column: Column) -> NextStates {
        if let Some(next) = self.next_states.get(&(state, column)) {
            return Rc::clone(next);
        }
        let rows = self.rows;
        let turns = Rc::clone(self.turns.entry(column).or_insert_with(|| turns(rows, column, self.closed)));
        // Ordered maps, so that the answer doesn't depend on chance.
        let mut now = BTreeMap::new();
        now.insert(self.states.items[state as usize], [[NO_MOVE; 2]; 4]);
        for (row, turn) in turns.iter().enumerate() {
            let mut then = BTreeMap::new();
            for (&state, &moves) in &now {
                turn.step(state, |Next { state, moves: chosen }| {
                    let mut moves = moves;
                    moves[row] = chosen.map(|index| {
                        turn.later.get(usize::from(index)).map_or(NO_MOVE, |later| later.slot as u8)
                    });
                    then.insert(state, moves);
                });
            }
            now = then;
        }
        let mut next: Vec<(u32, Moves)> = now
            .into_iter()
            .map(|(state, moves)| (self.states.number(moved_on(state, rows)), moves))
            .collect();
        next.sort_unstable_by_key(|&(state, _)| state);
        let next: NextStates = next.into();
        self.next_states.insert((state, column), Rc::clone(&next));
        next
    }
}

/// The turns of the squares of a column.
fn turns(rows: usize, column: Column, closed: bool) -> Rc<[Turn]> {
    (0..rows)
        .map(|row| {
            let slots_of = |row: usize| {
                [(2, 1), (1, 2)].into_iter().flat_map(move |(right, down)| {
                    [row.checked_add_signed(down), row.checked_add_signed(-down)]
                        .into_iter()
                        .flatten()
                        .filter(move |&row| row < rows)
                        .map(move |row| right * rows + row)
                })
            };
            let later = slots_of(row)
                .map(|slot| {
                    // The columns to come may or may not be on the board: nothing is known about their squares.
                    Later { slot, role: Role::End, remaining: 1 }
                })
                .collect();
            Turn { slot: row, role: role(column, row), colour: None, later, may_complete: true, closed }
        })
        .collect()
}

/// The state as seen from the next column.
fn moved_on(state: u64, rows: usize) -> u64 {
    let (count, colour) = state.ends();
    let mut moved = u64::untouched().with_ends(count, colour);
    for slot in rows..3 * rows {
        let code = state.get(slot);
        let code = if code < u64::INSIDE { code - rows } else { code };
        moved = moved.with(slot - rows, code);
    }
    moved
}

/// Items with a number each, from 0, in the order of their coming.
struct Numbered<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Self { items: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, item: T) -> u32 {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        let number = self.items.len() as u32;
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }
}

/// The moves of a tour: for each square the one or two squares next to it.
struct Links {
    size: Size,
    links: Vec<[u32; 2]>,
}

const NOBODY: u32 = u32::MAX;

impl Links {
    fn new(size: Size) -> Self {
        Self { size, links: vec![[NOBODY; 2]; size.squares()] }
    }

    fn add_column(&mut self, col: usize, moves: Moves) {
        let (rows, cols) = (self.size.rows(), self.size.cols());
        for (row, slots) in moves.iter().enumerate() {
            for &slot in slots.iter().filter(|&&slot| slot != NO_MOVE) {
                let (to_row, right) = (usize::from(slot) % rows, usize::from(slot) / rows);
                let (from, to) = (row * cols + col, to_row * cols + col + right);
                self.link(from, to);
                self.link(to, from);
            }
        }
    }

    fn link(&mut self, from: usize, to: usize) {
        let free = usize::from(self.links[from][0] != NOBODY);
        self.links[from][free] = to as u32;
    }

    /// The tour read from its start, or towards its end; a closed one from either.
    fn path(&self, start: Option<Square>, end: Option<Square>) -> Vec<u32> {
        let index = |square| self.size.index(square) as u32;
        let loose = || self.links.iter().position(|links| links[1] == NOBODY).map(|index| index as u32);
        let first = start.or(end).map(index).or_else(loose).unwrap_or(0);
        let mut path = Vec::with_capacity(self.links.len());
        let (mut previous, mut at) = (NOBODY, first);
        while path.len() < self.links.len() {
            path.push(at);
            let [one, other] = self.links[at as usize];
            (previous, at) = (at, if one == previous { other } else { one });
        }
        if start.is_none() && end.is_some() {
            path.reverse();
        }
        path
    }
}
