//! The puzzle played on paper: squares whose number is given.
//!
//! Each square keeps the set of numbers that it can still have, a bit each. A square can have a number only if one of
//! its neighbours can have the next and one the previous; that is a shift of the neighbours' sets. A square with a single
//! number left takes it from all others, and a number left to a single square is that square's. When nothing follows any more, a
//! number next to one whose square is known is tried on the few squares it can be on, first where there are fewest ways
//! on.
//!
//! The search for a first answer is begun anew with other decisions among equals when it takes long, each time with
//! more effort, as one bad decision near the beginning can cost any time.

mod moves;

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::puzzles::{Budget, Interrupted, Pacer};

use super::exact::End;
use super::graph::Graph;
use super::random::Random;
use moves::Moves;

/// The most vertices that a graph may have: their sets take 2 MiB.
pub(super) const MOST: usize = 1 << 12;

/// A vertex whose number in the tour, from 0, is given.
pub(super) type Given = (u32, u32);

/// What is asked: to number the vertices of a graph such that each is next to the one with the number before.
#[derive(Clone, Copy)]
pub(super) struct Puzzle<'a> {
    /// The graph, of at most [`MOST`] vertices.
    pub(super) graph: &'a Graph,
    /// Whether the last vertex has to be next to the first.
    pub(super) closed: bool,
    /// The numbers that are given: at least one.
    pub(super) given: &'a [Given],
}

/// Shows `visit` each answer, as a path in order. Gives up after `limit` decisions; adds the number of decisions taken back
/// to `backtracks`. With another `seed` than 0, equals are decided by chance. Exponential at worst; n²/8 bytes and up to
/// 16 n² for n vertices.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn search(
    puzzle: Puzzle<'_>,
    limit: u64,
    seed: u64,
    backtracks: &mut u64,
    budget: &Budget,
    visit: &mut dyn FnMut(Vec<u32>) -> ControlFlow<()>,
) -> Result<End, Interrupted> {
    Search::new(puzzle.graph, puzzle.closed, seed).run(puzzle.given, limit, backtracks, budget, visit)
}

/// Why a decision was not followed to its end.
enum Stop {
    /// No answer has these numbers.
    Contradiction,
    Interrupted(Interrupted),
}

/// A number, and where it can be.
struct Decision {
    /// How long the trail was before.
    mark: usize,
    number: u32,
    /// The vertices that are still to be tried, the best one last.
    untried: Vec<u32>,
}

struct Search<'a> {
    graph: &'a Graph,
    closed: bool,
    /// How many words a set of numbers takes.
    words: usize,
    /// The sets of all vertices.
    sets: Vec<u64>,
    /// Words that were changed, with their old values.
    trail: Vec<(u32, u64)>,
    /// Vertices that have a neighbour whose set changed.
    queue: Vec<u32>,
    queued: Vec<bool>,
    random: Option<Random>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, closed: bool, seed: u64) -> Self {
        let words = graph.len().div_ceil(64);
        let mut all = vec![u64::MAX; words];
        if !graph.len().is_multiple_of(64) {
            all[words - 1] = (1 << (graph.len() % 64)) - 1;
        }
        Self {
            graph,
            closed,
            words,
            sets: all.repeat(graph.len()),
            trail: Vec::new(),
            queue: Vec::with_capacity(graph.len()),
            queued: vec![false; graph.len()],
            random: (seed > 0).then(|| Random::new(seed)),
        }
    }

    fn run(
        &mut self,
        given: &[Given],
        limit: u64,
        backtracks: &mut u64,
        budget: &Budget,
        visit: &mut dyn FnMut(Vec<u32>) -> ControlFlow<()>,
    ) -> Result<End, Interrupted> {
        // A tick is a look at a vertex or two, which takes less than 20 µs.
        let mut pacer = budget.pacer((4096 / self.words) as u32);
        let mut decisions = 0;
        let mut state = Ok(());
        for &(vertex, number) in given {
            state = state.and_then(|()| self.give(vertex, number));
        }
        (0..self.graph.len() as u32).for_each(|vertex| self.enqueue(vertex));
        state = state.and_then(|()| self.settle(&mut pacer));
        let mut open: Vec<Decision> = Vec::new();
        loop {
            if let Err(Stop::Interrupted(interrupted)) = state {
                return Err(interrupted);
            }
            if state.is_ok() {
                match self.choose() {
                    Some(_) if decisions == limit => return Ok(End::GaveUp),
                    Some(decision) => {
                        decisions += 1;
                        open.push(decision);
                    }
                    None if visit(self.path()).is_break() => return Ok(End::Stopped),
                    None => {}
                }
            } else if !open.is_empty() {
                *backtracks += 1;
            }
            state = loop {
                let Some(Decision { mark, number, untried }) = open.last_mut() else {
                    return Ok(End::Exhausted);
                };
                let (mark, number) = (*mark, *number);
                if let Some(vertex) = untried.pop() {
                    self.undo(mark);
                    break self.give(vertex, number).and_then(|()| self.settle(&mut pacer));
                }
                open.pop();
            };
        }
    }

    fn set(&self, vertex: u32) -> &[u64] {
        &self.sets[vertex as usize * self.words..(vertex as usize + 1) * self.words]
    }

    fn can_have(&self, vertex: u32, number: u32) -> bool {
        self.set(vertex)[number as usize / 64] >> (number % 64) & 1 == 1
    }

    fn change(&mut self, word: usize, value: u64) {
        self.trail.push((word as u32, self.sets[word]));
        self.sets[word] = value;
    }

    fn undo(&mut self, mark: usize) {
        for (word, value) in self.trail.drain(mark..).rev() {
            self.sets[word as usize] = value;
        }
    }

    fn enqueue(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.queued[vertex as usize], true) {
            self.queue.push(vertex);
        }
    }

    fn enqueue_neighbours(&mut self, vertex: u32) {
        for at in 0..self.graph.degree(vertex) {
            self.enqueue(self.graph.neighbours(vertex)[at]);
        }
    }

    /// The vertex has this number, and no other vertex has.
    fn give(&mut self, vertex: u32, number: u32) -> Result<(), Stop> {
        if !self.can_have(vertex, number) {
            return Err(Stop::Contradiction);
        }
        for word in 0..self.words {
            let value = if word == number as usize / 64 { 1 << (number % 64) } else { 0 };
            let at = vertex as usize * self.words + word;
            if self.sets[at] != value {
                self.change(at, value);
            }
        }
        self.enqueue_neighbours(vertex);
        self.take(vertex, number);
        Ok(())
    }

    /// No vertex but this has the number.
    fn take(&mut self, vertex: u32, number: u32) {
        let bit = 1 << (number % 64);
        for other in 0..self.graph.len() as u32 {
            let at = other as usize * self.words + number as usize / 64;
            if self.sets[at] & bit != 0 && other != vertex {
                self.change(at, self.sets[at] & !bit);
                // Whether anything is left is seen when it is its turn.
                self.enqueue(other);
                self.enqueue_neighbours(other);
            }
        }
    }

    /// All that follows.
    fn settle(&mut self, pacer: &mut Pacer<'_>) -> Result<(), Stop> {
        let settled = self.settle_queue(pacer);
        if settled.is_err() {
            for vertex in self.queue.drain(..) {
                self.queued[vertex as usize] = false;
            }
        }
        settled
    }

    fn settle_queue(&mut self, pacer: &mut Pacer<'_>) -> Result<(), Stop> {
        loop {
            while let Some(vertex) = self.queue.pop() {
                self.queued[vertex as usize] = false;
                pacer.tick().map_err(Stop::Interrupted)?;
                self.filter(vertex)?;
            }
            self.find_single_vertices()?;
            if self.queue.is_empty() {
                self.follow_moves(pacer)?;
            }
            if self.queue.is_empty() {
                return Ok(());
            }
        }
    }

    /// Takes the numbers from a vertex for which no neighbour can have the next or the previous number.
    fn filter(&mut self, vertex: u32) -> Result<(), Stop> {
        let (words, last) = (self.words, self.graph.len() - 1);
        let graph = self.graph;
        let union = |search: &Self, word: usize| {
            let others = graph.neighbours(vertex).iter();
            others.fold(0, |union, &other| union | search.sets[other as usize * words + word])
        };
        let has = |number: usize| union(self, number / 64) >> (number % 64) & 1;
        // An open tour has nothing before its first number and after its last, a closed one goes round.
        let (wraps_to_first, wraps_to_last) = if self.closed { (has(last), has(0)) } else { (1, 1) };
        let (mut left, mut single, mut changed) = (0, None, false);
        let (mut below, mut here) = (0, union(self, 0));
        for word in 0..words {
            let above = if word + 1 < words { union(self, word + 1) } else { 0 };
            let mut previous = here << 1 | below >> 63;
            let mut next = here >> 1 | above << 63;
            if word == 0 {
                previous |= wraps_to_first;
            }
            if word == last / 64 {
                next |= wraps_to_last << (last % 64);
            }
            let at = vertex as usize * words + word;
            let new = self.sets[at] & previous & next;
            if new != self.sets[at] {
                self.change(at, new);
                changed = true;
            }
            left += new.count_ones();
            if new != 0 {
                single = Some((word * 64) as u32 + new.trailing_zeros());
            }
            (below, here) = (here, above);
        }
        if left == 0 {
            return Err(Stop::Contradiction);
        }
        if changed {
            self.enqueue_neighbours(vertex);
        }
        if let (1, Some(number)) = (left, single) {
            self.take(vertex, number);
        }
        Ok(())
    }

    /// Gives the numbers that are left to a single vertex to it.
    fn find_single_vertices(&mut self) -> Result<(), Stop> {
        for word in 0..self.words {
            let (mut once, mut twice) = (0, 0);
            for vertex in 0..self.graph.len() {
                let set = self.sets[vertex * self.words + word];
                twice |= once & set;
                once |= set;
            }
            let in_word = (self.graph.len() - word * 64).min(64);
            if (once.count_ones() as usize) < in_word {
                return Err(Stop::Contradiction);
            }
            let single = once & !twice;
            if single == 0 {
                continue;
            }
            for vertex in 0..self.graph.len() as u32 {
                let own = self.set(vertex)[word] & single;
                if own == 0 {
                    continue;
                }
                if own.count_ones() > 1 {
                    return Err(Stop::Contradiction);
                }
                let others = self
                    .set(vertex)
                    .iter()
                    .enumerate()
                    .any(|(at, &set)| set & !(if at == word { own } else { 0 }) != 0);
                if others {
                    self.give(vertex, (word * 64) as u32 + own.trailing_zeros())?;
                }
            }
        }
        Ok(())
    }

    /// What follows from the [moves] rather than the numbers.
    fn follow_moves(&mut self, pacer: &mut Pacer<'_>) -> Result<(), Stop> {
        let count = self.graph.len() as u32;
        let left = (0..count).map(|vertex| self.possible_moves(vertex)).collect();
        let bounds: Vec<_> = (0..count).map(|vertex| self.move_bounds(vertex)).collect();
        let moves = Moves::settled(self.graph, left, &bounds)?;
        for vertex in 0..count {
            pacer.tick().map_err(Stop::Interrupted)?;
            self.filter_by_moves(vertex, moves.left[vertex as usize], moves.made[vertex as usize])?;
        }
        Ok(())
    }

    /// How many moves a tour makes at this vertex: at least, and at most.
    fn move_bounds(&self, vertex: u32) -> (u32, u32) {
        if self.closed {
            return (2, 2);
        }
        let last = self.graph.len() as u32 - 1;
        let can_be_end = self.can_have(vertex, 0) || self.can_have(vertex, last);
        match self.number(vertex) {
            Some(_) if can_be_end => (1, 1),
            _ => (if can_be_end { 1 } else { 2 }, 2),
        }
    }

    /// The numbers before and after those in a word of the set of `vertex`.
    fn beside(&self, vertex: u32, word: usize) -> u64 {
        let set = self.set(vertex);
        let last = self.graph.len() - 1;
        let below = if word > 0 { set[word - 1] >> 63 } else { 0 };
        let above = set.get(word + 1).map_or(0, |set| set << 63);
        let mut beside = set[word] << 1 | below | set[word] >> 1 | above;
        if self.closed {
            let has = |number: usize| set[number / 64] >> (number % 64) & 1;
            if word == 0 {
                beside |= has(last);
            }
            if word == last / 64 {
                beside |= has(0) << (last % 64);
            }
        }
        beside
    }

    /// By its place in the list of neighbours, a bit for each that can have a number beside one of the vertex.
    fn possible_moves(&self, vertex: u32) -> u8 {
        let possible =
            |other: u32| (0..self.words).any(|word| self.set(vertex)[word] & self.beside(other, word) != 0);
        let neighbours = self.graph.neighbours(vertex).iter().enumerate();
        neighbours.fold(0, |moves, (place, &other)| moves | u8::from(possible(other)) << place)
    }

    /// Takes the numbers from a vertex that go with no move left to it, or not with one that is made.
    fn filter_by_moves(&mut self, vertex: u32, left: u8, made: u8) -> Result<(), Stop> {
        let (mut any, mut changed) = (false, false);
        for word in 0..self.words {
            let mut allowed = u64::MAX;
            let mut union = 0;
            for (place, &other) in self.graph.neighbours(vertex).iter().enumerate() {
                let beside = self.beside(other, word);
                if left >> place & 1 == 1 {
                    union |= beside;
                }
                if made >> place & 1 == 1 {
                    allowed &= beside;
                }
            }
            let at = vertex as usize * self.words + word;
            let new = self.sets[at] & allowed & union;
            if new != self.sets[at] {
                self.change(at, new);
                changed = true;
            }
            any |= new != 0;
        }
        if changed {
            self.enqueue(vertex);
            self.enqueue_neighbours(vertex);
        }
        if any { Ok(()) } else { Err(Stop::Contradiction) }
    }

    /// The number of a vertex that has a single one left.
    fn number(&self, vertex: u32) -> Option<u32> {
        let mut number = None;
        for (word, &set) in self.set(vertex).iter().enumerate() {
            if set != 0 {
                if number.is_some() || set.count_ones() > 1 {
                    return None;
                }
                number = Some((word * 64) as u32 + set.trailing_zeros());
            }
        }
        number
    }

    /// What to try next: the number, beside one that is placed, with the fewest vertices. `None` when all are placed.
    fn choose(&mut self) -> Option<Decision> {
        let count = self.graph.len() as u32;
        let numbers: Vec<Option<u32>> = (0..count).map(|vertex| self.number(vertex)).collect();
        let mut best: Option<(u32, Vec<u32>)> = None;
        for (vertex, number) in (0..count).zip(&numbers) {
            let Some(number) = *number else { continue };
            let next = if number + 1 < count { Some(number + 1) } else { self.closed.then_some(0) };
            let previous = if number > 0 { Some(number - 1) } else { self.closed.then_some(count - 1) };
            let neighbours = self.graph.neighbours(vertex);
            for wanted in [next, previous].into_iter().flatten() {
                if neighbours.iter().any(|&other| numbers[other as usize] == Some(wanted)) {
                    continue;
                }
                let candidates = neighbours.iter().copied().filter(|&other| self.can_have(other, wanted));
                if best.as_ref().is_none_or(|(_, vertices)| candidates.clone().count() < vertices.len()) {
                    best = Some((wanted, candidates.collect()));
                }
            }
        }
        let (number, mut untried) = best?;
        let ways = |vertex: u32| {
            self.graph.neighbours(vertex).iter().filter(|&&other| numbers[other as usize].is_none()).count()
        };
        let random = &mut self.random;
        untried
            .sort_by_cached_key(|&vertex| Reverse((ways(vertex), random.as_mut().map_or(0, Random::next))));
        Some(Decision { mark: self.trail.len(), number, untried })
    }

    /// The vertices in the order of their numbers, once each has one.
    fn path(&self) -> Vec<u32> {
        let mut path = vec![0; self.graph.len()];
        for vertex in 0..self.graph.len() as u32 {
            if let Some(number) = self.number(vertex) {
                path[number as usize] = vertex;
            }
        }
        path
    }
}
