//! Any graph: blocked squares, other leapers, odd small boards.
//!
//! Nothing is known about these but what a search finds, and the question is NP-complete. So cheap proofs come
//! first, then rotations, which find a tour on nearly every board that has one, and an exhaustive search, which alone can
//! show that there is none. The latter two take turns, each time with four times the effort: whichever is the right
//! one for this board has its answer within a small factor of its own time.

use std::ops::ControlFlow;

use crate::puzzles::{Budget, Impossible, Interrupted, Proof};

use super::exact::{self, End};
use super::graph::Graph;
use super::rotations::{self, Ends};
use super::{Finder, Problem, Tour, proofs};

/// A tour, or a proof that there is none. Exponential at worst.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn solve(problem: &Problem, budget: &Budget) -> Result<Result<Tour, Impossible>, Interrupted> {
    let graph = Graph::of(problem);
    if let Err(impossible) = proofs::check(problem, &graph) {
        return Ok(Err(impossible));
    }
    let found = find(&graph, ends(problem, &graph), budget)?;
    Ok(found.map(|Found { mut path, finder, backtracks }| {
        // A closed tour with a single number given is found from that square, and goes round to its number.
        if let (true, [clue]) = (problem.closed(), problem.clues()) {
            path.rotate_right(clue.number as usize - 1);
        }
        for vertex in &mut path {
            *vertex = graph.index(*vertex);
        }
        Tour::new(problem.size(), path, finder, backtracks)
    }))
}

/// The ends of a problem without inner clues, or closed with at most one clue.
fn ends(problem: &Problem, graph: &Graph) -> Ends {
    let vertex = |square| graph.vertex(square);
    match (problem.closed(), problem.start(), problem.end()) {
        (true, Some(start), Some(end)) | (false, Some(start), Some(end)) => {
            Ends::FromTo(vertex(start), vertex(end))
        }
        (true, ..) => Ends::Closed(problem.clues().first().map_or(0, |clue| vertex(clue.square))),
        (false, Some(start), None) => Ends::From(vertex(start)),
        (false, None, Some(end)) => Ends::To(vertex(end)),
        (false, None, None) => Ends::Anywhere,
    }
}

/// A path through all vertices of a graph.
pub(super) struct Found {
    /// The vertices in order.
    pub(super) path: Vec<u32>,
    /// What found it.
    pub(super) finder: Finder,
    /// How many decisions were taken back on the way.
    pub(super) backtracks: u64,
}

/// A path through all vertices of the graph with these ends.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first; inside, the proof that there is none.
pub(super) fn find(
    graph: &Graph,
    ends: Ends,
    budget: &Budget,
) -> Result<Result<Found, Impossible>, Interrupted> {
    if graph.len() < 3 {
        // Connected, as was checked.
        let path = match ends {
            Ends::From(start) | Ends::FromTo(start, _) | Ends::Closed(start) if start == 1 => vec![1, 0],
            Ends::To(0) => vec![1, 0],
            _ => (0..graph.len() as u32).collect(),
        };
        return Ok(Ok(Found { path, finder: Finder::Exact, backtracks: 0 }));
    }
    let mut effort = 16 * graph.len() as u64;
    let mut decisions = 0;
    let mut backtracks = 0;
    loop {
        let mut found = None;
        let end = exact::search(graph, ends, decisions, &mut backtracks, budget, &mut |path| {
            found = Some(path);
            ControlFlow::Break(())
        })?;
        if let Some(path) = found {
            return Ok(Ok(Found { path, finder: Finder::Exact, backtracks }));
        }
        if end == End::Exhausted {
            return Ok(Err(if backtracks == 0 {
                Impossible::new(
                    Proof::Forced,
                    "Moves that every tour would have to make, one after the other, end in a contradiction.",
                )
            } else {
                Impossible::new(Proof::Search, "An exhaustive search found no such tour.")
            }));
        }
        if let Some(path) = rotations::find(graph, ends, effort, budget)? {
            return Ok(Ok(Found { path, finder: Finder::Rotations, backtracks }));
        }
        decisions = effort;
        effort *= 4;
    }
}
