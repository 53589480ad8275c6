//! The search core: Warnsdorff's rule, and rotations where it gets stuck.
//!
//! The path grows by Warnsdorff's rule; among equals it takes the square furthest from the centre (E. Roth),
//! which keeps the middle for later. Where the end of the path has no way on, a *rotation* (L. Pósa, 1976) gives
//! it another end: if `e` is the end and a move leads from `e` to `p` further back on the path, turn round all that
//! comes after `p`.
//!
//! ```text
//! s … p q … e      becomes      s … p e … q
//! ```
//!
//! The squares visited stay the same, and `q` may have a way on. When rotations lead nowhere for a while, a piece
//! of random length is cut off the end and grown anew. The random numbers have a fixed seed: the same request gets
//! the same answer. Nothing is ever proven here: on a board without a tour this searches until the effort is spent.

use crate::puzzles::{Budget, Interrupted};

use super::graph::Graph;
use super::random::Random;

/// Where a path is to begin and end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// Begins and ends anywhere.
    Anywhere,
    /// Begins here and ends anywhere.
    From(u32),
    /// Begins anywhere and ends here.
    To(u32),
    /// Begins and ends here.
    FromTo(u32, u32),
    /// Begins here and ends a move away from it.
    Closed(u32),
}

/// A path through all vertices of the `graph` with these `ends`, or `None` when it wasn't found in `effort`
/// rotations. Usually O(vertices). With another `seed` than 0, equals are decided by chance from the beginning.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn find(
    graph: &Graph,
    ends: Ends,
    effort: u64,
    seed: u64,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let (start, target) = match ends {
        // From the side with fewer neighbours: what is left as last squares are then the more numerous.
        Ends::FromTo(start, end) if graph.degree(end) < graph.degree(start) => {
            return find_reversed(graph, Ends::FromTo(end, start), effort, seed, budget);
        }
        Ends::To(end) => return find_reversed(graph, Ends::From(end), effort, seed, budget),
        Ends::Anywhere => (likely_end(graph, seed, budget)?, None),
        Ends::From(start) => (start, None),
        Ends::FromTo(start, end) => (start, Some(end)),
        Ends::Closed(start) => (start, Some(start)),
    };
    let mut search = Search::new(graph, start, target, seed);
    if !search.run(effort, seed > 0, budget)? {
        return Ok(None);
    }
    let mut path = search.path;
    if let Ends::FromTo(_, end) = ends {
        path.push(end);
    }
    Ok(Some(path))
}

/// Where to begin if it is all the same: on a vertex with fewest neighbours, as it may well have to be an end, or by chance.
fn likely_end(graph: &Graph, seed: u64, budget: &Budget) -> Result<u32, Interrupted> {
    let possible = graph.possible_ends(budget)?;
    let ends: Vec<u32> = (0..graph.len() as u32).filter(|&vertex| possible[vertex as usize]).collect();
    Ok(if seed == 0 {
        ends.into_iter().min_by_key(|&vertex| graph.degree(vertex)).unwrap_or(0)
    } else {
        ends.get(Random::new(seed).below(ends.len().max(1))).copied().unwrap_or(0)
    })
}

fn find_reversed(
    graph: &Graph,
    ends: Ends,
    effort: u64,
    seed: u64,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let mut path = find(graph, ends, effort, seed, budget)?;
    if let Some(path) = &mut path {
        path.reverse();
    }
    Ok(path)
}

const NOWHERE: u32 = u32::MAX;

/// For each vertex, a number that falls with the distance of its square from the centre of the board.
fn centrality(graph: &Graph) -> Vec<u32> {
    let (rows, cols) = (graph.size().rows() as i64, graph.size().cols() as i64);
    (0..graph.len() as u32)
        .map(|vertex| {
            let square = graph.square(vertex);
            let down = 2 * i64::from(square.row) - rows + 1;
            let right = 2 * i64::from(square.col) - cols + 1;
            u32::MAX - (down * down + right * right).min(i64::from(u32::MAX)) as u32
        })
        .collect()
}

struct Search<'a> {
    graph: &'a Graph,
    /// The path so far; it always begins at the start.
    path: Vec<u32>,
    /// Where on the path a vertex is, or `NOWHERE`.
    place: Vec<u32>,
    /// How near the square of a vertex is to the centre: comparable, in no particular unit.
    centrality: Vec<u32>,
    /// How many neighbours of a vertex are not on the path.
    ways: Vec<u8>,
    /// The path has to end next to this vertex.
    target: Option<u32>,
    /// How many vertices the path has in the end: all, without a target that is not on it.
    goal: usize,
    random: Random,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, start: u32, target: Option<u32>, seed: u64) -> Self {
        let mut search = Self {
            graph,
            path: Vec::with_capacity(graph.len()),
            place: vec![NOWHERE; graph.len()],
            centrality: centrality(graph),
            ways: (0..graph.len()).map(|vertex| graph.degree(vertex as u32) as u8).collect(),
            target,
            goal: graph.len(),
            random: Random::new(seed),
        };
        if let Some(end) = target
            && end != start
        {
            // It comes last: nobody goes there, and it is no way on.
            search.place[end as usize] = NOWHERE - 1;
            search.goal -= 1;
            for &next in graph.neighbours(end) {
                search.ways[next as usize] -= 1;
            }
        }
        search.push(start);
        search
    }

    fn run(&mut self, mut effort: u64, by_chance: bool, budget: &Budget) -> Result<bool, Interrupted> {
        self.grow(by_chance, budget)?;
        let mut fruitless = 0_usize;
        let mut longest = self.path.len();
        let mut last_pivot = NOWHERE;
        while !self.is_done() {
            if effort == 0 {
                return Ok(false);
            }
            effort -= 1;
            if self.path.len() > 1 << 12 || effort & 0xff == 0 {
                budget.check()?;
            }
            fruitless += 1;
            if fruitless > 64 + 2 * self.goal {
                fruitless = 0;
                longest = 0;
                let keep = 1 + self.random.below(self.path.len());
                self.cut(keep);
                self.grow(true, budget)?;
                last_pivot = NOWHERE;
            } else if let Some(pivot) = self.choose_pivot(last_pivot) {
                last_pivot = self.path[pivot];
                self.rotate(pivot);
                self.grow(by_chance, budget)?;
            } else {
                fruitless = usize::MAX >> 1;
            }
            if self.path.len() > longest {
                longest = self.path.len();
                fruitless = 0;
            }
        }
        Ok(true)
    }

    fn end(&self) -> u32 {
        self.path[self.path.len() - 1]
    }

    fn is_done(&self) -> bool {
        self.path.len() == self.goal
            && self.target.is_none_or(|target| self.graph.adjacent(self.end(), target))
    }

    fn push(&mut self, vertex: u32) {
        self.place[vertex as usize] = self.path.len() as u32;
        self.path.push(vertex);
        for &next in self.graph.neighbours(vertex) {
            self.ways[next as usize] -= 1;
        }
    }

    /// Takes all but the first `keep` vertices off the path.
    fn cut(&mut self, keep: usize) {
        for vertex in self.path.drain(keep..) {
            self.place[vertex as usize] = NOWHERE;
            for &next in self.graph.neighbours(vertex) {
                self.ways[next as usize] += 1;
            }
        }
    }

    /// Goes on by Warnsdorff's rule until there is no way on. Equals are decided by the distance from the centre,
    /// or by chance.
    fn grow(&mut self, by_chance: bool, budget: &Budget) -> Result<(), Interrupted> {
        let mut pacer = budget.pacer(1 << 14);
        loop {
            let mut best = (u64::MAX, NOWHERE);
            for &next in self.graph.neighbours(self.end()) {
                if self.place[next as usize] == NOWHERE {
                    let tie =
                        if by_chance { self.random.next() as u32 } else { self.centrality[next as usize] };
                    let key = u64::from(self.ways[next as usize]) << 32 | u64::from(tie);
                    best = best.min((key, next));
                }
            }
            if best.1 == NOWHERE {
                return Ok(());
            }
            pacer.tick()?;
            self.push(best.1);
        }
    }

    /// The place of the vertex to rotate about: one whose rotation leads on, where there is one, else any but the
    /// one that would undo the last rotation; mostly the one that brings the end of a complete path nearest to its target.
    fn choose_pivot(&mut self, last_pivot: u32) -> Option<usize> {
        let end = self.end();
        let complete = self.path.len() == self.goal;
        let mut choices = [0; 8];
        let mut count = 0;
        for &back in self.graph.neighbours(end) {
            let place = self.place[back as usize] as usize;
            // The vertex before the end would give the same end again.
            if place + 2 >= self.path.len() {
                continue;
            }
            let new_end = self.path[place + 1];
            let leads_on = if complete {
                self.target.is_some_and(|target| self.graph.adjacent(new_end, target))
            } else {
                self.ways[new_end as usize] > 0
            };
            if leads_on {
                return Some(place);
            }
            if back != last_pivot {
                choices[count] = place;
                count += 1;
            }
        }
        let choices = &choices[..count];
        match self.target {
            // On a large board chance alone would take the end ever so long to come near the target.
            Some(target) if complete && self.random.below(8) > 0 => {
                choices.iter().copied().min_by_key(|&place| self.graph.distance(self.path[place + 1], target))
            }
            _ if choices.is_empty() => None,
            _ => Some(choices[self.random.below(count)]),
        }
    }

    /// Turns round all that comes after this place.
    fn rotate(&mut self, pivot: usize) {
        self.path[pivot + 1..].reverse();
        for (place, &vertex) in self.path.iter().enumerate().skip(pivot + 1) {
            self.place[vertex as usize] = place as u32;
        }
    }
}
