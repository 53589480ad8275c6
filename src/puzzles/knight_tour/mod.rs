//! The knight's tour: lead a knight over every square of a board exactly once.
//!
//! A tour is *closed* when the last square is a move away from the first, else *open*. A [`Spec`] says what is
//! asked for, [`Problem::new`] checks it, [`solve`] answers with a [`Tour`] or with a proof that there is none,
//! and [`verify`] checks a tour without knowing how it was found.

mod backtracking;
mod exact;
mod existence;
mod graph;
mod rotations;
mod verify;
mod warnsdorff;

use std::ops::ControlFlow;

use crate::board::{Grid, Size, Square};
use crate::puzzles::{Budget, Fault, Impossible, Interrupted, Outcome, Proof};

pub use verify::{Violation, verify};

use graph::Graph;
use rotations::Ends;

/// How to look for a tour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// Whatever is best: always a tour or a proof that there is none.
    #[default]
    Auto,
    /// Warnsdorff's rule alone, which may get stuck.
    Warnsdorff,
    /// Plain depth-first search.
    Backtracking,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Warnsdorff, Self::Backtracking];

    /// The word that stands for the method in a request.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Warnsdorff => "warnsdorff",
            Self::Backtracking => "backtracking",
        }
    }
}

/// What is asked for, as it came: any combination of values can be written down, and [`Problem::new`] says
/// which of them make sense. The default asks for any open tour.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spec {
    /// Where the tour begins; `None` for anywhere.
    pub start: Option<Square>,
    /// Whether the last square must be a move away from the first.
    pub closed: bool,
    /// How to look for it.
    pub method: Method,
}

/// A board and what is asked of a tour on it, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    size: Size,
    start: Option<Square>,
    closed: bool,
    method: Method,
}

impl Problem {
    /// The problem that `spec` describes on a board of this `size`.
    ///
    /// # Errors
    /// All faults of the `spec`, each with the field that it is in: `start` off the board.
    pub fn new(size: Size, spec: &Spec) -> Result<Self, Vec<Fault>> {
        let &Spec { start, closed, method } = spec;
        let mut faults = Vec::new();
        if let Some(start) = start
            && !size.contains(start)
        {
            faults.push(Fault::new("start", format!("must lie on the {size} board, got {start}")));
        }
        if faults.is_empty() { Ok(Self { size, start, closed, method }) } else { Err(faults) }
    }

    /// The board.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Where the tour must begin, when that is given.
    #[must_use]
    pub const fn start(&self) -> Option<Square> {
        self.start
    }

    /// Whether the last square must be a move away from the first.
    #[must_use]
    pub const fn closed(&self) -> bool {
        self.closed
    }

    /// How to look for the tour.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// How many squares a tour visits.
    #[must_use]
    pub const fn square_count(&self) -> usize {
        self.size.squares()
    }
}

/// What else to find out about a problem.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {}

/// Which algorithm found a tour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finder {
    /// Warnsdorff's rule alone.
    Warnsdorff,
    /// Plain depth-first search.
    Backtracking,
    /// Warnsdorff's rule and Pósa's rotations.
    Rotations,
    /// Exhaustive search with cuts.
    Exact,
}

impl Finder {
    /// The word that stands for the algorithm in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Warnsdorff => "warnsdorff",
            Self::Backtracking => "backtracking",
            Self::Rotations => "rotations",
            Self::Exact => "exact",
        }
    }
}

/// A tour that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tour {
    /// The board it is on.
    pub size: Size,
    /// The index ([`Size::index`]) of each square in the order of the tour.
    pub path: Vec<u32>,
    /// What found it.
    pub finder: Finder,
    /// How many squares were taken back on the way.
    pub backtracks: u64,
}

impl Tour {
    /// The tour drawn on its board: the squares' numbers in the order of the tour, from 1. O(squares).
    #[must_use]
    pub fn board(&self) -> Grid<u32> {
        draw(self.size, &self.path)
    }

    /// The squares in the order of the tour.
    pub fn squares(&self) -> impl ExactSizeIterator<Item = Square> + '_ {
        self.path.iter().map(|&index| self.size.square(index as usize))
    }
}

/// How far a heuristic came before it got stuck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// The board it is on.
    pub size: Size,
    /// The index ([`Size::index`]) of each visited square, in order. All squares when the path is complete but
    /// not closed as it should be.
    pub path: Vec<u32>,
}

impl Stuck {
    /// The path drawn on its board: the squares' numbers in order from 1, and 0 where it didn't come.
    /// O(squares).
    #[must_use]
    pub fn board(&self) -> Grid<u32> {
        draw(self.size, &self.path)
    }
}

fn draw(size: Size, path: &[u32]) -> Grid<u32> {
    let mut grid = Grid::filled(size, 0);
    let cells = grid.cells_mut();
    for (number, &square) in (1..).zip(path) {
        cells[square as usize] = number;
    }
    grid
}

/// Looks for a tour in the way that the problem asks for.
///
/// [`Method::Auto`] and [`Method::Backtracking`] give a tour or a proof that there is none, [`Method::Warnsdorff`]
/// a tour or how far it came.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub fn solve(
    problem: &Problem,
    _options: &Options,
    budget: &Budget,
) -> Result<Outcome<Tour, Stuck>, Interrupted> {
    if problem.method == Method::Warnsdorff {
        return Ok(warnsdorff::walk(problem));
    }
    if let Err(impossible) = existence::check(problem.size, problem.start, problem.closed) {
        return Ok(Outcome::Impossible(impossible));
    }
    if problem.method == Method::Backtracking {
        return backtracking::search(problem, budget);
    }
    let graph = Graph::new(problem.size);
    let start = problem.start.unwrap_or_else(|| existence::any_start(problem.size));
    let root = problem.size.index(start) as u32;
    let ends = if problem.closed { Ends::Closed(root) } else { Ends::From(root) };
    let size = problem.size;
    let solved = |path, finder, backtracks| Ok(Outcome::Solved(Tour { size, path, finder, backtracks }));
    if graph.len() < 3 {
        return solved(vec![root], Finder::Rotations, 0);
    }
    // On small boards with few tours the exhaustive search is soon the better one.
    let mut effort = 16 * graph.len() as u64;
    let mut backtracks = 0;
    loop {
        if let Some(path) = rotations::find(&graph, ends, effort, budget)? {
            return solved(path, Finder::Rotations, backtracks);
        }
        let mut found = None;
        let end = exact::search(&graph, ends, effort, &mut backtracks, budget, &mut |path| {
            found = Some(path);
            ControlFlow::Break(())
        })?;
        if let Some(path) = found {
            return solved(path, Finder::Exact, backtracks);
        }
        if end == exact::End::Exhausted {
            return Ok(Outcome::Impossible(Impossible::new(
                Proof::Search,
                "An exhaustive search found no such tour.",
            )));
        }
        effort *= 4;
    }
}
