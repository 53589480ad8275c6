//! Any graph: blocked squares, other leapers, clues, odd small boards.
//!
//! Nothing is known about these but what a search finds, and the question is NP-complete. So cheap proofs come
//! first, then rotations, which find a tour on nearly every board that has one, and an exhaustive search, which alone can
//! show that there is none. The latter two take turns, each time with four times the effort: whichever is the right
//! one for this board has its answer within a small factor of its own time.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::puzzles::{Budget, Impossible, Interrupted, Outcome, Proof};

use super::clues::{self, Given, Puzzle};
use super::exact::{self, End};
use super::graph::Graph;
use super::rotations::{self, Ends};
use super::{Finder, Problem, Tour, backtracking, proofs, warnsdorff};

/// A tour, or a proof that there is none. Exponential at worst.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn solve(problem: &Problem, budget: &Budget) -> Result<Result<Tour, Impossible>, Interrupted> {
    let graph = Graph::of(problem, budget)?;
    if let Err(impossible) = proofs::check(problem, &graph, budget)? {
        return Ok(Err(impossible));
    }
    budget.check()?;
    let found = match Question::of(problem, &graph) {
        Question::Ends(ends) => find(&graph, ends, budget)?,
        Question::Clues(_) if graph.len() > clues::MOST => return by_classic_methods(problem, budget),
        Question::Clues(given) => {
            find_numbering(Puzzle { graph: &graph, closed: problem.closed(), given: &given }, budget)?
        }
    };
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

/// With clues on a board too large for what is done on smaller ones: by chance Warnsdorff's rule meets them all.
fn by_classic_methods(problem: &Problem, budget: &Budget) -> Result<Result<Tour, Impossible>, Interrupted> {
    if let Outcome::Solved(tour) = warnsdorff::walk(problem, budget)? {
        return Ok(Ok(tour));
    }
    backtracking::search(problem, budget)
}

/// What is asked of the graph.
pub(super) enum Question {
    /// A path with these ends.
    Ends(Ends),
    /// Numbers for all vertices, some of which are given.
    Clues(Vec<Given>),
}

impl Question {
    pub(super) fn of(problem: &Problem, graph: &Graph) -> Self {
        let vertex = |square| graph.vertex(square);
        // On a closed tour a single number doesn't matter: the tour goes round.
        let inner = problem.has_inner_clues() && !(problem.closed() && problem.clues().len() == 1);
        if inner {
            return Self::Clues(
                problem.clues().iter().map(|clue| (vertex(clue.square), clue.number - 1)).collect(),
            );
        }
        Self::Ends(match (problem.closed(), problem.start(), problem.end()) {
            (_, Some(start), Some(end)) => Ends::FromTo(vertex(start), vertex(end)),
            (true, ..) => Ends::Closed(problem.clues().first().map_or(0, |clue| vertex(clue.square))),
            (false, Some(start), None) => Ends::From(vertex(start)),
            (false, None, Some(end)) => Ends::To(vertex(end)),
            (false, None, None) => Ends::Anywhere,
        })
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

/// A path through all vertices of the connected graph with these ends.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first; inside, the proof that there is none.
pub(super) fn find(
    graph: &Graph,
    ends: Ends,
    budget: &Budget,
) -> Result<Result<Found, Impossible>, Interrupted> {
    if graph.len() < 3 {
        return Ok(Ok(Found { path: short_path(graph, ends), finder: Finder::Exact, backtracks: 0 }));
    }
    // The first time the exhaustive search makes no decision: it only sees what is forced.
    let mut decisions = 0;
    let mut effort = 16 * graph.len() as u64;
    let mut backtracks = 0;
    let mut attempt = 0;
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
            return Ok(Err(exhausted(backtracks)));
        }
        if let Some(path) = rotations::find(graph, ends, effort, attempt, budget)? {
            return Ok(Ok(Found { path, finder: Finder::Rotations, backtracks }));
        }
        decisions = effort;
        effort *= 4;
        attempt += 1;
    }
}

/// An answer to the puzzle.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first; inside, the proof that there is none.
fn find_numbering(puzzle: Puzzle<'_>, budget: &Budget) -> Result<Result<Found, Impossible>, Interrupted> {
    let mut limit = 16 * puzzle.graph.len() as u64;
    let mut backtracks = 0;
    let mut seed = 0;
    loop {
        let mut found = None;
        let end = clues::search(puzzle, limit, seed, &mut backtracks, budget, &mut |path| {
            found = Some(path);
            ControlFlow::Break(())
        })?;
        if let Some(path) = found {
            return Ok(Ok(Found { path, finder: Finder::Clues, backtracks }));
        }
        if end == End::Exhausted {
            return Ok(Err(exhausted(backtracks)));
        }
        // Several short attempts to each longer one.
        seed += 1;
        if seed % 4 == 0 {
            limit *= 4;
        }
    }
}

/// The path of a connected graph of one or two vertices.
fn short_path(graph: &Graph, ends: Ends) -> Vec<u32> {
    match ends {
        Ends::From(1) | Ends::FromTo(1, _) | Ends::Closed(1) | Ends::To(0) if graph.len() == 2 => vec![1, 0],
        _ => (0..graph.len() as u32).collect(),
    }
}

/// What it proves that all was tried.
fn exhausted(backtracks: u64) -> Impossible {
    if backtracks == 0 {
        let reason =
            "Moves that every such tour would have to make, one after the other, end in a contradiction.";
        Impossible::new(Proof::Forced, reason)
    } else {
        Impossible::new(Proof::Search, "An exhaustive search with cuts found no such tour.")
    }
}

/// How many tours `problem` asks for, by finding them one by one: for boards with clues, and those that are too wide for
/// the [frontier method](super::count). Closed tours count as cycles without direction.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn count(problem: &Problem, budget: &Budget) -> Result<BigUint, Interrupted> {
    let graph = Graph::of(problem, budget)?;
    if proofs::check(problem, &graph, budget)?.is_err() {
        return Ok(BigUint::ZERO);
    }
    let mut count = 0_u64;
    let mut one_more = |_: Vec<u32>| {
        count += 1;
        ControlFlow::Continue(())
    };
    let mut times = 1_u32;
    match Question::of(problem, &graph) {
        Question::Clues(given) => {
            let puzzle = Puzzle { graph: &graph, closed: problem.closed(), given: &given };
            clues::search(puzzle, u64::MAX, 0, &mut 0, budget, &mut one_more)?;
            // Numbers on opposite squares of a closed tour are the same both ways round.
            if let (true, [(_, one), (_, other)]) = (problem.closed(), given.as_slice())
                && 2 * (other - one) as usize == graph.len()
            {
                count /= 2;
            }
        }
        Question::Ends(ends) if graph.len() < 3 => {
            let both = graph.len() == 2 && ends == Ends::Anywhere;
            count = if both { 2 } else { 1 };
        }
        Question::Ends(ends) => {
            exact::search(&graph, ends, u64::MAX, &mut 0, budget, &mut one_more)?;
            times = if ends == Ends::Anywhere { 2 } else { 1 };
        }
    }
    Ok(BigUint::from(count) * times)
}
