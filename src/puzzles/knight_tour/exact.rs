//! Exhaustive search with cuts: finds a tour, or shows that there is none, or that there is no other.
//!
//! It decides for each *edge* of the graph whether the tour uses it, rather than for each step where it leads. A tour
//! is a cycle through all vertices: a closed one as it is, an open one together with what closes it, an extra edge
//! between given ends, or an extra vertex next to all others where ends are not given. So each vertex has exactly two
//! edges in use, and nearly all follows from that:
//!
//! - a vertex with two edges in use needs no others; one with two edges left uses both; one with fewer ends the
//!   branch;
//! - edges in use form fragments; an edge that would close a fragment before it has all vertices is out;
//! - what is left must hang together even without any one vertex (no articulation point).
//!
//! Where nothing more follows, an edge at the end of a fragment is tried, in the order of Warnsdorff's rule.

use std::ops::ControlFlow;

use crate::puzzles::{Budget, Interrupted, Pacer};

use super::graph::Graph;
use super::rotations::Ends;

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// All was tried.
    Exhausted,
    /// The visitor had seen enough.
    Stopped,
    /// It made as many decisions as it was allowed.
    GaveUp,
}

/// Shows `visit` each tour of the `graph` with these `ends`, as a path in order, once: a closed tour, or one without
/// given ends, in one of its two directions only. Gives up after `limit` decisions, those that follow from others not
/// counted; adds the number of decisions taken back to `backtracks`. The graph has at least three vertices. Exponential at worst; about 150 bytes a vertex.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn search(
    graph: &Graph,
    ends: Ends,
    limit: u64,
    backtracks: &mut u64,
    budget: &Budget,
    visit: &mut dyn FnMut(Vec<u32>) -> ControlFlow<()>,
) -> Result<End, Interrupted> {
    if graph.len() > MOST {
        // No deadline would be late enough.
        return Err(Interrupted::Deadline);
    }
    let mut search = Search::new(graph, ends, budget)?;
    search.run(limit, backtracks, budget, &mut |search| visit(search.path(graph, ends)))
}

/// The most vertices of a graph whose edges, with those of the extra vertex, 32 bits can number.
const MOST: usize = 1 << 29;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Undecided,
    In,
    Out,
}

/// What was changed, to be undone.
#[derive(Clone, Copy, Debug)]
enum Change {
    Edge(u32),
    Mate(u32, u32),
}

struct Search {
    /// The two vertices of each edge.
    edges: Vec<[u32; 2]>,
    /// The edges of vertex v are `incident[first[v]..first[v + 1]]`.
    incident: Vec<u32>,
    first: Vec<u32>,
    status: Vec<Status>,
    /// How many edges of a vertex are in use.
    used: Vec<u8>,
    /// How many are undecided.
    open: Vec<u32>,
    /// For the end of a fragment, its other end; a vertex without used edges is its own.
    mate: Vec<u32>,
    edges_in: usize,
    trail: Vec<Change>,
    /// The colours of the graph's vertices where the extra vertex needs to have neighbours of either colour, else empty.
    colours: Vec<u8>,
    /// Decisions that follow and are yet to be made.
    pending: Vec<(u32, Status)>,
    low: Lowpoints,
}

/// Why a decision was not followed to its end.
enum Stop {
    /// The graph allows no tour with the decisions made.
    Contradiction,
    Interrupted(Interrupted),
}

impl Search {
    fn new(graph: &Graph, ends: Ends, budget: &Budget) -> Result<Self, Interrupted> {
        let mut pacer = budget.pacer(1 << 14);
        let vertices = graph.len() as u32;
        let mut edges = Vec::new();
        for from in 0..vertices {
            pacer.tick()?;
            edges.extend(graph.neighbours(from).iter().filter(|&&to| from < to).map(|&to| [from, to]));
        }
        let mut pending = Vec::new();
        let mut colours = Vec::new();
        let mut count = vertices;
        match ends {
            Ends::Closed(_) => {}
            Ends::FromTo(start, end) => {
                // A move that joins the ends can't be part of the path, unless there is nothing else.
                let joining = edges.iter().position(|&[a, b]| (a, b) == (start.min(end), start.max(end)));
                let closing = joining.unwrap_or_else(|| {
                    edges.push([start, end]);
                    edges.len() - 1
                });
                pending.push((closing as u32, Status::In));
            }
            Ends::From(_) | Ends::To(_) | Ends::Anywhere => {
                count += 1;
                if let Ends::From(given) | Ends::To(given) = ends {
                    pending.push((edges.len() as u32 + given, Status::In));
                }
                let first = edges.len() as u32;
                edges.extend((0..vertices).map(|vertex| [vertex, vertices]));
                let possible = graph.possible_ends(budget)?;
                let impossible = (0..vertices).filter(|&vertex| !possible[vertex as usize]);
                pending.extend(impossible.map(|vertex| (first + vertex, Status::Out)));
                if possible.iter().all(|&possible| possible) {
                    colours = graph.two_colouring(budget)?.unwrap_or_default();
                }
            }
        }
        let mut first = vec![0; count as usize + 1];
        for &[a, b] in &edges {
            pacer.tick()?;
            first[a as usize + 1] += 1;
            first[b as usize + 1] += 1;
        }
        for vertex in 0..count as usize {
            first[vertex + 1] += first[vertex];
        }
        let mut incident = vec![0; 2 * edges.len()];
        let mut next = first.clone();
        for (edge, ends) in edges.iter().enumerate() {
            pacer.tick()?;
            for &end in ends {
                incident[next[end as usize] as usize] = edge as u32;
                next[end as usize] += 1;
            }
        }
        Ok(Self {
            status: vec![Status::Undecided; edges.len()],
            used: vec![0; count as usize],
            open: (0..count as usize).map(|vertex| first[vertex + 1] - first[vertex]).collect(),
            mate: (0..count).collect(),
            edges_in: 0,
            trail: Vec::new(),
            pending,
            colours,
            low: Lowpoints::new(count as usize),
            edges,
            incident,
            first,
        })
    }

    fn run(
        &mut self,
        limit: u64,
        backtracks: &mut u64,
        budget: &Budget,
        visit: &mut dyn FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<End, Interrupted> {
        // A tick is an edge looked at.
        let mut pacer = budget.pacer(1 << 15);
        let mut tried: Vec<(usize, u32)> = Vec::new();
        let mut state = self.begin(&mut pacer);
        let mut decisions = 0;
        loop {
            if let Err(Stop::Interrupted(interrupted)) = state {
                return Err(interrupted);
            }
            if state.is_ok() {
                if self.is_complete() {
                    if visit(self).is_break() {
                        return Ok(End::Stopped);
                    }
                } else if let Some(edge) = self.choose() {
                    if decisions == limit {
                        return Ok(End::GaveUp);
                    }
                    decisions += 1;
                    tried.push((self.trail.len(), edge));
                    self.pending.push((edge, Status::In));
                    state = self.settle(&mut pacer);
                    continue;
                }
            }
            // A contradiction, or all is said about this branch: the last edge tried is out.
            let Some((mark, edge)) = tried.pop() else { return Ok(End::Exhausted) };
            *backtracks += 1;
            self.undo(mark);
            self.pending.push((edge, Status::Out));
            state = self.settle(&mut pacer);
        }
    }

    fn is_complete(&self) -> bool {
        self.edges_in == self.mate.len()
    }

    fn incident(&self, vertex: u32) -> &[u32] {
        &self.incident[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edges[edge as usize];
        a ^ b ^ vertex
    }

    /// What follows from the graph alone.
    fn begin(&mut self, pacer: &mut Pacer<'_>) -> Result<(), Stop> {
        for vertex in 0..self.mate.len() as u32 {
            pacer.tick().map_err(Stop::Interrupted)?;
            self.degree_rule(vertex)?;
        }
        self.settle(pacer)
    }

    /// Makes all pending decisions and what follows from them.
    fn settle(&mut self, pacer: &mut Pacer<'_>) -> Result<(), Stop> {
        let settled = self.settle_pending(pacer);
        if settled.is_err() {
            self.pending.clear();
            return settled;
        }
        if self.is_complete() {
            return Ok(());
        }
        let mut low = std::mem::take(&mut self.low);
        let biconnected = low.is_biconnected(self, pacer);
        self.low = low;
        if biconnected.map_err(Stop::Interrupted)? { Ok(()) } else { Err(Stop::Contradiction) }
    }

    fn settle_pending(&mut self, pacer: &mut Pacer<'_>) -> Result<(), Stop> {
        while let Some((edge, status)) = self.pending.pop() {
            pacer.tick().map_err(Stop::Interrupted)?;
            let [a, b] = self.edges[edge as usize];
            let old = self.status[edge as usize];
            if old == status {
                continue;
            }
            if old != Status::Undecided {
                return Err(Stop::Contradiction);
            }
            self.status[edge as usize] = status;
            self.open[a as usize] -= 1;
            self.open[b as usize] -= 1;
            self.trail.push(Change::Edge(edge));
            if status == Status::In {
                self.edges_in += 1;
                self.used[a as usize] += 1;
                self.used[b as usize] += 1;
                self.join(a, b)?;
                self.colour_rule(a, b);
            }
            self.degree_rule(a)?;
            self.degree_rule(b)?;
        }
        Ok(())
    }

    /// The fragments that end at `a` and `b` become one.
    fn join(&mut self, a: u32, b: u32) -> Result<(), Stop> {
        let (one, other) = (self.mate[a as usize], self.mate[b as usize]);
        if one == b {
            // A cycle: the tour, or too early.
            return if self.is_complete() { Ok(()) } else { Err(Stop::Contradiction) };
        }
        for (end, mate) in [(one, other), (other, one)] {
            self.trail.push(Change::Mate(end, self.mate[end as usize]));
            self.mate[end as usize] = mate;
        }
        if self.edges_in + 1 < self.mate.len() {
            let end = if self.open[one as usize] < self.open[other as usize] { one } else { other };
            let closing = self.incident(end).iter().find(|&&edge| {
                self.status[edge as usize] == Status::Undecided
                    && self.other_end(edge, end) == one ^ other ^ end
            });
            if let Some(&edge) = closing {
                self.pending.push((edge, Status::Out));
            }
        }
        Ok(())
    }

    /// An open tour of as many squares of one colour as of the other ends on another colour than it begins on.
    fn colour_rule(&mut self, end: u32, extra: u32) {
        let Some(&colour) = self.colours.get(end as usize) else { return };
        if extra as usize == self.colours.len() {
            for at in self.first[extra as usize]..self.first[extra as usize + 1] {
                let edge = self.incident[at as usize];
                let other = self.other_end(edge, extra) as usize;
                if self.status[edge as usize] == Status::Undecided && self.colours[other] == colour {
                    self.pending.push((edge, Status::Out));
                }
            }
        }
    }

    /// Two edges of each vertex are in use.
    fn degree_rule(&mut self, vertex: u32) -> Result<(), Stop> {
        let (used, open) = (u32::from(self.used[vertex as usize]), self.open[vertex as usize]);
        if used > 2 || used + open < 2 {
            return Err(Stop::Contradiction);
        }
        if open > 0 && (used == 2 || used + open == 2) {
            let status = if used == 2 { Status::Out } else { Status::In };
            for at in self.first[vertex as usize]..self.first[vertex as usize + 1] {
                let edge = self.incident[at as usize];
                if self.status[edge as usize] == Status::Undecided {
                    self.pending.push((edge, status));
                }
            }
        }
        Ok(())
    }

    fn undo(&mut self, mark: usize) {
        for change in self.trail.drain(mark..).rev() {
            match change {
                Change::Mate(vertex, mate) => self.mate[vertex as usize] = mate,
                Change::Edge(edge) => {
                    let used = u8::from(self.status[edge as usize] == Status::In);
                    self.edges_in -= usize::from(used);
                    for end in self.edges[edge as usize] {
                        self.used[end as usize] -= used;
                        self.open[end as usize] += 1;
                    }
                    self.status[edge as usize] = Status::Undecided;
                }
            }
        }
    }

    /// The edge to try next: at the end of a fragment with the fewest ways on, to the vertex that has fewest.
    fn choose(&self) -> Option<u32> {
        let vertex = (0..self.mate.len())
            .filter(|&vertex| self.open[vertex] > 0)
            .min_by_key(|&vertex| (self.used[vertex] == 0, self.open[vertex]))? as u32;
        self.incident(vertex)
            .iter()
            .copied()
            .filter(|&edge| self.status[edge as usize] == Status::Undecided)
            .min_by_key(|&edge| {
                let other = self.other_end(edge, vertex) as usize;
                self.open[other] + u32::from(self.used[other])
            })
    }

    /// The complete tour as a path with these ends.
    fn path(&self, graph: &Graph, ends: Ends) -> Vec<u32> {
        let vertices = graph.len() as u32;
        let next = |vertex: u32, previous: u32| {
            let mut used = self
                .incident(vertex)
                .iter()
                .filter(|&&edge| self.status[edge as usize] == Status::In)
                .map(|&edge| self.other_end(edge, vertex));
            let (one, other) = (used.next(), used.next());
            if one == Some(previous) { other } else { one }.expect("each vertex of a tour has two edges")
        };
        let (mut previous, mut at) = match ends {
            Ends::Closed(start) => (vertices, start),
            Ends::FromTo(start, end) => (end, start),
            Ends::From(start) | Ends::To(start) => (vertices, start),
            Ends::Anywhere => (vertices, next(vertices, vertices)),
        };
        let mut path = Vec::with_capacity(graph.len());
        for _ in 0..vertices {
            path.push(at);
            (previous, at) = (at, next(at, previous));
        }
        if let Ends::To(_) = ends {
            path.reverse();
        }
        path
    }
}

/// A depth-first walk over the edges that are not out, to find articulation points (J. Hopcroft & R. Tarjan, 1973).
#[derive(Default)]
struct Lowpoints {
    /// When the walk came to a vertex, from 1; 0 for not yet.
    order: Vec<u32>,
    low: Vec<u32>,
    /// The vertices on the way from the root, each with its next edge to look at.
    stack: Vec<(u32, u32)>,
}

impl Lowpoints {
    fn new(vertices: usize) -> Self {
        Self { order: vec![0; vertices], low: vec![0; vertices], stack: Vec::new() }
    }

    /// Whether the edges that are not out join all vertices, and would without any one of them. O(edges).
    fn is_biconnected(&mut self, search: &Search, pacer: &mut Pacer<'_>) -> Result<bool, Interrupted> {
        self.order.fill(0);
        self.stack.clear();
        self.stack.push((0, search.first[0]));
        (self.order[0], self.low[0]) = (1, 1);
        let mut seen = 1;
        let mut branches_of_root = 0;
        while let Some((vertex, next)) = self.stack.last_mut() {
            pacer.tick()?;
            let at = *vertex;
            if *next < search.first[at as usize + 1] {
                let edge = search.incident[*next as usize];
                *next += 1;
                if search.status[edge as usize] == Status::Out {
                    continue;
                }
                let to = search.other_end(edge, at);
                if self.order[to as usize] == 0 {
                    seen += 1;
                    (self.order[to as usize], self.low[to as usize]) = (seen, seen);
                    self.stack.push((to, search.first[to as usize]));
                } else {
                    // The edge that the walk came by counts as well: it only leads to `order[parent]`, which is
                    // what makes the parent an articulation point below.
                    self.low[at as usize] = self.low[at as usize].min(self.order[to as usize]);
                }
            } else {
                self.stack.pop();
                let Some(&(parent, _)) = self.stack.last() else { break };
                if parent == 0 {
                    branches_of_root += 1;
                } else if self.low[at as usize] >= self.order[parent as usize] {
                    return Ok(false);
                }
                self.low[parent as usize] = self.low[parent as usize].min(self.low[at as usize]);
            }
        }
        Ok(branches_of_root == 1 && seen as usize == self.order.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;

    fn count(rows: u32, cols: u32, ends: Ends) -> u64 {
        let graph = Graph::whole(Size::new(rows, cols).unwrap());
        let mut count = 0;
        let end = search(&graph, ends, u64::MAX, &mut 0, &Budget::unlimited(), &mut |path| {
            assert_eq!(path.len(), graph.len());
            assert!(path.windows(2).all(|step| graph.adjacent(step[0], step[1])));
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(end, Ok(End::Exhausted));
        count
    }

    #[test]
    fn every_tour_is_found_once() {
        assert_eq!(count(5, 6, Ends::Closed(7)), 8);
        assert_eq!(count(3, 10, Ends::Closed(0)), 16);
        assert_eq!(count(6, 6, Ends::Closed(0)), 9862);
        assert_eq!(count(3, 7, Ends::Anywhere), 52);
        assert_eq!(count(4, 5, Ends::Anywhere), 82);
        assert_eq!(count(5, 5, Ends::Anywhere), 864);
        assert_eq!(count(5, 5, Ends::From(0)), 304);
        assert_eq!(count(5, 5, Ends::To(12)), 64);
    }

    #[test]
    fn what_is_forced_needs_no_decision() {
        // The centre can't be reached.
        let graph = Graph::whole(Size::new(3, 3).unwrap());
        let mut backtracks = 0;
        let end = search(&graph, Ends::Closed(0), 0, &mut backtracks, &Budget::unlimited(), &mut |_| {
            panic!("there is no tour")
        });
        assert_eq!((end, backtracks), (Ok(End::Exhausted), 0));
    }
}
